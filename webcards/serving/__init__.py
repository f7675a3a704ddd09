"""What an app that others reach needs beside its pages: who may listen, sign in and run how much, and what is told of it.

Knows nothing of Streamlit. `webcards.serve` puts it under the app, `components.access` in front of its pages.
"""
