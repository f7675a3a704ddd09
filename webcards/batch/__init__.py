"""Many calls at once: batches of queries and URLs, run through the two tools, resumed, scheduled and
compared.
"""
