"""A result as a test case of kind `card-render`, as the suite reads them: the input, and the facts that must hold."""

import re
from typing import Any

from components.gallery.draft import Draft, Reading, outcome
from components.gallery.state import State
from webcards.contract import Refusal, WebFetchResultView, WebResultView, WebSearchResultView, given, safe_link


def case_file(name: str, look: str, draft: Draft, reading: Reading, state: State | None) -> dict[str, Any] | None:
    """The case. `state` gives its own facts, if the draft is still what it was; else they are what is drawn now.

    None for a call that runs, or that cannot be read: there is no result that a case could hold.
    """
    drawn = outcome(draft, reading)
    if drawn is None:
        return None
    facts = dict(state.expect) if state is not None else facts_of(drawn, reading)
    return {
        "id": name,
        "kind": "card-render",
        "theme": "card",
        "source": "gallery",
        "what_users_saw": look,
        "input": {"tool": draft.tool, "args": reading.args, "result": reading.result},
        "expect": facts,
    }


def facts_of(drawn: WebResultView | Refusal, reading: Reading) -> dict[str, Any]:
    """What holds of a card as it is drawn now."""
    match drawn:
        case Refusal():
            failed = reading.result["isError"]
            return {"card": "generic", **({} if failed else {"reason_matches": "^" + re.escape(str(drawn)) + "$"})}
        case WebSearchResultView():
            links = [source.url for source in drawn.sources if safe_link(source.url)]
            found: dict[str, Any] = {"card": "web", "kind": "search", "numbers": list(range(1, len(drawn.sources) + 1))}
            if given(drawn.answer) is None:
                found["hrefs_exact"] = links
        case WebFetchResultView():
            status = drawn.status_code
            found = {"card": "web", "kind": "fetch", "hrefs_include": [drawn.url] if safe_link(drawn.url) else []}
            if isinstance(status, int) and abs(status) < 10**9:
                found["visible_text_has"] = [f"HTTP {status}"]
    title = given(drawn.title)
    found |= {"title": title} if title is not None else {"title_absent": True}
    found |= {"badge": "truncated"} if drawn.truncated else {"no_badge": "truncated"}
    return found
