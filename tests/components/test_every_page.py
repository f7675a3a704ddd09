"""Each page of the app runs through without an exception, on an empty and on a full store, in both languages."""

from collections.abc import Iterator

import pytest

from components.batches.service import batch_service
from tests.components.test_dashboard_page import full, opened, store
from tests.shared import ROOT
from webcards import __version__
from webcards.batch import batches
from webcards.batch.items import read_items
from webcards.batch.options import Options
from webcards.store import Filter, Store
from webcards.store.alerts import save_alert
from webcards.store.marks import Mark, set_mark

__all__ = ["full", "store"]

PAGES = sorted(path.stem for path in (ROOT / "components" / "pages").glob("*.py") if path.stem != "__init__")
# Where a page has views of its own that the store has a part in.
VIEWS = [
    *((page, {}) for page in PAGES),
    ("dashboard", {"span": "all", "by": "host"}),
    ("dashboard", {"call": "1"}),
    ("dashboard", {"call": "999999"}),
    ("batch", {"run": "1"}),
    ("batch", {"run": "1", "call": "1"}),
    ("gallery", {"view": "checklist"}),
    ("gallery", {"view": "state", "state": "sources-1"}),
    ("run", {"tool": "web_search", "q": "tide"}),
    ("run", {"demo": "1"}),
]


@pytest.fixture(autouse=True)
def no_service(store: Store) -> Iterator[None]:
    """What the Batch page starts works on the record of one test."""
    batch_service.clear()
    yield
    batch_service.clear()


@pytest.fixture(params=["empty", "full"])
def filled(request: pytest.FixtureRequest, store: Store) -> Store:
    """A store without a call, and one with some of all that it can keep."""
    if request.param == "empty":
        return store
    request.getfixturevalue("full")
    items = read_items(b"harbour dues\nhttps://office.kittiwick.example/dues").items
    batch = batches.create(store, "harbour", items, Options())
    batches.pause(store, batches.start_run(store, batch))
    with store.writing() as connection:
        save_alert(connection, name="slow", measure="p95", above=1, wanted=Filter(span="24h"), at_least=1, now=1)
        set_mark(connection, Mark("sources-1", __version__, "fail", "the date is cut", "ada", 1))
    return store


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("page", "address"), VIEWS, ids=[f"{page} {address or ''}".strip() for page, address in VIEWS])
def test_a_page_runs_through_without_an_exception(
    filled: Store, page: str, address: dict[str, str], language: str
) -> None:
    test = opened(page, lang=language, **address)
    assert not test.exception, test.exception
    # What a page cannot do it says in words, which are no faults of the store.
    assert not any("WEBCARDS_DATABASE_URL" in error.value for error in test.error)
    assert len(test.main.children) > 0
