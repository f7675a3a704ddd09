"""What a page says of itself: title, author, date, site, language, where it sends the reader on to.

The title is the one a reader would call the page by: what the page declares as its headline, else its `<title>` without the
site's name. Authors and dates have files of their own (metadata_byline.py, metadata_date.py).
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from lxml.html import HtmlElement

from webcards.fetch.extract_nodes import words_of
from webcards.fetch.markdown_links import base_address, resolve
from webcards.fetch.metadata_byline import find_byline
from webcards.fetch.metadata_date import find_published
from webcards.fetch.metadata_jsonld import StructuredData, structured_data

MAX_TITLE_CHARS = 500
MAX_DESCRIPTION_CHARS = 1_000
_DESCRIPTIONS = ("description", "og:description", "twitter:description", "dc:description", "dcterms:description")
_TITLE_NAMES = (
    "dc:title",
    "dcterm:title",
    "dcterms:title",
    "og:title",
    "weibo:article:title",
    "weibo:webpage:title",
    "title",
    "twitter:title",
    "parsely-title",
)
_SEPARATOR = re.compile(r"\s[|\-–—\\/>»]\s")
_DEEPENING = re.compile(r"\s[\\/>»]\s")
_WORD = re.compile(r"\w+")
_REFRESH = re.compile(r"^\s*(\d{0,9})(?:\.[\d.]*)?\s*[;,]?\s*(?:url\s*=\s*)?[\"']?([^\"']*)[\"']?\s*$", re.IGNORECASE)
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8}){0,4}")
_SLOWEST_REFRESH_SECONDS = 30
_FORUMS = re.compile(
    r"discourse|phpbb|vbulletin|xenforo|discuz|mybb|flarum|vanilla|nodebb|invision|smf|simple machines|lemmy|hyperkitty",
    re.IGNORECASE,
)


_MANUALS = re.compile(
    r"sphinx|docutils|rustdoc|mkdocs|docusaurus|vuepress|vitepress|mdbook|doxygen|javadoc|gitbook|asciidoc|docbook|pdoc|docfx|starlight|nextra|exdoc|typedoc|jsdoc|yard|texinfo|makeinfo|latex2html|pod2html",
    re.IGNORECASE,
)


PageKind = Literal["article", "thread", "reference", "item"]


class Metadata(NamedTuple):
    """What was found; None where the page does not say."""

    title: str | None
    byline: str | None
    published: str | None
    site: str | None
    lang: str | None
    redirect: str | None
    alternate: str | None
    base: str
    body: str | None
    description: str | None
    kind: PageKind


def read_metadata(root: HtmlElement, url: str) -> Metadata:
    """Read what a parsed page says of itself. `root` is the page as parsed, with its head and its scripts."""
    metas = _metas(root)
    data = structured_data(root)
    base = base_address(root, url)
    lang = _language(root, metas)
    return Metadata(
        title=find_title(root, metas, data),
        byline=find_byline(root, metas, data),
        published=find_published(root, metas, data, url, lang),
        site=_clean(metas.get("og:site_name") or next(iter(data.names("publisher")), None)),
        lang=lang,
        redirect=_refresh_target(root, base),
        alternate=_markdown_alternate(root, base),
        base=base,
        body=data.body,
        description=_description(metas),
        kind=_kind(metas, data),
    )


def _description(metas: dict[str, str]) -> str | None:
    told = next((text for name in _DESCRIPTIONS if (text := _clean(metas.get(name)))), None)
    return told[:MAX_DESCRIPTION_CHARS] if told else None


def _kind(metas: dict[str, str], data: StructuredData) -> PageKind:
    """What the page is, by what made it and what it calls itself: most are articles, or are read as such."""
    generator = metas.get("generator", "")[:200]
    if data.is_thread or _FORUMS.search(generator):
        return "thread"
    if data.is_reference or _MANUALS.search(generator):
        return "reference"
    if data.is_item or metas.get("og:type", "").lower().startswith(("product", "og:product")):
        return "item"
    return "article"


def _metas(root: HtmlElement) -> dict[str, str]:
    """The page's meta elements by their names (`name`, `property`, `itemprop`), lower case; the last of a name counts."""
    metas: dict[str, str] = {}
    for meta in root.iter("meta"):
        content = meta.get("content")
        if not content:
            continue
        for attribute in ("property", "name", "itemprop"):
            for name in (meta.get(attribute) or "")[:200].lower().split():
                metas[name.replace(".", ":") if name.startswith(("dc", "weibo", "og.", "article.")) else name] = content
    return metas


