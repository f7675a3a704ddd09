"""Untrusted text made fit for the page: for HTML, for Streamlit's Markdown labels, and as a sanitised answer."""

import re
from functools import lru_cache
from itertools import pairwise

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

from webcards.contract import safe_link, without_surrogates

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
# `[1]`, `【3†source】` and the private-use marks around `cite…turn0search2` that some models write.
_CITATION = re.compile(r"\[(\d{1,4})\]|【(\d{1,4})(?:†[^】]{0,80})?】")
_PRIVATE_CITATION = re.compile(
    "[\ue200-\ue2ff](?:cite|i)?[\ue200-\ue2ff]?(?:turn\\d+\\w+?\\d+[\ue200-\ue2ff]?)*|[\ue000-\uf8ff]"
)


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "maxNesting": 50})
    parser.enable(["table", "strikethrough"]).disable(["html_block", "html_inline"])
    # What is no http(s) link stays the text that it is.
    parser.validateLink = lambda url: safe_link(url) is not None  # type: ignore[method-assign]
    return parser


@lru_cache(maxsize=64)
def markdown_html(text: str, *, sources: int = 0, anchor: str = "") -> str:
    """Untrusted Markdown as HTML that holds nothing but text structure and http(s) links.

    An image becomes a link to it, with its alternative text: nothing is loaded. With an `anchor` given, the text is an
    answer: a citation of number n (1 to `sources`) becomes a link to `#<anchor>-n`.
    """
    shown = display_text(text)
    tokens = _parser().parse(_PRIVATE_CITATION.sub("", shown) if anchor else shown)
    _renumber_headings(tokens)
    for block in tokens:
        if block.children:
            block.children = _inline(block.children, sources, anchor)
    html = _parser().renderer.render(tokens, _parser().options, {})
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
    return clean.strip().replace("<pre>", '<pre tabindex="0">').replace("<table>", '<table tabindex="0">')


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


def _inline(children: list[Token], sources: int, anchor: str) -> list[Token]:
    """The inline tokens, with links that open apart, images as links, and citations in running text as chips."""
    out: list[Token] = []
    depth = 0
    for token in children:
        match token.type:
            case "link_open":
                depth += 1
                token.attrSet("target", "_blank")
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
                cited = token.type == "text" and sources and not depth
                out += _split_citations(token.content, sources, anchor) if cited else [token]
            case _:
                out.append(token)
    return out


def _split_citations(text: str, sources: int, anchor: str) -> list[Token]:
    found = [match for match in _CITATION.finditer(text) if 1 <= int(match[1] or match[2]) <= sources]
    edges = [0, *(edge for match in found for edge in match.span()), len(text)]
    out: list[Token] = []
    for index, (start, end) in enumerate(pairwise(edges)):
        if index % 2 == 0:
            out.append(_text(text[start:end]))
            continue
        number = str(int(found[index // 2][1] or found[index // 2][2]))
        out += _link({"href": f"#{anchor}-{number}", "class": "wc-cite"}, number)
    return out


def _link(attributes: dict[str, str | int | float], text: str) -> list[Token]:
    opening = Token("link_open", "a", 1)
    opening.attrs = attributes
    return [opening, _text(text), Token("link_close", "a", -1)]


def _text(content: str) -> Token:
    token = Token("text", "", 0)
    token.content = content
    return token
