"""The checks on each card: every state passes them, and each fault they are there for is found."""

import pytest
from lxml import html as lxml_html

from components.gallery.cascade import Cascade
from components.gallery.catalogue import states
from components.gallery.checks import Check, check_card, failed, summary
from components.gallery.contrast import blend, contrasts, ratio, read_colour
from components.gallery.drawing import state_html
from components.gallery.fitting import cut_texts
from components.gallery.state import State, result
from components.markup import result_html, stylesheet

THREE = states()["sources-3"]
CARD = state_html(THREE, card_id="s")


def found(card: str, settled: object = THREE.result) -> dict[str, Check]:
    return {check.id: check for check in check_card(card, settled)}


@pytest.mark.parametrize("state", [pytest.param(state, id=state.id) for state in states().values()])
def test_every_state_passes_the_checks(state: State) -> None:
    checks = check_card(state_html(state, card_id="s"), state.result)
    assert [(check.id, check.words) for check in failed(checks)] == []
    assert [check.id for check in checks] == ["links", "numbers", "names", "truncated", "contrast", "fits"]


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ('href="https://office', 'href="javascript:alert(1)//office'),
        ('rel="noopener noreferrer"', 'rel="noopener"'),
        ('target="_blank"', 'target="_top"'),
        ("</article>", '<a href="#nowhere">x</a></article>'),
        ("</article>", '<img src="https://tracker.example/p.png" alt="x"></article>'),
        ("</article>", '<form action="https://evil.example">x</form></article>'),
    ],
)
def test_an_unsafe_link_or_a_request_is_found(good: str, bad: str) -> None:
    assert good in CARD
    assert found(CARD)["links"].verdict == "pass"
    assert found(CARD.replace(good, bad, 1))["links"].verdict == "fail"


@pytest.mark.parametrize(("good", "bad"), [('value="2"', 'value="3"'), ('value="1"', ""), ('value="3"', 'value="2"')])
def test_a_gap_in_the_numbers_is_found(good: str, bad: str) -> None:
    assert good in CARD
    assert found(CARD.replace(good, bad, 1))["numbers"].verdict == "fail"


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        (' aria-label="Search result"', ""),
        (' aria-label="Sources"', ""),
        ("Harbour dues, part 2</a>", "</a>"),
        ('id="s-2"', 'id="s-1"'),
    ],
)
def test_what_has_no_name_or_the_same_one_twice_is_found(good: str, bad: str) -> None:
    assert good in CARD
    assert found(CARD)["names"].verdict == "pass"
    assert found(CARD.replace(good, bad, 1))["names"].verdict == "fail"


def settled_search(*, truncated: bool, note: bool) -> Check:
    meta = {"sources": [{"url": "https://a.example/"}], "truncated": truncated}
    text = "Sources:\n- [a](https://a.example/)" + ("\n\nOnly 1 source is shown; more were found." if note else "")
    settled = result(text, meta)
    return found(result_html("web_search", None, settled), settled)["truncated"]


def settled_fetch(*, truncated: bool, text: str) -> Check:
    settled = result(text, {"url": "https://a.example/", "statusCode": 200, "truncated": truncated})
    return found(result_html("web_fetch", None, settled), settled)["truncated"]


def test_a_search_that_says_truncated_to_one_reader_alone_is_found() -> None:
    assert settled_search(truncated=True, note=True).verdict == "pass"
    assert settled_search(truncated=False, note=False).verdict == "pass"
    assert settled_search(truncated=True, note=False).verdict == "fail"
    assert settled_search(truncated=False, note=True).verdict == "fail"


def test_a_fetch_that_says_truncated_to_one_reader_alone_is_found() -> None:
    whole = "Fetched https://a.example/ (HTTP 200)\n\nText."
    cut = whole + "\n\n[Cut: characters 0 to 5 of 90. To read on, fetch again with start=5.]"
    assert settled_fetch(truncated=True, text=cut).verdict == "pass"
    assert settled_fetch(truncated=False, text=whole).verdict == "pass"
    assert settled_fetch(truncated=True, text=whole).verdict == "fail"
    assert settled_fetch(truncated=False, text=cut).verdict == "fail"


def test_a_text_of_another_system_says_nothing_of_a_cut() -> None:
    assert settled_fetch(truncated=True, text="Some page that another system wrote.").verdict == "none"


