"""The logs that are open in a browser session: each is indexed beside the page, in a thread of its own, and ends with it."""

import hashlib
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

import streamlit as st

from components.i18n import _
from webcards.logs import read, read_log
from webcards.logs.checks import Check, run_checks
from webcards.logs.compare import Pair, compare
from webcards.logs.index import LogIndex, Progress
from webcards.logs.indexing import Indexing
from webcards.logs.opening import Source

_COPY = 1 << 20


class OpenedLog:
    """One log: where it is, how far it is read, and its index. Nothing here draws."""

    def __init__(self, log_id: str, name: str, source: Source, place: "tempfile.TemporaryDirectory[str]") -> None:
        self.log_id, self.name, self.source = log_id, name, source
        self._place, self.folder = place, Path(place.name)
        self.progress: Progress | None = None
        self._indexing: Indexing | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="webcards-log")
        self._work = ThreadPoolExecutor(max_workers=1, thread_name_prefix="webcards-log-work")
        self._reading = self._thread.submit(self._run)
        self._following: Future[Progress] | None = None
        self.checks: Future[list[Check]] | None = None
        self.comparison: Future[list[Pair]] | None = None

    @property
    def followable(self) -> bool:
        """Whether it is one file on the server, which may still be written to."""
        return isinstance(self.source, Path) and self.source.is_file() and self.folder not in self.source.parents

    @property
    def reading(self) -> bool:
        """Whether it is still being read for the first time."""
        return not self._reading.done()

    def fault(self) -> str | None:
        """Why it could not be read, in words for people."""
        return _fault(self._reading) or (_fault(self._following) if self._following is not None else None)

    def index(self) -> LogIndex:
        """The index, for the thread that asks. Close it."""
        return LogIndex.open(self.folder / "index.sqlite")

    def follow(self) -> None:
        """Looks for what was appended, unless that is going on already."""
        busy = self._following is not None and not self._following.done()
        if self._reading.done() and self._indexing is not None and not busy:
            self._following = self._thread.submit(self._indexing.follow)

    def run_checks(self) -> None:
        """Starts the checks over the whole log."""
        self.checks = self._work.submit(lambda: run_checks(read_log(self.source)))

    def compare_with(self, other: "OpenedLog") -> None:
        """Starts the comparison with a later log."""
        self.comparison = self._work.submit(lambda: compare(read(self.source), read(other.source)))

    def close(self) -> None:
        """Ends the reading and deletes the index."""
        if self._indexing is not None:
            self._indexing.cancel()
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._work.shutdown(wait=False, cancel_futures=True)
        self._place.cleanup()

    def _run(self) -> None:
        index = LogIndex.open(self.folder / "index.sqlite")
        self._indexing = Indexing(index, self.source, name="", on_progress=self._told)
        self._indexing.run()

    def _told(self, progress: Progress) -> None:
        self.progress = progress


def _fault(future: "Future[Any]") -> str | None:
    if not future.done() or future.cancelled() or future.exception() is None:
        return None
    match future.exception():
        case FileNotFoundError():
            return _("The log is not there any more.")
        case PermissionError():
            return _("The log may not be read: its permissions forbid it.")
        case OSError() | sqlite3.Error():
            return _("The log could not be read: the disk does not answer, or is full.")
        case _:
            return _("The log could not be read.")


def outcome_of(future: "Future[Any] | None") -> Any:
    """What a piece of work gave, or None while it is going on, was not begun, or failed."""
    if future is None or not future.done() or _fault(future) is not None:
        return None
    return future.result()


class OpenLogs(dict[str, OpenedLog]):
    """The logs of one session, by their ids."""

    def on_server(self, log_id: str, name: str, source: Source) -> OpenedLog:
        """The log that a path or a pattern names; what it names may change."""
        known = self.get(log_id)
        if known is not None and known.source != source:
            self.pop(log_id).close()
        return self._opened(log_id, name, lambda _folder: source)

    def _opened(self, log_id: str, name: str, make: Callable[[Path], Source]) -> OpenedLog:
        """The log of this id; `make` gives its source, and may put it into the folder that it is given."""
        if log_id not in self:
            # Deleted with the session; and, should the process end first, at its exit.
            place = tempfile.TemporaryDirectory(prefix="webcards-replay-", ignore_cleanup_errors=True)
            self[log_id] = OpenedLog(log_id, name, make(Path(place.name)), place)
        return self[log_id]

    def uploaded(self, name: str, file: IO[bytes]) -> OpenedLog:
        """An uploaded log, which is copied to the disk: the upload itself stays in memory."""
        digest = hashlib.sha256(name.encode("utf-8", "replace"))
        while chunk := file.read(_COPY):
            digest.update(chunk)
        file.seek(0)

        def copied(folder: Path) -> Path:
            path = folder / "upload"
            with path.open("wb") as target:
                shutil.copyfileobj(file, target, _COPY)
            return path

        return self._opened(f"{UPLOAD}{digest.hexdigest()[:16]}", name, copied)

    def close_all(self) -> None:
        """Closes every log."""
        for log in self.values():
            log.close()
        self.clear()


UPLOAD = "upload-"


@st.cache_resource(show_spinner=False, scope="session", on_release=OpenLogs.close_all)
def open_logs() -> OpenLogs:
    """This session's logs; closing the tab closes them and deletes what was copied."""
    return OpenLogs()
