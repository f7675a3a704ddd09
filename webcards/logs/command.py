"""What the command line does with logs: `replay` prints their calls, `convert` writes them anew, `export` their sources."""

import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import IO

from webcards.contract.json_text import json_text
from webcards.logs.masking import mask_call
from webcards.logs.model import LoggedCall, LogProblem
from webcards.logs.opening import Source
from webcards.logs.reading import read_log
from webcards.logs.replayed import replayed
from webcards.logs.sources import sources_csv, sources_markdown, write_sources_parquet
from webcards.logs.writer import event_line, events_of, session_head

Tell = Callable[[str], None]
STDIN = "-"


class CannotReadError(Exception):
    """A file that cannot be opened, or a format that nobody knows; the message is for people."""


def calls_of(files: Iterable[str], format_name: str | None, tell: Tell) -> Iterator[LoggedCall]:
    """The calls of several logs, one log after another; `-` is standard input. `tell` gets what could not be read.

    Raises `CannotReadError`.
    """
    for file in files:
        source: Source = sys.stdin.buffer if file == STDIN else Path(file)
        named = "standard input" if file == STDIN else file
        try:
            for item in read_log(source, format_name=format_name, answers=False):
                if isinstance(item, LoggedCall):
                    yield item
                elif isinstance(item, LogProblem):
                    tell(f"{named}: {item}")
        except OSError as error:
            raise CannotReadError(f"{named} cannot be read: {error.strerror or error}.") from None
        except ValueError as error:
            raise CannotReadError(str(error)) from None


def replay_lines(files: Iterable[str], format_name: str | None, tell: Tell, *, masked: bool = False) -> Iterator[str]:
    """One JSON object a call, in order. Raises `CannotReadError`."""
    for call in calls_of(files, format_name, tell):
        yield json_text(replayed(mask_call(call)[0] if masked else call))


def convert(file: str, target: IO[str], format_name: str | None, tell: Tell) -> int:
    """Writes a log as a native session log; reading that gives the same views. Gives the number of calls.

    Raises `CannotReadError`.
    """
    count = 0

    def counted() -> Iterator[LoggedCall]:
        nonlocal count
        for call in calls_of([file], format_name, tell):
            count += 1
            yield call

    events = events_of(counted())
    # A log that cannot be opened leaves nothing behind, not even the head of another.
    first = list(islice(events, 1))
    for event in chain([session_head("converted", 0)], first, events):
        target.write(event_line(event))
    return count


def export_sources(files: Iterable[str], out: Path, format_name: str | None, tell: Tell) -> None:
    """Writes the sources of all calls, masked, as the name says: `.csv`, `.md` or `.parquet`. Raises `CannotReadError`."""
    calls = (mask_call(call)[0] for call in calls_of(files, format_name, tell))
    match out.suffix.lower():
        case ".parquet":
            write_sources_parquet(calls, out)
        case ".csv" | ".md":
            lines = sources_csv(calls) if out.suffix.lower() == ".csv" else sources_markdown(calls)
            with out.open("w", encoding="utf-8", errors="replace", newline="") as target:
                target.writelines(lines)
        case _:
            raise CannotReadError(f"{out.name}: the name says what to write: .html, .csv, .md or .parquet")
