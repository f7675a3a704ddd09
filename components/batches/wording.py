"""How the Batch page names things: states, kinds of change, one result and one change on one line."""

import json

from components.amounts import duration, number
from components.i18n import _
from components.safe_text import md_escape
from webcards.batch.batches import Result
from webcards.batch.changes import Change, Kind


def states() -> dict[str, str]:
    """The states of a run and of an item."""
    return {
        "running": _("Running"),
        "paused": _("Paused"),
        "stopped": _("Stopped"),
        "done": _("Done"),
        "waiting": _("Waiting"),
        "settled": _("Settled"),
    }


def kinds() -> dict[Kind, str]:
    """The ways in which a call differs between two runs."""
    return {
        "new": _("New"),
        "gone": _("Gone"),
        "status": _("Other status"),
        "title": _("Other title"),
        "text": _("Other text"),
        "same": _("The same"),
        "not settled": _("Not settled"),
    }


def result_line(result: Result) -> str:
    """One item as the Markdown label of the button that opens its call."""
    status = result.error_code or ("" if result.status_code is None else f"HTTP {result.status_code}")
    facts = [
        str(number(result.position)),
        result.tool,
        status or ("" if result.outcome is not None else states()[result.state]),
        "" if result.elapsed_ms is None else duration(result.elapsed_ms),
        result.title or "",
        _("%(n)d tries") % {"n": result.attempts} if result.attempts > 1 else "",
    ]
    subject = md_escape(result.subject[:140])
    return f"**{subject}**  \n:small[{md_escape(' · '.join(fact for fact in facts if fact))}]"


def change_line(change: Change) -> str:
    """One change as the Markdown label of the button that opens the later call."""
    names = kinds()
    old, new = (side.status if side else "–" for side in (change.before, change.after))
    facts = [", ".join(names[kind] for kind in change.kinds)]
    if "status" in change.kinds:
        facts.append(f"{old} → {new}")
    if "title" in change.kinds and change.before and change.after:
        facts.append(f"“{change.before.title or ''}” → “{change.after.title or ''}”")
    return f"**{md_escape(_subject(change)[:140])}**  \n:small[{md_escape(' · '.join(facts))}]"


def _subject(change: Change) -> str:
    args = json.loads(change.args)
    return str(args.get("url") or args.get("query") or ", ".join(map(str, args.get("queries", []))))
