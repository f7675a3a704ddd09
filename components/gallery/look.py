"""The gallery's own styles; the card's stay in the card's stylesheet."""

from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=1)
def gallery_sheet() -> str:
    """The stylesheet of the gallery."""
    return (Path(__file__).parent / "gallery.css").read_text(encoding="utf-8")
