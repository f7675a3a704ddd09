"""A source in a card: its date is a date only where it is one, and it is always called something."""

import pytest
from lxml import html as lxml_html
from lxml.html import HtmlElement

from components.markup import card_html
from webcards.contract import WebSearchResultView, WebSource


def row(source: WebSource) -> HtmlElement:
    (item,) = lxml_html.fromstring(card_html(WebSearchResultView(sources=[source], truncated=False))).xpath("//ol/li")
    return item


@pytest.mark.parametrize(
    ("written", "shown", "datetime"),
    [
        ("2026-01-02", "2026-01-02", "2026-01-02"),
        ("2026-01-02T10:00:00Z", "2026-01-02", "2026-01-02T10:00:00Z"),
        ("2026-01-02 10:00:00.123+05:30", "2026-01-02", "2026-01-02 10:00:00.123+05:30"),
        ("2026-01-02 10:00 (updated since)", "2026-01-02 10:00 (updated since)", None),
        ("2026-01-02 and later", "2026-01-02 and later", None),
        ("2026-13-45", "2026-13-45", None),
        ("2026-02-30T10:00", "2026-02-30T10:00", None),
        ("2026-01-02T25:00", "2026-01-02T25:00", None),
        ("2026-01", "2026-01", None),
        ("6 days ago", "6 days ago", None),
    ],
)
def test_a_date_is_shown_whole_unless_it_is_one(written: str, shown: str, datetime: str | None) -> None:
    (time,) = row(WebSource("https://a.example/", "A", published_at=written)).xpath("time")
    assert (time.text, time.get("datetime")) == (shown, datetime)


@pytest.mark.parametrize(
    ("source", "label"),
    [
        (WebSource("https://a.example:8443/x"), "a.example"),
        (WebSource("https://a.example:8443/x", "\u200b\u2060"), "a.example"),
        (WebSource("mailto:x@y.example"), "mailto:x@y.example"),
        (WebSource(""), "(a source with neither title nor address)"),
        (WebSource("\u200b", "\u3164"), "(a source with neither title nor address)"),
    ],
)
def test_a_source_is_called_by_its_title_its_hostname_or_its_address(source: WebSource, label: str) -> None:
    assert row(source).xpath("string(*[contains(@class, 'wc-link')])") == label
