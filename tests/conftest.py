"""What every test stands on: no test reaches the network or a person's own files, and none that matters skips unseen."""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

# Imported here, at a shallow place: pytest may import it deep in a failing test's traceback, and overrun the parser there.
import hypothesis
import pytest

# Before anything reads a setting: the live search engine is a closed port on loopback, and caches and records go nowhere.
_PRIVATE = tempfile.TemporaryDirectory(prefix="webcards-tests-")
for name in [name for name in os.environ if name.startswith("WEBCARDS_")]:
    if name not in ("WEBCARDS_SHARED", "WEBCARDS_CASES", "WEBCARDS_REQUIRE"):
        del os.environ[name]
os.environ["WEBCARDS_DUCKDUCKGO_URL"] = "http://127.0.0.1:9/html/"
os.environ["XDG_CACHE_HOME"] = str(Path(_PRIVATE.name) / "cache")
os.environ["XDG_DATA_HOME"] = str(Path(_PRIVATE.name) / "data")


# A busy machine is slow at any moment: no example fails for the time that it took.
hypothesis.settings.register_profile("webcards", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("webcards")


@pytest.fixture(autouse=True)
def main_module_stays() -> Iterator[None]:
    """AppTest leaves its page behind as the main module, and every process started afterwards would run that page."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """With WEBCARDS_REQUIRE=browser,database a skip of such a test is a failure: a build must not pass by skipping."""
    report = yield
    required = {name for name in os.environ.get("WEBCARDS_REQUIRE", "").split(",") if name}
    markers = {marker.name for marker in item.iter_markers()}
    # A reviewed picture holds for the letters of one machine; on another its skip says so, and is right.
    if report.skipped and required & markers and "pictures" not in markers:  # type: ignore[attr-defined]
        report.outcome = "failed"  # type: ignore[attr-defined]
        report.longrepr = f"skipped, although WEBCARDS_REQUIRE names it: {report.longrepr}"  # type: ignore[attr-defined]
    return report
