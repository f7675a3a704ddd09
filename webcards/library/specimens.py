"""The demo web's pages that show one thing each, by a stable key: what tests, demos and the gallery ask for."""

from __future__ import annotations

from typing import Final

_CHANDLERY: Final = "https://chandlery.kittiwick.example"
_FORUM: Final = "https://forum.kittiwick.example"
_GAZETTE: Final = "https://gazette.kittiwick.example"
_GO: Final = "https://go.kittiwick.example"
_OFFICE: Final = "https://office.kittiwick.example"
_PROOFS: Final = "https://proofs.kittiwick.example"

SPECIMENS: Final[dict[str, str]] = {
    # Articles and what stands in them.
    "article": f"{_GAZETTE}/2026/11/martinmas-gale",
    "table": f"{_OFFICE}/tides/december-2026",
    "code": f"{_OFFICE}/api/",
    "nested-lists": f"{_OFFICE}/arrivals",
    "images": f"{_GAZETTE}/2026/11/martinmas-gale",
    "alternate-markdown": f"{_OFFICE}/api/",
    "long": f"{_OFFICE}/logbook/2025",
    # Scripts and directions.
    "chinese": "https://xn--j6w163h.example/%E6%B5%B7%E5%A0%A4%E5%A4%A7%E9%A3%8E",
    "arabic": "https://marsa.example/twin-town",
    "idn-host": "https://xn--j6w163h.example/%E6%B5%B7%E5%A0%A4%E5%A4%A7%E9%A3%8E",
    # Charsets.
    "shift-jis": f"{_PROOFS}/rope-prices-1931",
    # Other content types.
    "text": f"{_PROOFS}/notice.txt",
    "json": f"{_OFFICE}/api/v1/tides/2026-12-01.json",
    "csv": f"{_OFFICE}/files/tides-2026-12.csv",
    "pdf": f"{_OFFICE}/files/tides-2026-12.pdf",
    "image": f"{_PROOFS}/chart.png",
    # Statuses.
    "not-found": f"{_GAZETTE}/2026/11/no-such-story",
    "server-error": f"{_PROOFS}/plain-error",
    "rate-limited": f"{_OFFICE}/api/v1/busy",
    "bot-wall": f"{_PROOFS}/bot-wall",
    # Redirects.
    "redirect-chain": f"{_PROOFS}/chain/1",
    "redirect-loop": f"{_PROOFS}/loop/a",
    "redirect-host": f"{_PROOFS}/chain/3",
    "meta-refresh": f"{_PROOFS}/meta-refresh",
    # Pages that lack something, or have too much.
    "no-title": f"{_PROOFS}/untitled",
    "script-only": f"{_PROOFS}/script-only",
    "hostile": "https://wreckers.example/free-moorings",
    # Time, in seconds before the answer begins: 6 and 60.
    "slow": f"{_PROOFS}/slow",
    "very-slow": f"{_PROOFS}/very-slow",
}
"""Key to URL. A key never changes its meaning; its page may be rewritten as long as it still shows that thing."""
