"""The parts of the Dashboard page: the address, the filters, the figures, the lists of calls, and one call
by itself.
"""
