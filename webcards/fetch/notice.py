"""Says in plain words what kind of page this is when it is not the page that was asked for: blocked, empty, made by script."""

from __future__ import annotations

import re

from lxml.html import HtmlElement

# Longer than this, a page is a page, whatever words stand on it.
_MOST_CHARS_OF_A_WALL = 1_500
_LITTLE_CHARS = 300
_MUCH_SCRIPT = 2_000
_CHECKS = re.compile(
    r"just a moment|checking (?:your browser|if the site connection is secure)|check(?:ing)? your browser|verif(?:y|ying) (?:that )?you are (?:a )?human|are you (?:a )?(?:human|robot)"
    r"|enable javascript and cookies to continue|needs to review the security of your connection|attention required|ddos protection by|complete the security check|captcha"
    r"|unusual traffic from your (?:computer )?network|press (?:and|&) hold to confirm|pardon our interruption|please wait while we (?:check|verify)|bot detection|prove (?:that )?you(?:'|’)?re not a robot"
    r"|access to this page has been denied|请完成安全验证|人机验证|访问验证|verifica que eres humano|vérifiez que vous êtes (?:un )?humain",
    re.I,
)
_REFUSALS = re.compile(
    r"access denied|you don(?:'|’)t have permission to access|403 forbidden|^\s*forbidden|request (?:blocked|rejected)|you have been blocked|has been blocked|not (?:available|accessible) in your (?:country|region)"
    r"|unavailable for legal reasons|your ip (?:address )?has been|too many requests|rate limit(?:ed)? exceeded",
    re.I,
)
_LOGINS = re.compile(r"(?:sign|log)[\s-]?in to (?:continue|view|read|see)|you (?:must|need to) (?:be logged in|log in|sign in)|please (?:log|sign) in|login required|members only", re.I)
_ASKS_FOR_SCRIPT = re.compile(r"(?:enable|turn on|requires?|need|activate|allow|without)\b.{0,40}\bjavascript|javascript\b.{0,60}\b(?:enable|disabled|required|turned off|switched off|not (?:available|supported|enabled))", re.I | re.S)
_MOUNT_POINTS = ("root", "app", "__next", "__nuxt", "gatsby-focus-wrapper", "main-app", "react-root", "application", "svelte", "ember-app")


def script_facts(root: HtmlElement) -> tuple[int, bool, bool]:
    """Of a page as parsed: the characters of script, whether it loads or asks for script, and whether it has an empty mount point."""
    inline = 0
    loads = False
    for script in root.iter("script"):
        kind = (script.get("type") or "").lower()
        if kind and "javascript" not in kind and kind != "module":
            continue
        loads = loads or script.get("src") is not None
        inline += len(script.text or "")
    asks = any(_ASKS_FOR_SCRIPT.search(" ".join(element.itertext())[:2_000]) for element in root.iter("noscript"))
    mount = False
    for name in _MOUNT_POINTS:
        for element in root.xpath("//*[@id=$name]", name=name):
            mount = mount or not "".join(element.itertext()).strip()
    return inline, loads or asks, mount or asks


def notice(text: str, title: str | None, facts: tuple[int, bool, bool]) -> str | None:
    """What to tell about a page with this text, or None for a page that is what it seems."""
    said = text.strip()
    if len(said) <= _MOST_CHARS_OF_A_WALL:
        words = f"{title or ''}\n{said}"
        if _CHECKS.search(words):
            return "The site answered with a check for robots (a captcha or browser check) instead of the page; what follows is that check's own text."
        if _REFUSALS.search(words) and len(said) < 800:
            return "The site refused to show the page; what follows is its refusal."
        if _LOGINS.search(words) and len(said) < 800:
            return "The site asks for a login before it shows the page; what follows is what it shows without one."
    inline, loads, mount = facts
    if len(said) < _LITTLE_CHARS and (mount or _ASKS_FOR_SCRIPT.search(said) or (len(said) < 100 and (inline >= _MUCH_SCRIPT or loads))):
        if said:
            return "This page is built by JavaScript in the browser. Without running it there is hardly any text to read; what follows is all there is."
        return "This page is built by JavaScript in the browser. Without running it there is no readable text."
    if not said:
        return "The page has no text."
    return None
