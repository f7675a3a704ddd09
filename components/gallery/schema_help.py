"""What may stand in the args and the meta of each tool, in words, from the types that read them."""

from typing import Any

import msgspec
from msgspec import Struct

from components.i18n import N_, _
from webcards.contract import WebFetchMeta, WebSearchMeta, WebSource

_MEANINGS = {
    "WebSearchMeta.sources": N_("The sources in the order in which the model cites them; may be empty."),
    "WebSearchMeta.truncated": N_("Whether the list was cut to the most that is shown."),
    "WebSearchMeta.answer": N_(
        "An answer that the search engine wrote, as Markdown. Absent if there is none, never null."
    ),
    "WebSource.url": N_("The address as the engine gave it. It becomes a link only if it is http or https."),
    "WebSource.title": N_("Its title as plain text. Absent if there is none; the host stands in for it."),
    "WebSource.snippet": N_("A few words of the page, as plain text."),
    "WebSource.publishedAt": N_("When it was published, ISO 8601 where it is known so."),
    "WebFetchMeta.url": N_("The final address, after all redirects."),
    "WebFetchMeta.statusCode": N_("The HTTP status, a whole number. 200.0 counts, “200” and true do not."),
    "WebFetchMeta.truncated": N_("Whether anything of the page is missing in the text."),
}


class Field(Struct, frozen=True):
    """One field: where it stands, what it must be, and what it means."""

    path: str
    type: str
    required: bool
    meaning: str


def meta_fields(tool: str) -> list[Field]:
    """The fields of a tool's meta; none for a tool that has no card."""
    match tool:
        case "web_search":
            return [*_fields(WebSearchMeta, "$"), *_fields(WebSource, "$.sources[n]")]
        case "web_fetch":
            return _fields(WebFetchMeta, "$")
        case _:
            return []


def _fields(shape: type[Struct], path: str) -> list[Field]:
    described = msgspec.json.schema(shape)["$defs"][shape.__name__]
    required = described.get("required", [])
    return [
        Field(f"{path}.{name}", _type(schema), name in required, _(_MEANINGS[f"{shape.__name__}.{name}"]))
        for name, schema in described["properties"].items()
    ]


def _type(schema: dict[str, Any]) -> str:
    names = {"array": "list", "string": "str", "integer": "int", "boolean": "bool"}
    name = str(schema.get("type", "any"))
    return names.get(name, name)


def args_fields(tool: str) -> list[Field]:
    """The arguments of a tool, as its own schema describes them to a model."""
    parameters = _parameters(tool)
    required = parameters.get("required", [])
    return [
        Field(f"$.{name}", _type(schema), name in required, schema.get("description", ""))
        for name, schema in parameters.get("properties", {}).items()
    ]


def _parameters(tool: str) -> dict[str, Any]:
    from webcards.tools import web_fetch, web_search

    known: dict[str, Any] = {"web_search": web_search.PARAMETERS, "web_fetch": web_fetch.PARAMETERS}
    return dict(known.get(tool, {}))
