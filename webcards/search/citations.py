"""Sources as citations for other programs (Markdown, BibTeX, RIS, CSL-JSON). Nothing is added that a source does not say."""

import json
import re
from collections.abc import Callable, Sequence

from webcards.contract import (
    WebSource,
    given,
    inline_text,
    link_destination,
    link_host,
    one_line,
    safe_link,
    source_label,
    without_surrogates,
)


def as_markdown(sources: Sequence[WebSource]) -> str:
    """A numbered list of Markdown links; what is no http(s) URL stays text."""
    lines = []
    for number, source in enumerate(sources, 1):
        label, url = inline_text(source_label(source)), without_surrogates(source.url)
        date = given(source.published_at)
        cited = f"[{label}]({link_destination(url)})" if safe_link(url) else f"{label} {inline_text(url)}"
        lines.append(f"{number}. {cited}" + (f" ({inline_text(date)})" if date else ""))
    return "\n".join(lines)


# What has a meaning in a TeX text, and how it is written to mean itself.
_TEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def as_bibtex(sources: Sequence[WebSource]) -> str:
    """An `@misc` entry a source. The key is the host and the source's number."""
    entries = []
    for number, source in enumerate(sources, 1):
        fields = {"title": "{" + _tex(source_label(source)) + "}", "howpublished": rf"\url{{{_tex_url(source.url)}}}"}
        fields["url"] = _tex_url(source.url)
        year, month, _ = _date(source)
        if year:
            fields["year"] = year
        if month:
            fields["month"] = str(int(month))
        lines = [f"  {name} = {{{value}}}" for name, value in fields.items()]
        entries.append(f"@misc{{{_key(source, number)},\n" + ",\n".join(lines) + "\n}")
    return "\n\n".join(entries)


def as_ris(sources: Sequence[WebSource]) -> str:
    """An `ELEC` record a source."""
    records = []
    for source in sources:
        year, month, day = _date(source)
        lines = ["TY  - ELEC", f"TI  - {one_line(source_label(source))}", f"UR  - {one_line(source.url)}"]
        if year:
            lines += [f"PY  - {year}", f"DA  - {year}/{month}/{day}/"]
        snippet = given(source.snippet)
        if snippet:
            lines.append(f"AB  - {one_line(snippet)}")
        records.append("\r\n".join([*lines, "ER  - "]))
    return "\r\n".join(records) + ("\r\n" if records else "")


def as_csl_json(sources: Sequence[WebSource]) -> str:
    """A `webpage` item a source (CSL-JSON 1.0)."""
    items = []
    for number, source in enumerate(sources, 1):
        item: dict[str, object] = {
            "id": _key(source, number),
            "type": "webpage",
            "title": one_line(source_label(source)),
            "URL": without_surrogates(source.url),
        }
        parts = [int(part) for part in _date(source) if part]
        if parts:
            item["issued"] = {"date-parts": [parts]}
        snippet = given(source.snippet)
        if snippet:
            item["abstract"] = one_line(snippet)
        host = link_host(source.url)
        if host:
            item["container-title"] = host.ascii
        items.append(item)
    return json.dumps(items, ensure_ascii=False, indent=2)


FORMATS: dict[str, tuple[str, Callable[[Sequence[WebSource]], str]]] = {
    "Markdown": ("md", as_markdown),
    "BibTeX": ("bib", as_bibtex),
    "RIS": ("ris", as_ris),
    "CSL-JSON": ("json", as_csl_json),
}
"""The formats by name: the ending of a file of it, and what writes it."""


def _date(source: WebSource) -> tuple[str, str, str]:
    """Year, month and day of an ISO 8601 date, as far as it goes; empty for any other."""
    date = re.match(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?=$|[T ])", given(source.published_at) or "", re.ASCII)
    return (date[1], date[2] or "", date[3] or "") if date else ("", "", "")


def _key(source: WebSource, number: int) -> str:
    host = link_host(source.url)
    return re.sub(r"[^a-z0-9]+", "-", host.ascii if host else "source").strip("-") + f"-{number}"


def _tex(text: str) -> str:
    return "".join(_TEX.get(char, char) for char in one_line(text))


def _tex_url(url: str) -> str:
    """A URL inside braces: what would end them or begin a command is percent-encoded (RFC 3986, 2.1)."""
    return re.sub(r"[{}\\\s]", lambda found: f"%{ord(found[0]):02X}", without_surrogates(url))
