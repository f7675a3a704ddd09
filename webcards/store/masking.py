"""Secrets out of what is stored. What a secret is, `webcards.masking` knows."""

import sys
from typing import Any

from webcards.masking import mask_text, mask_value


def mask(text: str) -> str:
    """The text as it may be kept."""
    return mask_text(text)


def mask_all(value: Any) -> Any:
    """The same for every string of a JSON value, keys included, however deep; RecursionError where that is too deep."""
    return mask_value(value, deepest=sys.maxsize)
