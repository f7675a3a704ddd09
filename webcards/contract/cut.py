"""Where Markdown may be cut: never inside a grapheme or a link, and never so that a code fence stays open."""

import re
import unicodedata
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import regex
    from markdown_it import MarkdownIt

# How far a cut goes back for the sake of a whole word, and how far before it a link may begin, in characters.
_WORD_REACH = 80
_LINK_REACH = 1_000_000
# How far before a cut segmentation begins at the most, in characters, but for marks on one letter.
_GRAPHEME_REACH = 2_000

_FENCE_LINE = re.compile(r"(?P<lead>[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t>]+)*)(?P<fence>`{3,}(?!.*`)|~{3,}).*")
_BRACKETS = re.compile(r"\\.|`+|!?\[|\]", re.DOTALL)
_DESTINATION = re.compile(r"\\.|[()\s]", re.DOTALL)
_POINTED = re.compile(r"<(?:\\.|[^<>\n\\])*>")
# A link's title is in one of three kinds of quotes; one of more than this many characters is no title.
_TITLE = re.compile(r"""\s+(?:"[^"]{0,1000}"|'[^']{0,1000}'|\([^()]{0,1000}\))\s*\)|\s*\)""")
# Readers need to follow no more parentheses than this (CommonMark 6.3), so nobody need look for their end.
_MOST_NESTED = 32
# A bare address ends at a bracket and at the first letter that is not ASCII: scripts without spaces go on right behind it.
_ADDRESS = re.compile(r"<[a-zA-Z][a-zA-Z0-9+.-]{1,31}:[^\s<>]*>|https?://(?:(?![<>\"'`()\[\]])[!-~])+")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")


def cut_markdown(text: str, room: int) -> tuple[str, str]:
    """The longest good beginning of `text`, and what closes a fence left open there; together at most `room` characters.

    A text that fits comes back whole. `kept` is always an exact beginning of `text`, so that its length is the offset
    to read on from.
    """
    if len(text) <= room:
        return text, ""
    for whole_addresses in (True, False):
        limit = room
        while limit > 0:
            end = _before_fence_line(text, _whole_word(text, grapheme_boundary(text, limit)))
            end = _before_link(text, end, whole_addresses)
            closing = open_fence(text[:end])
            if end and end + len(closing) <= room:
                return text[:end], closing
            limit = min(limit - 1, room - len(closing)) if end else 0
    return "", ""


def first_unit(text: str) -> int:
    """How long the piece at the start of `text` is that no cut may split: a link, a fence's line, or a grapheme."""
    after = _BLANK_LINE.search(text)
    ends = [end for start, end in _links(text, 0, after.start() if after else len(text)) if start == 0]
    fence = _FENCE_LINE.match(text)
    if fence:
        ends.append(fence.end() + 1)
    grapheme = next(_graphemes().finditer(text)).end() if text else 0
    return min(len(text), max([*ends, grapheme]))


def reopening(text: str) -> str:
    """What must stand before what follows `text` if a code fence is open at its end: the fence's own first line."""
    if not open_fence(text):
        return ""
    token = [token for token in _blocks().parse(text + "\n") if token.type == "fence"][-1]
    return f"{token.markup}{token.info}\n"


def grapheme_boundary(text: str, limit: int) -> int:
    """The last boundary between extended grapheme clusters (UAX #29) at or before `limit`."""
    if limit >= len(text):
        return len(text)
    flags = _flags_before(text, limit)
    if flags:
        return limit - flags % 2
    anchor = max(0, limit)
    # Segmentation can begin where a boundary is certain; where none is near, before what belongs to the letter ahead of it.
    while anchor > 0 and not (_stands_alone(text[anchor - 1]) and _stands_alone(text[anchor])):
        if limit - anchor > _GRAPHEME_REACH and unicodedata.category(text[anchor])[0] not in "MC":
            break
        anchor -= 1
    clusters = (cluster.end() for cluster in _graphemes().finditer(text, pos=anchor))
    return max(takewhile(lambda end: end <= limit, clusters), default=anchor)


@lru_cache(maxsize=1)
def _graphemes() -> "regex.Pattern[str]":
    import regex

    return regex.compile(r"\X")


def _flags_before(text: str, limit: int) -> int:
    """How many regional indicators stand before `limit` in one row, where one follows too: two of them are a flag."""
    if limit <= 0 or not (_is_indicator(text[limit - 1]) and _is_indicator(text[limit])):
        return 0
    begin = limit
    while begin > 0 and _is_indicator(text[begin - 1]):
        begin -= 1
    return limit - begin


