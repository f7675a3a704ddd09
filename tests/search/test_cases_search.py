"""Runs every case of kind `search-result`: the real tool over the real provider, given what the case's engine gives."""

import re
import time
from collections.abc import Callable
from functools import cached_property
from typing import Any

import msgspec
import pytest

from tests.cases import alternatives, load_cases
from tests.components.test_cases_card_render import Drawn
from tests.components.test_cases_card_render import check as check_card
from tests.fetch.expectations import CHECKS, Seen, links, same_url, tokens
from tests.search.case_engines import engine_of
from webcards.settings import read_settings
from webcards.tools.registry import Registry
from webcards.tools.web_search import web_search_tool


class Ran:
    """A settled case: what the fetch runner knows of a call, the sources, and how often the engine was asked."""

    def __init__(self, seen: Seen, calls: int, args: dict[str, Any]) -> None:
        self.seen = seen
        self.calls = calls
        self.sources: list[dict[str, str]] = seen.meta.get("sources", [])
        self._args = args

    @cached_property
    def drawn(self) -> Drawn:
        """The card, as a viewer of the event draws it."""
        message = msgspec.to_builtins(self.seen.execution.result)["data"]["message"]["content"][0]
        result = {"content": message["content"], "isError": message["isError"]}
        if self.seen.meta:
            result["meta"] = self.seen.meta
        return Drawn({"tool": "web_search", "args": self._args, "result": result})

    @property
    def urls(self) -> list[str]:
        return [source["url"] for source in self.sources]

    @property
    def plain(self) -> str:
        """The content as a reader of Markdown sees it."""
        inline = [token for token in tokens(self.seen.content) if token.type == "inline"]
        return "\n".join("".join(child.content for child in token.children or []) for token in inline)


def same_urls(wanted: list[str], found: list[str]) -> bool:
    return len(wanted) == len(found) and all(map(same_url, wanted, found))


def source_holds(wanted: dict[str, Any], source: dict[str, str]) -> bool:
    """Whether a source has the fields that are wanted: as they are, by a pattern (`…_matches`), or not at all."""
    for key, value in wanted.items():
        name = key.removesuffix("_matches")
        if key == "absent":
            if any(field in source for field in value):
                return False
        elif name not in ("url", "title", "snippet", "publishedAt"):
            raise AssertionError(f"the runner does not know the key {key!r} of a source")
        elif key != name:
            if name not in source or not re.search(value, source[name]):
                return False
        elif name == "url":
            if not same_url(value, source["url"]):
                return False
        elif source.get(name) != value:
            return False
    return True


def schemes(ran: Ran) -> set[str]:
    """The schemes of every link, in the text that the model reads and on the card."""
    hrefs = [href for _, href in links(ran.seen.content)] + [href for _, href in ran.drawn.links]
    return {href.partition(":")[0].lower() for href in hrefs}


HOLDS: dict[str, Callable[[Any, Ran], bool]] = {
    "source_urls": lambda wanted, ran: same_urls(wanted, ran.urls),
    "source_urls_include": lambda wanted, ran: all(any(same_url(one, url) for url in ran.urls) for one in wanted),
    "source_urls_exclude": lambda wanted, ran: not any(same_url(one, url) for one in wanted for url in ran.urls),
    "no_source_url_matches": lambda wanted, ran: not any(re.search(wanted, url) for url in ran.urls),
    "source_count": lambda wanted, ran: len(ran.sources) == wanted,
    "source_count_max": lambda wanted, ran: len(ran.sources) <= wanted,
    "source_count_min": lambda wanted, ran: len(ran.sources) >= wanted,
    "sources": lambda wanted, ran: len(wanted) <= len(ran.sources) and all(map(source_holds, wanted, ran.sources)),
    "each_publishedAt_absent_or_matches": lambda wanted, ran: all(
        re.search(wanted, source["publishedAt"]) for source in ran.sources if "publishedAt" in source
    ),
    "no_link_scheme": lambda wanted, ran: not schemes(ran) & {scheme.lower() for scheme in wanted},
    "markdown_text_has": lambda wanted, ran: all(part in ran.plain for part in wanted),
    "markdown_text_lacks": lambda wanted, ran: not any(part in ran.plain for part in wanted),
    "no_heading": lambda wanted, ran: (
        wanted == (not any(token.type == "heading_open" for token in tokens(ran.seen.content)))
    ),
    "provider_calls": lambda wanted, ran: ran.calls == wanted,
    "answer": lambda wanted, ran: ran.seen.meta.get("answer") == wanted,
}


def check(ran: Ran, key: str, value: Any) -> None:
    """One fact, by this runner's own keys, those of the fetch runner, or those of the card's; else it is unknown."""
    if key == "markdown_list_items" and isinstance(value, int):
        items = [token for token in tokens(ran.seen.content) if token.type == "list_item_open"]
        assert len(items) == value, ran.seen.content
    elif key in HOLDS:
        assert HOLDS[key](value, ran), f"{key}: {value!r} does not hold: {ran.sources} {ran.seen.content}"
    elif key in CHECKS:
        fault = CHECKS[key](value, ran.seen)
        assert fault is None, f"{key}: {fault}"
    else:
        check_card(ran.drawn, key, value)


@pytest.mark.parametrize("case", load_cases("search-result"))
async def test_the_facts_of_the_case_hold(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    given = case["input"]
    async with engine_of(given, monkeypatch) as (provider, asking):
        settings = read_settings(**given.get("settings", {}))
        registry = Registry([web_search_tool(settings, lambda: provider)])
        began = time.perf_counter()
        execution = await registry.execute("web_search", given["args"])
        seen = Seen(execution, seconds=time.perf_counter() - began)
    ran = Ran(seen, asking.calls, given["args"])
    failures = []
    for facts in alternatives(case["expect"]):
        try:
            for key, value in facts.items():
                check(ran, key, value)
        except AssertionError as error:
            failures.append(error)
        else:
            return
    raise failures[0]


def test_a_key_that_the_runner_does_not_know_fails() -> None:
    with pytest.raises(AssertionError, match="does not know"):
        source_holds({"colour": "blue"}, {"url": "https://docs.example/"})
