"""Untrusted text made fit for the page: for HTML, for Streamlit's Markdown labels, and as a sanitised answer."""

import re
from collections.abc import Mapping
from functools import lru_cache
from html import escape
from typing import NamedTuple

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

from components.bounded_markdown import parse, parser
from components.i18n import _
from webcards.contract import safe_link, without_surrogates
from webcards.search.cited import citations, same_address, with_readable_marks

# Unicode's Bidi_Class LRE, RLE, LRO, RLO, PDF and the isolates: they turn text around beyond their own line.
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufff9-\ufffb]")


def display_text(text: str) -> str:
    """The text as it may be shown: encodable, without control characters and without those that turn text around.

    Marks that right-to-left text needs (LRM, RLM, ALM, joiners) stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return _TURNING.sub("", _CONTROL.sub("", without_surrogates(text)))


_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_WORD_JOINER = "\u2060"  # invisible; keeps Streamlit's later passes (links, emoji, arrows) from seeing their patterns


def md_escape(text: str) -> str:
    """Streamlit Markdown, for labels and the like, that shows exactly this text on one line."""
    text = " ".join(display_text(text).split())
    text = re.sub(r"(?i)https?:|www(?=\.)", lambda found: found[0] + _WORD_JOINER, text)
    text = re.sub(r"(?<=\w)@(?=[\w-])", "@" + _WORD_JOINER, text)
    text = re.sub(r"<-|->|--|>=|<=|~=", lambda found: found[0][0] + _WORD_JOINER + found[0][1], text)
    text = re.sub(r":(?=[\w+-]+:)", ":" + _WORD_JOINER, text)
    return _PUNCTUATION.sub(r"\\\1", text)


_TAGS = {
    *("p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a", "sup"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}
_ATTRIBUTES = {
    "a": {"href", "target", "class", "aria-label"},
    "ol": {"start"},
    "code": {"class"},
    "th": {"style"},
    "td": {"style"},
}
# So many chips in one answer; beyond them citations stay text.
MOST_CHIPS = 2_000


class _Sources(NamedTuple):
    """What the citations of an answer may lead to."""

    total: int
    anchor: str
    numbers: Mapping[str, int]
    """Of each source's address, as it is compared, the number of the first that has it."""
    left: list[int]
    """How many chips may still be drawn, as its only item."""


@lru_cache(maxsize=2)
def _parser(answer: bool) -> MarkdownIt:
    # What is no http(s) link stays the text that it is. An answer's own definitions would stand before its citations.
    return parser(definitions=not answer, valid_link=lambda url: safe_link(url) is not None)


def markdown_html(text: str, *, sources: int = 0, anchor: str = "", urls: tuple[str, ...] = ()) -> str:
    """Untrusted Markdown as HTML that holds nothing but text structure and http(s) links.

    An image becomes a link to it, with its alternative text: nothing is loaded. With an `anchor` given, the text is an
    answer: a citation of number n (1 to `sources`) becomes a link to `#<anchor>-n`. `urls` are the sources' own, in
    order, for the citations that are links to them.
    """
    return _drawn(text, sources, anchor, urls, _("Table"))


@lru_cache(maxsize=64)
def _drawn(text: str, sources: int, anchor: str, urls: tuple[str, ...], table: str) -> str:
    shown = display_text(text)
    if anchor:
        shown = with_readable_marks(shown, sources)
    markdown = _parser(bool(anchor))
    tokens = parse(markdown, shown)
    _renumber_headings(tokens)
    numbers = {same_address(url): number for number, url in reversed(list(enumerate(urls, 1)))}
    cited = _Sources(sources, anchor, numbers, [MOST_CHIPS]) if anchor else None
    for block in tokens:
        if block.children:
            block.children = _inline(block.children, cited)
    html = markdown.renderer.render(tokens, markdown.options, {})
    clean = nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https"},
        link_rel="noopener noreferrer",
        filter_style_properties={"text-align"},
    )
    # Code and tables scroll in their own boxes where they are too wide; without this no keyboard gets there. What is
    # text is escaped by now, so only our own tags begin like this.
    box = f'<div class="wc-wide" role="group" tabindex="0" aria-label="{escape(table)}"><table>'
    clean = clean.strip().replace("<pre>", '<pre tabindex="0">')
    return clean.replace("<table>", box).replace("</table>", "</table></div>")


