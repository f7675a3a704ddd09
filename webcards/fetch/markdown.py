"""Writes a tree of content as Markdown (CommonMark, GitHub's tables and strikes, footnotes, definition lists) and as plain text.

One walk over the tree, without recursion, so depth costs nothing. Tables, code and footnotes have files of their own
(markdown_table.py, markdown_code.py, markdown_notes.py), as has what stands inside a line (markdown_inline.py).
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, assert_never

from lxml import etree
from lxml.html import HtmlElement

from webcards.fetch.extract_tree import BLOCKS
from webcards.fetch.markdown_code import code_block, code_language, code_text, is_code_table
from webcards.fetch.markdown_inline import (
    BREAK,
    CODE,
    EMPHASIS,
    STRONG,
    STRUCK,
    VERBATIM,
    Run,
    code_span,
    guard_line_starts,
    link_target,
    plain_runs,
    visible,
    write_runs,
)
from webcards.fetch.markdown_links import Addresses
from webcards.fetch.markdown_notes import Notes, find_notes, is_back_link
from webcards.fetch.markdown_table import MAX_COLUMNS, MAX_ROW_SPAN, Cell, Table, is_data_table, span

MAX_NESTING = 16

_FORMAT_TAGS = {
    "b": STRONG,
    "strong": STRONG,
    "em": EMPHASIS,
    "i": EMPHASIS,
    "cite": EMPHASIS,
    "dfn": EMPHASIS,
    "del": STRUCK,
    "s": STRUCK,
    "strike": STRUCK,
    "code": CODE,
    "kbd": CODE,
    "samp": CODE,
    "tt": CODE,
}
_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_LISTS = frozenset("ul ol menu dir".split())
_CODE_BLOCKS = frozenset("pre xmp listing plaintext".split())
_RAISED = str.maketrans("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ")
_LOWERED = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
_ANCHOR_SIGNS = frozenset("¶ # § 🔗 ⚓ ∞ [link] link permalink".split())
_BRACKETS = re.compile(r"(?<!\\)[\[\]]")
# Above this part of what a page says, what stands below its pictures is the content (a cookery book's steps).
_CAPTIONS_ARE_CONTENT = 0.3

Kind = Literal["block", "list", "quote", "item", "cell", "definition", "note"]


class Written(NamedTuple):
    """Content as Markdown, and as plain text without what is said below pictures."""

    markdown: str
    text: str


class _Block(NamedTuple):
    """A finished piece of Markdown; `form` tells apart what must not stand side by side."""

    form: str
    text: str


class _Frame:
    """A container that is being written: a list, an item, a quote, a table's cell …"""

    __slots__ = ("blocks", "counter", "element", "kind", "label", "marker", "start")

    def __init__(self, kind: Kind, element: HtmlElement | None) -> None:
        self.kind = kind
        self.element = element
        self.blocks: list[_Block] = []
        self.marker = "-"
        self.counter: int | None = None
        self.label = ""
        self.start = 0


