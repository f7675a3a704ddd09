"""Who answered a search, in words for people: from what the call's event says of the retrieval, never from the meta."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct, field

from components.i18n import _
from components.live import live
from components.session import calls
from webcards.contract import WebError
from webcards.search.chain import Chain, within_reach
from webcards.search.provider import SearchProvider, label_of
from webcards.search.seam import select_provider


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
    return _("Built-in library") if id_ == "library" else label or id_


def engine_short(engine: SearchProvider) -> str:
    """An engine's name where there is little room; a chain's is its id."""
    return engine.id if isinstance(engine, Chain) else engine_name(engine.id, label_of(engine))


def engine_title(engine: SearchProvider) -> str:
    """An engine as it stands in a list of them; of a chain, the engines that it asks one after the other."""
    if isinstance(engine, Chain):
        return f"{engine.id} ({' → '.join(engine_title(member) for member in engine.members)})"
    return engine_short(engine)


def options_at_hand() -> tuple[frozenset[str], str]:
    """The optional args of the engine that would answer the next search, and its name; nothing where none can.

    It is the engine that answered last: a first choice that was out of reach then may be back, which the next search
    will show. Before any search it is the one that would be asked first, as far as that is known without asking.
    """
    engines = {engine.id: engine for engine in live().engines}
    last = next((execution for execution in calls() if execution.call.data.name == "web_search"), None)
    details = last.result.data.details if last else None
    known = answering(details).answered_by if isinstance(details, dict) else []
    try:
        chosen = select_provider(live().settings, live().engines)
    except WebError:
        return frozenset(), ""
    likely = [engines[engine.id] for engine in known if engine.id in engines] or within_reach(chosen) or [chosen]
    options = frozenset[str]().union(*(engine.options for engine in likely))
    return options, ", ".join(engine_name(engine.id, label_of(engine)) for engine in likely)


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
