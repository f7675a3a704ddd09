"""Writes a tree of content as Markdown (CommonMark, GitHub's tables and strikes, footnotes, definition lists) and as text.

One walk over the tree, without recursion, so depth costs nothing. Each construct has a file of its own: markdown_line.py what
stands inside a line, markdown_frames.py lists and quotes, markdown_table.py, markdown_code.py, markdown_notes.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple, assert_never

from lxml import etree
from lxml.html import HtmlElement

from webcards.fetch.extract_labels import PERMALINK_SIGNS
from webcards.fetch.extract_players import PLAYER
from webcards.fetch.extract_tree import BLOCKS
from webcards.fetch.markdown_code import code_block, code_language, code_text, is_code_table, is_name_of
from webcards.fetch.markdown_frames import (
    Block,
    Frame,
    Kind,
    cell_text,
    indented,
    item_text,
    joined,
    list_blocks,
    quoted,
    start_list,
)
from webcards.fetch.markdown_inline import (
    CODE,
    EMPHASIS,
    STRONG,
    STRUCK,
    escape,
    guard_line_starts,
    plain_runs,
    visible,
    visible_lines,
    write_runs,
)
from webcards.fetch.markdown_line import Line
from webcards.fetch.markdown_links import Addresses
from webcards.fetch.markdown_notes import Notes, find_notes, is_back_link
from webcards.fetch.markdown_table import MAX_COLUMNS, MAX_ROW_SPAN, Cell, Table, is_data_table, span

# Lists and quotes deeper than this are not moved further right; elements beyond this many are written as plain lines.
MAX_NESTING = 16
MAX_ELEMENTS = 40_000

_FORMATS = {
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
_CONTAINERS: dict[str, Kind] = {
    "ul": "list",
    "ol": "list",
    "menu": "list",
    "dir": "list",
    "li": "item",
    "blockquote": "quote",
    "dl": "terms",
    "dd": "definition",
}
# A link to its own place: such a sign anywhere, one of the words in a heading.
_ANCHOR_SIGNS = PERMALINK_SIGNS | {"[link]", "link", "permalink"}
# Above this part of what a page says, what stands below its pictures is the content (a cookery book's steps).
_CAPTIONS_ARE_CONTENT = 0.3


class Written(NamedTuple):
    """Content as Markdown, and as plain text without what is said below pictures."""

    markdown: str
    text: str


class Writer:
    """Writes one tree. Make a new one for each."""

    def __init__(self, base: str) -> None:
        self._line = Line(Addresses(base))
        self._frames = [Frame("page", None)]
        self._tables: list[Table | None] = []
        self._code_tables: set[HtmlElement] = set()
        self._plain: list[tuple[str, bool]] = []
        self._captions = 0
        self._heading = 0
        self._nesting = 0
        self._notes = Notes({}, {})

    def write(self, root: HtmlElement) -> Written:
        """Write the whole tree."""
        self._notes = find_notes(root)
        walker = etree.iterwalk(root, events=("start", "end"))
        say = self._line.say
        left = 2 * MAX_ELEMENTS
        for event, element in walker:
            left -= 1
            if left == 0:
                self._say_the_rest(event, element, walker)
                break
            if event == "start":
                if self._open(element):
                    walker.skip_subtree()
                elif element.text:
                    say(element.text)
            else:
                self._close(element)
                if element.tail and element is not root:
                    say(element.tail)
        self._flush()
        return Written(joined(self._frames[0].blocks), self._running_text())

    def _running_text(self) -> str:
        """The plain text; captions belong to pictures, which it has none of, unless they are much of what is said."""
        captions = sum(len(text) for text, caption in self._plain if caption)
        everything = sum(len(text) for text, _ in self._plain)
        keep = captions > everything * _CAPTIONS_ARE_CONTENT
        return "\n".join(text for text, caption in self._plain if keep or not caption)

    def _say_the_rest(self, event: str, element: HtmlElement, walker: Iterable[tuple[str, HtmlElement]]) -> None:
        """The end of a page of very many elements, as plain lines: nobody waits for its links."""
        self._flush()
        while len(self._frames) > 1:
            self._pop(self._frames[-1])
        words: list[str] = []
        for passed, inner in chain([(event, element)], walker):
            if inner.tag in BLOCKS:
                words.append("\n")
            text = inner.text if passed == "start" else inner.tail
            if text:
                words.append(text)
        lines = (" ".join(line.split()) for line in visible_lines("".join(words)).split("\n"))
        rest = "\n".join(line for line in lines if line)
        if rest:
            self._plain.append((rest, False))
            self._add("text", guard_line_starts(escape(rest)))

    # What each element does. `_open` gives true for one that has been written whole.

    def _open(self, element: HtmlElement) -> bool:
        tag = element.tag
        if tag in BLOCKS:
            return self._open_block(element, tag)
        bit = _FORMATS.get(tag)
        if bit is not None:
            self._line.open_format(bit)
            return False
        match tag:
            case "a":
                return self._open_link(element)
            case "br":
                self._line.break_line()
            case "img":
                self._line.image(element)
            case "math":
                source = visible(element.text or "")
                self._line.add(source, source)
                return True
            case "sup" | "sub":
                return self._line.raise_or_lower(element)
            case "q":
                self._line.say("“")
            case "rt":
                self._line.say("(")
            case "rp":
                return True
            case "xmp" | "listing" | "plaintext":
                return self._code(element)
            case "span" | "button" | "label" | "time" | "small" | "data":
                self._line.keep_apart(element)
            case _:
                pass
        return False

    def _open_block(self, element: HtmlElement, tag: str) -> bool:
        self._flush()
        if element in self._notes.definitions:
            self._push("note", element).label = self._notes.definitions[element]
        elif tag in _HEADINGS:
            self._heading = _HEADINGS[tag]
        elif tag in _CONTAINERS:
            self._open_container(element, _CONTAINERS[tag])
        elif tag in ("table", "tr", "td", "th"):
            return self._open_table_part(element, tag)
        elif tag == "pre":
            return self._code(element)
        elif tag == "hr":
            self._add("rule", "---")
        elif tag == "figcaption":
            self._captions += 1
        elif tag == "summary":
            self._line.open_format(STRONG)
        elif tag == PLAYER:
            self._line.player(element)
        return tag == PLAYER

    def _open_container(self, element: HtmlElement, kind: Kind) -> None:
        if kind == "terms" and self._nesting >= MAX_NESTING:
            return
        before = self._frames[-1].blocks[-1].form if self._frames[-1].blocks else ""
        frame = self._push(kind, element)
        if kind == "list":
            start_list(frame, element, before)
        if kind in ("list", "quote", "terms"):
            self._nesting += 1

    def _open_table_part(self, element: HtmlElement, tag: str) -> bool:
        if tag == "table":
            if is_code_table(element):
                self._code_tables.add(element)
                return self._code(element)
            self._tables.append(Table() if is_data_table(element) else None)
            return False
        table = self._tables[-1] if self._tables else None
        if table is None:
            return False
        if tag == "tr":
            parent = element.getparent()
            table.add_row(heads=parent is not None and parent.tag == "thead")
        else:
            self._push("cell", element).plain_start = len(self._plain)
        return False

    def _close(self, element: HtmlElement) -> None:
        tag = element.tag
        if tag in BLOCKS:
            self._close_block(element, tag)
        elif tag in _FORMATS:
            self._line.close_format()
        elif tag == "a":
            self._line.close_link()
        elif tag == "q":
            self._line.say("”")
        elif tag == "rt":
            self._line.say(")")

    def _close_block(self, element: HtmlElement, tag: str) -> None:
        self._flush("term" if tag == "dt" else "text")
        if tag in _HEADINGS:
            self._heading = 0
        elif tag == "figcaption":
            self._captions -= 1
        elif tag == "summary":
            self._line.close_format()
        elif tag == "table" and element not in self._code_tables:
            table = self._tables.pop()
            if table is not None and (text := table.write()):
                self._add("table", text)
        frame = self._frames[-1]
        if frame.element is element:
            self._pop(frame)

    def _open_link(self, element: HtmlElement) -> bool:
        label = self._notes.references.get(element)
        if label is not None:
            self._line.open_no_link()
            self._line.add(f"[^{label}]", "".join(element.itertext()))
            return True
        leads_here = (element.get("href") or "").startswith("#")
        if leads_here and "".join(element.itertext()).strip() in PERMALINK_SIGNS:
            self._line.open_no_link()
            return True
        if self._heading or any(frame.kind == "note" for frame in self._frames):
            text = "".join(element.itertext()).strip()
            if (self._heading and text.lower() in _ANCHOR_SIGNS) or (text and is_back_link(element)):
                self._line.open_no_link()
                return True
            if self._heading and leads_here:
                # A heading that is a link to itself.
                self._line.open_no_link()
                return False
        self._line.open_link(element)
        return False

    # Containers.

    def _push(self, kind: Kind, element: HtmlElement) -> Frame:
        frame = Frame(kind, element)
        self._frames.append(frame)
        return frame

    def _pop(self, frame: Frame) -> None:
        self._frames.pop()
        content = joined(frame.blocks)
        match frame.kind:
            case "list":
                self._nesting -= 1
                if frame.blocks:
                    self._frames[-1].blocks += list_blocks(frame)
            case "item":
                if content:
                    parent = self._frames[-1]
                    self._add("item", item_text(parent, frame, content, flat=self._nesting > MAX_NESTING))
            case "quote":
                self._nesting -= 1
                if content:
                    self._add("quote", content if self._nesting >= MAX_NESTING else quoted(content))
            case "terms":
                self._nesting -= 1
                if content:
                    self._add("terms", content)
            case "definition":
                self._close_definition(frame)
            case "note":
                if content:
                    self._add("note", f"[^{frame.label}]: " + indented(content, 4))
            case "cell":
                self._close_cell(frame)
            case "page":
                pass
            case _:
                assert_never(frame.kind)

    def _close_definition(self, frame: Frame) -> None:
        # libxml2 nests a <dd> whose predecessor was left open.
        own = joined([block for block in frame.blocks if block.form != "definition"])
        if own:
            self._add("definition", ":   " + indented(own, 4))
        self._frames[-1].blocks += [block for block in frame.blocks if block.form == "definition"]

    def _close_cell(self, frame: Frame) -> None:
        said = " ".join(text for text, _ in self._plain[frame.plain_start :])
        del self._plain[frame.plain_start :]
        element = frame.element
        table = self._tables[-1] if self._tables else None
        if element is None or table is None:
            return
        if said:
            if element.getprevious() is None or not self._plain:
                self._plain.append((said, self._captions > 0))
            else:
                row, caption = self._plain[-1]
                self._plain[-1] = (f"{row}\t{said}", caption)
        columns, rows = span(element, "colspan", MAX_COLUMNS), span(element, "rowspan", MAX_ROW_SPAN)
        table.add_cell(Cell(cell_text(frame.blocks), element.tag == "th", columns, rows))

    # Blocks.

    def _add(self, form: str, text: str) -> None:
        self._frames[-1].blocks.append(Block(form, text))

    def _flush(self, form: str = "text") -> None:
        """Write what has been said since the last block as a paragraph or a heading."""
        runs = self._line.take(strong=not self._heading)
        if not runs:
            return
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
            language = code_language(element)
            before = self._frames[-1].blocks
            if language and before and before[-1].form == "text" and is_name_of(language, before[-1].text):
                before.pop()
            self._plain.append((text, self._captions > 0))
            self._add("code", code_block(text, language))
        return True
