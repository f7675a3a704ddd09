"""The tree of an HTML page, made fit for reading: parsed at any depth, freed of scripts and of what no reader sees.

It decides nothing about what matters on the page; that is extract.py's part.
"""

from __future__ import annotations

import re

from lxml import etree
from lxml import html as lxml_html

from webcards.fetch.extract_folds import unfold
from webcards.fetch.extract_frames import name_frames
from webcards.fetch.extract_hidden import drop_hidden, reveal_streamed
from webcards.fetch.extract_media import mark_math, mark_tasks, show_lazy_images, unwrap_noscript
from webcards.fetch.extract_nodes import fit, has_text
from webcards.fetch.extract_players import keep_players
from webcards.fetch.extract_roles import name_by_role

# libxml2 gives up a page that is nested deeper than about 2,000 elements; nobody writes such a page by hand.
MAX_DEPTH = 300
_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"]
)
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]{0,60})[^>]{0,65536}>?")
# These close themselves when the next one opens, so they add no depth.
_SELF_CLOSING = frozenset(["p", "h1", "h2", "h3", "h4", "h5", "h6"])
_CONTROLS = bytes([*range(0x09), *range(0x0E, 0x20), 0x7F])
_SPACES = bytes.maketrans(b"\x0b\x0c", b"  ")
_LONG_TAG = 16_384
_MANY_ATTRIBUTES = re.compile(rb"<([a-zA-Z][^\s/<>]{0,60})((?:\s+[^\s<>]{1,200}){500,})\s*(/?)>")

_UNSEEN_TAGS = (
    "script",
    "style",
    "link",
    "meta",
    "iframe",
    "object",
    "embed",
    "applet",
    "canvas",
    "audio",
    "svg",
    "template",
    "datalist",
    "input",
    "select",
    "textarea",
    "progress",
    "meter",
    "map",
    "noframes",
)
BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "center",
        "dd",
        "details",
        "dialog",
        "dir",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hgroup",
        "hr",
        "legend",
        "li",
        "main",
        "menu",
        "nav",
        "ol",
        "p",
        "pre",
        "search",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
        "caption",
        "video",
    ]
)
_CONTAINERS = frozenset(
    [
        "article",
        "aside",
        "blockquote",
        "body",
        "center",
        "dd",
        "div",
        "figcaption",
        "fieldset",
        "footer",
        "form",
        "header",
        "li",
        "main",
        "section",
        "td",
    ]
)


def parse(text: str) -> lxml_html.HtmlElement:
    """The root element of a page. Nesting beyond what libxml2 reads is flattened first, so that no text is lost."""
    data = text.encode("utf-8", "replace").translate(_SPACES, _CONTROLS)
    root, complete = _parse(_without_long_tags(data))
    if not complete:
        root, _ = _parse(flatten(data.decode("utf-8", "replace")).encode("utf-8", "replace"))
    return root


def _without_long_tags(data: bytes) -> bytes:
    """The same page with no attributes where a tag has very many: libxml2 compares each of them with all the others."""
    parts: list[bytes] = []
    written = looked = 0
    # A tag twice this long leaves a window without its end.
    for start in range(0, len(data) - _LONG_TAG, _LONG_TAG):
        if data.find(b">", start, start + _LONG_TAG) >= 0:
            continue
        begins = data.rfind(b"<", looked, start)
        looked = start
        tag = _MANY_ATTRIBUTES.match(data, begins) if begins >= written else None
        if tag:
            parts += [data[written:begins], tag.expand(rb"<\1\3>")]
            written = tag.end()
    return b"".join([*parts, data[written:]]) if parts else data


def _parse(data: bytes) -> tuple[lxml_html.HtmlElement, bool]:
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        root = None
    last = parser.error_log.last_error
    if last is not None and last.type == etree.ErrorTypes.ERR_NO_MEMORY:
        # libxml2 would give what it has so far as if it were all.
        raise MemoryError
    if root is None:
        return etree.fromstring(b"<html><body></body></html>", parser), False
    return root, last is None or last.type != etree.ErrorTypes.ERR_RESOURCE_LIMIT


