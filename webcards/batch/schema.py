"""The tables of batches, in the same database as the recorded calls."""

from sqlalchemy import MetaData

metadata = MetaData()
