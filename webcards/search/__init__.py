"""The search seam: one interface for any engine, one provider a file, and the cleaning that all of them share.

Selecting a provider is `seam`'s part, merging the results of several queries is the tool's.
"""
