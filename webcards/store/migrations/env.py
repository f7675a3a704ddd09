"""Runs the migrations on the connection that migrate.py hands over; there is no offline mode."""

from alembic import context

from webcards.store.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True)
context.run_migrations()
