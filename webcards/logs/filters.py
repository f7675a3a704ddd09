"""The filters of a log's list, as a question to its index."""

from typing import Any, Literal

from msgspec import Struct


class Filters(Struct, frozen=True, kw_only=True):
    """What to list; a field at its default does not filter.

    `tool`: web_search, web_fetch or another name. `kind`: search, fetch, error, generic, unfinished. `status_class`: 2
    to 5. `since` and `until`: milliseconds since the epoch. `text`: words that all must be there, the last one may be
    cut short. `problems`: only calls without a card, or whose record was damaged.
    """

    tool: str | None = None
    kind: Literal["search", "fetch", "error", "generic", "unfinished"] | None = None
    format: str | None = None
    status_class: int | None = None
    truncated: bool | None = None
    fell_back: bool | None = None
    is_error: bool | None = None
    code: str | None = None
    host: str | None = None
    since: int | None = None
    until: int | None = None
    text: str = ""
    problems: bool = False

    def where(self) -> tuple[str, list[Any]]:
        """The condition in SQL, and its parameters."""
        parts: list[str] = []
        given: list[Any] = []

        def also(condition: str, *values: Any) -> None:
            parts.append(condition)
            given.extend(values)

        for column in ("tool", "kind", "format", "code"):
            if (value := getattr(self, column)) is not None:
                also(f"{column} = ?", value)
        if self.status_class is not None:
            also("status BETWEEN ? AND ?", self.status_class * 100, self.status_class * 100 + 99)
        for column, wanted in (("truncated", self.truncated), ("is_error", self.is_error)):
            if wanted is not None:
                also(f"{column} = ?", int(wanted))
        if self.fell_back is not None:
            also(f"fallback_path IS {'NOT ' if self.fell_back else ''}NULL")
        if self.host:
            also("n IN (SELECT n FROM hosts WHERE host = ?)", self.host.lower())
        if self.since is not None:
            also("ms >= ?", self.since)
        if self.until is not None:
            also("ms <= ?", self.until)
        if self.text.strip():
            also("(title LIKE ? ESCAPE '\\' OR n IN (SELECT rowid FROM words WHERE words MATCH ?))", *_words(self.text))
        if self.problems:
            also("problem = 1")
        return (" AND ".join(parts) or "1"), given


def _words(text: str) -> tuple[str, str]:
    """A pattern for LIKE, and a query for FTS5 in which every word is quoted: what people type is never its syntax."""
    escaped = text.strip().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    quoted = ['"' + word.replace('"', '""') + '"' for word in text.replace("\0", " ").split()]
    return f"%{escaped}%", " ".join(quoted) + "*"
