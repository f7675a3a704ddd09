"""The form of a new batch: what to call, within which limits, and what of the list cannot be used."""

import streamlit as st

from components.amounts import number
from components.i18n import _, ngettext
from components.safe_text import md_escape
from webcards.batch import batches
from webcards.batch.items import Items, read_items
from webcards.batch.options import Options
from webcards.batch.seen import workers_seen
from webcards.store import Store

SHOWN_LEFT = 20


def new_batch(store: Store, *, person: str | None) -> int | None:
    """Draws the form; gives the run that was started."""
    with st.form("new-batch", border=True):
        typed = st.text_area(
            _("Queries and URLs, one a line"),
            height=160,
            placeholder=_("harbour dues"),
        )
        uploaded = st.file_uploader(
            _("Or a file: a list, CSV with columns url or query, JSON Lines, or any agent's log"), key="batch-file"
        )
        name = st.text_input(_("Name"), max_chars=120)
        with st.expander(_("Limits")):
            options, workers = _limits(store)
        sent = st.form_submit_button(_("Run the batch"), type="primary", icon=":material/play_arrow:")
    if not sent:
        return None
    data, file_name = (uploaded.getvalue(), uploaded.name) if uploaded else (typed.encode("utf-8", "replace"), "")
    read = read_items(data, name=file_name)
    _tell(read)
    try:
        batch = batches.create(store, name or file_name or _("Batch"), read.items, options, person=person)
        return batches.start_run(store, batch, on_workers=workers, person=person)
    except ValueError as error:
        st.error(md_escape(str(error)), icon=":material/error:")
        return None


def _limits(store: Store) -> tuple[Options, bool]:
    left, right = st.columns(2)
    concurrency = left.number_input(_("Calls at once"), 1, 500, 8)
    per_host = right.number_input(_("Calls at once to one host"), 1, 500, 2)
    delay = left.number_input(
        _("Milliseconds between two calls to one host"),
        0,
        3_600_000,
        0,
        step=100,
        help=_("Politeness costs nothing at night."),
    )
    retries = right.number_input(_("Tries again after a failure of the moment"), 0, 10, 1)
    deadline = left.number_input(_("Ends after so many seconds (0: when it is done)"), 0, 31_536_000, 0)
    alive = workers_seen(store)
    workers = False
    if alive:
        words = ngettext("Leave it to %(n)d worker", "Leave it to %(n)d workers", alive) % {"n": alive}
        workers = right.checkbox(words, value=True)
    made = Options(
        concurrency=int(concurrency),
        per_host=int(per_host),
        delay_ms=int(delay),
        retries=int(retries),
        deadline_s=float(deadline) or None,
    )
    return made, bool(workers)


def _tell(read: Items) -> None:
    """Says what of the list was left out, and what stood there twice."""
    if read.repeated:
        words = ngettext(
            "%(n)s call stood there before and is made once.",
            "%(n)s calls stood there before and are made once.",
            read.repeated,
        )
        st.info(words % {"n": number(read.repeated)})
    if read.left:
        lines = [
            _("line %(line)d: %(reason)s") % {"line": left.line, "reason": left.reason}
            for left in read.left[:SHOWN_LEFT]
        ]
        head = ngettext("%(n)s line cannot be used:", "%(n)s lines cannot be used:", len(read.left))
        st.warning("  \n".join(md_escape(line) for line in [head % {"n": number(len(read.left))}, *lines]))
