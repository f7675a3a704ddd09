"""How the Dashboard names things: outcomes, dimensions, spans, filters, and one call on one line."""

from components.amounts import day_and_time, duration, number, size
from components.i18n import _, ngettext
from components.safe_text import md_escape
from webcards.store import Call, Filter
from webcards.store.filters import ALWAYS
from webcards.store.hosts import Host
from webcards.store.links import DeadLink


def spans() -> dict[str, str]:
    """The time ranges that can be chosen."""
    return {
        "1h": _("Hour"),
        "24h": _("Day"),
        "7d": _("Week"),
        "30d": _("30 days"),
        "90d": _("90 days"),
        "365d": _("Year"),
        ALWAYS: _("All"),
    }


def dimensions() -> dict[str, str]:
    """What calls can be grouped by."""
    return {
        "tool": _("Tool"),
        "provider": _("Provider"),
        "host": _("Host"),
        "error_code": _("Error"),
        "fallback": _("Fell back because"),
        "status_class": _("Status class"),
        "source": _("Source"),
        "person": _("Person"),
    }


def fields() -> dict[str, str]:
    """The fields of a filter, for its chips."""
    return {
        **dimensions(),
        "outcome": _("Outcome"),
        "truncated": _("Truncated"),
        "fell_back": _("Fell back"),
        "cited": _("Cites"),
        "words": _("Contains"),
        "run": _("Batch run"),
        "slower": _("At least"),
        "faster": _("Less than"),
        "since": _("From"),
    }


def outcomes() -> dict[str, str]:
    """What can become of a call."""
    return {"ok": _("Succeeded"), "error": _("Failed"), "unfinished": _("Unfinished")}


def value_words(name: str, value: object) -> str:
    """A value of a dimension or a filter's field, in words; plain text."""
    match name, value:
        case _name, None:
            return _("none")
        case "outcome", str():
            return outcomes().get(value, value)
        case "status_class", int():
            return f"{value}xx"
        case (("slower" | "faster"), (int() | float())):
            return duration(float(value))
        case _name, bool():
            return _("yes") if value else _("no")
        case _name, _value:
            return str(value)


def chips(wanted: Filter, zone: str | None) -> dict[str, str]:
    """The fields that narrow, each with its name and value in words; plain text."""
    made = {name: f"{fields()[name]}: {value_words(name, getattr(wanted, name))}" for name in sorted(wanted.fields_set)}
    if wanted.since is not None:
        until = "" if wanted.until is None else f" – {day_and_time(wanted.until, zone)}"
        made["since"] = f"{_('From')}: {day_and_time(wanted.since, zone)}{until}"
    return made


def call_line(call: Call, zone: str | None) -> str:
    """One call as the Markdown label of the button that opens it."""
    subject = md_escape(call.subject[:120]) or _("(nothing asked)")
    facts = [
        call.tool,
        result_words(call),
        "" if call.elapsed_ms is None else duration(call.elapsed_ms),
        "" if not call.bytes else size(call.bytes),
        _("truncated") if call.truncated else "",
        _("fell back") if call.fell_back else "",
        call.source,
        day_and_time(call.started_at, zone),
    ]
    return f"**{subject}**  \n:small[{md_escape(' · '.join(fact for fact in facts if fact))}]"


def result_words(call: Call) -> str:
    """What became of a call, in a word or two; plain text."""
    if call.error_code:
        return call.error_code
    if call.status_code is not None:
        return f"HTTP {call.status_code}"
    if call.outcome == "ok" and call.sources is not None:
        return ngettext("%(n)s source", "%(n)s sources", call.sources) % {"n": number(call.sources)}
    return outcomes().get(call.outcome, call.outcome)


def host_line(host: Host) -> str:
    """A host as the Markdown label of the button that leads to its calls."""
    facts = _("cited %(cited)s×, fetched %(fetched)s×, failed %(failed)s×") % {
        "cited": number(host.cited),
        "fetched": number(host.fetched),
        "failed": number(host.failed),
    }
    return f"**{md_escape(host.host)}**  \n:small[{md_escape(facts)}]"


def dead_line(link: DeadLink, zone: str | None) -> str:
    """A dead link as the Markdown label of the button that leads to its calls."""
    status = link.error_code or f"HTTP {link.status_code}"
    facts = _("%(status)s, failed %(failures)s×, last %(when)s, cited %(cited)s×") % {
        "status": status,
        "failures": number(link.failures),
        "when": day_and_time(link.last_at, zone),
        "cited": number(link.cited),
    }
    return f"**{md_escape(link.url[:140])}**  \n:small[{md_escape(facts)}]"
