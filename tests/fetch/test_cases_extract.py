"""Every fault case of kind `extract-html`: pages that other readers spoilt, through ours and the contract's rendering."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, cast

import pytest

from tests.cases import load_cases
from tests.fetch.expectations import Seen, broken
from webcards.contract import WebFetchBody, WebFetchResult, render_fetch_output
from webcards.fetch.page import read_page
from webcards.tools.registry import Execution

_INPUT_KEYS = {"html", "base_url"}


@dataclass(frozen=True)
class _Read(Seen):
    """What a page came out as; no tool and no network stand around it."""

    text: str = ""
    title: str | None = None

    @property
    def content(self) -> str:
        return self.text

    @property
    def is_error(self) -> bool:
        return False

    @property
    def error_code(self) -> str | None:
        return None

    @property
    def details(self) -> dict[str, Any]:
        return {"title": self.title}


@pytest.mark.parametrize("case", load_cases("extract-html"))
def test_the_facts_of_the_case_hold(case: dict[str, Any]) -> None:
    given = case["input"]
    assert set(given) <= _INPUT_KEYS, f"unknown keys in input: {set(given) - _INPUT_KEYS}"
    url = given.get("base_url", "http://pages.example/page")
    began = time.perf_counter()
    page = read_page(given["html"].encode("utf-8", "surrogatepass"), url=url, content_type="text/html; charset=utf-8")
    body = "\n\n".join(part for part in (page.note, page.markdown) if part)
    value = WebFetchResult(
        url=url, status_code=200, body=WebFetchBody(kind="html", content=page.text, markdown=body), truncated=page.cut
    )
    content, _ = render_fetch_output(value, 10_000_000)
    seen = _Read(cast("Execution", None), seconds=time.perf_counter() - began, text=content, title=page.title)
    assert broken(case["expect"], seen) == []
