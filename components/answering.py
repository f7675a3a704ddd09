"""Who answered a search, in words for people: from what the call's event says of the retrieval, never from the meta."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct, field

from components.i18n import _


class Engine(Struct, frozen=True):
    """An engine as the event names it; `code` says why it did not answer."""

    id: str
    label: str = ""
    code: str = ""


class Answering(Struct, frozen=True, rename="camel"):
    """The engines that answered a call, and those that should have and did not."""

    answered_by: list[Engine] = field(default_factory=list)
    passed_over: list[Engine] = field(default_factory=list)


def answering(details: Mapping[str, Any]) -> Answering:
    """What the event's details say of it; nothing, where they are another version's."""
    try:
        return msgspec.convert(details, Answering)
    except msgspec.ValidationError:
        return Answering()


def engine_name(id_: str, label: str) -> str:
    """An engine's name. Names of products stay as they are in every language; the library is no product."""
    return _("built-in library") if id_ == "library" else label or id_


def who_answered(details: Mapping[str, Any]) -> list[str]:
    """The engines that answered, in one part, then why each of the others did not; empty where nothing is known."""
    known = answering(details)
    if not known.answered_by:
        provider = details.get("provider")
        return [provider] if isinstance(provider, str) and provider else []
    answered = ", ".join(engine_name(engine.id, engine.label) for engine in known.answered_by)
    return [answered, *(_why_not(engine) for engine in known.passed_over)]


def _why_not(engine: Engine) -> str:
    words = {
        "WEB_PROVIDER_UNAVAILABLE": _("%(engine)s could not be reached"),
        "WEB_PROVIDER_CREDENTIAL_MISSING": _("%(engine)s is not set up"),
        "WEB_RATE_LIMITED": _("%(engine)s refused because of too many searches"),
        "WEB_FETCH_TIMEOUT": _("%(engine)s did not answer in time"),
        "WEB_INVALID_ARGUMENTS": _("%(engine)s lacks what was asked for"),
    }
    return words.get(engine.code, _("%(engine)s failed")) % {"engine": engine_name(engine.id, engine.label)}


def facts(details: Mapping[str, Any]) -> dict[str, Any]:
    """The details as the inspector lists them: the engines in words, everything else as it is."""
    answered, *others = who_answered(details) or [""]
    told = (
        {_("Answered by"): answered, _("Not answered by"): "; ".join(others)} if answering(details).answered_by else {}
    )
    shown: dict[str, Any] = {}
    for name, value in details.items():
        if name in ("answeredBy", "passedOver") and told:
            shown |= told
        else:
            shown[name] = value
    return shown
