"""The demo web's pages that show one thing each, by a stable key: what tests, demos and the gallery ask for."""

from __future__ import annotations

from typing import Final

_CHANDLERY: Final = "https://chandlery.kittiwick.example"
_FORUM: Final = "https://forum.kittiwick.example"
_GAZETTE: Final = "https://gazette.kittiwick.example"
_GO: Final = "https://go.kittiwick.example"
_LOW_WATER: Final = "https://lowwater.example"
_OFFICE: Final = "https://office.kittiwick.example"
_PROOFS: Final = "https://proofs.kittiwick.example"
_WIKI: Final = "https://wiki.kittiwick.example"

SPECIMENS: Final[dict[str, str]] = {
    # Kinds of site, and what stands in their pages.
    "article": f"{_GAZETTE}/2026/11/martinmas-gale",
    "blog": f"{_LOW_WATER}/2026/the-night-of-the-gale",
    "forum": f"{_FORUM}/viewtopic?t=2291",
    "product": f"{_CHANDLERY}/p/mudhook-15",
    "wiki": f"{_WIKI}/wiki/Kittiwick",
    "table": f"{_OFFICE}/tides/december-2026",
    "table-spans": f"{_OFFICE}/dues",
    "code": f"{_OFFICE}/api/",
    "nested-lists": f"{_OFFICE}/arrivals",
    "images": f"{_GAZETTE}/2026/10/quern-mill",
    "footnotes": f"{_WIKI}/wiki/Ember_Rock_Light",
    "definitions": f"{_WIKI}/wiki/Harbour_glossary",
    "math": f"{_WIKI}/wiki/Rule_of_twelfths",
    "alternate-markdown": f"{_PROOFS}/notes-for-machines",
    "long": f"{_OFFICE}/logbook/2025",
    # Scripts and directions; the Chinese site has an IDN, here in punycode.
    "chinese": "https://xn--j6w163h.example/%E6%B5%B7%E5%A0%A4%E5%A4%A7%E9%A3%8E",
    "arabic": "https://marsa.example/twin-town",
    "idn-host": "https://xn--j6w163h.example/",
    # Charsets: said in the header, but for the last four.
    "shift-jis": f"{_PROOFS}/rope-prices-1931",
    "windows-1251": f"{_PROOFS}/timetable-1912",
    "windows-1256": "https://marsa.example/archive/1998",
    "big5": f"{_PROOFS}/tea-ledger",
    "meta-charset": f"{_PROOFS}/ropewalk-song",
    "no-charset": f"{_PROOFS}/unlabelled",
    "utf-16-bom": f"{_PROOFS}/two-bytes",
    # Other content types.
    "text": f"{_PROOFS}/notice.txt",
    "markdown": f"{_OFFICE}/api/index.md",
    "json": f"{_OFFICE}/api/v1/tides/2026-12-01.json",
    "xml": f"{_OFFICE}/files/buoys.xml",
    "rss": f"{_GAZETTE}/feed.xml",
    "atom": f"{_LOW_WATER}/feed.atom",
    "csv": f"{_OFFICE}/files/tides-2026-12.csv",
    "pdf": f"{_OFFICE}/files/tides-2026-12.pdf",
    "xhtml": f"{_PROOFS}/strict",
    "image": f"{_PROOFS}/chart.png",
    # Content-Encoding, sent whether asked for or not.
    "gzip": f"{_GAZETTE}/2026/09/herring-fair",
    "br": f"{_WIKI}/wiki/Harbour_glossary",
    "zstd": f"{_FORUM}/viewtopic?t=2305",
    # Statuses.
    "no-content": f"{_PROOFS}/nothing",
    "bot-wall": f"{_PROOFS}/bot-wall",
    "not-found": f"{_GAZETTE}/2026/11/no-such-story",
    "gone": f"{_PROOFS}/old-news",
    "rate-limited": f"{_OFFICE}/api/v1/busy",
    "server-error": f"{_PROOFS}/plain-error",
    "unavailable": f"{_PROOFS}/closed",
    # Redirects; the last two lead where a fetch must refuse to go.
    "redirect-host": f"{_GO}/gale",
    "redirect-chain": f"{_PROOFS}/chain/1",
    "redirect-loop": f"{_PROOFS}/loop/a",
    "meta-refresh": f"{_PROOFS}/meta-refresh",
    "redirect-blocked": f"{_PROOFS}/to-metadata",
    "redirect-scheme": f"{_PROOFS}/to-file",
    # Pages that lack something, or have too much of it.
    "no-title": f"{_PROOFS}/untitled",
    "long-title": f"{_PROOFS}/broadside",
    "empty": f"{_PROOFS}/blank",
    "script-only": f"{_PROOFS}/script-only",
    "robots-disallowed": f"{_PROOFS}/locked/diary",
    "hostile": "https://wreckers.example/free-moorings",
    # Time: six seconds, and sixty, before the answer begins.
    "slow": f"{_PROOFS}/slow",
    "very-slow": f"{_PROOFS}/very-slow",
}
"""Key to URL. A key never changes its meaning; its page may be rewritten as long as it still shows that thing."""
