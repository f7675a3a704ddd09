"""The parts of the Batch page: the form of a new batch, a run under way, its results, and what changed."""
