"""The Markdown version that a page says it has (`rel=alternate`, in the page or in a Link header): taken in its place
where it is there and whole.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from webcards.contract.errors import WebError
from webcards.fetch.redirects import Chain
from webcards.fetch.retrieve import Journey, Retrieval, Retriever
from webcards.fetch.url import parse_url

if TYPE_CHECKING:
    from webcards.fetch.page import Page

ALTERNATE_SECONDS = 10.0
"""Seconds that the Markdown version may take, and never more than half of what is left of the call."""
MAX_REDIRECTS = 3
WHOLE = 0.5
"""A version with less than this share of the page's own text is a stub, and the page is better."""
_MARKDOWN_TYPES = frozenset({"text/markdown", "text/x-markdown"})


async def markdown_alternate(
    retriever: Retriever, retrieval: Retrieval, page: Page, deadline: float
) -> Retrieval | None:
    """The Markdown version's answer, or None where there is none on the same host, or it is no use.

    It is asked for as any URL is, the guard included; that it fails is no failure of the page.
    """
    offered = page.alternate or linked_alternate(retrieval.headers.get_list("link"))
    if offered is None or page.kind != "html" or retrieval.status != 200:
        return None
    now = asyncio.get_running_loop().time()
    patience = min(ALTERNATE_SECONDS, (deadline - now) / 2)
    try:
        target = parse_url(offered, retrieval.url)
        if target.host != retrieval.url.host or (retrieval.url.scheme, target.scheme) == ("https", "http"):
            return None
        journey = Journey(
            Chain(target, limit=MAX_REDIRECTS, cross_host="same-origin"),
            deadline=now + patience,
            accept="text/markdown",
        )
        async with asyncio.timeout(patience):
            answer = await retriever.retrieve(target, journey)
    except (TimeoutError, WebError):
        return None
    media_type = (answer.content_type or "").partition(";")[0].strip().lower()
    is_markdown = media_type in _MARKDOWN_TYPES or (media_type == "text/plain" and target.path.endswith(".md"))
    whole = len(answer.body.strip()) > WHOLE * len(page.text)
    return answer if answer.status == 200 and is_markdown and whole else None


def linked_alternate(values: Iterable[str]) -> str | None:
    """The first `rel=alternate` of type text/markdown in Link headers (RFC 8288), or None."""
    for target, parameters in _LINK.findall(", ".join(values)[:_MAX_LINK_CHARS]):
        named = {name.lower(): first or second for name, first, second in _PARAMETER.findall(parameters)}
        is_alternate = "alternate" in named.get("rel", "").lower().split()
        if is_alternate and named.get("type", "").partition(";")[0].strip().lower() in _MARKDOWN_TYPES:
            return str(target).strip()
    return None


_MAX_LINK_CHARS = 8192
_LINK = re.compile(r'<([^<>]*)>((?:\s*;\s*[^\s=;,"]+\s*=\s*(?:"[^"]*"|[^\s;,"]*))*)')
_PARAMETER = re.compile(r';\s*([^\s=;,"]+)\s*=\s*(?:"([^"]*)"|([^\s;,"]*))')
