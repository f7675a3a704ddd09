"""Pictures and formulas as the reader sees them: lazy images get their address, `<noscript>` its contents, math its source."""

from __future__ import annotations

import re

from lxml import etree
from lxml.html import HtmlElement

from webcards.fetch.extract_nodes import drop, fit
from webcards.fetch.extract_players import PLAYER

_LAZY_SOURCES = (
    "data-src",
    "data-original",
    "data-lazy-src",
    "data-lazy",
    "data-url",
    "data-img-src",
    "data-hi-res-src",
    "data-full-src",
    "data-actualsrc",
    "data-original-src",
    "data-image",
    "data-srcset",
    "data-lazy-srcset",
    "srcset",
)
_IMAGE_NAME = re.compile(r"\.(?:jpe?g|png|webp|gif|avif|svg)(?:$|[?#\s])", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"^data:|^about:|(?:^|[/_-])(?:blank|spacer|placeholder|transparent|pixel|loading|grey|gray|lazy|1x1|clear)[^/]*\.(?:gif|png|svg|jpe?g)",
    re.IGNORECASE,
)
_DRAWN_AGAIN = etree.XPath("//*[contains(@class, 'katex-html') or contains(@class, 'MathJax')]")
_ASKS_FOR_SCRIPT = re.compile(r"javascript|java\s*script|enable\s+js|scripting|activ\w* js", re.IGNORECASE)


def unwrap_noscript(root: HtmlElement) -> None:
    """Show what a page offers to those without scripts, but for the plea to enable them."""
    for element in list(root.iter("noscript")):
        text = " ".join(element.itertext()).strip()
        images = list(element.iter("img"))
        if images and not text:
            _replace_placeholder(element, images)
        elif (not text and next(element.iter(PLAYER), None) is None) or (
            len(text) < 400 and _ASKS_FOR_SCRIPT.search(text)
        ):
            drop(element)
        else:
            element.tag = "div" if any(child.tag in ("p", "div", "ul", "article") for child in element) else "span"


def _replace_placeholder(element: HtmlElement, images: list[HtmlElement]) -> None:
    before = element.getprevious()
    while before is not None and before.tag not in ("img", "picture"):
        inner = list(before.iter("img", "picture"))
        if not inner:
            before = None
            break
        before = inner[-1]
    image = images[0]
    if (
        image.get("width") == "1"
        or image.get("height") == "1"
        or "display:none" in (image.get("style") or "").replace(" ", "")
    ):
        drop(element)
        return
    if (
        before is not None
        and before.tag == "img"
        and before.get("src")
        and not _PLACEHOLDER.search(before.get("src", ""))
    ):
        drop(element)
        return
    if before is not None:
        drop(before)
    element.tag = "span"


def show_lazy_images(root: HtmlElement) -> None:
    """Give each image the address that a script would give it."""
    for image in root.iter("img"):
        source = (image.get("src") or "").strip()
        if source and not _PLACEHOLDER.search(source):
            continue
        found = next((value for value in map(image.get, _LAZY_SOURCES) if value and _is_image(value)), None)
        if found is None:
            found = next(
                (
                    value
                    for value in image.attrib.values()
                    if value != source and _IMAGE_NAME.search(value) and _is_image(value)
                ),
                None,
            )
        if found is None:
            parent = image.getparent()
            if parent is not None and parent.tag == "picture":
                found = next(
                    (
                        value
                        for source_ in parent.iter("source")
                        if (value := source_.get("srcset") or source_.get("data-srcset"))
                    ),
                    None,
                )
        if found:
            image.set("src", first_source(found))


def first_source(value: str) -> str:
    """The first address of a `src` or `srcset` value."""
    return value.strip().split(None, 1)[0].rstrip(",") if value.strip() else ""


def _is_image(value: str) -> bool:
    candidate = value.strip()
    return (
        bool(candidate)
        and not candidate.startswith(("data:", "{", "[", "<", "javascript:"))
        and ("/" in candidate or bool(_IMAGE_NAME.search(candidate)))
    )


def mark_tasks(root: HtmlElement) -> None:
    """Write the box of a task list's item as GitHub does: `[x]` or `[ ]`."""
    for box in list(root.iter("input")):
        if (box.get("type") or "").lower() != "checkbox" or not any(
            above.tag == "li" for above, _ in zip(box.iterancestors(), range(2), strict=False)
        ):
            continue
        if not (box.getprevious() is None and not (box.getparent().text or "").strip()):
            continue
        mark = "[x]" if box.get("checked") is not None else "[ ]"
        tail = box.tail or ""
        box.tail = None
        box.getparent().text = fit(f"{mark} {tail.lstrip()}")
        drop(box)


def mark_math(root: HtmlElement) -> None:
    """Turn each formula into a `<math>` element that holds its source alone: TeX between dollars, else its words."""
    for script in list(root.iter("script")):
        if not (script.get("type") or "").startswith("math/"):
            continue
        source = (script.text or "").strip()
        display = "mode=display" in script.get("type", "")
        _set_math(script, f"$${source}$$" if display else f"${source}$")
    for math in list(root.iter("math")):
        source = _tex_source(math)
        if source:
            display = math.get("display") == "block" or "katex-display" in _ancestor_classes(math)
            _set_math(math, f"$${source}$$" if display else f"${source}$")
        else:
            _set_math(math, " ".join(" ".join(math.itertext()).split()))
    if next(root.iter("math"), None) is None and not any(
        "katex" in (link.get("href") or "").lower() for link in root.iter("link")
    ):
        return
    # KaTeX and MathJax draw the formula a second time for the eye; its source already stands beside.
    for drawn in _DRAWN_AGAIN(root):
        if drawn.tag != "math" and not any(True for _ in drawn.iter("math")):
            drop(drawn)


def _tex_source(math: HtmlElement) -> str | None:
    for annotation in math.iter("annotation"):
        if "tex" in (annotation.get("encoding") or "").lower() and annotation.text:
            return str(annotation.text).strip()
    alternative = math.get("alttext")
    return str(alternative).strip() if alternative else None


def _ancestor_classes(element: HtmlElement) -> str:
    return " ".join(above.get("class") or "" for above, _ in zip(element.iterancestors(), range(4), strict=False))


def _set_math(element: HtmlElement, source: str) -> None:
    element.clear(keep_tail=True)
    element.tag = "math"
    element.text = fit(source)
    # Wikipedia and others hide the formula and show a picture of it: the box that holds nothing else is shown again.
    for above, _ in zip(element.iterancestors(), range(3), strict=False):
        if "".join(above.itertext()).strip() != source:
            break
        for name in ("style", "hidden", "aria-hidden"):
            above.attrib.pop(name, None)