def flatten(text: str, depth: int = MAX_DEPTH) -> str:
    """The same page without the tags that open more than `depth` levels deep (and without their end tags)."""
    open_tags: list[tuple[str, bool]] = []
    kept_open = 0
    parts: list[str] = []
    position = 0
    for match in _TAG.finditer(text):
        name = match[2].lower()
        if name in _VOID or name in _SELF_CLOSING:
            continue
        if not match[1]:
            keep = kept_open < depth
            open_tags.append((name, keep))
            kept_open += keep
        else:
            keep = True
            # An end tag closes the nearest open element of its name; look only so far that the work stays linear.
            for back in range(1, min(len(open_tags), 64) + 1):
                if open_tags[-back][0] == name:
                    kept = [entry for entry in open_tags[-back:] if entry[1]]
                    keep = open_tags[-back][1]
                    kept_open -= len(kept)
                    del open_tags[-back:]
                    break
        if not keep:
            parts.append(text[position : match.start()])
            parts.append(" ")
            position = match.end()
    parts.append(text[position:])
    return "".join(parts)


def prepare(root: lxml_html.HtmlElement, source: str) -> None:
    """Change a parsed page in place into what a reader sees of it, with every run of words in a block of its own.

    `source` is the page's text: what is not in it need not be looked for.
    """
    templates = list(root.iter("template"))
    for template in templates:
        if template.get("shadowrootmode") or template.get("shadowroot"):
            template.tag = "div"
    name_frames(root, parse)
    if "role=" in source:
        name_by_role(root, source)
    if "S:" in source:
        reveal_streamed(root, templates)
    mark_math(root)
    mark_tasks(root)
    keep_players(root)
    unwrap_noscript(root)
    etree.strip_elements(root, *_UNSEEN_TAGS, with_tail=False)
    unfold(root)
    drop_hidden(root)
    show_lazy_images(root)
    wrap_inline_runs(root)


def wrap_inline_runs(root: lxml_html.HtmlElement) -> None:
    """Put each run of inline content that stands beside blocks, or between double line breaks, into a `<p>`."""
    for element in list(root.iter(*_CONTAINERS)):
        children = list(element)
        if not children:
            continue
        blocks = inline = breaks = 0
        said = has_text(element.text)
        for child in children:
            tag = child.tag
            if tag in BLOCKS:
                blocks += 1
            elif tag == "br":
                breaks += 1
            else:
                inline += 1
            if not said:
                tail = child.tail
                said = tail is not None and not tail.isspace()
        if blocks:
            if said or inline or breaks:
                _wrap_runs(element, children)
        elif breaks > 1 and _has_double_break(children):
            _wrap_runs(element, children)


def _has_double_break(children: list[lxml_html.HtmlElement]) -> bool:
    before = False
    for child in children:
        if child.tag == "br":
            if before:
                return True
            before = not has_text(child.tail)
        else:
            before = False
    return False


def _wrap_runs(element: lxml_html.HtmlElement, children: list[lxml_html.HtmlElement]) -> None:
    """Rebuild the element's children: blocks stay, runs of text and inline elements become paragraphs."""
    runs: list[lxml_html.HtmlElement] = []
    run: lxml_html.HtmlElement | None = None

    def open_run() -> lxml_html.HtmlElement:
        paragraph = lxml_html.Element("p")
        runs.append(paragraph)
        return paragraph

    text = element.text
    element.text = None
    if has_text(text):
        run = open_run()
        run.text = fit(text)
    breaks = 0
    for child in children:
        tail, child.tail = child.tail, None
        if child.tag in BLOCKS:
            runs.append(child)
            run = None
            breaks = 0
            if has_text(tail):
                run = open_run()
                run.text = fit(tail)
            continue
        if child.tag == "br":
            breaks += 1
            if breaks == 2:
                run = None
        if child.tag == "br" and run is None:
            if has_text(tail):
                run = open_run()
                run.text = fit(tail)
                breaks = 0
            continue
        if run is None:
            if not has_text(tail) and child.tag == "wbr":
                continue
            run = open_run()
        run.append(child)
        child.tail = fit(tail)
        if child.tag != "br" or has_text(tail):
            breaks = 0
    for wrapped in runs:
        wrapped.tail = "\n"
    del element[:]
    element.extend(runs)