def find_title(root: HtmlElement, metas: dict[str, str], data: StructuredData) -> str | None:
    """The page's title, its white space tidied."""
    own = _without_site(root, _document_title(root))
    declared = _declared_title(data, own or "")
    if declared is None:
        declared = next((text for name in _TITLE_NAMES if (text := _clean(metas.get(name)))), None)
    if declared is None:
        declared = own
    return declared[:MAX_TITLE_CHARS] if declared else _first_heading(root)


def _document_title(root: HtmlElement) -> str:
    """The text of the page's own `<title>`; drawings have titles too."""
    for element in root.iter("title"):
        if not any(above.tag == "svg" for above in element.iterancestors()):
            return words_of(element)
    return ""


def _first_heading(root: HtmlElement) -> str | None:
    text = next((found for heading in root.iter("h1") if (found := _clean("".join(heading.itertext())))), None)
    return text[:MAX_TITLE_CHARS] if text else None


def _declared_title(data: StructuredData, own: str) -> str | None:
    name, headline = data.text("name"), data.text("headline")
    if name and headline and name != headline:
        return headline if _similar(headline, own) > 0.75 >= _similar(name, own) else name
    return name or headline


def _similar(one: str, other: str) -> float:
    """How much of the second text's length is made of words that the first has too."""
    known = set(_WORD.findall(one.lower()))
    words = _WORD.findall(other.lower())
    if not known or not words:
        return 0.0
    strange = [word for word in words if word not in known]
    return 1 - len(" ".join(strange)) / len(" ".join(words))


def _without_site(root: HtmlElement, document: str) -> str | None:
    """A `<title>` without the site's name, where cutting it leaves enough to go by."""
    if not document:
        return None
    title = document
    deepening = False
    separators = list(_SEPARATOR.finditer(document))
    if separators:
        deepening = bool(_DEEPENING.search(document))
        title = document[: separators[-1].start()]
        if len(title.split()) < 3:
            title = document[separators[0].end() :]
    elif ": " in document:
        known = {words_of(heading) for heading in root.iter("h1", "h2")}
        if document not in known:
            title = document[document.rindex(":") + 1 :]
            if len(title.split()) < 3:
                title = document[document.index(":") + 1 :]
            elif len(document[: document.index(":")].split()) > 5:
                title = document
    elif not 15 <= len(document) <= 150:
        headings = [words_of(heading) for heading in root.iter("h1")]
        if len(headings) == 1 and headings[0]:
            title = headings[0]
    title = " ".join(title.split())
    words = len(title.split())
    if words <= 4 and (not deepening or words != len(_SEPARATOR.sub(" ", document).split()) - 1):
        return document
    return title


def _language(root: HtmlElement, metas: dict[str, str]) -> str | None:
    for value in (root.get("lang"), root.get("xml:lang"), metas.get("og:locale"), metas.get("language")):
        if value and _LANGUAGE.fullmatch(value.strip()):
            return str(value.strip().replace("_", "-"))
    return None


def _refresh_target(root: HtmlElement, base: str) -> str | None:
    """Where a `<meta http-equiv=refresh>` sends the reader soon; one for those without scripts only is not followed."""
    for meta in root.iter("meta"):
        if (meta.get("http-equiv") or "").strip().lower() != "refresh":
            continue
        if any(above.tag in ("noscript", "template") for above in meta.iterancestors()):
            continue
        match = _REFRESH.match((meta.get("content") or "")[:4_096])
        if match and match[2].strip() and int(match[1] or 0) <= _SLOWEST_REFRESH_SECONDS:
            return resolve(match[2].strip(), base)
    return None


def _markdown_alternate(root: HtmlElement, base: str) -> str | None:
    for link in root.iter("link"):
        relations = (link.get("rel") or "").lower().split()
        if "alternate" in relations and (link.get("type") or "").split(";")[0].strip().lower() in (
            "text/markdown",
            "text/x-markdown",
        ):
            href = link.get("href")
            if href:
                return resolve(href.strip(), base)
    return None


def _clean(text: str | None) -> str | None:
    return " ".join(text.split()) or None if text else None
