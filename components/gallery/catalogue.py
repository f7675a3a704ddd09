"""The catalogue: every state of the card, by group. A new state is one entry in one file of `states/`."""

from functools import lru_cache

from components.gallery.state import Group, State
from components.gallery.states import (
    addresses,
    answers,
    dates,
    errors,
    hosts,
    malformed_fetch,
    malformed_search,
    pages,
    running,
    scripts,
    sizes,
    snippets,
    sources,
    statuses,
    titles,
    unknown,
)

GROUPS: tuple[Group, ...] = tuple(
    module.GROUP
    for module in (
        running,
        sources,
        answers,
        titles,
        snippets,
        dates,
        hosts,
        addresses,
        statuses,
        pages,
        malformed_search,
        malformed_fetch,
        unknown,
        errors,
        scripts,
        sizes,
    )
)


@lru_cache(maxsize=1)
def states() -> dict[str, State]:
    """Every state, by its id, in the order of the catalogue."""
    return {state.id: state for group in GROUPS for state in group.states}


def group_of(state_id: str) -> Group | None:
    """The group that a state stands in."""
    return next((group for group in GROUPS if any(state.id == state_id for state in group.states)), None)
