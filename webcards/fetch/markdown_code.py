"""Blocks of code: their text as it is typed, without line numbers, and the language they say they are in."""

from __future__ import annotations

import re

from lxml import etree
from lxml.html import HtmlElement

from webcards.fetch.markdown_inline import visible_lines

_LANGUAGE = re.compile(
    r"(?:^|\s)(?:lang(?:uage)?-|highlight-source-|highlight-text-|brush:\s*|sourceCode\s+|code-|syntax-|prettyprint\s+lang-)([\w+#.-]{1,30})",
    re.IGNORECASE,
)
_HIGHLIGHTED = re.compile(r"(?:^|\s)highlight-([\w+#]{1,20})(?=\s|$)")
_BARE_LANGUAGES = re.compile(
    r"(?:^|\s)(python3?|py|pycon|javascript|js|jsx|typescript|ts|tsx|java|kotlin|swift|go|golang|rust|rs|ruby|rb|php|perl|bash|sh|shell|console|zsh|powershell|c|cpp|c\+\+|csharp|cs"
    r"|objc|scala|haskell|hs|elixir|erlang|clojure|lua|r|julia|matlab|sql|html|xml|css|scss|less|json|yaml|yml|toml|ini|dockerfile|makefile|cmake|diff|markdown|md|graphql|protobuf|nginx|vim|tex|latex"
    r"|dart|groovy|fortran|pascal|asm|wasm|zig|nim|ocaml|fsharp|vb|vbnet)(?:\s|$)",
    re.IGNORECASE,
)
_NO_LANGUAGE = frozenset(
    ["plaintext", "text", "plain", "none", "nohighlight", "default", "notranslate", "output", "block"]
)
_GUTTER = re.compile(
    r"(?:^|[\s_-])(?:line-?(?:no|nos|num|nums|number|numbers)|linenos?|lineno|gutter|rouge-gutter|blob-num|hljs-ln-n(?:umbers)?|ln-num|lnt|line-numbers-rows|code-?line-?number)(?:$|[\s_-])",
    re.IGNORECASE,
)
_CODE_TABLES = re.compile(
    r"(?:^|[\s_-])(?:highlight\w*|rouge-table|hljs-ln|lntable|js-file-line-container|code-?table|syntaxhighlighter|crayon-table)(?:$|[\s_-])",
    re.IGNORECASE,
)
_LINES = frozenset(["div", "p", "li", "tr"])
_FENCE = re.compile(r"`{3,}")


def code_text(block: HtmlElement) -> str:
    """The code of a block: lines as typed, line-number gutters left out, each line box on a line of its own."""
    parts: list[str] = []
    walker = etree.iterwalk(block, events=("start", "end"))
    for event, element in walker:
        if event == "start":
            if element is not block and _is_gutter(element):
                walker.skip_subtree()
                continue
            if element.tag == "br" or (element.tag in _LINES and parts and not parts[-1].endswith("\n")):
                parts.append("\n")
            if element.text:
                parts.append(element.text)
        else:
            if element.tag in _LINES and parts and not parts[-1].endswith("\n") and element is not block:
                parts.append("\n")
            if element.tail and element is not block:
                parts.append(element.tail)
    text = visible_lines("".join(parts))
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(lines)


_LONG_NAMES = {
    "js": "javascript",
    "ts": "typescript",
    "py": "python",
    "sh": "shell",
    "rb": "ruby",
    "rs": "rust",
    "yml": "yaml",
    "cs": "c#",
    "csharp": "c#",
    "cpp": "c++",
    "md": "markdown",
    "hs": "haskell",
    "bash": "shell",
}


def code_block(text: str, language: str) -> str:
    """A fenced block; its fence is longer than any inside."""
    longest = max((len(run) for run in _FENCE.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def code_language(block: HtmlElement) -> str:
    """The language that a block, the code in it or the boxes around it name; empty if none does."""
    inner = [child for child in block if child.tag in ("code", "samp")][:1]
    around = [above for above, _ in zip(block.iterancestors(), range(3), strict=False)]
    for element in (*inner, block, *around):
        for name in ("data-lang", "data-language", "data-code-language", "lang"):
            value = (element.get(name) or "").strip().lower()
            if name == "lang":
                # Most say the language that people speak; GitHub's say the one that is typed.
                if element.tag in ("pre", "code") and _BARE_LANGUAGES.fullmatch(value):
                    return value
            elif re.fullmatch(r"[\w+#.-]{1,30}", value):
                return "" if value in _NO_LANGUAGE else value
        classes = element.get("class") or ""
        for match in _LANGUAGE.finditer(classes):
            value = match[1].strip(".-").lower()
            sure = not match[0].strip().startswith(("code-", "syntax-")) or _BARE_LANGUAGES.fullmatch(value)
            if value and value not in _NO_LANGUAGE and sure:
                return value
        highlighted = _HIGHLIGHTED.search(classes)
        if highlighted and _BARE_LANGUAGES.fullmatch(highlighted[1]):
            return highlighted[1].lower()
    for element in (*inner, block, *around[:1]):
        classes = element.get("class") or ""
        if element.tag in ("pre", "code") or "highlight" in classes or "code" in classes:
            bare = _BARE_LANGUAGES.search(classes)
            if bare:
                return bare[1].lower()
    return ""


def is_name_of(language: str, words: str) -> bool:
    """Whether a line above a listing only says the listing's language, as sites put it on the listing's frame."""
    said = words.strip().strip("*").lower()
    return said in {language, _LONG_NAMES.get(language, language)}


def is_code_table(table: HtmlElement) -> bool:
    """Whether a table shows code, with its line numbers in a column."""
    classes = table.get("class") or ""
    cells = list(table.iter("td", "th"))
    if _CODE_TABLES.search(classes) and any(_is_gutter(cell) for cell in cells[:4]):
        return True
    first = cells[:2]
    return (
        len(first) == 2
        and _is_gutter(first[0])
        and (next(first[1].iter("pre"), None) is not None or "code" in (first[1].get("class") or ""))
    )


def _is_gutter(element: HtmlElement) -> bool:
    if element.get("data-line-number") is not None and not "".join(element.itertext()).strip().strip("0123456789"):
        return True
    classes = element.get("class")
    if not classes or not _GUTTER.search(classes):
        return False
    # Some call the whole block "line-numbers": a gutter holds numbers and nothing else.
    return not "".join(element.itertext()).translate(_NUMBERS).strip()


_NUMBERS = str.maketrans("", "", "0123456789.:|")