def _is_indicator(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _stands_alone(char: str) -> bool:
    """Whether there is always a boundary between this character and another such: printable ASCII, kana, ideographs."""
    return " " <= char <= "~" or "\u30a1" <= char <= "\u30fa" or "\u4e00" <= char <= "\u9fff"


def open_fence(text: str) -> str:
    """What must follow `text` to close the code fence that is open at its end: a line break if needed, and the fence."""
    if "```" not in text and "~~~" not in text:
        return ""
    ended = text if text.endswith("\n") else text + "\n"
    fences = [token for token in _blocks().parse(ended) if token.type == "fence"]
    if not fences or fences[-1].map is None:
        return ""
    begin, end = fences[-1].map
    lines = ended.split("\n")[:-1]
    # A closed fence takes two lines more than its code, an open one only one; and nothing but empty quote lines follows it.
    if end - begin > fences[-1].content.count("\n") + 1 or not all(
        line.strip(" \t") and not line.strip(" \t>") for line in lines[end:]
    ):
        return ""
    opening = _FENCE_LINE.match(lines[begin])
    lead = re.sub(r"[^>\s]", " ", opening["lead"]) if opening else ""
    return ("" if text.endswith("\n") else "\n") + lead + fences[-1].markup


# HTML blocks that no blank line ends, and what ends them (CommonMark 4.6, kinds 1 to 5).
_HTML_ENDS = (
    (
        re.compile(r"<(script|pre|style|textarea)(?=[\s>]|$)", re.IGNORECASE),
        ("</script>", "</pre>", "</style>", "</textarea>"),
    ),
    (re.compile(r"<!--"), ("-->",)),
    (re.compile(r"<\?"), ("?>",)),
    (re.compile(r"<!\[CDATA\["), ("]]>",)),
    (re.compile(r"<![a-zA-Z]"), (">",)),
)


def closed_markdown(text: str) -> str:
    """The text with the end of whatever is open at its end and would take in what follows: a code fence, a block of HTML."""
    return text + open_fence(text) + _open_html(text)


def _open_html(text: str) -> str:
    if "<" not in text:
        return ""
    last = _blocks().parse(text)[-1]
    if last.type != "html_block" or last.level:
        return ""
    for begin, ends in _HTML_ENDS:
        opening = begin.match(last.content.lstrip(" "))
        if opening and not any(end in last.content.lower() for end in ends):
            return f"\n</{opening[1]}>" if len(ends) > 1 else f"\n{ends[0]}"
    return ""


@lru_cache(maxsize=1)
def _blocks() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": 50})
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _before_fence_line(text: str, end: int) -> int:
    """`end`, or the start of its line if the cut falls inside a line that opens or closes a fence."""
    if text[end - 1 : end] in ("\n", ""):
        return end
    line = text.rfind("\n", 0, end) + 1
    stop = text.find("\n", end)
    stop = len(text) if stop < 0 else stop
    return line if end < stop and _FENCE_LINE.fullmatch(text, line, stop) else end


def _whole_word(text: str, end: int) -> int:
    """`end`, or a little earlier on the same line, after the last white space, where that costs little."""
    if text[end].isspace() or text[end - 1 : end].isspace():
        return end
    begin = max(0, end - _WORD_REACH)
    spaces = [begin + match.end() for match in re.finditer(r"\s+", text[begin:end])]
    # White space may carry a mark, and belongs to it then.
    return spaces[-1] if spaces and grapheme_boundary(text, spaces[-1]) == spaces[-1] else end


def _before_link(text: str, end: int, whole_addresses: bool) -> int:
    """`end`, or the start of the link or image, and if wanted of the bare address, that it would split."""
    # Links do not reach over a blank line, so its paragraph is all there is to look at.
    reach = max(0, end - _LINK_REACH)
    begin = max((match.end() for match in _BLANK_LINE.finditer(text, reach, end)), default=reach)
    after = _BLANK_LINE.search(text, max(0, end - 1))
    stop = after.start() if after else len(text)
    addresses = [match.span() for match in _ADDRESS.finditer(text, begin, stop)] if whole_addresses else []
    spans = [*_links(text, begin, stop), *addresses]
    return min((start for start, close in spans if start < end < close), default=end)


def _links(text: str, begin: int, stop: int) -> list[tuple[int, int]]:
    """The spans of `[…](…)`, `![…](…)` and `[…][…]` between two offsets, inner ones too."""
    spans: list[tuple[int, int]] = []
    opened: list[int] = []
    position = begin
    while token := _BRACKETS.search(text, position, stop):
        position = token.end()
        match token[0][0]:
            case "!" | "[":
                opened.append(token.start())
            case "]" if opened:
                start = opened.pop()
                close = _destination_end(text, position, stop)
                if close is not None:
                    spans.append((start, close))
                    position = close
            case "`":
                # Brackets in a code span are text; it ends at a run of the same length (CommonMark 6.1).
                closing = re.compile(rf"(?<!`){token[0]}(?!`)").search(text, position, stop)
                position = closing.end() if closing else position
            case _:
                pass
    return spans


def _destination_end(text: str, position: int, stop: int) -> int | None:
    """Where the `(…)` or `[…]` after a link's text ends; None if none follows."""
    if text[position : position + 1] == "[":
        close = text.find("]", position, stop)
        return close + 1 if close >= 0 else None
    if text[position : position + 1] != "(":
        return None
    pointed = _POINTED.match(text, position + 1, stop)
    if pointed:
        end = _TITLE.match(text, pointed.end(), stop)
        return end.end() if end else None
    depth = 0
    for token in _DESTINATION.finditer(text, position, stop):
        depth += (token[0] == "(") - (token[0] == ")")
        if depth == 0:
            return token.end()
        if depth > _MOST_NESTED:
            return None
        if token[0].isspace():
            end = _TITLE.match(text, token.start(), stop)
            return end.end() if end else None
    return None
