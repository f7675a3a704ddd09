"""Citations as models write them into an answer: which marks are there, and which of the numbered sources they name.

The one recogniser for whoever draws an answer and whoever checks it. Sources are numbered from 1; the machines' own marks
(`turn0search2`) count from 0.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from webcards.contract.links import safe_link

# A longer range is no citation, and would be a page of chips.
LONGEST_RANGE = 50


class Citation(NamedTuple):
    """A mark in a text: where it stands, and the numbers of the sources that it names, all of which are there.

    `missing`: it names one that is not there as well. `hidden`: a machine's mark, which nobody is meant to read.
    """

    start: int
    end: int
    numbers: tuple[int, ...]
    missing: bool = False
    hidden: bool = False


_NUMBER = r"\d{1,4}"
_DASH = "[\\-\u2010-\u2015\u2212]"
_COMMA = "\\s?[,;\u3001\uff0c\uff1b]\\s?"
_ITEM = rf"\^?{_NUMBER}\^?(?:\s?{_DASH}\s?\^?{_NUMBER}\^?)?"
_LIST = rf"(?:(?:citations?|sources?|refs?|web)(?:\s?:\s?|\s))?{_ITEM}(?:{_COMMA}{_ITEM}){{0,30}}"
_REFERENCE = r"turn\d{1,4}[a-z]{2,12}\d{1,4}"
_LINES = r"L\d{1,7}(?:-L?\d{1,7})?"
_RAISED = "[⁰¹²³⁴-⁹]"
_MARK = re.compile(
    # [1] [1, 2] [1-3] [^1] [citation:1] [1†L3], the same in full-width brackets, and [[1]]
    rf"\[\[(?P<double>{_LIST})\]\]|[\[\uff3b](?P<square>{_LIST})(?:†[^\[\]\uff3b\uff3d\n]{{0,80}})?[\]\uff3d]"
    # 【1】 【1:0†source】 【1†L3-L9】
    r"|【(?P<lenticular>\d[^【】\n]{0,300})】"
    # citeturn0search1 fileciteturn0file0L1-L3 [turn0search1]: machines' marks that lost their private-use characters
    rf"|(?P<machine>(?P<open>[\[【(]\s?)?(?:(?:file)?cite(?:{_REFERENCE}|{_LINES})|\b{_REFERENCE})"
    rf"(?:(?:[,;]\s?)?(?:{_REFERENCE}|{_LINES})){{0,60}}(?(open)\s?[\]】)]))"
    # <sup>1</sup> and ¹
    rf"|<sup>\s?(?P<sup>\[?{_LIST}\]?)\s?</sup>|(?P<raised>{_RAISED}+(?:[,˒⁻–-]{_RAISED}+){{0,20}})",
    re.IGNORECASE,
)
# The same with its private-use characters: whole; cut off where the text ends; without its end or beginning; and strays.
# Everything inside a whole one is the machine's (`cite`, `image_group` and its JSON).
_PRIVATE = "[\ue000-\uf8ff]"
_PRIVATE_MARK = re.compile(
    "\ue200[^\ue200\ue201\n]{0,4000}\ue201|\ue200[^\ue200\ue201\\s]{0,200}\\Z"
    rf"|\ue200(?:(?:file)?cite|[a-z_]{{1,20}}(?={_PRIVATE}))?(?:{_PRIVATE}*(?:{_REFERENCE}|{_LINES}))*{_PRIVATE}*"
    rf"|(?:(?:file)?cite)?{_PRIVATE}+(?:(?:{_REFERENCE}|{_LINES}){_PRIVATE}*)+|{_PRIVATE}"
)
# The sources in order. Other turns and kinds (`turn1search0`, `turn0news0`) are of other lists.
_OF_THIS_SEARCH = re.compile(r"turn0search(\d{1,4})", re.IGNORECASE)


def with_readable_marks(answer: str, count: int) -> str:
    """The answer with `【1】` for each mark in private-use characters that names one of `count` sources, without others."""

    def readable(found: re.Match[str]) -> str:
        named = dict.fromkeys(int(number) + 1 for number in _OF_THIS_SEARCH.findall(found[0]))
        return "".join(f"【{number}】" for number in named if number <= count)

    return _PRIVATE_MARK.sub(readable, answer)


def citations(text: str, count: int, before: str = "") -> Iterator[Citation]:
    """The marks in running text, of an answer that has `count` sources. What could as well mean something else is none.

    `before` is the text right before it, where that is not part of it.
    """
    for found in _MARK.finditer(text):
        kind = found.lastgroup or ""
        match kind:
            case "machine" | "open":
                named = [int(number) + 1 for number in _OF_THIS_SEARCH.findall(found[0])]
                numbers = tuple(dict.fromkeys(number for number in named if number <= count))
                yield Citation(*found.span(), numbers, missing=any(number > count for number in named), hidden=True)
            case "raised":
                numbers = _raised(found[0], count)
                if numbers and _after_a_word(text, found.start(), before):
                    yield Citation(*found.span(), numbers)
            case _:
                if kind == "sup" and "[" not in found[0] and not _after_a_word(text, found.start(), before):
                    continue
                pairs = (_LENTICULAR if kind == "lenticular" else _PAIR).findall(found[kind])
                ranges = [(int(first), int(last or first)) for first, last in pairs]
                # [2024] is a year.
                if ranges and not any(low > 999 >= count for low, _high in ranges):
                    yield _named(found.span(), ranges, count)


# What follows the number (`:0`, `†source`) is the machine's; a number inside that is none of a source.
_LENTICULAR = re.compile(
    rf"(?:^|{_COMMA})({_NUMBER})(?::\d{{1,4}})?(?:\s?{_DASH}\s?({_NUMBER}))?(?=†|\s?(?:[,;\u3001\uff0c\uff1b]|$))"
)
_PAIR = re.compile(rf"({_NUMBER})(?:\^?\s?{_DASH}\s?\^?({_NUMBER}))?")


def _named(span: tuple[int, int], ranges: list[tuple[int, int]], count: int) -> Citation:
    numbers: dict[int, None] = {}
    missing = False
    for low, high in ranges:
        if 1 <= low <= high <= count and high - low < LONGEST_RANGE:
            numbers.update(dict.fromkeys(range(low, high + 1)))
        else:
            missing = True
    return Citation(*span, tuple(numbers), missing)


_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def _raised(mark: str, count: int) -> tuple[int, ...]:
    """The numbers that raised digits mean: `¹²` is 12 where there are as many sources, else 1 and 2; () for none at all."""
    numbers: list[int] = []
    for part in re.split("[,˒]", mark.translate(_DIGITS)):
        low, _, high = part.replace("–", "-").partition("-")
        if "-" in high or len(low) > 4 or len(high) > 4:
            return ()
        if high:
            numbers += range(int(low), min(int(high), int(low) + LONGEST_RANGE) + 1)
        elif int(low) <= count:
            numbers.append(int(low))
        else:
            numbers += map(int, low)
    return tuple(dict.fromkeys(numbers)) if all(1 <= number <= count for number in numbers) else ()


# What stands before a raised digit that is a power: units and functions.
_RAISED_TO = re.compile(
    "sinh?|cosh?|tanh?|cot|sec|csc|log|exp|min|max|det|mol|rad|ohm|bar|lux|mil|chi|qm|sqm|acre|rood|miles?|yards?|foot|feet"
    "|inch(?:es)?|(?:kilo|centi|milli|deci)?met(?:re|er)s?",
    re.IGNORECASE,
)
_STOPS = '.,;!?\u3001\u3002\uff0c\uff01\uff1f"”’»'
_WORD_BEFORE = re.compile(rf"(?:[^\W\d_]{{3,40}}|[\w%)][{_STOPS}]{{1,2}})\Z")


def _after_a_word(text: str, place: int, before: str) -> bool:
    """Whether a word ends right there, or a sentence: a raised number after anything else is a power or an isotope."""
    left = (before[-40:] if place < 40 else "") + text[max(0, place - 40) : place]
    if not left[-3:].isalpha() and left[-1:] not in _STOPS:
        return False
    found = _WORD_BEFORE.search(left)
    return found is not None and not _RAISED_TO.fullmatch(found[0])


# Code, links with their addresses, and the labels of definitions: what looks like a mark in them is none.
_NO_PROSE = re.compile(
    r"(?ms)^[ >]{0,12}(?P<fence>`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^[ >]{0,12}(?P=fence)[`~]*[ \t]*$|\Z)"
    r"|(?<!`)(?P<ticks>`{1,3})(?!`)[^`]{1,2000}(?P=ticks)(?!`)"
    r"|\[(?:[^\[\]]|\[[^\[\]\n]{0,200}\]){0,500}\]\((?:[^()\s]|\([^()\s]{0,300}\)){0,4000}(?:\s[^)\n]{0,300})?\)"
    r"|^[ \t]{0,3}\[[^\[\]\n]{1,100}\]:"
)


def citations_in_markdown(answer: str, count: int) -> Iterator[tuple[str, Citation]]:
    """The marks in a whole answer, each as it is written, without those in code, in links and before a definition."""
    # Those that name no source are wanted as well.
    prose = _NO_PROSE.sub(" ", with_readable_marks(answer, 10_000))
    for found in citations(prose, count):
        yield prose[found.start : found.end], found


def same_address(url: str) -> str:
    """The URL as it is compared: normalised, without a fragment, a trailing slash or a provider's tracking mark."""
    head = (safe_link(url) or url).split("#", 1)[0]
    return re.sub(r"([?&])utm_[a-z]+=[^&]*&?", r"\1", head).rstrip("?&").rstrip("/")
