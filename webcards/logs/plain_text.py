"""Text alone, as a tool wrote it for a model: one call, if it lists sources or says which page it is."""

from collections.abc import Iterator

from webcards.logs.fields import text_blocks
from webcards.logs.framing import PlainText
from webcards.logs.model import FoundSources, LoggedResult, LogItem, LogProblem
from webcards.logs.naming import WEB_FETCH, WEB_SEARCH
from webcards.logs.pairing import Draft
from webcards.logs.prose import page_in_text, sources_in_text

NAME = "text"


def read_text(record: PlainText) -> Iterator[LogItem]:
    """The call whose result this text is, or a problem that says that it is none."""
    found = page_in_text(record.text) or sources_in_text(record.text)
    place = record.position
    if found is None:
        yield LogProblem(place.line, 1, "not JSON, and no text that a web tool writes", place.member)
        return
    tool = WEB_SEARCH if isinstance(found, FoundSources) else WEB_FETCH
    draft = Draft(NAME, place, tool=tool, raw=record.text.encode("utf-8", "replace"))
    draft.result = LoggedResult(content=text_blocks(record.text))
    draft.found = found
    draft.notes.append("read from the text alone")
    yield draft.freeze()