class Writer:
    """Writes one tree. Make a new one for each."""

    def __init__(self, base: str) -> None:
        self._addresses = Addresses(base)
        self._frames: list[_Frame] = [_Frame("block", None)]
        self._tables: list[Table | None] = []
        self._code_tables: set[HtmlElement] = set()
        self._runs: list[Run] = []
        self._formats = 0
        self._format_stack: list[int] = []
        self._links: list[str | None] = []
        self._captions = 0
        self._plain: list[tuple[str, bool]] = []
        self._heading = 0
        self._notes = Notes({}, {})
        self._nesting = 0

    def write(self, root: HtmlElement) -> Written:
        """Write the whole tree."""
        self._notes = find_notes(root)
        walker = etree.iterwalk(root, events=("start", "end"))
        for event, element in walker:
            if event == "start":
                if self._open(element):
                    walker.skip_subtree()
                elif element.text:
                    self._say(element.text)
            else:
                self._close(element)
                if element.tail and element is not root:
                    self._say(element.tail)
        self._flush()
        return Written(_joined(self._frames[0].blocks), self._running_text())

    def _running_text(self) -> str:
        """The plain text; captions belong to pictures, which it has none of, unless they are much of what is said."""
        captions = sum(len(text) for text, caption in self._plain if caption)
        everything = sum(len(text) for text, _ in self._plain)
        keep = captions > everything * _CAPTIONS_ARE_CONTENT
        return "\n".join(text for text, caption in self._plain if keep or not caption)

    # -- what each element does ------------------------------------------------------------------------------------

    def _open(self, element: HtmlElement) -> bool:
        """Begin an element; true when it has been written whole."""
        tag = element.tag
        if tag in BLOCKS:
            return self._open_block(element, tag)
        bit = _FORMAT_TAGS.get(tag)
        if bit is not None:
            self._format_stack.append(self._formats)
            self._formats |= bit
            return False
        match tag:
            case "a":
                return self._open_link(element)
            case "br":
                self._runs.append(BREAK)
            case "img":
                self._image(element)
            case "math":
                source = visible(element.text or "")
                self._runs.append(Run(source, VERBATIM, self._link()))
                return True
            case "sup" | "sub":
                return self._raised(element, tag)
            case "q":
                self._say("“")
            case "rt":
                self._say("(")
            case "rp":
                return True
            case "xmp" | "listing" | "plaintext":
                return self._code(element)
            case "figcaption":
                self._flush()
                self._captions += 1
            case "span" | "button" | "label" | "time":
                self._keep_apart(element)
        return False

    def _open_block(self, element: HtmlElement, tag: str) -> bool:
        self._flush()
        if element in self._notes.definitions:
            frame = self._push("note", element)
            frame.label = self._notes.definitions[element]
            return False
        if tag in _HEADINGS:
            self._heading = _HEADINGS[tag]
        elif tag in _LISTS:
            self._open_list(element, tag)
        elif tag == "li":
            self._push("item", element)
        elif tag == "blockquote":
            self._push("quote", element)
            self._nesting += 1
        elif tag == "dd":
            self._push("definition", element)
        elif tag == "hr":
            self._add("rule", "---")
        elif tag == "pre":
            return self._code(element)
        elif tag == "table":
            if is_code_table(element):
                self._code_tables.add(element)
                return self._code(element)
            self._tables.append(Table() if is_data_table(element) else None)
        elif tag == "tr" and self._table() is not None:
            parent = element.getparent()
            self._tables[-1].add_row(heads=parent is not None and parent.tag == "thead")  # type: ignore[union-attr]
        elif tag in ("td", "th") and self._table() is not None:
            self._push("cell", element).start = len(self._plain)
        elif tag == "figcaption":
            self._captions += 1
        elif tag == "summary":
            self._format_stack.append(self._formats)
            self._formats |= STRONG
        elif tag == "video":
            return True
        return False

    def _close(self, element: HtmlElement) -> None:
        tag = element.tag
        if tag in BLOCKS:
            self._close_block(element, tag)
        elif tag in _FORMAT_TAGS:
            self._formats = self._format_stack.pop()
        elif tag == "a":
            self._links.pop()
        elif tag == "q":
            self._say("”")
        elif tag == "rt":
            self._say(")")

    def _close_block(self, element: HtmlElement, tag: str) -> None:
        self._flush("term" if tag == "dt" else "text")
        if tag in _HEADINGS:
            self._heading = 0
        elif tag == "figcaption":
            self._captions -= 1
        elif tag == "summary":
            self._formats = self._format_stack.pop()
        elif tag == "table" and element not in self._code_tables:
            table = self._tables.pop()
            if table is not None and (text := table.write()):
                self._add("table", text)
        frame = self._frames[-1]
        if frame.element is element:
            self._pop(frame)

    # -- containers --------------------------------------------------------------------------------------------------

    def _push(self, kind: Kind, element: HtmlElement) -> _Frame:
        frame = _Frame(kind, element)
        self._frames.append(frame)
        return frame

    def _open_list(self, element: HtmlElement, tag: str) -> None:
        before = self._frames[-1].blocks[-1].form if self._frames[-1].blocks else ""
        frame = self._push("list", element)
        self._nesting += 1
        if tag == "ol":
            start = (element.get("start") or "").strip()
            frame.counter = int(start) if start.isascii() and start.isdigit() and len(start) < 9 else 1
            frame.marker = ")" if before == "list." else "."
        else:
            frame.marker = "*" if before == "list-" else "-"

    def _pop(self, frame: _Frame) -> None:
        self._frames.pop()
        content = _joined(frame.blocks)
        match frame.kind:
            case "list":
                self._nesting -= 1
                self._close_list(frame)
            case "item":
                self._close_item(frame, content)
            case "quote":
                self._nesting -= 1
                if content:
                    deep = self._nesting >= MAX_NESTING
                    self._add("quote", content if deep else "\n".join(f"> {line}" if line else ">" for line in content.split("\n")))
            case "definition":
                # libxml2 nests a <dd> whose predecessor was left open.
                own = _joined([block for block in frame.blocks if block.form != "definition"])
                if own:
                    self._add("definition", ":   " + _indented(own, 4))
                self._frames[-1].blocks.extend(block for block in frame.blocks if block.form == "definition")
            case "note":
                if content:
                    self._add("note", f"[^{frame.label}]: " + _indented(content, 4))
            case "cell":
                self._close_cell(frame)
            case "block":
                pass
            case _:
                assert_never(frame.kind)

    def _close_list(self, frame: _Frame) -> None:
        items: list[_Block] = []
        for block in frame.blocks:
            if block.form.startswith("list") and items:
                width = 3 if frame.counter is not None else 2
                items[-1] = _Block("item", f"{items[-1].text}\n{' ' * width}{_indented(block.text, width)}")
            else:
                items.append(block)
        if not items:
            return
        if all(block.form == "note" for block in items):
            self._frames[-1].blocks.extend(items)
            return
        loose = any(block.form != "item" or "\n\n" in block.text for block in items)
        self._add(f"list{frame.marker}", ("\n\n" if loose else "\n").join(block.text for block in items))

    def _close_item(self, frame: _Frame, content: str) -> None:
        parent = self._frames[-1]
        if not content:
            return
        if parent.kind == "list" and parent.counter is not None:
            value = (frame.element.get("value") or "").strip() if frame.element is not None else ""
            if value.isascii() and value.isdigit() and len(value) < 9:
                parent.counter = int(value)
            marker = f"{parent.counter}{parent.marker} "
            parent.counter += 1
        else:
            marker = f"{parent.marker if parent.kind == 'list' else '-'} "
        width = 0 if self._nesting > MAX_NESTING else len(marker)
        self._add("item", marker + _indented(content, width))

    def _close_cell(self, frame: _Frame) -> None:
        element = frame.element
        table = self._table()
        said = " ".join(text for text, _ in self._plain[frame.start :])
        captions = bool(self._captions)
        del self._plain[frame.start :]
        if said:
            first = element is None or element.getprevious() is None or not self._plain
            if first:
                self._plain.append((said, captions))
            else:
                before, caption = self._plain[-1]
                self._plain[-1] = (f"{before}\t{said}", caption)
        if table is None or element is None:
            return
        lines = (line.strip() for block in frame.blocks for line in _cell_lines(block))
        text = "<br>".join(line for line in lines if line).replace("|", "\\|")
        table.add_cell(Cell(text, element.tag == "th", span(element, "colspan", MAX_COLUMNS), span(element, "rowspan", MAX_ROW_SPAN)))

    def _table(self) -> Table | None:
        return self._tables[-1] if self._tables else None

    # -- blocks ------------------------------------------------------------------------------------------------------

    def _add(self, form: str, text: str) -> None:
        self._frames[-1].blocks.append(_Block(form, text))

    def _flush(self, form: str = "text") -> None:
        """Write what has been said since the last block as a paragraph or a heading."""
        runs = self._runs
        if not runs:
            return
        self._runs = []
        if self._heading:
            runs = [run._replace(formats=run.formats & ~STRONG) if run.formats & STRONG else run for run in runs]
        text = write_runs(runs)
        if plain := plain_runs(runs):
            self._plain.append((plain, self._captions > 0))
        if not text:
            return
        if self._heading and self._frames[-1].kind != "cell":
            line = text.replace("  \n", " ")
            self._add("heading", f"{'#' * self._heading} {line}")
        else:
            self._add(form, guard_line_starts(text))

    def _code(self, element: HtmlElement) -> bool:
        self._flush()
        text = code_text(element)
        if text:
            self._plain.append((text, self._captions > 0))
            self._add("code", code_block(text, code_language(element)))
        return True

    # -- inline content ----------------------------------------------------------------------------------------------

    def _say(self, text: str) -> None:
        said = visible(text)
        if said and (self._runs or said != " "):
            self._runs.append(Run(said, self._formats, self._link()))

    def _link(self) -> str | None:
        return self._links[-1] if self._links else None

    def _open_link(self, element: HtmlElement) -> bool:
        label = self._notes.references.get(element)
        if label is not None:
            self._links.append(None)
            self._runs.append(Run(f"[^{label}]", VERBATIM, None, "".join(element.itertext())))
            return True
        text = "".join(element.itertext()).strip() if self._heading or any(frame.kind == "note" for frame in self._frames) else ""
        if (self._heading and text.lower() in _ANCHOR_SIGNS) or (text and is_back_link(element)):
            self._links.append(None)
            return True
        self._keep_apart(element)
        href = element.get("href")
        self._links.append(self._addresses.link(href.strip()) if href and href.strip() else self._link())
        return False

    def _keep_apart(self, element: HtmlElement) -> None:
        """A space between boxes that only a style sheet sets apart: two links, or a word and the number beside it."""
        previous = element.getprevious()
        if previous is None or previous.tail or previous.tag != element.tag or not self._runs:
            return
        last = self._runs[-1].text[-1:]
        if element.tag == "a" or element.tag == "button":
            if last and not last.isspace():
                self._runs.append(Run(" ", 0, None))
            return
        first = next((text for text in element.itertext() if text.strip()), "")[:1]
        if (last.islower() and (first.isupper() or first.isdigit())) or (last.isdigit() and first.isupper()):
            self._runs.append(Run(" ", self._formats, self._link()))

    def _raised(self, element: HtmlElement, tag: str) -> bool:
        """Figures above or below the line, where Unicode has them ("10⁶" is not "106")."""
        if len(element):
            return False
        text = (element.text or "").strip()
        signs = _RAISED if tag == "sup" else _LOWERED
        if not text or len(text) > 8 or any(ord(character) not in signs for character in text):
            return False
        self._runs.append(Run(text.translate(signs), self._formats, self._link(), text))
        return True

    def _image(self, element: HtmlElement) -> None:
        if any((element.get(name) or "").strip().removesuffix("px") in ("0", "1", "2") for name in ("width", "height")):
            return
        source = (element.get("src") or "").strip()
        address = self._addresses.image(source) if source else None
        alternative = " ".join(visible(element.get("alt") or "").split())
        if address is None:
            return
        if self._runs and self._runs[-1].formats == VERBATIM and self._runs[-1] is not BREAK:
            self._runs.append(Run(" ", 0, None, ""))
        label = _BRACKETS.sub(r"\\\g<0>", alternative)
        self._runs.append(Run(f"![{label}]({link_target(address)})", VERBATIM, self._link(), ""))


def _cell_lines(block: _Block) -> list[str]:
    """A block's lines, fit for a table's cell."""
    lines = block.text.split("\n")
    if block.form == "code":
        return [code_span(line) for line in lines[1:-1]]
    return lines


def _indented(text: str, width: int) -> str:
    """The text with every line but the first (and the empty ones) moved right."""
    if not width or "\n" not in text:
        return text
    first, *rest = text.split("\n")
    space = " " * width
    return "\n".join([first, *(space + line if line else line for line in rest)])


def _joined(blocks: list[_Block]) -> str:
    """Blocks as one text: a blank line between them, but for what belongs together."""
    parts: list[str] = []
    previous = ""
    for form, text in blocks:
        if parts:
            close = (form == "item" and previous == "item") or (form == "definition" and previous in ("term", "definition"))
            close = close or (form.startswith("list") and previous == "text" and len(blocks) == 2)
            parts.append("\n" if close else "\n\n")
        parts.append(text)
        previous = form
    return "".join(parts)
