"""Films, sound and other things that a page embeds: each keeps its place and its address, as a leaf that the writer names.

An embedded player's own address shows a player alone; where its site has a page for the same thing, that page is given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice
from urllib.parse import parse_qs, urlsplit

from lxml.html import HtmlElement

from webcards.fetch.extract_nodes import fit, has_text

PLAYER = "video"
MOST_PLAYERS = 500
KIND, TITLE = "data-kind", "title"

_EMBEDDING = (
    "iframe",
    "embed",
    "object",
    "audio",
    "video",
    "lite-youtube",
    "lite-vimeo",
    "amp-youtube",
    "amp-vimeo",
    "amp-video",
)
_ADDRESSES = ("src", "data-src", "data-lazy-src", "data-litespeed-src", "data-original", "data", "value")
_NUMBERED = {
    "lite-youtube": "https://www.youtube.com/watch?v=",
    "amp-youtube": "https://www.youtube.com/watch?v=",
    "lite-vimeo": "https://vimeo.com/",
    "amp-vimeo": "https://vimeo.com/",
}
# What a player's address is on its site: kind, host, path, and the page's address. What has no page keeps its own.
_SITES: tuple[tuple[str, re.Pattern[str], str | None], ...] = tuple(
    (kind, re.compile(pattern), page)
    for kind, pattern, page in (
        (
            "Video",
            r"(?:www\.|m\.)?youtube(?:-nocookie)?\.com/(?:embed|v)/(?!videoseries|live_stream)([\w-]{6,20})",
            r"www.youtube.com/watch?v=\1",
        ),
        ("Video", r"(?:www\.)?youtube(?:-nocookie)?\.com/embed/(?:videoseries|live_stream)", None),
        ("Video", r"player\.vimeo\.com/video/(\d+)", r"vimeo.com/\1"),
        ("Video", r"(?:www\.|geo\.)?dailymotion\.com/embed/video/(\w+)", r"www.dailymotion.com/video/\1"),
        ("Video", r"embed\.ted\.com/(talks/[\w/-]+)", r"www.ted.com/\1"),
        (
            "Video",
            r"(?:player\.twitch\.tv|clips\.twitch\.tv/embed|player\.bilibili\.com|v\.qq\.com|players\.brightcove\.net)/?",
            None,
        ),
        (
            "Video",
            r"(?:fast\.wistia\.(?:net|com)/embed|www\.loom\.com/embed|rumble\.com/embed|odysee\.com/\$/embed)/",
            None,
        ),
        (
            "Video",
            r"(?:cdn\.jwplayer\.com/players|www\.facebook\.com/plugins/video\.php|streamable\.com/[eos])/?",
            None,
        ),
        ("Video", r"[\w.-]+/(?:videos?/embed|w/embed|videos/watch/embed)/", None),
        (
            "Audio",
            r"open\.spotify\.com/embed(?:-podcast)?/((?:track|album|playlist|episode|show|artist)/\w+)",
            r"open.spotify.com/\1",
        ),
        ("Audio", r"embed\.podcasts\.apple\.com/([\w/.-]+)", r"podcasts.apple.com/\1"),
        ("Audio", r"embed\.music\.apple\.com/([\w/.-]+)", r"music.apple.com/\1"),
        (
            "Audio",
            r"(?:w\.soundcloud\.com/player|bandcamp\.com/EmbeddedPlayer|embed\.acast\.com|playlist\.megaphone\.fm)/?",
            None,
        ),
        (
            "Audio",
            r"(?:player\.(?:simplecast|captivate|fireside|transistor)\.(?:com|fm)|share\.transistor\.fm/e|www\.buzzsprout\.com)/",
            None,
        ),
        ("Media", r"archive\.org/embed/([\w.-]+)", r"archive.org/details/\1"),
        ("Code", r"codepen\.io/([\w-]+)/embed/(?:preview/)?(\w+)", r"codepen.io/\1/pen/\2"),
        (
            "Code",
            r"(?:codesandbox\.io/(?:embed|p/sandbox)|stackblitz\.com/edit|jsfiddle\.net/[\w/]+/embedded|replit\.com/@)",
            None,
        ),
        (
            "Slides",
            r"(?:www\.slideshare\.net/slideshow/embed_code|speakerdeck\.com/player|docs\.google\.com/presentation)/",
            None,
        ),
        (
            "Chart",
            r"(?:datawrapper\.dwcdn\.net|flo\.uri\.sh|public\.flourish\.studio|public\.tableau\.com|observablehq\.com/embed)/",
            None,
        ),
        ("Chart", r"ourworldindata\.org/(?:grapher|explorers)/", None),
        ("Map", r"(?:www\.google\.[a-z.]+/maps/(?:embed|d/embed)|www\.openstreetmap\.org/export/embed\.html)", None),
        (
            "Document",
            r"(?:docs\.google\.com/(?:document|spreadsheets)|www\.scribd\.com/embeds|www\.figma\.com/embed|embed\.figma\.com)/?",
            None,
        ),
    )
)
# Titles that say no more than that something is embedded.
_SAYS_NOTHING = re.compile(
    r"(?:youtube|vimeo|dailymotion|spotify|soundcloud|twitch|embed(?:ded)?|video|audio|media|player|content|iframe|widget"
    r"|html5|map|chart|interactive|google|maps|the|from|play|untitled|[\W\d_])*",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"^(?:spotify embed|play(?:\s+video)?|(?:youtube|vimeo)?\s*video(?:\s+player)?|watch)\s*[:–—-]\s*", re.IGNORECASE
)
_LONGEST_TITLE = 200
_CALLED_PLAYER = re.compile(r"player|video|audio|media", re.IGNORECASE)
_BOXES = 4


def keep_players(root: HtmlElement) -> None:
    """Turn what a page embeds into leaves that hold an address, a kind and, where there is one, a title.

    What is embedded from a site that nobody knows (most of that are advertisements) is left as it is.
    """
    for element in list(islice(root.iter(*_EMBEDDING), MOST_PLAYERS)):
        if any(above.tag == PLAYER and above.get(KIND) for above in element.iterancestors()):
            continue
        found = _embedded(element)
        if found is None:
            continue
        kind, address = found
        title = _title(element)
        element.clear(keep_tail=True)
        element.tag = PLAYER
        element.set("src", fit(address) or "")
        element.set(KIND, kind)
        if title:
            element.set(TITLE, title)
        _unname_boxes(element)


def _embedded(element: HtmlElement) -> tuple[str, str] | None:
    tag = str(element.tag)
    if tag in _NUMBERED:
        number = (element.get("videoid") or element.get("data-videoid") or "").strip()
        return ("Video", _NUMBERED[tag] + number) if re.fullmatch(r"[\w-]{1,30}", number) else None
    if tag in ("audio", "video", "amp-video"):
        address = next(filter(None, map(_address, (element, *element.iter("source")))), None)
        return ("Audio" if tag == "audio" else "Video", address) if address else None
    # An old <object> names what it shows in a parameter, or in the <embed> inside it.
    inner = [one for one in element.iter("param", "embed") if one is not element] if tag == "object" else []
    addresses = chain.from_iterable(map(_all_addresses, (element, *inner)))
    return next(filter(None, map(_site, addresses)), None)


def _unname_boxes(player: HtmlElement) -> None:
    """A box called "video-player" is furniture for what else it says; one that holds a player and no words is not."""
    for box, _ in zip(player.iterancestors("div", "figure", "span"), range(_BOXES), strict=False):
        if any(map(has_text, box.itertext())):
            break
        for name in ("class", "id"):
            if _CALLED_PLAYER.search(box.get(name) or ""):
                del box.attrib[name]


def _all_addresses(element: HtmlElement) -> Iterator[str]:
    for name in _ADDRESSES:
        value = (element.get(name) or "").strip()
        if value:
            yield value


def _address(element: HtmlElement) -> str | None:
    value = next(_all_addresses(element), None)
    return value if value and not value.startswith(("blob:", "data:", "about:", "javascript:")) else None


def _site(address: str) -> tuple[str, str] | None:
    """The kind of a player that a frame shows, and its page's address, else its own."""
    bare = re.sub(r"^(?:https?:)?//", "", address)
    if bare == address:
        return None
    for kind, pattern, page in _SITES:
        if hit := pattern.match(bare):
            return kind, f"https://{hit.expand(page)}" if page else _asked_for(address)
    return None


def _asked_for(address: str) -> str:
    """The address that a player was asked to show (SoundCloud, Facebook), where it says so; else the player's."""
    try:
        asked = parse_qs(urlsplit(address).query)
    except ValueError:
        return address
    shown = next((asked[name][0] for name in ("url", "href") if name in asked), "")
    return shown if shown.startswith(("https://", "http://")) else address


def _title(element: HtmlElement) -> str:
    for name in ("title", "aria-label", "playlabel", "data-title", "videotitle"):
        title = _LEADING.sub("", " ".join((element.get(name) or "")[:_LONGEST_TITLE].split()))
        if title and not _SAYS_NOTHING.fullmatch(title):
            return fit(title) or ""
    return ""
