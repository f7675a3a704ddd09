"""The report of a manual pass, as JSON and as Markdown: marks, notes, failed checks, and a picture of each failed state."""

import base64
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

import msgspec
from msgspec import UNSET, Struct, UnsetType

from components.gallery.catalogue import group_of, states
from components.gallery.checks import check_card, failed
from components.gallery.drawing import state_html
from components.i18n import _
from webcards import __version__
from webcards.contract import inline_text
from webcards.store.marks import Mark


class Line(Struct, frozen=True, rename="camel", omit_defaults=True):
    """One state in the report. `picture` is a PNG in Base64; `failedChecks` are those that ran without an eye."""

    state: str
    group: str
    look: str
    mark: str
    note: str = ""
    person: str | None = None
    marked_at: str | None = None
    failed_checks: list[str] = []
    picture: str | UnsetType = UNSET


class Report(Struct, frozen=True, rename="camel"):
    """A manual pass. `pictures` says how they were taken, or why there are none."""

    app: str
    version: str
    made_at: str
    language: str
    counts: dict[str, int]
    pictures: str
    states: list[Line]


def make_report(
    marks: Mapping[str, Mark], *, made_at: datetime, language: str, pictures: Mapping[str, bytes] | str
) -> Report:
    """The report on all states of the catalogue. `pictures` are PNGs by state, or why there are none."""
    taken = {} if isinstance(pictures, str) else pictures
    lines = [_line(name, marks.get(name), taken.get(name)) for name in states()]
    counts = {word: sum(line.mark == word for line in lines) for word in ("pass", "fail", "skip", "unmarked")}
    words = pictures if isinstance(pictures, str) else _("Taken at 780 px in light colours by a headless Chromium.")
    return Report("Web Cards", __version__, _instant(made_at), language, counts, words, lines)


def _line(name: str, mark: Mark | None, picture: bytes | None) -> Line:
    state, group = states()[name], group_of(name)
    # Only where a person saw a fault: the checks of all states take longer than a click may.
    checks = failed(check_card(state_html(state, card_id="s"), state.result)) if mark and mark.mark == "fail" else []
    return Line(
        name,
        _(group.title) if group else "",
        _(state.look),
        mark.mark if mark else "unmarked",
        note=mark.note if mark else "",
        person=mark.person if mark else None,
        marked_at=_instant(datetime.fromtimestamp(mark.marked_at / 1000, UTC)) if mark else None,
        failed_checks=[f"{check.title}: {check.words}" for check in checks],
        picture=base64.b64encode(picture).decode() if picture else UNSET,
    )


def _instant(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def report_json(report: Report) -> bytes:
    """The report as JSON."""
    return msgspec.json.format(msgspec.json.encode(report), indent=2)


def report_markdown(report: Report) -> str:
    """The report as Markdown; the pictures are in it, as data."""
    counts = report.counts
    head = [
        f"# {_('Manual pass over the gallery')}",
        "",
        f"{report.app} {report.version} · {report.made_at}",
        "",
        _("%(pass)d pass, %(fail)d fail, %(skip)d skipped, %(unmarked)d not looked at.") % counts,
        "",
    ]
    failures = [line for line in report.states if line.mark == "fail"]
    body = [f"## {_('Failed')}", "", *_failures(failures, report.pictures)] if failures else []
    return "\n".join([*head, *body, f"## {_('All states')}", "", *_table(report.states)]) + "\n"


def _failures(lines: list[Line], pictures: str) -> Iterable[str]:
    yield from (pictures, "")
    for line in lines:
        yield from (f"### {line.state}", "", inline_text(line.look), "")
        if line.note:
            yield from (f"> {inline_text(line.note)}", "")
        for check in line.failed_checks:
            yield f"- {inline_text(check)}"
        if line.failed_checks:
            yield ""
        if line.picture is not UNSET:
            yield from (f"![{line.state}](data:image/png;base64,{line.picture})", "")


def _table(lines: list[Line]) -> Iterable[str]:
    yield f"| {_('State')} | {_('Mark')} | {_('Note')} | {_('By')} | {_('When')} |"
    yield "|---|---|---|---|---|"
    for line in lines:
        cells = (line.state, line.mark, line.note, line.person or "", line.marked_at or "")
        yield "| " + " | ".join(inline_text(cell).replace("|", "\\|") for cell in cells) + " |"
