"""The colours of both themes can be read: the ratios of WCAG 2.2, from the configuration that the app starts with."""

import re
import tomllib
from itertools import product
from typing import Any, Literal

import pytest

from components import rows, shell, sign_in
from components.gallery.contrast import Colour, blend, ratio, read_colour
from tests.shared import ROOT

CONFIG: dict[str, Any] = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")


def colour(text: str, theme: Theme) -> Colour:
    found = read_colour(text, {}, theme, (0, 0, 0, 1))
    assert found, text
    return found


def of_theme(theme: Theme, name: str) -> Colour:
    return colour(CONFIG["theme"][theme][name], theme)


@pytest.mark.parametrize("theme", THEMES)
def test_the_white_words_of_a_primary_button_can_be_read(theme: Theme) -> None:
    assert ratio((1, 1, 1, 1), of_theme(theme, "primaryColor")) >= 4.5


@pytest.mark.parametrize(
    ("theme", "words", "behind"),
    list(product(THEMES, ("textColor", "linkColor"), ("backgroundColor", "secondaryBackgroundColor"))),
)
def test_words_and_links_can_be_read_on_both_backgrounds(theme: Theme, words: str, behind: str) -> None:
    assert ratio(of_theme(theme, words), of_theme(theme, behind)) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
def test_what_is_chosen_can_be_read_on_its_tint(theme: Theme) -> None:
    chosen = re.search(r"\[data-selected\][^{}]*\{color:(light-dark\([^)]*\))!important\}", shell._SHEET)
    assert chosen
    red, green, blue, _ = of_theme(theme, "primaryColor")
    for strength in (0.1, 0.25):
        behind = blend((red, green, blue, strength), of_theme(theme, "backgroundColor"))
        assert ratio(colour(chosen[1], theme), behind) >= 4.5


@pytest.mark.parametrize("sheet", [shell._SHEET, rows.SHEET, sign_in.SHEET])
def test_no_page_paints_the_words_of_a_primary_button_in_another_colour(sheet: str) -> None:
    painted = [rule for rule in sheet.split("}") if re.search(r"kind\W*=\W*primary", rule) and "color:" in rule]
    assert [rule for rule in painted if "inherit" not in rule and ":not(" not in rule] == []