def test_contrast_is_that_of_wcag() -> None:
    black, white, grey = (read_colour(text, {}, "light", (0, 0, 0, 1)) for text in ("#000", "#ffffff", "#767676"))
    assert black
    assert white
    assert grey
    assert ratio(black, white) == pytest.approx(21)
    assert ratio(grey, white) == pytest.approx(4.54, abs=0.01)
    assert blend((0, 0, 0, 0.5), white) == (0.5, 0.5, 0.5, 1)


@pytest.mark.parametrize(
    ("text", "light", "dark"),
    [
        ("#0d6e6e", (13, 110, 110), (13, 110, 110)),
        ("light-dark(#fff,#171b22)", (255, 255, 255), (23, 27, 34)),
        ("light-dark(hsl(var(--hue) 55% 90%),hsl(var(--hue) 35% 25%))", (215, 244, 244), (41, 86, 86)),
        ("var(--ink)", (28, 36, 48), (232, 235, 240)),
    ],
)
def test_a_colour_of_the_stylesheet_is_read_in_both_themes(
    text: str, light: tuple[int, int, int], dark: tuple[int, int, int]
) -> None:
    variables = {"--hue": "180", "--ink": "light-dark(#1c2430,#e8ebf0)"}
    for theme, expected in (("light", light), ("dark", dark)):
        colour = read_colour(text, variables, theme, (0, 0, 0, 1))  # type: ignore[arg-type]
        assert colour is not None
        assert tuple(round(part * 255) for part in colour[:3]) == expected


def test_a_gradient_is_no_colour() -> None:
    assert read_colour("linear-gradient(90deg,#fff,#000)", {}, "light", (0, 0, 0, 1)) is None


def test_a_text_that_is_too_pale_is_found_with_its_place_and_theme() -> None:
    pale = CARD.replace('<span class="wc-count">', '<span class="wc-count" style="color:light-dark(#ccc,#fff)">', 1)
    check = found(pale)["contrast"]
    assert check.verdict == "fail"
    assert ".wc-count (light)" in check.words


def test_the_contrast_of_every_text_and_of_what_the_sheet_writes_itself_is_looked_at() -> None:
    tree = lxml_html.fromstring(CARD)
    places = {item.where for item in contrasts(tree, Cascade(tree))}
    assert {".wc-title", ".wc-count", ".wc-link", ".wc-date", "li::before", ".wc-host::before"} <= places


def test_a_later_or_more_specific_rule_wins() -> None:
    tree = lxml_html.fromstring(state_html(states()["answer-citations-brackets"], card_id="s"))
    chip = tree.xpath("//a[contains(@class, 'wc-cite')]")[0]
    link = tree.xpath("//a[contains(@class, 'wc-link')]")[0]
    cascade = Cascade(tree)
    assert cascade.own(chip)["color"] == "var(--paper)"
    assert cascade.own(link)["color"] == "var(--link)"


def test_a_long_text_in_a_box_that_hides_the_rest_is_found() -> None:
    tree = lxml_html.fromstring(state_html(states()["title-500-characters"], card_id="s"))
    assert list(cut_texts(tree, Cascade(tree), 390)) == []
    link = tree.xpath("//a[contains(@class, 'wc-link')]")[0]
    link.set("style", "overflow-y:hidden;-webkit-line-clamp:2")
    assert list(cut_texts(tree, Cascade(tree), 390)) == [".wc-tall"]


def test_a_line_that_cannot_wrap_is_found_where_it_is_wider_than_the_card() -> None:
    tree = lxml_html.fromstring(CARD)
    count = tree.xpath("//*[contains(@class, 'wc-count')]")[0]
    assert list(cut_texts(tree, Cascade(tree), 390)) == []
    count.text = "so many sources that no line holds them " * 4
    assert list(cut_texts(tree, Cascade(tree), 390)) == [".wc-count"]


def test_the_checks_are_summed_up_in_a_line() -> None:
    assert summary(check_card(CARD, THREE.result)) == "All checks pass"
    assert summary(check_card(CARD.replace('value="2"', 'value="9"'), THREE.result)) == "1 check fails"


def test_the_stylesheet_is_read_without_its_rules_within_rules() -> None:
    assert "@media" in stylesheet()
    tree = lxml_html.fromstring(state_html(states()["running-search"], card_id="s"))
    ghost = tree.xpath("//*[contains(@class, 'wc-ghost')]")[0]
    assert "wc-wait" in Cascade(tree).own(ghost)["animation"]
