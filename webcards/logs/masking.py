"""A logged call as it may be shown, exported or shared: without its secrets, and with a note of what was hidden.

What a secret is, `webcards.masking` knows.
"""

import json
from collections import Counter

from msgspec import Struct
from msgspec.structs import replace

from webcards.contract.values import WebSource
from webcards.logs.decode import UndecodableError, decode
from webcards.logs.model import Found, FoundPage, FoundSources, LoggedCall, LoggedError
from webcards.masking import mask_text, mask_value


class Masked(Struct, frozen=True):
    """A kind of secret that was hidden, and how often."""

    kind: str
    count: int


def mask_call(call: LoggedCall) -> tuple[LoggedCall, tuple[Masked, ...]]:
    """The call as it may be shown to anybody, and what was hidden. Never raises.

    A raw record in which something was hidden is written anew; any other keeps its very bytes.
    """
    found: Counter[str] = Counter()
    result = call.result
    if result is not None:
        result = replace(
            result,
            content=mask_value(result.content, found),
            meta=mask_value(result.meta, found),
            details=mask_value(result.details, found),
        )
    error = call.error
    if error is not None and error.message is not None:
        error = LoggedError(error.name, error.code, mask_text(error.message))
    # The same secrets stand in the result, in what was found in it and in the records: they are counted once.
    raw = tuple(_masked_record(part) for part in call.raw)
    masked = replace(
        call,
        args=mask_value(call.args, found),
        result=result,
        error=error,
        found=_masked_found(call.found, found if result is None or not result.content else Counter()),
        raw=raw,
    )
    return masked, tuple(Masked(kind, count) for kind, count in sorted(found.items()))


def _masked_record(record: bytes) -> bytes:
    """A record of the log: masked as the JSON that it is, so that an escape in it hides nothing from us."""
    found: Counter[str] = Counter()
    try:
        value = mask_value(decode(record).value, found)
    except UndecodableError:
        masked = mask_text(record.decode("utf-8", "replace"), found).encode("utf-8", "replace")
        return masked if found else record
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") if found else record


def _masked_found(kept: Found | None, found: Counter[str]) -> Found | None:
    match kept:
        case FoundSources():
            sources = [
                WebSource(
                    mask_text(item.url, found),
                    mask_value(item.title, found),
                    mask_value(item.snippet, found),
                    item.published_at,
                )
                for item in kept.sources
            ]
            return FoundSources(sources, mask_value(kept.answer, found), kept.truncated)
        case FoundPage():
            return FoundPage(mask_text(kept.url, found), kept.status_code, kept.truncated)
        case None:
            return None


def masked_note(hidden: tuple[Masked, ...]) -> str | None:
    """What was hidden, as a sentence for people; None if nothing was."""
    if not hidden:
        return None
    kinds = [f"{item.count} {item.kind if item.count == 1 else _plural(item.kind)}" for item in hidden]
    listed = kinds[0] if len(kinds) == 1 else f"{', '.join(kinds[:-1])} and {kinds[-1]}"
    return f"Hidden here: {listed}."


def _plural(kind: str) -> str:
    return kind if kind.startswith("credentials") else f"{kind}s"
