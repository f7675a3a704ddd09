"""The page's address: what is run is put there, and what a link or a step back in the browser asks for is read from it."""

from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

MAX_QUERIES = 4
MOST_PARTS = 20
"""Parts of one page that an address reads, one after the other."""
_OPENED = "address-opened"
_SEARCH_OPTIONS = ("site", "time_range", "region", "safe")
_YES = frozenset({"true", "1", "yes", "on"})


@dataclass(frozen=True, slots=True)
class Ask:
    """A call that a person wants; of a page, the parts of it that are read, one after the other."""

    tool: str
    args: dict[str, Any]
    parts: int = 1

    def into_url(self) -> None:
        """Puts the call into the page's address."""
        params = address_of(self)
        if "lang" in st.query_params:
            params["lang"] = st.query_params["lang"]
        st.query_params.from_dict(params)
        st.session_state[_OPENED] = True


def address_of(ask: Ask) -> dict[str, str | list[str]]:
    """The parameters of the address that reproduces the call."""
    params: dict[str, str | list[str]] = {"tool": ask.tool}
    if ask.tool == "web_search":
        params["q"] = ask.args.get("queries") or [ask.args.get("query", "")]
        names: tuple[str, ...] = _SEARCH_OPTIONS
    else:
        params["url"] = ask.args.get("url", "")
        names = ("start",)
    params |= {name: str(ask.args[name]) for name in names if ask.args.get(name)}
    if ask.args.get("raw"):
        params["raw"] = "true"
    if ask.parts > 1:
        params["parts"] = str(ask.parts)
    return params


def addressed() -> Ask | None:
    """The call that the page's address asks for."""
    params = st.query_params
    if params.get("tool") == "web_search":
        queries = [query for query in params.get_all("q") if query.strip()][:MAX_QUERIES]
        if not queries:
            return None
        args: dict[str, Any] = {"query": queries[0]} if len(queries) == 1 else {"queries": queries}
        return Ask("web_search", args | {name: params[name] for name in _SEARCH_OPTIONS if params.get(name)})
    if params.get("tool") == "web_fetch" and params.get("url", "").strip():
        args = {"url": params["url"]}
        if params.get("raw", "").lower() in _YES:
            args["raw"] = True
        if start := whole_number(params.get("start", "")):
            args["start"] = start
        return Ask("web_fetch", args, min(whole_number(params.get("parts", "")) or 1, MOST_PARTS))
    return None


def whole_number(text: str) -> int | None:
    """The number that a parameter of the address is; None for anything else that may stand there."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else None


def just_opened() -> bool:
    """Whether the page is drawn for the first time in this session; true once."""
    opened = bool(st.session_state.get(_OPENED))
    st.session_state[_OPENED] = True
    return not opened


def came_back() -> bool:
    """Whether this run is the browser's back or forward button, with the address that it led to.

    Streamlit 1.67 runs the script then, but says so only in the context of the run.
    """
    return bool(getattr(get_script_run_ctx(suppress_warning=True), "is_history_navigation", False))
