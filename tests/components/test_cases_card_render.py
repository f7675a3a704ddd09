"""The cases of kind `card-render`: what a reader sees of a recorded result, and what must not be in its markup."""

import re
from typing import Any

import pytest
from lxml import html as lxml_html

from components.markup import result_html, stylesheet
from tests.cases import alternatives, load_cases
from webcards.contract import Refusal, given, safe_link
from webcards.tools.presenters import explain


class Drawn:
    """A case's input, presented and drawn."""

    def __init__(self, given_input: dict[str, Any]) -> None:
        tool, args, result = given_input["tool"], given_input["args"], given_input["result"]
        self.outcome = explain(tool, args, result)
        self.html = result_html(tool, args, result, card_id="case")
        self.tree = lxml_html.fromstring(self.html)

    @property
    def text(self) -> str:
        return str(self.tree.text_content())

    @property
    def links(self) -> list[tuple[str, str]]:
        return [(str(a.text_content()), str(a.get("href"))) for a in self.tree.iter("a") if "wc-cite" not in a.classes]

    @property
    def rows(self) -> list[Any]:
        return list(self.tree.xpath("//ol[contains(@class, 'wc-list')]/li"))


def parsed(url: str) -> str:
    href = safe_link(url)
    assert href is not None, url
    return href


def check(drawn: Drawn, fact: str, value: Any) -> None:  # noqa: C901 (one arm a key of the cases' README)
    refused = isinstance(drawn.outcome, Refusal)
    hrefs = [href for _, href in drawn.links]
    match fact:
        case "card":
            assert ("generic" if refused else "web") == value
        case "kind":
            assert not refused
            assert {"WebSearchResultView": "search", "WebFetchResultView": "fetch"}[
                type(drawn.outcome).__name__
            ] == value
        case "title":
            assert given(drawn.outcome.title) == value  # type: ignore[union-attr]
        case "title_absent":
            assert (given(drawn.outcome.title) is None) == value  # type: ignore[union-attr]
        case "visible_text_has":
            for words in value:
                assert words in drawn.text
        case "visible_text_lacks":
            for words in value:
                assert words not in drawn.text
        case "visible_text_matches":
            assert re.search(value, drawn.text)
        case "no_element":
            assert not [element.tag for element in drawn.tree.iter(*value)]
        case "no_attribute_matches":
            names = [name for element in drawn.tree.iter() for name in element.attrib]
            assert not [name for name in names if re.search(value, name)]
        case "no_href_scheme":
            assert not [href for href in hrefs if href.split(":")[0].lower() in value]
        case "hrefs_exact":
            assert sorted(hrefs) == sorted(map(parsed, value))
        case "hrefs_include":
            assert set(map(parsed, value)) <= set(hrefs)
        case "href":
            assert parsed(value) in hrefs
        case "link":
            assert bool(hrefs) == value
        case "links":
            for link in value:
                assert (link["text"], parsed(link["href"])) in drawn.links
        case "links_count":
            assert len(drawn.links) == value
        case "numbers":
            assert [int(row.get("value")) for row in drawn.rows] == value
        case "numbered":
            for number, words in value:
                assert words in drawn.rows[number - 1].text_content()
                assert drawn.rows[number - 1].get("value") == str(number)
        case "badge":
            assert drawn.tree.xpath("//*[@data-badge=$name]", name=value)
        case "no_badge":
            assert not drawn.tree.xpath("//*[@data-badge=$name]", name=value)
        case "reason_matches":
            assert isinstance(drawn.outcome, Refusal)
            assert re.search(value, str(drawn.outcome))
            assert drawn.outcome.path in drawn.text
        case "no_third_party_requests":
            assert not drawn.tree.xpath("//@src | //@srcset | //@poster | //@background | //link | //object | //iframe")
            assert not re.search(r"url\((?![\"']?data:)", drawn.html + stylesheet())
        case "bidi_contained":
            assert not re.search("[\u202a-\u202e\u2066-\u2069]", drawn.text)
            for element in drawn.tree.xpath("//ol//*[contains(@class, 'wc-link') or contains(@class, 'wc-snippet')]"):
                assert element.get("dir") == "auto"
        case "utf8_encodable":
            assert drawn.html.encode()
        case "no_exception" | "no_crash":
            assert drawn.html
        case _:
            raise AssertionError(f"this runner does not know the key {fact!r}: teach it what it means")


@pytest.mark.parametrize("case", load_cases("card-render"))
def test_the_facts_of_the_case_hold(case: dict[str, Any]) -> None:
    drawn = Drawn(case["input"])
    failures = []
    for facts in alternatives(case["expect"]):
        try:
            for fact, value in facts.items():
                check(drawn, fact, value)
        except AssertionError as error:
            failures.append(error)
        else:
            return
    raise failures[0]
