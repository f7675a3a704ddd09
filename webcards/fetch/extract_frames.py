"""Pages that are made of frames, as old manuals are: a link to each frame in place of what a browser would load there."""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree
from lxml.html import HtmlElement

_MOST_CHARS_OF_A_PLEA = 300


def name_frames(root: HtmlElement, parse: Callable[[str], HtmlElement]) -> None:
    """Put the frames' links, and what the page says to those without frames, where its `<frameset>` stands.

    `parse` reads a page: the contents of `<noframes>` are text to a parser.
    """
    outer = root.find("frameset")
    if outer is None:
        return
    box = etree.Element("body" if root.find("body") is None else "div")
    for words in list(root.iter("noframes")):
        said = words.text or ""
        if len(said) > _MOST_CHARS_OF_A_PLEA or "frame" not in said.lower():
            for body in parse(said).iter("body"):
                etree.SubElement(box, "div").extend(list(body))
                box[-1].text = body.text
    links = etree.SubElement(box, "ul")
    for frame in outer.iter("frame"):
        address = (frame.get("src") or "").strip()
        if address:
            link = etree.SubElement(etree.SubElement(links, "li"), "a", href=address)
            name = frame.get("title") or frame.get("name")
            link.text = f"{name}: {address}" if name else address
    root.replace(outer, box)
