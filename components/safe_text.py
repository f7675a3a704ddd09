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
    parser.enable(["table", "strikethrough"]).disable(["image", "html_block", "html_inline"])
    # What is no http(s) link stays the text that it is.
    parser.validateLink = lambda url: safe_link(url) is not None  # type: ignore[method-assign]
    return parser


def markdown_html(text: str, *, sources: int = 0, anchor: str = "") -> str:
    """Untrusted Markdown as HTML that holds nothing but text structure and http(s) links.

    With `sources` given, a citation of number n (1 to `sources`) becomes a link to `#<anchor>-n`.
    """
    tokens = _parser().parse(_PRIVATE_CITATION.sub("", display_text(text)))
    for block in tokens:
        if block.children:
            block.children = _with_chips(block.children, sources, anchor)
            for token in block.children:
                if token.type == "link_open" and "wc-cite" not in str(token.attrs.get("class", "")):
                    token.attrSet("target", "_blank")
    html = _parser().renderer.render(tokens, _parser().options, {})
    clean = nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https"},
        link_rel="noopener noreferrer",
        filter_style_properties={"text-align"},
    )
    return clean.strip()


def _with_chips(children: list[Token], sources: int, anchor: str) -> list[Token]:
    """The inline tokens, with each citation in running text, outside links and code, as a link of its own."""
    out: list[Token] = []
    depth = 0
    for token in children:
        depth += token.nesting if token.type in ("link_open", "link_close") else 0
        if token.type != "text" or depth or not sources:
            out.append(token)
            continue
        out.extend(_split_citations(token.content, sources, anchor))
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
        opening = Token("link_open", "a", 1)
        opening.attrs = {"href": f"#{anchor}-{number}", "class": "wc-cite"}
        out += [opening, _text(number), Token("link_close", "a", -1)]
    return out


def _text(content: str) -> Token:
    token = Token("text", "", 0)
    token.content = content
    return token
