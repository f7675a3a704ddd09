"""Which declarations of the card's stylesheet hold for an element: as much of the cascade as that stylesheet needs.

At-rules and the styles of a state (`:hover`, `:target` …) are left out: what is asked here is how a card looks at rest.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Any

from components.markup import stylesheet

Declarations = dict[str, str]

_AT_REST = re.compile(r":(?:hover|focus|focus-visible|target|active|visited)\b")
_RULE = re.compile(r"(?P<selectors>[^{}]+)\{(?P<body>[^{}]*)\}")
_IS = re.compile(r":is\(([^()]*)\)")


class Cascade:
    """The declarations of each element of one card. `tree` is the card's lxml element."""

    def __init__(self, tree: Any) -> None:
        self._found: dict[Any, list[tuple[tuple[int, int, int, int], Declarations]]] = {}
        for order, (path, specificity, pseudo, declarations) in enumerate(_rules()):
            for element in path(tree):
                self._found.setdefault((element, pseudo), []).append(((*specificity, order), declarations))

    def own(self, element: Any, pseudo: str = "") -> Declarations:
        """What is declared for the element itself, or for its `before` or `after`; nothing inherited."""
        ranked = sorted(self._found.get((element, pseudo), []), key=lambda entry: entry[0])
        merged: Declarations = {}
        for _, declarations in ranked:
            merged |= declarations
        return merged if pseudo else merged | _declarations(element.get("style", ""))

    def pseudos(self, element: Any) -> Iterator[str]:
        """The pseudo-elements that have a content of their own."""
        return (name for name in ("before", "after") if "content" in self.own(element, name))


@lru_cache(maxsize=1)
def _rules() -> tuple[tuple[Any, tuple[int, int, int], str, Declarations], ...]:
    """(XPath, specificity, pseudo-element, declarations) of each plain rule, in order."""
    from cssselect import HTMLTranslator, parse
    from lxml.etree import XPath

    out = []
    for match in _RULE.finditer(_without_at_rules(stylesheet())):
        for selector in _expanded(match["selectors"].strip()):
            if _AT_REST.search(selector):
                continue
            for parsed in parse(selector):
                path = XPath(HTMLTranslator().selector_to_xpath(parsed))
                pseudo = str(parsed.pseudo_element or "")
                out.append((path, parsed.specificity(), pseudo, _declarations(match["body"])))
    return tuple(out)


def _without_at_rules(sheet: str) -> str:
    """The sheet without `@media {…}` and the like, which hold rules within rules."""
    kept, depth, skipping = [], 0, False
    for part in re.split(r"(@[^{}]*\{|[{}])", re.sub(r"(?s)/\*.*?\*/", "", sheet)):
        if part.startswith("@"):
            depth, skipping = 1, True
        elif skipping:
            depth += {"{": 1, "}": -1}.get(part, 0)
            skipping = depth > 0
        else:
            kept.append(part)
    return "".join(kept)


def _expanded(selectors: str) -> Iterator[str]:
    """Each selector of a list, with `:is(a, b)` written out."""
    parts = _IS.split(selectors)
    choices = [part.split(",") if index % 2 else [part] for index, part in enumerate(parts)]
    for written in product(*choices):
        yield "".join(piece.strip() if index % 2 else piece for index, piece in enumerate(written))


def _declarations(body: str) -> Declarations:
    pairs = (part.partition(":") for part in re.split(r";(?![^(]*\))", body))
    return {name.strip(): value.strip() for name, found, value in pairs if found}
