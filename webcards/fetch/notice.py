"""Says in plain words what kind of page this is when it is not the page that was asked for: blocked, empty, made by script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lxml.html import HtmlElement

# Longer than this, a page is a page, whatever words stand on it.
_MOST_CHARS_OF_A_WALL = 1_500
_MOST_CHARS_OF_A_REFUSAL = 800
_LITTLE_CHARS = 300
_HARDLY_ANY_CHARS = 100
_MUCH_SOURCE = 2_000
_CHECKS = re.compile(
    r"just a moment|checking (?:your browser|if the site connection is secure)|check(?:ing)? your browser|captcha"
    r"|verif(?:y|ying) (?:that )?you are (?:a )?human|are you (?:a )?(?:human|robot)|attention required|bot detection"
    r"|enable javascript and cookies to continue|needs to review the security of your connection|ddos protection by"
    r"|complete the security check|unusual traffic from your (?:computer )?network|press (?:and|&) hold to confirm"
    r"|pardon our interruption|please wait while we (?:check|verify)|prove (?:that )?you(?:'|’)?re not a robot"
    r"|access to this page has been denied|请完成安全验证|人机验证|访问验证|verifica que eres humano"
    r"|vérifiez que vous êtes (?:un )?humain",
    re.IGNORECASE,
)
_REFUSALS = re.compile(
    r"access denied|you don(?:'|’)t have permission to access|403 forbidden|^\s*forbidden|request (?:blocked|rejected)"
    r"|you have been blocked|has been blocked|not (?:available|accessible) in your (?:country|region)"
    r"|unavailable for legal reasons|your ip (?:address )?has been|too many requests|rate limit(?:ed)? exceeded",
    re.IGNORECASE,
)
_LOGINS = re.compile(
    r"(?:sign|log)[\s-]?in to (?:continue|view|read|see)|you (?:must|need to) (?:be logged in|log in|sign in)"
    r"|please (?:log|sign) in|login required|members only",
    re.IGNORECASE,
)
_ASKS_FOR_SCRIPT = re.compile(
    r"(?:enable|turn on|requires?|need|activate|allow|without)\b.{0,40}\bjavascript"
    r"|javascript\b.{0,60}\b(?:enable|disabled|required|turned off|switched off|not (?:available|supported|enabled))",
    re.IGNORECASE | re.DOTALL,
)
_LOADING = re.compile(r"\W*(?:loading|please wait|one moment|redirecting)\b.{0,40}$", re.IGNORECASE | re.DOTALL)
_WALL_WORDS = (
    *("moment", "browser", "human", "robot", "captcha", "attention", "bot detection", "cookies", "security", "ddos"),
    *(
        "unusual traffic",
        "hold to confirm",
        "interruption",
        "denied",
        "验证",
        "humano",
        "humain",
        "permission",
        "forbidden",
    ),
    *("blocked", "rejected", "region", "country", "legal reasons", "your ip", "too many", "rate limit", "sign", "log"),
    "members only",
)
_CHECKED = (
    "The site answered with a check for robots (a captcha or browser check) instead of the page; its own words follow."
)
_REFUSED = "The site refused to show the page; its own words follow."
_LOCKED = "The site asks for a login before it shows the page; what it shows without one follows."
_SCRIPTED = "This page is built by JavaScript in the browser. Without running it there is "
_MOUNT_POINTS = frozenset(
    ["root", "app", "__next", "__nuxt", "___gatsby", "main-app", "react-root", "application", "svelte", "ember-app"]
)


class ScriptFacts(NamedTuple):
    """Whether a page runs scripts, has much source, and has an empty place for scripts to fill or asks for them."""

    runs: bool
    large: bool
    waits: bool


def script_facts(root: HtmlElement, source_chars: int) -> ScriptFacts:
    """What a page, as parsed, has to do with script. `source_chars` is the length of its source."""
    kinds = [(script.get("type") or "").lower() for script in root.iter("script")]
    runs = any(not kind or "javascript" in kind or kind == "module" for kind in kinds)
    asks = any(_ASKS_FOR_SCRIPT.search(" ".join(element.itertext())[:2_000]) for element in root.iter("noscript"))
    places = (element for element in _near_the_top(root) if element.get("id") in _MOUNT_POINTS or "-" in element.tag)
    mounts = any(all(text.isspace() for text in element.itertext()) for element in places)
    return ScriptFacts(runs, source_chars >= _MUCH_SOURCE, asks or (runs and mounts))


def _near_the_top(root: HtmlElement) -> Iterator[HtmlElement]:
    for body in root.iterchildren("body"):
        for outer in body.iterchildren("*"):
            yield outer
            yield from (inner for inner in outer.iterchildren("*") if inner.get("id"))


def notice(text: str, title: str | None, facts: ScriptFacts) -> str | None:
    """What to tell about a page with this text, or None for a page that is what it seems."""
    said = text.strip()
    if len(said) <= _MOST_CHARS_OF_A_WALL and _may_be_a_wall(f"{title or ''}\n{said}".lower()):
        words = f"{title or ''}\n{said}"
        if _CHECKS.search(words):
            return _CHECKED
        if len(said) < _MOST_CHARS_OF_A_REFUSAL and (_REFUSALS.search(words) or _LOGINS.search(words)):
            return _REFUSED if _REFUSALS.search(words) else _LOCKED
    if _is_scripted(said, facts):
        return _SCRIPTED + ("hardly any text to read; all there is follows." if said else "no readable text.")
    return None if said else "The page has no text."


def _may_be_a_wall(lowered: str) -> bool:
    """Whether any word of a wall is there; the patterns take their time."""
    return any(word in lowered for word in _WALL_WORDS)


def _is_scripted(said: str, facts: ScriptFacts) -> bool:
    if len(said) >= _LITTLE_CHARS:
        return False
    if facts.waits or _ASKS_FOR_SCRIPT.search(said):
        return True
    return facts.runs and (not said or bool(_LOADING.match(said)) or (facts.large and len(said) < _HARDLY_ANY_CHARS))
