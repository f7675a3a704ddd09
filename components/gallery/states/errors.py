"""Error results: one for each code a tool may fail with, and a few that other systems wrote."""

from components.gallery.state import FETCH_ARGS, SEARCH_ARGS, Group, State, result
from components.i18n import N_
from webcards.contract import ERROR_CODES

_LOOK = N_("The code stands in the badge, the message says what happened and what to do; no link, no number.")
_FETCH_CODES = ("URL", "REDIRECT", "FETCH", "CONTENT_TYPE")
_MESSAGES = {
    "WEB_INVALID_ARGUMENTS": "The query is empty: say what web_search should look for.",
    "WEB_INVALID_URL": "“htps:/office” is no web address. Give one that begins with http:// or https://.",
    "WEB_BLOCKED_URL": "intranet.example has an address that is not public (10.0.0.7), so it was not fetched.",
    "WEB_REDIRECT_BLOCKED": "The page redirects to file:///etc/passwd, which is not fetched.",
    "WEB_FETCH_TOO_LARGE": "The page is larger than 10 MB, the most that is read. WEBCARDS_FETCH_MAX_BYTES allows more.",
    "WEB_FETCH_TIMEOUT": "No answer within 30 seconds. Try again, or allow more with WEBCARDS_FETCH_TIMEOUT.",
    "WEB_UNSUPPORTED_CONTENT_TYPE": "The page is an image (image/png); only text, HTML and PDF can be read.",
    "WEB_ABORTED": "The call was cancelled before it was done.",
    "WEB_PROVIDER_ERROR": "The search engine answered with HTTP 502. Try again in a moment.",
    "WEB_RATE_LIMITED": "The search engine has had too many requests. Try again in 30 seconds.",
    "WEB_PROVIDER_CREDENTIAL_MISSING": "Brave Search needs a key: set WEBCARDS_BRAVE_API_KEY.",
    "WEB_PROVIDER_UNAVAILABLE": "No search engine can be used: set WEBCARDS_SEARCH_PROVIDER, or a key for one.",
    "WEB_PROVIDER_CONFIGURED_MISSING": "WEBCARDS_SEARCH_PROVIDER names “bravo”, which does not exist.",
    "WEB_PROVIDER_CONFIGURED_UNAVAILABLE": "WEBCARDS_SEARCH_PROVIDER names tavily, which lacks WEBCARDS_TAVILY_API_KEY.",
    "WEB_PROVIDER_AMBIGUOUS": "Brave and Tavily can both be used: name one in WEBCARDS_SEARCH_PROVIDER.",
    "WEB_DUPLICATE_PROVIDER": "Two search engines are called “brave”: remove one of the two packages.",
    "WEB_TOOL_DISABLED": "web_fetch is switched off; WEBCARDS_TOOLS names the tools that are on.",
    "WEB_UNKNOWN_TOOL": "There is no tool 'web_serach'; there are web_search, web_fetch.",
    "WEB_INTERNAL_ERROR": "web_search failed because of a fault of its own (KeyError); the log has more.",
}


def _error(code: str) -> State:
    message = _MESSAGES.get(code, f"The call failed with {code}.")
    of_fetch = any(word in code for word in _FETCH_CODES) or code == "WEB_TOOL_DISABLED"
    return State(
        "error-" + code.removeprefix("WEB_").lower().replace("_", "-"),
        _LOOK,
        "web_fetch" if of_fetch else "web_search",
        FETCH_ARGS if of_fetch else SEARCH_ARGS,
        lambda: result(f"Error: {message}", isError=True, error={"name": "WebError", "code": code}),
        {"card": "generic", "visible_text_has": [code, message], "numbers": [], "links_count": 0},
    )


GROUP = Group(
    "errors",
    N_("Errors"),
    (
        *(_error(code) for code in ERROR_CODES),
        State(
            "error-without-code",
            N_("A failed call of an older log has no code: the badge says “error”, the message is there."),
            "web_search",
            SEARCH_ARGS,
            lambda: result("Error: something went wrong", isError=True),
            {"card": "generic", "visible_text_has": ["something went wrong"]},
        ),
        State(
            "error-with-good-meta",
            N_("A failed call that carries a good meta is still a failed call: no card, no sources."),
            "web_search",
            SEARCH_ARGS,
            lambda: result(
                "Error: The engine broke off.",
                {"sources": [{"url": "https://office.kittiwick.example/"}], "truncated": False},
                isError=True,
            ),
            {"card": "generic", "visible_text_has": ["The engine broke off."], "numbers": [], "links_count": 0},
        ),
        State(
            "error-empty",
            N_("A failed call without a word: the card says that it failed, and there is no empty hole."),
            "web_fetch",
            FETCH_ARGS,
            lambda: {"content": [], "isError": True},
            {"card": "generic", "links_count": 0},
        ),
        State(
            "error-hostile",
            N_("Markup in an error message or a code is text."),
            "web_fetch",
            FETCH_ARGS,
            lambda: result(
                "Error: <script>alert(1)</script> [x](https://evil.example) :red[!]",
                isError=True,
                error={"name": "E", "code": "<b>CODE</b>"},
            ),
            {
                "card": "generic",
                "visible_text_has": ["<script>alert(1)</script> [x](https://evil.example) :red[!]", "<b>CODE</b>"],
                "no_element": ["script", "b", "a"],
            },
        ),
        State(
            "error-traceback",
            N_("A traceback that another system recorded keeps its line breaks and stays inside its box."),
            "web_search",
            SEARCH_ARGS,
            lambda: result(
                "Traceback (most recent call last):\n" + '  File "a.py", line 1, in run\n' * 60 + "KeyError: 'x'",
                isError=True,
            ),
            {"card": "generic", "visible_text_has": ["KeyError: 'x'"]},
        ),
        State(
            "error-unclear-flag",
            N_("“isError” holds the word “yes”: what is unclear counts as an error, not as a result."),
            "web_search",
            SEARCH_ARGS,
            lambda: {**result("It did not work.", {"sources": [], "truncated": False}), "isError": "yes"},
            {"card": "generic", "visible_text_has": ["It did not work."]},
        ),
    ),
)
