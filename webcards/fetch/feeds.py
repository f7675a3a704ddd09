"""RSS, Atom, RDF and JSON feeds, and site maps, as lists that a reader can follow."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import msgspec
from lxml import etree

from webcards.fetch.markdown_inline import escape, link_target, visible
from webcards.fetch.markdown_links import resolve
from webcards.fetch.metadata_iso import iso_date

MAX_ENTRIES = 500
MAX_SUMMARY_CHARS = 2_000
SITE_MAP = "Site map"
_ROOTS = frozenset(("rss", "feed", "rdf", "channel", "urlset", "sitemapindex"))
_NOTHING = re.compile(r"\s*$")


class Feed(NamedTuple):
    """A feed as Markdown, with its own title and whether entries were left out."""

    title: str | None
    markdown: str
    text: str
    cut: bool


class _Entry(NamedTuple):
    title: str
    url: str | None
    date: str | None
    author: str | None
    summary: str


def read_xml_feed(text: str, url: str) -> Feed | None:
    """The feed that an XML document is, or None for other XML. Entities of its own are not expanded."""
    root = parse_xml(text)
    if root is None or _name(root) not in _ROOTS:
        return None
    kind = _name(root)
    if kind in ("urlset", "sitemapindex"):
        return _site_map(root, url)
    channel = next((element for element in root.iter() if _name(element) == "channel"), root)
    title = _child_text(channel, "title")
    entries = [element for element in root.iter() if _name(element) in ("item", "entry")]
    if not entries and kind == "channel":
        return None
    written = [_xml_entry(element, url) for element in entries[:MAX_ENTRIES]]
    about = _as_text(_child_text(channel, "description", "subtitle", "tagline") or "")
    return _written(title, about, written, len(entries) > MAX_ENTRIES)


def read_json_feed(text: str, url: str) -> Feed | None:
    """The JSON Feed that a JSON document is (jsonfeed.org), or None for other JSON."""
    if "jsonfeed.org/version" not in text[:4_096]:
        return None
    try:
        feed: Any = msgspec.json.decode(text.encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        return None
    if not isinstance(feed, dict) or not isinstance(feed.get("items"), list):
        return None
    entries = []
    for item in feed["items"][:MAX_ENTRIES]:
        if not isinstance(item, dict):
            continue
        said = {key: value for key, value in item.items() if isinstance(value, str)}
        link = said.get("url") or said.get("external_url")
        entries.append(
            _Entry(
                title=_as_text(said.get("title", "")),
                url=resolve(link.strip(), url) if link else None,
                date=iso_date(said.get("date_published", "")),
                author=None,
                summary=_as_text(said.get("summary") or said.get("content_text") or said.get("content_html") or ""),
            )
        )
    title = feed.get("title")
    about = feed.get("description")
    return _written(
        title if isinstance(title, str) else None,
        _as_text(about) if isinstance(about, str) else "",
        entries,
        len(feed["items"]) > MAX_ENTRIES,
    )


def parse_xml(text: str) -> etree._Element | None:
    """The root of an XML document, read leniently; entities, external parts and the network stay untouched."""
    parser = etree.XMLParser(
        recover=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    body = re.sub(r"^\s*<\?xml[^>]*\?>", "", text.replace("\0", "").lstrip("\ufeff"), count=1)
    try:
        return etree.fromstring(body.strip().encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def _xml_entry(element: etree._Element, url: str) -> _Entry:
    link = None
    for child in element:
        if _name(child) == "link":
            href = child.get("href") or (child.text or "").strip()
            if href and (child.get("rel") or "alternate") == "alternate":
                link = href
                break
    if link is None:
        guid = _child_text(element, "guid")
        link = guid if guid and guid.startswith("http") else None
    return _Entry(
        title=_as_text(_child_text(element, "title") or ""),
        url=resolve(link.strip(), url) if link else None,
        date=iso_date(_child_text(element, "pubdate", "published", "date", "updated", "issued") or ""),
        author=_author(element),
        summary=_as_text(_child_text(element, "description", "summary", "encoded", "content") or ""),
    )


def _author(element: etree._Element) -> str | None:
    for child in element:
        if _name(child) in ("author", "creator"):
            named = _child_text(child, "name") or "".join(child.itertext())
            return " ".join(named.split()) or None
    return None


def _site_map(root: etree._Element, url: str) -> Feed:
    entries = [element for element in root if _name(element) in ("url", "sitemap")]
    written = []
    for element in entries[:MAX_ENTRIES]:
        location = (_child_text(element, "loc") or "").strip()
        written.append(
            _Entry(location, resolve(location, url), iso_date(_child_text(element, "lastmod") or ""), None, "")
        )
    return _written(SITE_MAP, "", written, len(entries) > MAX_ENTRIES)


def _written(title: str | None, about: str, entries: list[_Entry], cut: bool) -> Feed:
    name = _as_text(title or "")
    head = [part for part in (about,) if part]
    # The model reads the text alone: what the feed is called stands in it, as a page's heading does.
    title_line = [f"# {escape(name)}"] if name and name != SITE_MAP else []
    blocks = [*title_line, *(escape(part) for part in head)]
    lines = head + [
        " — ".join(part for part in (entry.title, entry.date, entry.author) if part)
        + (f"\n{entry.summary}" if entry.summary else "")
        for entry in entries
    ]
    joined = "\n\n".join([*blocks, "\n".join(map(_entry_markdown, entries))])
    return Feed(name or None, joined.strip(), "\n".join(line for line in lines if line), cut)


def _entry_markdown(entry: _Entry) -> str:
    label = escape(entry.title or entry.url or "Untitled").replace("[", "\\[").replace("]", "\\]")
    line = f"- [{label}]({link_target(entry.url)})" if entry.url else f"- {label}"
    facts = ", ".join(part for part in (entry.date, escape(entry.author or "")) if part)
    if facts:
        line += f" ({facts})"
    if entry.summary:
        line += "\n  " + escape(entry.summary).replace("\n", "\n  ")
    return line


def _as_text(value: str) -> str:
    """A title or summary as one line of plain words; feeds hold HTML, escaped or not."""
    text = value
    if "<" in text or "&" in text:
        from webcards.fetch.extract_tree import parse, prepare
        from webcards.fetch.markdown import Writer

        root = parse(f"<body>{text}</body>")
        prepare(root, text)
        text = Writer("").write(root).text
    text = " ".join(visible(text).split())
    return text if len(text) <= MAX_SUMMARY_CHARS else text[:MAX_SUMMARY_CHARS].rsplit(" ", 1)[0] + " …"


def _child_text(element: etree._Element, *names: str) -> str | None:
    for name in names:
        for child in element:
            if _name(child) == name:
                inner = "".join(child.itertext())
                if len(child) and child.get("type") == "xhtml":
                    inner = etree.tostring(child, encoding="unicode")
                if not _NOTHING.match(inner):
                    return inner.strip()
    return None


def _name(element: etree._Element) -> str:
    tag = element.tag
    return tag.rsplit("}", 1)[-1].lower() if isinstance(tag, str) else ""
