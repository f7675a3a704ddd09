"""ddgs with its eyes open: its DuckDuckGo engine, made to tell a refusal, a changed page and "nothing found" apart.

ddgs takes any answer but 200 for "No results found." and decodes links twice. Loaded only when a search is made, since
ddgs loads every engine that it knows. Errors for people are `duckduckgo`'s part.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any, ClassVar

import primp
from ddgs.base import BaseSearchEngine
from ddgs.ddgs import DDGS
from ddgs.engines.duckduckgo import Duckduckgo
from ddgs.exceptions import DDGSException, RatelimitException
from ddgs.results import TextResult
from lxml import html

from webcards.search.cleaning import as_markup
from webcards.search.provider import Safe

MAX_BYTES = 4_000_000
"""Bytes of a result page that are read."""
CONNECT_SECONDS = 4.0
"""How long to wait for a name and for a connection: a machine without a network must find out soon."""

_REFUSALS = frozenset({403, 418, 429})
_SAFE: dict[Safe, str] = {"strict": "1", "moderate": "-1", "off": "-2"}
_CHALLENGE = "//*[contains(@class, 'anomaly-modal') or contains(@action, 'anomaly.js') or @id = 'challenge-form']"
_NOTHING = "//*[contains(@class, 'no-results') or contains(@class, 'result--no-result')]"


class ChangedPageError(DDGSException):
    """The answer is neither a list of results, nor a refusal, nor the page that says there are none."""


class StatusError(DDGSException):
    """DuckDuckGo answered with an HTTP status that is no answer to a search."""

    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status


class Refusal(RatelimitException):
    """DuckDuckGo takes us for a robot that asks too much; `retry_after` in seconds if it says when to come back."""

    def __init__(self, status: int, retry_after: str | None) -> None:
        super().__init__(f"HTTP {status}")
        self.retry_after = retry_after


class RawResult(TextResult):
    """A result as it stands in the page: ddgs would unquote the links, and so change them."""

    _normalizers: ClassVar[Mapping[str, Any]] = {}


class Engine(Duckduckgo):
    """The DuckDuckGo engine of ddgs over a request that can be cancelled, for one search."""

    # ddgs takes the link from the snippet, and so loses a result that has none.
    elements_xpath: ClassVar[Mapping[str, str]] = {
        **Duckduckgo.elements_xpath,
        "href": "(.//h2//a/@href | ./a/@href)[1]",
    }

    def __init__(
        self, client: primp.AsyncClient, loop: asyncio.AbstractEventLoop, search_url: str, safe: Safe | None
    ) -> None:
        self.search_url = search_url
        self.failure: Exception | None = None
        self._client = client
        self._loop = loop
        self._safe = safe
        self._asking: Future[str] | None = None
        self._aborted = False

    @property
    def result_type(self) -> type[Any]:
        return RawResult

    def build_payload(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        payload = super().build_payload(*args, **kwargs)
        # ddgs leaves safe search out for this engine; DuckDuckGo has it as `kp`.
        return payload if self._safe is None else {**payload, "kp": _SAFE[self._safe]}

    def request(self, method: str, url: str, data: dict[str, Any] | None = None, **_: Any) -> str:
        """The page, asked for on the event loop that waits for this thread, so that cancelling there ends it here."""
        self._asking = asyncio.run_coroutine_threadsafe(self._page(method, url, data), self._loop)
        if self._aborted:
            self._asking.cancel()
        return self._asking.result()

    def extract_results(self, html_text: str) -> list[TextResult]:
        # DuckDuckGo serves its robot test, and its "no results" too, with 202 as well as with 200, and prints the query
        # into the page: so the results come first, and only markup counts.
        results = [row for row in super().extract_results(html_text) if row.href]
        if results:
            return [_as_markup(row) for row in results]
        tree = self.extract_tree(html_text)
        if tree.xpath(_CHALLENGE):
            raise Refusal(202, None)
        if not tree.xpath(_NOTHING):
            raise ChangedPageError("neither results nor a word that there are none")
        return []

    def extract_tree(self, html_text: str) -> html.HtmlElement:
        try:
            return super().extract_tree(html_text)
        except (html.etree.LxmlError, ValueError) as error:
            raise ChangedPageError("the page cannot be parsed") from error

    def search(self, *args: Any, **kwargs: Any) -> list[TextResult] | None:
        # ddgs keeps only the text of an engine's error; the error itself is kept here.
        try:
            return super().search(*args, **kwargs)
        except Exception as error:
            self.failure = error
            raise

    def abort(self) -> None:
        """End the request that is under way, or the one that is about to be made."""
        self._aborted = True
        if self._asking is not None:
            self._asking.cancel()

    async def _page(self, method: str, url: str, data: dict[str, Any] | None) -> str:
        response = await self._client.request(method, url, data=data, stream=True)
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > MAX_BYTES:
                raise ChangedPageError("the page is far longer than a list of results")
        if response.status_code in _REFUSALS:
            raise Refusal(response.status_code, response.headers.get("retry-after"))
        if response.status_code not in (200, 202):
            raise StatusError(response.status_code)
        if not body.strip():
            if response.status_code == 202:
                raise Refusal(202, None)
            raise ChangedPageError("the page is empty")
        return body.decode("utf-8", "replace")


class Client(DDGS):
    """ddgs with one engine, ours. Its own time limit is off: an engine that it gives up would count as empty."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(timeout=None)
        self._engine = engine

    def _get_engines(self, category: str, backend: str) -> list[BaseSearchEngine[Any]]:  # noqa: ARG002
        return [self._engine]


def open_engine(*, search_url: str, timeout: float, safe: Safe | None) -> Engine:
    """An engine for one search on the running loop; `timeout` in seconds is for the whole request."""
    client = primp.AsyncClient(
        timeout=timeout,
        connect_timeout=min(CONNECT_SECONDS, timeout),
        dns_timeout=min(CONNECT_SECONDS, timeout),
        impersonate="random",
        impersonate_os="random",
        max_redirects=3,
    )
    return Engine(client, asyncio.get_running_loop(), search_url, safe)


def _as_markup(row: TextResult) -> TextResult:
    """The row with its text escaped again: rows are markup to whoever cleans them, and this text is parsed already."""
    row.title = as_markup(row.title)
    row.body = as_markup(row.body)
    return row
