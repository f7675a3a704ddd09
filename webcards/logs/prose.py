"""Reads source lists out of text that a tool wrote for a model: eight layouts, told apart by their own words."""

import json
import re

from msgspec import UNSET

from webcards.contract.values import WebSource
from webcards.logs.decode import UndecodableError, decode
from webcards.logs.fields import mappings, source
from webcards.logs.model import FoundPage, FoundSources

# Longer texts are pages, not lists of results.
MAX_TEXT = 4_000_000

_FETCHED = re.compile(
    r"(?:External web content follows\.[^\n]*\n\s*)?Fetched (?P<url>\S[^\n]*?) \(HTTP (?P<status>\d{3})\)(?:\n|$)"
)
_SOURCE_LINE = re.compile(r"- \[(?P<title>(?:[^\]\\]|\\.)*)\]\((?P<url><[^>\n]*>|[^\s]*?)\)(?: — (?P<tail>.*))?")
_DATE_TAIL = re.compile(r"(?:(?P<snippet>.*) )?\((?P<date>[^()]{1,60})\)")
# Between its title and its URL a block may have other fields, a line each.
_BLOCK_START = re.compile(
    r"(?m)^Title: .*\n(?:(?:Author|Published|Published Date|Description|Score|ID|Image|Favicon): .*\n){0,6}URL:"
)
_BLOCK_FIELD = re.compile(
    r"(?m)^(?P<name>Title|URL|Published|Published Date|Author|Description|Highlights|Text|Content|Summary|Score):[ \t]?"
)
_RULE = re.compile(r"\n\s*-{3,}\s*$")
_LINKS = re.compile(r"(?m)^Links: (?=\[)")
_REMINDER = re.compile(r"\n*\s*REMINDER: .*\Z", re.DOTALL)
_NUMBERED_LINE = re.compile(r"\[\d{1,4}\] (?P<title>.*) \((?P<url>[a-z][a-z0-9+.-]*:\S+)\)")
_NUMBERED_URL = re.compile(r"\[\d{1,4}\] (?P<url>[a-z][a-z0-9+.-]*:\S+)")
_NUMBERED_BLOCK = re.compile(
    r"(?m)^\d{1,4}\. (?P<title>.+)\n[ \t]+URL: (?P<url>\S+)(?:\n[ \t]+(?:Summary|Snippet|Description): ?(?P<snippet>.*))?"
)
_RESULTS_FOR = re.compile(r'\AWeb search results for "[^\n]*":\n')
_JINA_FIELD = re.compile(r"(?m)^\[(\d{1,4})\] (Title|URL Source|Description|Date|Published Time): ?(.*)$")
_JINA_PAGE = re.compile(r"Title: [^\n]*\n\nURL Source: (?P<url>\S+)\n")
_CONTENTS_OF = re.compile(r"(?m)^Contents of (?P<url>\S+):$")


def sources_in_text(text: str) -> FoundSources | None:
    """The sources that a text lists, or None if it is none of the known layouts. Never raises."""
    if not text or len(text) > MAX_TEXT:
        return None
    for layout in _LAYOUTS:
        if found := layout(text):
            return found
    return None


def page_in_text(text: str) -> FoundPage | None:
    """The page that a text says it is: `Fetched URL (HTTP n)`, or `Contents of URL:`, `URL Source: URL`. Never raises."""
    head = text[:4000]
    if fetched := _FETCHED.match(head.lstrip()):
        return FoundPage(fetched["url"], int(fetched["status"]))
    if read := _JINA_PAGE.match(head.lstrip()):
        return FoundPage(read["url"])
    if contents := _CONTENTS_OF.search(head):
        return FoundPage(contents["url"], UNSET, "<error>Content truncated." in text[-400:])
    return None


def _markdown_sources(text: str) -> FoundSources | None:
    """`Sources:` and one line a source, `- [title](url) — snippet (date)`; what stands before it is the answer."""
    lines = text.split("\n")
    begin = next((number for number, line in enumerate(lines) if line.strip() == "Sources:"), None)
    if begin is None:
        return None
    sources = []
    for line in lines[begin + 1 :]:
        if not (matched := _SOURCE_LINE.fullmatch(line.rstrip())):
            if line.strip():
                break
            continue
        snippet, date = _tail(matched["tail"])
        url = matched["url"].removeprefix("<").removesuffix(">")
        title = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", matched["title"])
        sources.append(source(url, title, snippet, date))
    kept = [item for item in sources if item is not None]
    if not kept:
        return None
    answer = re.sub(r"\AExternal web content follows\.[^\n]*\n*", "", "\n".join(lines[:begin])).strip()
    return FoundSources(kept, answer or UNSET)


def _numbered_sources(text: str) -> FoundSources | None:
    """`Sources:` or `Citations:` and one line a source, `[1] title (url)` or `[1] url`; before it stands the answer."""
    head, mark, listed = text.rpartition("\nSources:\n")
    if not mark:
        head, mark, listed = text.rpartition("\nCitations:\n")
    if not mark:
        return None
    sources = []
    for line in listed.split("\n"):
        if matched := _NUMBERED_LINE.fullmatch(line.strip()):
            sources.append(source(matched["url"], matched["title"]))
        elif cited := _NUMBERED_URL.fullmatch(line.strip()):
            sources.append(source(cited["url"]))
        elif line.strip():
            break
    kept = [item for item in sources if item is not None]
    answer = _RESULTS_FOR.sub("", head).strip()
    return FoundSources(kept, answer or UNSET) if kept else None


