"""Inline Markdown: runs of text with their emphasis and links, written so that CommonMark reads back what the page said.

A run is a piece of text with the formats that hold for it. Nesting that HTML allows and Markdown does not (a paragraph inside a
link, a bold list) is thereby no special case: each block is written from its own runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

STRONG, EMPHASIS, STRUCK, CODE, VERBATIM = 1, 2, 4, 8, 16


class Run(NamedTuple):
    """A piece of inline content: its text, the formats that hold for it (bits), and its link's address if it stands in one.

    `plain` is what the plain text says in its place (an image says nothing there).
    """

    text: str
    formats: int = 0
    link: str | None = None
    plain: str | None = None


BREAK = Run("\n", VERBATIM)

_GAP = re.compile(r"[ \t\r\n\f\v\u00a0\u2007\u202f]+")
# Characters without width: break opportunities, joiners of words, soft hyphens, byte order marks; and the tag characters that
# spell text no reader sees, but for those that finish a flag.
_UNSEEN = re.compile(
    "[\u200b\u2060\u2061-\u2064\ufeff\u00ad\ufff9-\ufffb]|(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0000-\U000e007f]+"
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_MAY_MEAN = re.compile(r"[\\`*_\[\]<&~]")
_MATH = re.compile(r"\$\$.+?\$\$|\$[^\s$](?:[^$\n]*?[^\s$])?\$(?!\d)|\\\(.+?\\\)|\\\[.+?\\\]", re.DOTALL)
_TAG_OPENS = re.compile(r"<(?=[a-zA-Z/!?])")
_ENTITY = re.compile(r"&(?=#?\w{1,31};)")
# A star or underscore touches a word on one side, so it could open or close emphasis; inside words only stars can.
_STARS = re.compile(r"(?<![\\*])\*+(?=[^\s*])|(?<=[^\s*\\])\*+")
_UNDERSCORES = re.compile(r"(?<![\w\\])_+(?=[^\s_])|(?<=[^\s_\\])_+(?!\w)")
_TILDES = re.compile(r"~(?=~)|(?<=~)~")
_BRACKET = re.compile(r"\[(?=[^\[\]]{0,400}\](?:\(|\[|:))|\](?=\(|\[|:)")
_LINE_STARTS = re.compile(
    r"^(?:(#{1,6}(?=\s|$)|>|[-+*](?=\s|$)|(?:=+|-{2,}|\*{2,}|_{3,})\s*$|~{3,}|\|)|(\d{1,9})([.)])(?=\s|$))",
    re.MULTILINE,
)
_FENCE_RUNS = re.compile(r"`+")
_FORMATS = ((STRUCK, "~~"), (STRONG, "**"), (EMPHASIS, "*"))


def visible(text: str) -> str:
    """The text without characters that have no width or no meaning, with each run of white space as one space."""
    if text.isprintable():
        return _GAP.sub(" ", text) if "  " in text else text
    words = " ".join(text.split())
    if words.isprintable():
        if not words:
            return " "
        return f"{' ' if text[0].isspace() else ''}{words}{' ' if text[-1].isspace() else ''}"
    return _GAP.sub(" ", _UNSEEN.sub("", _CONTROL.sub("", text)))


def visible_lines(text: str) -> str:
    """Like `visible`, with its white space left as it is."""
    return _UNSEEN.sub("", _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))).replace("\u00a0", " ")


def escape(text: str) -> str:
    """The text with a backslash before what Markdown would take for a mark; formulas (`$…$`, `\\(…\\)`) are left as written."""
    if not _MAY_MEAN.search(text):
        return text
    if "$" not in text and "\\" not in text:
        return _escape_words(text)
    parts: list[str] = []
    position = 0
    for formula in _MATH.finditer(text):
        parts += (_escape_words(text[position : formula.start()]), formula[0])
        position = formula.end()
    parts.append(_escape_words(text[position:]))
    return "".join(parts)


def _escape_words(text: str) -> str:
    if "`" in text:
        text = text.replace("`", "\\`")
    if "*" in text:
        text = _STARS.sub(_each_escaped, text)
    if "_" in text:
        text = _UNDERSCORES.sub(_each_escaped, text)
    if "~" in text:
        text = _TILDES.sub(r"\\~", text)
    if "[" in text or "]" in text:
        text = _BRACKET.sub(r"\\\g<0>", text)
    if "<" in text:
        text = _TAG_OPENS.sub(r"\\<", text)
    if "&" in text:
        text = _ENTITY.sub(r"\\&", text)
    return text


def _each_escaped(match: re.Match[str]) -> str:
    return "".join("\\" + mark for mark in match[0])


def code_span(text: str) -> str:
    """Inline code, between as many backticks as its content needs."""
    content = " ".join(text.split())
    if not content:
        return ""
    longest = max((len(run) for run in _FENCE_RUNS.findall(content)), default=0)
    fence = "`" * (longest + 1)
    padding = " " if content.startswith("`") or content.endswith("`") else ""
    return f"{fence}{padding}{content}{padding}{fence}"


def link_target(url: str) -> str:
    """A link's destination as CommonMark takes it: as it is, or between angle brackets where its brackets do not pair off."""
    depth = 0
    for character in url:
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if depth < 0:
                break
        elif character in " <>":
            return url.replace(" ", "%20").replace("<", "%3C").replace(">", "%3E")
    if depth or url.count("(") > 8:
        return f"<{url}>"
    return url


