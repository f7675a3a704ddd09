"""`web_fetch`: reads one page and gives its text, from where the model wants to read on."""

from typing import Annotated, Protocol

import msgspec
from msgspec import Struct

from webcards.contract import (
    WebError,
    WebFetchResult,
    explain_fetch_result,
    fetch_meta_from_value,
    fetch_part,
    present_fetch_call,
    present_fields,
    render_fetch_output,
)
from webcards.fetch.details import Fetched
from webcards.tools.tool import OnProgress, Outcome, Progress, Tool


class FetchArgs(Struct, frozen=True, forbid_unknown_fields=True):
    """`start` is an offset into the page's text, in characters; `raw` asks for the page as it was sent."""

    url: Annotated[str, msgspec.Meta(max_length=65_536)]
    start: Annotated[int, msgspec.Meta(ge=0)] = 0
    raw: bool = False


PARAMETERS = {
    "type": "object",
    "properties": {
        "url": {"type": "string", "description": "The http or https address of the page."},
        "start": {
            "type": "integer",
            "minimum": 0,
            "description": "Where to read on, in characters, as the footer of a cut page named it.",
        },
        "raw": {"type": "boolean", "description": "The page as it was sent, instead of its main content."},
    },
    "required": ["url"],
    "additionalProperties": False,
}


class FetchSettings(Protocol):
    """The settings that the tool reads."""

    @property
    def fetch_max_chars(self) -> int: ...
    @property
    def fetch_timeout(self) -> float: ...


class PageFetcher(Protocol):
    """What brings a page: `webcards.fetch.Fetcher`, or whatever stands in for the web."""

    async def fetch(self, url: str, *, raw: bool = False, start: int = 0) -> Fetched: ...


def web_fetch_tool(settings: FetchSettings, fetcher: PageFetcher) -> Tool[FetchArgs, WebFetchResult]:
    """The tool."""

    async def execute(args: FetchArgs, on_progress: OnProgress) -> Outcome[WebFetchResult]:
        url = args.url.strip()
        if not url:
            raise WebError("WEB_INVALID_URL", "The URL is empty: give web_fetch the address of a page.")
        on_progress(Progress("Reading the page"))
        fetched = await fetcher.fetch(url, raw=args.raw, start=args.start)
        part = fetch_part(fetched.value, settings.fetch_max_chars, args.start)
        kept = {"charactersKept": part.end - part.start, "charactersCut": part.total - part.end}
        if part.lead:
            kept["charactersReopened"] = part.lead
        return Outcome(fetched.value, {**present_fields(fetched.details), **kept})

    return Tool(
        name="web_fetch",
        title="Read a page",
        description="Fetches a web page and gives its main content as Markdown.",
        parameters=PARAMETERS,
        args_type=FetchArgs,
        timeout=settings.fetch_timeout,
        execute=execute,
        render=lambda value, args: render_fetch_output(value, settings.fetch_max_chars, args.start)[0],
        presentation_meta=lambda value, args: fetch_meta_from_value(value, settings.fetch_max_chars, args.start),
        present_call=present_fetch_call,
        explain_result=explain_fetch_result,
    )
