"""Gives a text that the assistant wrote to the one search that it follows; where several came before it, to none."""

from collections.abc import Iterable
from typing import Any

from msgspec import UNSET

from webcards.contract.values import WebSource
from webcards.logs.fields import mapping, source
from webcards.logs.model import FoundSources
from webcards.logs.naming import WEB_SEARCH
from webcards.logs.pairing import Draft


class Citation:
    """A place of the answer that names a source: its URL, and what was recorded beside it."""

    def __init__(self, url: str, title: Any = None, quoted: Any = None) -> None:
        self.url, self.title, self.quoted = url, title, quoted

    def source(self) -> WebSource:
        """The citation as a source, for formats that record their sources nowhere else."""
        made = source(self.url, self.title, self.quoted)
        assert made is not None
        return made


def url_citations(annotations: Any) -> list[Citation]:
    """The `url_citation` annotations of a text, in order, flat or nested, each as often as it is there."""
    cited = []
    for item in annotations if isinstance(annotations, list) else []:
        fields = mapping(item)
        if fields.get("type") not in ("url_citation", None):
            continue
        inner = mapping(fields.get("url_citation")) or fields
        url = inner.get("url")
        if isinstance(url, str) and url.strip():
            cited.append(Citation(url, inner.get("title"), inner.get("content")))
    return cited


def only_search(drafts: Iterable[Draft]) -> Draft | None:
    """The one search among these calls, or None if there are several or none."""
    searches = [draft for draft in drafts if draft.tool == WEB_SEARCH]
    return searches[0] if len(searches) == 1 else None


def give_answer(drafts: Iterable[Draft], text: str, citations: list[Citation] | None = None) -> bool:
    """Gives the text, and what it cites, to the only search. False: it belongs to the conversation.

    `citations` are the sources of a search whose format records them nowhere else; where the search has its own, they
    lend their titles to sources of the very same URL that have none.
    """
    search = only_search(drafts)
    if search is None or (search.result is not None and search.result.is_error):
        return False
    cited = citations or []
    found = search.found if isinstance(search.found, FoundSources) else None
    if found is None:
        search.found = FoundSources([item.source() for item in cited], text or UNSET)
        return True
    titles = {item.url: item.title for item in cited if isinstance(item.title, str)}
    sources = [_titled(known, titles) for known in found.sources] or [item.source() for item in cited]
    answer = found.answer if isinstance(found.answer, str) else text or UNSET
    search.found = FoundSources(sources, answer, found.truncated)
    return True


def _titled(known: WebSource, titles: dict[str, str]) -> WebSource:
    if known.title is not UNSET or known.url not in titles:
        return known
    return WebSource(known.url, titles[known.url], known.snippet, known.published_at)
