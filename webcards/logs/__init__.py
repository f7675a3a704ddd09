"""Reading anybody's log: `for call in logs.read(path)` gives each web call of it, in order, whatever wrote the log."""

from webcards.logs.model import (
    Found,
    FoundPage,
    FoundSources,
    LoggedAnswer,
    LoggedCall,
    LoggedError,
    LoggedResult,
    LogItem,
    LogProblem,
    Position,
)
from webcards.logs.reading import read, read_log
from webcards.logs.view import explain, title_of, view_of
from webcards.logs.writer import events_of, session_head, session_text, write_session

__all__ = [
    "Found",
    "FoundPage",
    "FoundSources",
    "LogItem",
    "LogProblem",
    "LoggedAnswer",
    "LoggedCall",
    "LoggedError",
    "LoggedResult",
    "Position",
    "events_of",
    "explain",
    "read",
    "read_log",
    "session_head",
    "session_text",
    "title_of",
    "view_of",
    "write_session",
]
