"""The run bar: what a person types becomes the args of a call, and an address from which the same call can be run again."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from components.i18n import _
from components.session import following_ask
from webcards.tools.registry import Execution, Registry

MAX_QUERIES = 4


@dataclass(frozen=True, slots=True)
class Ask:
    """A call that a person wants."""

    tool: str
    args: dict[str, Any]

    def into_url(self) -> None:
        """Puts the call into the page's address."""
        params: dict[str, str | list[str]] = {"tool": self.tool}
        if self.tool == "web_search":
            params["q"] = self.args.get("queries") or [self.args.get("query", "")]
        else:
            params["url"] = self.args.get("url", "")
        for name in ("site", "time_range", "region", "safe", "start", "raw"):
            if self.args.get(name):
                params[name] = str(self.args[name])
        if "lang" in st.query_params:
            params["lang"] = st.query_params["lang"]
        st.query_params.from_dict(params)
        st.session_state["reproduced"] = True


def reproduced() -> Ask | None:
    """The call that the address of a freshly opened page asks for; once a session."""
    if st.session_state.get("reproduced"):
        return None
    st.session_state["reproduced"] = True
    params = st.query_params
    args: dict[str, Any] = {}
    if params.get("tool") == "web_search" and any(query.strip() for query in params.get_all("q")):
        queries = [query for query in params.get_all("q") if query.strip()][:MAX_QUERIES]
        args = {"query": queries[0]} if len(queries) == 1 else {"queries": queries}
        args |= {name: params[name] for name in ("site", "time_range", "region", "safe") if name in params}
        return Ask("web_search", args)
    if params.get("tool") == "web_fetch" and params.get("url", "").strip():
        args = {"url": params["url"]}
        if params.get("start", "").isdecimal() and len(params["start"]) < 16:
            args["start"] = int(params["start"])
        if params.get("raw") == "True":
            args["raw"] = True
        return Ask("web_fetch", args)
    return None


def asked(registry: Registry) -> Ask | None:
    """Draws the run bar; gives the call when it is sent off."""
    names = [tool.name for tool in registry.tools]
    if not names:
        st.info(_("Both tools are switched off: WEBCARDS_TOOLS names those that are on."))
        return None
    labels = {"web_search": _("Search"), "web_fetch": _("Fetch a page")}
    wanted = st.query_params.get("tool")
    tool = st.segmented_control(
        _("Tool"),
        names,
        default=wanted if wanted in names else names[0],
        format_func=lambda name: labels.get(name, name),
        key="tool",
        label_visibility="collapsed",
        required=True,
    )
    ask = _search_form() if tool == "web_search" else _fetch_form()
    return ask or _suggestion(str(tool))


def _search_form() -> Ask | None:
    opened = _opened_with()
    with st.form("search", border=False):
        field, button = st.columns([5, 1], vertical_alignment="bottom")
        query = field.text_input(_("Query"), value=opened.get("q1", ""), key="q1", placeholder=_("What to search for"))
        sent = button.form_submit_button(_("Search"), type="primary", width="stretch")
        with st.expander(_("More queries and options"), expanded=bool(opened.get("q2"))):
            more = [
                st.text_input(_("Query %(n)d") % {"n": number}, value=opened.get(f"q{number}", ""), key=f"q{number}")
                for number in range(2, MAX_QUERIES + 1)
            ]
            left, right = st.columns(2)
            site = left.text_input(
                _("Only this site"), value=opened.get("site", ""), key="site", placeholder="docs.example"
            )
            spans = {
                "": _("Any time"),
                "d": _("Last day"),
                "w": _("Last week"),
                "m": _("Last month"),
                "y": _("Last year"),
            }
            span = right.selectbox(_("Time"), list(spans), format_func=lambda code: spans[code])
    queries = [text.strip() for text in (query, *more) if text.strip()]
    if not sent:
        return None
    if not queries:
        st.warning(_("Type what to search for."))
        return None
    args: dict[str, Any] = {"query": queries[0]} if len(queries) == 1 else {"queries": queries}
    if site.strip():
        args["site"] = site.strip()
    if span:
        args["time_range"] = span
    return Ask("web_search", args)


def _opened_with() -> dict[str, str]:
    """What the address said when the page was opened, by the key of its field. It stays the same for the session: a
    default that changed would empty what was typed since."""
    params = st.query_params
    first = {f"q{number}": query for number, query in enumerate(params.get_all("q")[:MAX_QUERIES], 1)}
    first |= {"site": params.get("site", ""), "fetch-url": params.get("url", "")}
    kept: dict[str, str] = st.session_state.setdefault("opened-with", first)
    return kept


def _fetch_form() -> Ask | None:
    opened = _opened_with()
    with st.form("fetch", border=False):
        field, button = st.columns([5, 1], vertical_alignment="bottom")
        url = field.text_input(
            _("URL"),
            value=opened.get("fetch-url", ""),
            key="fetch-url",
            placeholder="https://gazette.kittiwick.example/",
        )
        sent = button.form_submit_button(_("Fetch"), type="primary", width="stretch")
        raw = st.checkbox(_("The page as it was sent, not only its main text"))
    if not sent:
        return None
    if not url.strip():
        st.warning(_("Type the address of a page."))
        return None
    return Ask("web_fetch", {"url": url.strip(), **({"raw": True} if raw else {})})


SUGGESTED_QUERIES = ("harbour dues", "tide table December", "storm sea wall repair", "潮汐", "الميناء")


def _suggestion(tool: str) -> Ask | None:
    """What a newcomer may try with one click."""
    if tool == "web_search":
        options = {query: Ask("web_search", {"query": query}) for query in SUGGESTED_QUERIES}
    else:
        options = _suggested_pages()
    chosen = st.pills(_("Try"), list(options), key=f"try-{tool}-{st.session_state.get('tried', 0)}")
    if chosen is None:
        return None
    # A new key clears the choice, so that the same suggestion can be taken again.
    st.session_state["tried"] = st.session_state.get("tried", 0) + 1
    return options[chosen]


def _suggested_pages() -> dict[str, Ask]:
    from webcards.library.specimens import SPECIMENS

    named = {
        "article": _("An article"),
        "long": _("A very long page"),
        "pdf": _("A PDF"),
        "redirect-chain": _("A redirect"),
        "not-found": _("A missing page"),
        "hostile": _("A hostile page"),
        "slow": _("A slow page"),
    }
    return {label: Ask("web_fetch", {"url": SPECIMENS[key]}) for key, label in named.items() if key in SPECIMENS}


def reading_on(execution: Execution) -> Ask | None:
    """Draws "Read on" below a page that was cut where its text says how; gives the call when it is clicked."""
    following = following_ask(execution)
    if following is None:
        return None
    if st.button(_("Read on"), key=f"{execution.call.data.call_id}-on", icon=":material/arrow_downward:"):
        return Ask("web_fetch", following)
    return None
