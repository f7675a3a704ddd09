"""The log formats, one a file, in the order in which they are tried: the first that recognises a record has it."""

from functools import cache
from importlib import import_module

from webcards.logs.format import Format

_MODULES = ("dsh",)


@cache
def all_formats() -> tuple[Format, ...]:
    """Every format, in order of detection."""
    return tuple(import_module(f"{__name__}.{module}").FORMAT for module in _MODULES)