def _renumber_headings(tokens: list[Token]) -> None:
    """Headings begin at the second level, below the page's own title, and go down one level at a time."""
    around: list[int] = []
    tag = "h2"
    for token in tokens:
        if token.type == "heading_open":
            level = int(token.tag[1])
            around = [*(outer for outer in around if outer < level), level]
            tag = f"h{min(6, len(around) + 1)}"
        if token.type in ("heading_open", "heading_close"):
            token.tag = tag


def _inline(children: list[Token], cited: _Sources | None) -> list[Token]:
    """The inline tokens, with links that open apart, images as links, and citations in running text as chips."""
    out: list[Token] = []
    depth = 0
    begins = True
    before = ""
    for place, token in enumerate(children):
        match token.type:
            case "link_open":
                depth += 1
                number = _cited_by_link(children, place, cited) if cited else 0
                token.attrs = _to_source(cited, number) if cited and number else token.attrs | {"target": "_blank"}
                if number:
                    children[place + 1].content = str(number)
                out.append(token)
            case "link_close":
                depth -= 1
                out.append(token)
            case "image" if depth:
                out.append(_text(token.content))
            case "image":
                href = str(token.attrs["src"])
                out += _link({"href": href, "class": "wc-img", "target": "_blank"}, token.content or href)
            case "text" | "text_special" | "code_inline":
                # An entity may spell what was taken out of the text before.
                token.content = display_text(token.content)
                if cited and token.type == "text" and not depth:
                    out += _answer_text(token.content, cited, begins, before)
                else:
                    out.append(token)
                before = token.content
            case _:
                out.append(token)
        begins = token.type in ("softbreak", "hardbreak")
        if begins:
            before = ""
    return out


# A definition, which an answer's parser takes for text: its label is no citation, and its address a link.
_DEFINITION = re.compile(r"(\[[^\[\]\n]{1,100}\]:)(?:(\s*)(https?://[^\s<>]+))?", re.IGNORECASE)


def _answer_text(text: str, cited: _Sources, begins: bool, before: str) -> list[Token]:
    """Running text of an answer; `begins`: at the beginning of a line; else `before` is what stands before it."""
    definition = _DEFINITION.match(text) if begins else None
    if definition is None:
        return _split_citations(text, cited, before)
    out = [_text(definition[1])]
    if definition[3]:
        href = safe_link(definition[3])
        link = _link({"href": href, "target": "_blank"}, definition[3]) if href else [_text(definition[3])]
        out += [_text(definition[2]), *link]
    return out + _split_citations(text[definition.end() :], cited, "")


def _split_citations(text: str, cited: _Sources, before: str) -> list[Token]:
    out: list[Token] = []
    done = 0
    for found in citations(text, cited.total, before):
        if not found.hidden and (found.missing or cited.left[0] < len(found.numbers)):
            continue
        cited.left[0] -= len(found.numbers)
        out.append(_text(text[done : found.start]))
        for number in found.numbers:
            out += _link(_to_source(cited, number), str(number))
        done = found.end
    return [*out, _text(text[done:])]


def _cited_by_link(children: list[Token], place: int, cited: _Sources) -> int:
    """The source that a link `[[1]](URL)` or `[1](URL)` cites: its text is a number, its address a source's; else 0."""
    inner = children[place + 1 : place + 3]
    if len(inner) < 2 or inner[1].type != "link_close" or not _ONLY_A_NUMBER.fullmatch(inner[0].content):
        return 0
    return cited.numbers.get(same_address(str(children[place].attrs["href"])), 0)


_ONLY_A_NUMBER = re.compile(r"\s*[\[【(]?\^?\d{1,4}[\]】)]?\s*")


def _to_source(cited: _Sources, number: int) -> dict[str, str | int | float]:
    return {"href": f"#{cited.anchor}-{number}", "class": "wc-cite"}


def _link(attributes: dict[str, str | int | float], text: str) -> list[Token]:
    opening = Token("link_open", "a", 1)
    opening.attrs = attributes
    return [opening, _text(text), Token("link_close", "a", -1)]


def _text(content: str) -> Token:
    token = Token("text", "", 0)
    token.content = content
    return token