def _numbered_blocks(text: str) -> FoundSources | None:
    """`1. title`, and below it `URL:` and `Summary:`, a line each and indented."""
    if "URL: " not in text:
        return None
    sources = [source(hit["url"], hit["title"], _there(hit["snippet"])) for hit in _NUMBERED_BLOCK.finditer(text)]
    kept = [item for item in sources if item is not None]
    return FoundSources(kept) if kept else None


def _jina_blocks(text: str) -> FoundSources | None:
    """`[1] Title:`, `[1] URL Source:` and more, a line each, as Jina's search writes for a model."""
    if "] URL Source: " not in text[:8000]:
        return None
    rows: dict[str, dict[str, str]] = {}
    for number, name, value in _JINA_FIELD.findall(text):
        rows.setdefault(number, {}).setdefault(name, value.strip())
    sources = [
        source(
            _there(row.get("URL Source")),
            _there(row.get("Title")),
            _there(row.get("Description")),
            _there(row.get("Published Time") or row.get("Date")),
        )
        for row in rows.values()
    ]
    kept = [item for item in sources if item is not None]
    return FoundSources(kept) if kept else None


def _tail(tail: str | None) -> tuple[str | None, str | None]:
    """Snippet and date. A bracket at the end that holds no digit is part of the snippet."""
    if tail is None:
        return None, None
    dated = _DATE_TAIL.fullmatch(tail)
    if dated and any(char.isdigit() for char in dated["date"]):
        return dated["snippet"], dated["date"]
    return tail, None


def _title_url_blocks(text: str) -> FoundSources | None:
    """Blocks of `Title:`, `URL:` and more, one after another. "N/A" is how they write that there is none."""
    if "\nURL:" not in text or not _BLOCK_START.search(text):
        return None
    # A "Title:" line inside a page's own text begins no block: a block has its URL at its head.
    starts = [match.start() for match in _BLOCK_START.finditer(text)]
    sources = [_block(text[start:end]) for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    kept = [item for item in sources if item is not None]
    return FoundSources(kept) if kept else None


def _block(block: str) -> WebSource | None:
    fields: dict[str, str] = {}
    marks = list(_BLOCK_FIELD.finditer(block))
    order = (
        "Title",
        "URL",
        "Published",
        "Published Date",
        "Author",
        "Description",
        "Highlights",
        "Text",
        "Content",
        "Summary",
        "Score",
    )
    heads: list[re.Match[str]] = []
    for mark in marks:
        # A body runs to the end of the block: field names inside it are its own words.
        if heads and heads[-1]["name"] in ("Highlights", "Text", "Content", "Summary"):
            break
        if mark["name"] in order and mark["name"] not in {head["name"] for head in heads}:
            heads.append(mark)
    for head, following in zip(heads, [*heads[1:], None], strict=True):
        value = block[head.end() : following.start() if following else len(block)]
        fields[head["name"]] = _RULE.sub("", value).strip() if following is None else value.strip()
    bodies = ("Highlights", "Text", "Content", "Summary", "Description")
    body = next((fields[name] for name in bodies if fields.get(name)), None)
    date = fields.get("Published") or fields.get("Published Date")
    return source(_there(fields.get("URL")), _there(fields.get("Title")), _there(body), _there(date))


def _there(value: str | None) -> str | None:
    return None if value is None or value in ("", "N/A", "None", "null") else value


def _claude_links(text: str) -> FoundSources | None:
    """`Links: [json]` lines; the words after them are the answer, without the reminder to cite."""
    marks = list(_LINKS.finditer(text))
    if not marks:
        return None
    sources: list[WebSource] = []
    words: list[str] = []
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        rest = text[mark.end() : following.start() if following else len(text)]
        rows, after = _json_line(rest)
        sources.extend(item for row in mappings(rows) if (item := source(row.get("url"), row.get("title"))))
        words.append(after)
    answer = _REMINDER.sub("", "".join(words)).strip()
    return FoundSources(sources, answer or UNSET) if sources or answer else None


def _json_line(text: str) -> tuple[object, str]:
    line, _, after = text.partition("\n")
    try:
        return decode(line.strip().encode("utf-8", "replace")).value, after
    except UndecodableError:
        pass
    try:
        value, end = json.JSONDecoder(strict=False).raw_decode(text)
    except (ValueError, RecursionError):
        return None, text
    return value, text[end:]


def _named_pairs(text: str) -> FoundSources | None:
    """`snippet: …, title: …, link: …`: commas inside the values make it ambiguous; the names decide."""
    if not text.lstrip("[ \n").startswith("snippet: ") or len(text) > 400_000:
        return None
    sources = []
    for part in re.split(r"(?:^|, |\n)(?=\[?snippet: )", text):
        begin, title, link = part.find("snippet: "), part.rfind(", title: "), part.rfind(", link: ")
        if 0 <= begin < title < link:
            url = part[link + 8 :].strip().strip("[],")
            if url.startswith(("http://", "https://")):
                sources.append(source(url, part[title + 9 : link], part[begin + 9 : title]))
    kept = [row for row in sources if row is not None]
    return FoundSources(kept) if kept else None


def first_url(text: str) -> str | None:
    """The first http(s) URL in a text, without the punctuation of the sentence around it."""
    found = re.search(r"https?://[^\s<>\"'`]+", text)
    return found[0].rstrip(".,;:!?)]}") if found else None


_LAYOUTS = (
    _claude_links,
    _title_url_blocks,
    _markdown_sources,
    _numbered_sources,
    _numbered_blocks,
    _jina_blocks,
    _named_pairs,
)
