"""The machine may be busy: a property's single example has no time limit here (speed belongs in the benchmarks)."""

from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
