"""The containers that are open while Markdown is written (lists, quotes, cells …) and how finished blocks are put together."""

from __future__ import annotations

from typing import Literal, NamedTuple

from lxml.html import HtmlElement

from webcards.fetch.markdown_inline import code_span

Kind = Literal["page", "list", "quote", "item", "cell", "terms", "definition", "note"]


class Block(NamedTuple):
    """A finished piece of Markdown; `form` tells apart what must not stand side by side."""

    form: str
    text: str


class Frame:
    """A container that is being written, with the blocks that it has so far."""

    __slots__ = ("blocks", "counter", "element", "kind", "label", "marker", "plain_start")

    def __init__(self, kind: Kind, element: HtmlElement | None) -> None:
        self.kind: Kind = kind
        self.element = element
        self.blocks: list[Block] = []
        # Of a list: its sign, and the number of its next item if it counts.
        self.marker = "-"
        self.counter: int | None = None
        # Of a note: its label. Of a cell: where its plain text begins.
        self.label = ""
        self.plain_start = 0


def joined(blocks: list[Block]) -> str:
    """Blocks as one text: a blank line between them, but for what belongs together."""
    parts: list[str] = []
    previous = ""
    for form, text in blocks:
        if parts:
            parts.append("\n" if _belongs_to(form, previous, len(blocks)) else "\n\n")
        parts.append(text)
        previous = form
    return "".join(parts)


def _belongs_to(form: str, previous: str, count: int) -> bool:
    if form == "item":
        return previous == "item"
    if form == "definition":
        return previous in ("term", "definition")
    # The list below an item's one line of text.
    return form.startswith("list") and previous == "text" and count == 2


def indented(text: str, width: int) -> str:
    """The text with every line but the first (and the empty ones) moved right."""
    if not width or "\n" not in text:
        return text
    first, *rest = text.split("\n")
    space = " " * width
    return "\n".join([first, *(space + line if line else line for line in rest)])


def quoted(text: str) -> str:
    """The text as a block quote."""
    return "\n".join(f"> {line}" if line else ">" for line in text.split("\n"))


def cell_text(blocks: list[Block]) -> str:
    """What a table's cell says, on one line."""
    lines: list[str] = []
    for block in blocks:
        own = block.text.split("\n")
        lines += [code_span(line) for line in own[1:-1]] if block.form == "code" else [line.strip() for line in own]
    return "<br>".join(line for line in lines if line).replace("|", "\\|")


def start_list(frame: Frame, element: HtmlElement, before: str) -> None:
    """Set a list's sign and first number; two lists of one kind side by side get different signs, or they would be one."""
    if element.tag == "ol":
        frame.counter = _number(element.get("start")) or 1 if element.get("start") != "0" else 0
        frame.marker = ")" if before == "list." else "."
    else:
        frame.marker = "*" if before == "list-" else "-"


def item_text(parent: Frame, frame: Frame, content: str, *, flat: bool) -> str:
    """An item with its sign or number; `flat` keeps its lines from moving further right."""
    if parent.kind == "list" and parent.counter is not None:
        value = _number(frame.element.get("value")) if frame.element is not None else None
        number = parent.counter if value is None else value
        parent.counter = number + 1
        marker = f"{number}{parent.marker} "
    else:
        marker = f"{parent.marker if parent.kind == 'list' else '-'} "
    return marker + indented(content, 0 if flat else len(marker))


def list_blocks(frame: Frame) -> list[Block]:
    """What a finished list is: one block, or the notes that it was a list of."""
    width = 3 if frame.counter is not None else 2
    items: list[Block] = []
    for block in frame.blocks:
        if block.form.startswith("list") and items:
            # A list that stands beside the item that it belongs to.
            items[-1] = Block("item", f"{items[-1].text}\n{' ' * width}{indented(block.text, width)}")
        else:
            items.append(block)
    if all(block.form == "note" for block in items):
        return items
    loose = any(block.form != "item" or "\n\n" in block.text for block in items)
    return [Block(f"list{frame.marker}", ("\n\n" if loose else "\n").join(block.text for block in items))]


def _number(value: str | None) -> int | None:
    digits = (value or "").strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None
