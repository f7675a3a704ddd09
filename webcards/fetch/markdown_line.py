"""The inline content of the block that is being written: text with its formats and its link, images, raised figures."""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from webcards.fetch.extract_players import KIND, TITLE
from webcards.fetch.markdown_inline import BREAK, STRONG, VERBATIM, Run, escape, link_target, visible
from webcards.fetch.markdown_links import Addresses

_RAISED = str.maketrans("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ")
_LOWERED = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
_MOST_RAISED = 8
_BOXES = frozenset(["a", "span", "button", "label", "time", "small", "data"])
# From here on, scripts write without spaces between words.
_DENSE_SCRIPTS = 0x2E80
_SHORTEST_WORD = 3
_BRACKETS = re.compile(r"(?<!\\)[\[\]]")
_NO_SIZE = frozenset(["0", "1", "2"])


class Line:
    """Collects runs until they are taken for a block. Formats and links outlast the blocks inside them."""

    def __init__(self, addresses: Addresses) -> None:
        self._addresses = addresses
        self._runs: list[Run] = []
        self._formats = 0
        self._outer_formats: list[int] = []
        self._links: list[str | None] = []

    def take(self, *, strong: bool = True) -> list[Run]:
        """The runs so far, which are then gone; without their bold where a heading is bold anyway."""
        runs, self._runs = self._runs, []
        if strong:
            return runs
        return [run._replace(formats=run.formats & ~STRONG) if run.formats & STRONG else run for run in runs]

    def say(self, text: str) -> None:
        """Add text, its white space collapsed."""
        said = visible(text)
        if said and (self._runs or said != " "):
            self._runs.append(Run(said, self._formats, self._link))

    def add(self, markdown: str, plain: str | None = None) -> None:
        """Add what is Markdown already, and what the plain text says in its place."""
        self._runs.append(Run(markdown, VERBATIM, self._link, plain))

    def break_line(self) -> None:
        """End the line where the page does."""
        self._runs.append(BREAK)

    def open_format(self, bit: int) -> None:
        """Let a format hold for what follows."""
        self._outer_formats.append(self._formats)
        self._formats |= bit

    def close_format(self) -> None:
        """End the format that was opened last."""
        self._formats = self._outer_formats.pop()

    def open_link(self, element: HtmlElement) -> None:
        """Let a link hold for what follows, if it leads anywhere."""
        self.keep_apart(element)
        href = (element.get("href") or "").strip()
        self._links.append(self._addresses.link(href) if href else self._link)

    def open_no_link(self) -> None:
        """Begin what is a link on the page and none here."""
        self._links.append(None)

    def close_link(self) -> None:
        """End the link that was opened last."""
        self._links.pop()

    def image(self, element: HtmlElement) -> None:
        """Add an image that has an address of its own and a size to be seen."""
        if any((element.get(name) or "").strip().removesuffix("px") in _NO_SIZE for name in ("width", "height")):
            return
        source = (element.get("src") or "").strip()
        address = self._addresses.image(source) if source else None
        if address is None:
            return
        if self._runs and self._runs[-1].formats == VERBATIM and self._runs[-1] is not BREAK:
            self._runs.append(Run(" ", 0, None, ""))
        alternative = " ".join(visible(element.get("alt") or "").split())
        self.add(f"![{_BRACKETS.sub(_escaped, alternative)}]({link_target(address)})", "")

    def player(self, element: HtmlElement) -> None:
        """Add what an embedded player shows, as a link that says of what kind it is."""
        address = self._addresses.image((element.get("src") or "").strip())
        kind, title = element.get(KIND), element.get(TITLE)
        if address is None or kind is None:
            return
        name = f"{kind}: {' '.join(visible(title).split())}" if title else kind
        # Not inside a link around it: Markdown has none in another.
        self.open_no_link()
        self.add(f"[{_BRACKETS.sub(_escaped, escape(name))}]({link_target(address)})", "")
        self.close_link()

    def raise_or_lower(self, element: HtmlElement) -> bool:
        """Write figures above or below the line where Unicode has them ("10⁶" is not "106"); false for other text."""
        text = (element.text or "").strip()
        signs = _RAISED if element.tag == "sup" else _LOWERED
        if len(element) or not 0 < len(text) <= _MOST_RAISED or any(ord(sign) not in signs for sign in text):
            return False
        self._runs.append(Run(text.translate(signs), self._formats, self._link, text))
        return True

    def keep_apart(self, element: HtmlElement) -> None:
        """Add a space between boxes that only a style sheet sets apart: two links, a name and the date beside it."""
        previous = element.getprevious()
        if previous is None or previous.tail or previous.tag not in _BOXES or not self._runs:
            return
        last = self._runs[-1].text[-1:]
        first = next((text.lstrip()[:1] for text in element.itertext() if not text.isspace()), "")
        both_links = previous.tag == element.tag == "a" and not last.isspace()
        if both_links or (_both_words(last, first) and _are_apart(previous, element, last, first)):
            self._runs.append(Run(" "))

    @property
    def _link(self) -> str | None:
        return self._links[-1] if self._links else None


def _both_words(last: str, first: str) -> bool:
    if not last.isalnum() or not first.isalnum():
        return False
    return ord(last) < _DENSE_SCRIPTS or ord(first) < _DENSE_SCRIPTS


def _are_apart(before: HtmlElement, element: HtmlElement, last: str, first: str) -> bool:
    """Whether two neighbours are boxes of their own: letters of one word are often styled one by one."""
    if before.tag != element.tag or element.tag in ("button", "time", "label"):
        return True
    if (last.islower() and (first.isupper() or first.isdigit())) or (last.isdigit() and first.isupper()):
        return True
    names = before.get("class"), element.get("class")
    return all(names) and names[0] != names[1] and _is_word(before) and _is_word(element)


def _is_word(element: HtmlElement) -> bool:
    return len("".join(element.itertext()).strip()) >= _SHORTEST_WORD


def _escaped(match: re.Match[str]) -> str:
    return "\\" + match[0]
