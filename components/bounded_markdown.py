"""A CommonMark parser, with tables and strikethrough, whose work stays in proportion to the text, whoever wrote the text.

markdown-it's own cost grows with the square of some inputs, and it leaves out what is nested too deep. Here such work is
counted, not timed, so that a text always gives the same; where it is used up, what remains of that kind is drawn as text.
"""

import re
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any, cast

from markdown_it import MarkdownIt, helpers
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block import StateBlock, blockquote, list_block, table
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

BlockRule = Callable[[StateBlock, int, int, bool], bool]

# Lists take two levels each, quotations one. Deeper ones are drawn as text: no page means more, and no card has room for it.
DEEPEST = 16
DEEPEST_QUOTE = 10
# Emphasis inside emphasis.
DEEPEST_EMPHASIS = 12
_SIMPLE_LABEL = 1_000


class _Budget:
    """What may still be spent on one text, of what could cost more than the text is long."""

    def __init__(self, length: int) -> None:
        # The tokens looked at for the ends of link labels: unmatched and nested brackets are looked through again and again.
        self.label_tokens = 50_000 + length // 2
        # A table's cells: short rows are filled up, so that a table may have far more than was written.
        self.cells = 20_000 + length // 2
        # The lines of quotations inside others and inside lists: each level reads all of them again.
        self.quoted_lines = 100_000
        # The lines looked at to know how many there are of these.
        self.lines = 500_000 + length
        # The characters of link definitions, each time that one is used.
        self.defined = 200_000 + length


class _Definitions(dict[str, Any]):
    """The link definitions of a text, found as long as what they give is not far longer than the text."""

    def __init__(self, budget: _Budget) -> None:
        super().__init__()
        self._budget = budget

    def get(self, label: str, default: Any = None) -> Any:
        found = super().get(label, default)
        if not found:
            return found
        self._budget.defined -= len(found["href"]) + len(found["title"])
        return found if self._budget.defined > 0 else default


class _Inline(ParserInline):
    """markdown-it's inline parser, but for the text of an image, which it would parse again at each level of images in it."""

    def parse(self, src: str, md: MarkdownIt, env: Any, tokens: list[Token]) -> list[Token]:
        if env["inside"]:
            return tokens
        env["inside"] = True
        try:
            return super().parse(src, md, env, tokens)
        finally:
            env["inside"] = False


def parser(*, definitions: bool, valid_link: Callable[[str], bool]) -> MarkdownIt:
    """The parser; to be used through `parse`. `definitions`: whether a text may define links apart, as `[label]: URL`."""
    made = MarkdownIt("zero")
    made.inline = _Inline()
    made.helpers = cast(
        "ModuleType",
        SimpleNamespace(
            parseLinkLabel=_label_end,
            parseLinkDestination=helpers.parseLinkDestination,
            parseLinkTitle=helpers.parseLinkTitle,
        ),
    )
    made.configure("commonmark", {"html": False, "linkify": False, "maxNesting": 50})
    made.enable(["table", "strikethrough"]).disable(["html_block", "html_inline"])
    if not definitions:
        made.disable("reference")
    made.block.ruler.at("table", _affordable_table, {"alt": ["paragraph", "reference"]})
    made.block.ruler.at("blockquote", _affordable_quote, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    made.block.ruler.at("list", _not_too_deep(list_block), {"alt": ["paragraph", "reference", "blockquote"]})
    made.validateLink = valid_link  # type: ignore[method-assign,assignment]
    return made


def parse(made: MarkdownIt, text: str) -> list[Token]:
    """The tokens of the text. Images have no children: their text stands in `content`."""
    budget = _Budget(len(text))
    tokens = made.parse(text, {"budget": budget, "references": _Definitions(budget), "inside": False})
    for token in tokens:
        if token.children:
            token.children = _without_deep_emphasis(token.children)
    return tokens


def _label_end(state: StateInline, start: int, disable_nested: bool = False) -> int:
    """The place of the bracket that closes the link label which begins at `start`, or -1 (CommonMark 0.31, 6.3).

    markdown-it's rules call it in the place of its `parseLinkLabel`.
    """
    budget: _Budget = state.env["budget"]
    before, level, end = state.pos, 1, -1
    state.pos = start + 1
    while state.pos < state.posMax and budget.label_tokens > 0:
        place = state.pos
        char = state.src[place]
        if char == "]":
            level -= 1
            if level == 0:
                end = place
                break
        state.md.inline.skipToken(state)
        budget.label_tokens -= 1
        if char == "[":
            if state.pos == place + 1:
                level += 1
            elif disable_nested:
                # A link inside a link: the outer one is none.
                break
    else:
        if budget.label_tokens <= 0:
            end = _simple_label_end(state.src, start + 1, state.posMax)
    state.pos = before
    # A rule copies the label that was found, however long it is.
    budget.label_tokens -= max(0, end - start) // 64
    return end


_NO_BRACKET = re.compile(r"(?:[^\[\]\\]|\\.)*", re.DOTALL)


def _simple_label_end(text: str, start: int, stop: int) -> int:
    """The next bracket, if it is one that closes: found without a look at what stands in the label."""
    found = _NO_BRACKET.match(text, start, min(stop, start + _SIMPLE_LABEL))
    end = found.end() if found else stop
    return end if end < stop and text[end] == "]" else -1


def _not_too_deep(rule: BlockRule) -> BlockRule:
    """The rule for blocks that hold blocks, up to the deepest level: markdown-it itself would leave out what is beyond."""

    def bounded(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        return state.level < DEEPEST and rule(state, start, end, silent)

    return bounded


def _affordable_quote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if silent or state.level == 0 or not blockquote(state, start, end, True):
        return blockquote(state, start, end, silent)
    budget: _Budget = state.env["budget"]
    lines = _lines_on(state, start, end, budget.quoted_lines)
    if state.level >= DEEPEST_QUOTE or lines > budget.quoted_lines:
        return False
    budget.quoted_lines -= lines
    return blockquote(state, start, end, silent)


def _affordable_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if silent or not table(state, start, end, True):
        return table(state, start, end, silent)
    budget: _Budget = state.env["budget"]
    columns = state.src.count("|", state.bMarks[start], state.eMarks[start]) + 1
    cells = columns * _lines_on(state, start, end, budget.cells // columns)
    if cells > budget.cells:
        return False
    budget.cells -= cells
    return table(state, start, end, silent)


def _lines_on(state: StateBlock, start: int, end: int, most: int) -> int:
    """The lines from `start` to the next empty one, beyond which no quotation and no table goes; over `most` for more."""
    budget: _Budget = state.env["budget"]
    if budget.lines <= 0:
        return most + 1
    last = min(end, start + most + 1)
    lines = next((line for line in range(start + 1, last) if state.isEmpty(line)), last) - start
    budget.lines -= lines
    return lines


def _without_deep_emphasis(children: list[Token]) -> list[Token]:
    """The inline tokens without the marks of emphasis that is nested too deep; the text stays."""
    kept: list[Token] = []
    depth = 0
    for token in children:
        if token.tag in ("em", "strong", "s"):
            depth += token.nesting
            if depth + (token.nesting < 0) > DEEPEST_EMPHASIS:
                continue
        kept.append(token)
    return kept
