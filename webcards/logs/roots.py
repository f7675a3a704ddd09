"""Which logs on the server may be opened: those inside the folders that the settings allow, wherever links lead."""

import glob
from collections.abc import Sequence
from pathlib import Path

# More files than this are not one log but a mistake in the pattern.
MAX_FILES = 1_000


class OutsideRootsError(Exception):
    """A path that may not be opened; the message says so to people, and names no path that they did not name."""


def allowed_paths(pattern: str, roots: Sequence[str | Path]) -> list[Path]:
    """The files or folders that a path or a glob names, all of them inside the roots.

    A relative one is looked for in each root. Raises `OutsideRootsError` for anything outside, by a link as well, and
    FileNotFoundError if nothing is there.
    """
    if not roots:
        raise OutsideRootsError("no folder of logs is allowed: set WEBCARDS_LOG_ROOTS to the folders that may be read")
    if not pattern.strip() or "\0" in pattern:
        raise FileNotFoundError("no path was given")
    bases = [Path(root).expanduser().resolve() for root in roots]
    asked = Path(pattern.strip()).expanduser()
    candidates = [asked] if asked.is_absolute() else [base / asked for base in bases]
    found: list[Path] = []
    outside = False
    for candidate in candidates:
        for path in _matching(candidate):
            if _inside(path, bases):
                found.append(path.resolve())
            else:
                outside = True
    unique = list(dict.fromkeys(found))
    if outside and not unique:
        raise OutsideRootsError(f"{pattern} is not inside the folders that may be read (WEBCARDS_LOG_ROOTS)")
    if not unique:
        raise FileNotFoundError(f"nothing is there: {pattern}")
    return unique[:MAX_FILES]


def _matching(candidate: Path) -> list[Path]:
    text = str(candidate)
    if candidate.exists() or not glob.has_magic(text):
        return [candidate] if candidate.exists() else []
    return [Path(name) for name in sorted(glob.iglob(text, recursive=True))[: MAX_FILES * 10]]  # noqa: PTH207


def _inside(path: Path, bases: Sequence[Path]) -> bool:
    """Whether a path, with every link in it followed, is one of the roots or below one."""
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError):
        return False
    return any(real == base or real.is_relative_to(base) for base in bases)