def write_runs(runs: list[Run]) -> str:
    """A block's runs as one piece of Markdown; lines end where the page breaks them."""
    if len(runs) == 1 and not runs[0].formats and runs[0].link is None:
        return escape(runs[0].text.strip())
    parts: list[str] = []
    tidied = list(_tidied(runs))
    for link, group in groupby(tidied, key=lambda run: run.link):
        members = list(group)
        if link is None:
            parts.append(_write_formats(members))
            continue
        before, inside, after = _trimmed(members)
        label = _write_formats(inside).replace("\n", " ")
        if not label:
            parts.append(" " if before or after else "")
        elif parts and parts[-1].endswith(")") and not before:
            parts.append(f" [{_link_label(label)}]({link_target(link)})" + (" " if after else ""))
        else:
            parts.append(
                (" " if before else "") + f"[{_link_label(label)}]({link_target(link)})" + (" " if after else "")
            )
    text = "".join(parts).strip()
    if "\n" not in text:
        return text
    return "  \n".join(line.strip(" ") for line in text.split("\n"))


def guard_line_starts(text: str) -> str:
    """Escape what would make a paragraph's line a heading, a list item, a quote or a rule."""
    return _LINE_STARTS.sub(lambda match: f"{match[2]}\\{match[3]}" if match[2] else "\\" + match[1], text)


def plain_runs(runs: list[Run]) -> str:
    """A block's runs as plain text."""
    if len(runs) == 1 and runs[0].plain is None and not runs[0].formats:
        return runs[0].text.strip()
    lines = "".join(run.text if run.plain is None else run.plain for run in runs).split("\n")
    return "\n".join(stripped for line in lines if (stripped := " ".join(line.split())))


def _tidied(runs: Iterable[Run]) -> Iterator[Run]:
    """Runs without doubled spaces, and without spaces at the edges of the block or of a line."""
    after_space = True
    for run in runs:
        text = run.text
        if run is BREAK:
            after_space = True
            yield run
            continue
        if run.formats & VERBATIM:
            after_space = False
            yield run
            continue
        if after_space and text.startswith(" "):
            text = text[1:]
        if not text:
            continue
        after_space = text.endswith(" ")
        yield run if text is run.text else run._replace(text=text)


def _trimmed(runs: list[Run]) -> tuple[bool, list[Run], bool]:
    """The runs without the space at their outer edges, and whether there was any on either side."""
    inside = list(runs)
    before = after = False
    while inside and (inside[0] is BREAK or inside[0].text.isspace()):
        inside.pop(0)
        before = True
    if inside and inside[0].text.startswith(" "):
        before = True
        inside[0] = inside[0]._replace(text=inside[0].text.lstrip(" "))
    while inside and (inside[-1] is BREAK or inside[-1].text.isspace()):
        inside.pop()
        after = True
    if inside and inside[-1].text.endswith(" "):
        after = True
        inside[-1] = inside[-1]._replace(text=inside[-1].text.rstrip(" "))
    return before, inside, after


def _link_label(label: str) -> str:
    """Brackets in a label must pair off, or the link ends early; an image's own pair off already."""
    depth = 0
    position = 0
    while position < len(label):
        character = label[position]
        if character == "\\":
            position += 2
            continue
        depth += (character == "[") - (character == "]")
        if depth < 0:
            break
        position += 1
    if depth == 0:
        return label
    return re.sub(r"(?<!\\)([\[\]])", r"\\\1", label)


def _write_formats(runs: list[Run]) -> str:
    """Runs of one link (or none), each format around as many neighbours as share it."""
    if all(not run.formats for run in runs):
        return escape("".join(run.text for run in runs))
    return _wrap(runs, 0)


def _wrap(runs: list[Run], level: int) -> str:
    if level == len(_FORMATS):
        return _leaves(runs)
    bit, mark = _FORMATS[level]
    groups = [(on, list(group)) for on, group in groupby(runs, key=lambda run: bool(run.formats & bit))]
    parts: list[str] = []
    for index, (on, members) in enumerate(groups):
        inner = _wrap(members, level + 1)
        if not on:
            parts.append(inner)
            continue
        previous = parts[-1][-1:] if parts else ""
        following = groups[index + 1][1][0].text[:1] if index + 1 < len(groups) else ""
        parts.append(_marked(inner, mark, previous, following))
    return "".join(parts)


def _marked(inner: str, mark: str, previous: str, following: str) -> str:
    """The text between marks that CommonMark will take for emphasis: marks hug words, not spaces or stray punctuation."""
    core = inner.strip()
    if not any(character.isalnum() for character in core):
        return inner
    start = inner.index(core[0]) if core else 0
    lead, trail = inner[:start], inner[start + len(core) :]
    if not lead and previous.isalnum():
        while core and not core[0].isalnum() and core[0] not in "`[!*~\\":
            lead, core = lead + core[0], core[1:]
    if not trail and following.isalnum():
        while core and not core[-1].isalnum() and core[-1] not in "`)]*~":
            core, trail = core[:-1], core[-1] + trail
    if "\n" in core:
        return (
            lead + "\n".join(f"{mark}{line.strip()}{mark}" if line.strip() else "" for line in core.split("\n")) + trail
        )
    return f"{lead}{mark}{core}{mark}{trail}"


def _leaves(runs: list[Run]) -> str:
    parts: list[str] = []
    for kind, group in groupby(runs, key=lambda run: run.formats & (CODE | VERBATIM)):
        members = list(group)
        if kind & VERBATIM:
            parts.extend(run.text for run in members)
        elif kind & CODE:
            text = "".join(run.text for run in members)
            space_before, space_after = text[:1] == " ", len(text) > 1 and text[-1:] == " "
            parts.append((" " if space_before else "") + code_span(text) + (" " if space_after else ""))
        else:
            parts.append(escape("".join(run.text for run in members)))
    return "".join(parts)
