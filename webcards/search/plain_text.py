"""Text from the web as plain text for a title or a snippet: no markup, no entities, nothing invisible that deceives.

Pure functions of a string. Which field of a row is what belongs to `cleaning`.
"""

import re
from html import unescape
from unicodedata import category

_INLINE = (
    "a abbr b bdi bdo big cite code del dfn em font i ins kbd label mark q s samp small span strike strong sub sup"
    " time tt u var"
)
_BLOCK = (
    "address article aside blockquote body caption center dd details div dl dt figcaption figure footer h1 h2 h3 h4 h5"
    " h6 header html li main nav ol p pre section summary table tbody td th thead title tr ul"
)
_BLOCKS = frozenset(_BLOCK.split())
_NAMES = f"{_INLINE} {_BLOCK}".replace(" ", "|")

_UNSEEN = re.compile(
    r"<!--.*?-->|<!doctype[^>]*>|<(head|iframe|noscript|object|script|style|svg|template)\b[^<>]*>.*?</\1\s*>",
    re.IGNORECASE | re.DOTALL,
)
_VOID = re.compile(r"<(?:br|hr|img|input|link|meta|wbr)(?:\s[^<>]*)?/?>", re.IGNORECASE)
_TAG = re.compile(rf"<(?P<end>/)?(?P<name>{_NAMES})(?:\s[^<>]*)?/?>", re.IGNORECASE)

_INVISIBLE = re.compile(
    "["
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"  # C0 and C1 controls, but for white space
    "\u00ad\u180e\u200b\u2060-\u2064\ufeff"  # soft hyphen, zero width spaces, joiners and operators that draw nothing
    "\u202a-\u202e\u2066-\u2069\u206a-\u206f"  # bidi embeddings, overrides and isolates; deprecated format characters
    "\ufff9-\ufffb\ue000-\uf8ff"  # interlinear annotation; private use, with which engines mark their hits
    "\U000e0000-\U000e00ff"  # tags, which can carry a message that only a machine reads
    "]+"
)
_FLAG = re.compile("(\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f)")  # England and its like
_SELECTORS = re.compile("([\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols by their category, yet nothing is seen of them."""


def plain(text: str) -> str:
    """One line of plain text: tags and entities out, white space folded, controls and bidi overrides gone.

    Entities are decoded once, after the tags: `&lt;b&gt;` is text that shows `<b>`. Only pairs of HTML's own names
    count as tags, so `<T>`, `a < b` and "the <b> element" stay. "" if nothing is left to see.
    """
    if "<" in text:
        text = _without_tags(text)
    if "&" in text:
        text = unescape(text)
    return one_line(text)


def one_line(text: str) -> str:
    """White space folded, controls, bidi overrides and hidden characters gone, lone surrogates replaced by U+FFFD.

    What right-to-left and joined-up text needs stays: LRM, RLM, ALM, ZWJ, ZWNJ, one variation selector a character.
    """
    if not text.isascii():
        text = _SURROGATE.sub("\ufffd", text)
        text = _SELECTORS.sub(r"\1", text)
        # Every second piece of the split is a flag, whose tags are meant.
        text = "".join(
            piece if number % 2 else _INVISIBLE.sub("", piece) for number, piece in enumerate(_FLAG.split(text))
        )
        if not any(_seen(character) for character in text):
            return ""
    elif not text.isprintable():
        text = _INVISIBLE.sub("", text)
    return " ".join(text.split())


def shortened(text: str, limit: int) -> str:
    """The text, or its beginning of at most `limit` characters with "…", cut between words if one ends nearby."""
    if len(text) <= limit:
        return text
    end = limit - 1
    space = text.rfind(" ", end - 60, end + 1)
    if space > 0:
        end = space
    else:
        while end > 0 and _joined_to_previous(text, end):
            end -= 1
    return text[:end].rstrip() + "…"


def _without_tags(text: str) -> str:
    text = _UNSEEN.sub(" ", text)
    text = _VOID.sub(" ", text)
    drop: list[re.Match[str]] = []
    started: dict[str, list[re.Match[str]]] = {}
    for tag in _TAG.finditer(text):
        waiting = started.setdefault(tag["name"].lower(), [])
        if not tag["end"]:
            waiting.append(tag)
        elif waiting:
            drop += [waiting.pop(), tag]
    pieces = []
    at = 0
    for tag in sorted(drop, key=re.Match.start):
        pieces += [text[at : tag.start()], " " if tag["name"].lower() in _BLOCKS else ""]
        at = tag.end()
    return "".join([*pieces, text[at:]])


def _seen(character: str) -> bool:
    return category(character)[0] not in "CZM" and character not in _BLANK


def _joined_to_previous(text: str, at: int) -> bool:
    """Whether a cut before `text[at]` would part it from what it belongs to."""
    return category(text[at])[0] == "M" or "\u200d" in text[at - 1 : at + 1] or "\U0001f3fb" <= text[at] <= "\U0001f3ff"
