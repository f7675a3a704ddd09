"""The contrast of each text of a card with what is behind it, in both themes, from the stylesheet's own colours.

Ratios are those of WCAG 2.2 (contrast ratio, relative luminance).
"""

import colorsys
import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from components.gallery.cascade import Cascade, Declarations

Theme = Literal["light", "dark"]
Colour = tuple[float, float, float, float]
"""Red, green, blue and alpha, each from 0 to 1."""

ENOUGH = 4.5


class Contrast(NamedTuple):
    """One text's contrast: `where` is the class or tag that it stands in."""

    ratio: float
    where: str
    theme: Theme


class _Inherited(NamedTuple):
    colour: Colour
    behind: Colour
    variables: Declarations


def contrasts(tree: Any, cascade: Cascade) -> Iterator[Contrast]:
    """The contrast of every text in the card."""
    for theme in ("light", "dark"):
        canvas: Colour = (1, 1, 1, 1) if theme == "light" else (0.07, 0.07, 0.07, 1)
        text: Colour = (0, 0, 0, 1) if theme == "light" else (1, 1, 1, 1)
        yield from _below(tree, cascade, theme, _Inherited(text, canvas, {}))


def _below(element: Any, cascade: Cascade, theme: Theme, around: _Inherited) -> Iterator[Contrast]:
    here = _resolved(cascade.own(element), around, theme)
    if (element.text or "").strip():
        yield Contrast(ratio(here.colour, here.behind), _name(element), theme)
    for pseudo in cascade.pseudos(element):
        drawn = _resolved(cascade.own(element, pseudo), here, theme)
        yield Contrast(ratio(drawn.colour, drawn.behind), f"{_name(element)}::{pseudo}", theme)
    for child in element:
        if isinstance(child.tag, str):
            yield from _below(child, cascade, theme, here)
        if (child.tail or "").strip():
            yield Contrast(ratio(here.colour, here.behind), _name(element), theme)


def _name(element: Any) -> str:
    classes = element.get("class", "").split()
    return f".{classes[-1]}" if classes else str(element.tag)


def _resolved(declared: Declarations, around: _Inherited, theme: Theme) -> _Inherited:
    variables = around.variables | {name: value for name, value in declared.items() if name.startswith("--")}
    colour = around.colour
    if "color" in declared:
        colour = read_colour(declared["color"], variables, theme, around.colour) or around.colour
    painted = declared.get("background-color", declared.get("background", ""))
    over = read_colour(painted, variables, theme, colour) if painted else None
    return _Inherited(colour, blend(over, around.behind) if over else around.behind, variables)


def read_colour(text: str, variables: Declarations, theme: Theme, current: Colour) -> Colour | None:
    """A CSS colour as far as the card's stylesheet uses them; None for what is none (a gradient, a picture)."""
    text = re.sub(r"var\((--[\w-]+)\)", lambda found: variables.get(found[1], ""), text.strip())
    if "var(" in text:
        return None if text.count("var(") > 8 else read_colour(text, variables, theme, current)
    pair = re.fullmatch(r"light-dark\((.*)\)", text)
    if pair:
        sides = re.split(r",(?![^(]*\))", pair[1])
        return read_colour(sides[theme == "dark"], variables, theme, current)
    mix = re.fullmatch(r"color-mix\(in srgb,\s*(\S+) (\d+)%,\s*transparent\)", text)
    if mix:
        inner = read_colour(mix[1], variables, theme, current)
        return (*inner[:3], inner[3] * int(mix[2]) / 100) if inner else None
    return _plain_colour(text, current)


def _plain_colour(text: str, current: Colour) -> Colour | None:
    match text.lower():
        case "currentcolor" | "inherit":
            return current
        case "none" | "transparent":
            return (0, 0, 0, 0)
        case _:
            pass
    if re.fullmatch(r"#[0-9a-fA-F]{3}|#[0-9a-fA-F]{6}", text):
        digits = text[1:] if len(text) == 7 else "".join(digit * 2 for digit in text[1:])
        red, green, blue = (int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))
        return (red, green, blue, 1)
    hsl = re.fullmatch(r"hsl\(([\d.]+) ([\d.]+)% ([\d.]+)%\)", text)
    if hsl:
        hue, saturation, lightness = (float(part) for part in hsl.groups())
        red, green, blue = colorsys.hls_to_rgb(hue / 360, lightness / 100, saturation / 100)
        return (red, green, blue, 1)
    return None


def blend(over: Colour, behind: Colour) -> Colour:
    """A colour painted over another, which is opaque."""
    red, green, blue = (over[n] * over[3] + behind[n] * (1 - over[3]) for n in range(3))
    return (red, green, blue, 1)


def ratio(text: Colour, behind: Colour) -> float:
    """The contrast ratio of WCAG 2.2, from 1 to 21."""
    light, dark = sorted((_luminance(blend(text, behind)), _luminance(behind)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Colour) -> float:
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour[:3]]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
