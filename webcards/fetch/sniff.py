"""What a body is: its declared media type, checked against its first bytes (WHATWG MIME Sniffing, read leniently).

A wrong or missing type is no obstacle; what has no text is refused by name.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from webcards.contract.errors import WebError

Form = Literal["html", "markdown", "plain", "json", "xml", "csv", "tsv", "pdf"]


class Sniffed(NamedTuple):
    """How a body is to be read, and its media type as declared or found."""

    form: Form
    media_type: str


_HEAD_BYTES = 2_048
# First bytes of what is no text, with the name that people know it by (WHATWG MIME Sniffing §6, and others of their kind).
_BINARY_SIGNS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
    (b"8BPS", "image/vnd.adobe.photoshop"),
    (b"\x00\x00\x00\x0cJXL ", "image/jxl"),
    (b"PK\x03\x04", "application/zip"),
    (b"PK\x05\x06", "application/zip"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"\x7fELF", "an ELF program"),
    (b"MZ\x90\x00", "a Windows program"),
    (b"\xca\xfe\xba\xbe", "a Java class or a macOS program"),
    (b"\xcf\xfa\xed\xfe", "a macOS program"),
    (b"\x00asm", "application/wasm"),
    (b"OggS", "application/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"\x1a\x45\xdf\xa3", "video/webm"),
    (b"FLV\x01", "video/x-flv"),
    (b"\x00\x00\x01\xba", "video/mpeg"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"\x00\x01\x00\x00\x00", "font/ttf"),
    (b"OTTO\x00", "font/otf"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Microsoft Office document"),
    (b"%!PS-Adobe-", "application/postscript"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"PAR1", "application/vnd.apache.parquet"),
)
_ANY_BINARY_SIGN = tuple(sign for sign, _ in _BINARY_SIGNS)
_HTML_START = re.compile(
    rb"\s*(?:<!--.*?-->\s*|<\?xml[^>]*>\s*|<!doctype\s+(?!html)[^>]*>\s*)*"
    rb"<(?:!doctype\s+html|html|head|body|script|iframe|h[1-6]|div|font|table|a|style|title|b|br|p|meta|link|main|article|section|noscript|"
    rb"center|span|ul|ol|img|nav|header|frameset|base)(?=[\s>/])",
    re.IGNORECASE | re.DOTALL,
)
_XML_START = re.compile(rb"\s*(?:<\?xml\b|<(?:rss|feed|rdf:RDF|urlset|sitemapindex|svg|opml)[\s>])", re.IGNORECASE)
_XHTML_ROOT = re.compile(rb"<html\b", re.IGNORECASE)
_JSON_START = re.compile(rb"\s*[{\[]\s*(?:[\"{\[\]}\d-]|true|false|null|$)")
_MARKDOWN_START = re.compile(rb"\s*(?:#{1,6} \S|---\r?\n[\s\S]{0,1000}?\n---|```|[*-] \S|\[[^\]\n]+\]\()")
_MARKDOWN_LINES = re.compile(rb"^(?:#{1,6} \S.*|```.*|[*-] \S.*|\d+\. \S.*|>\s.*|\|.*\|)\s*$", re.MULTILINE)
_TEXT_SUFFIXES: dict[str, tuple[Form, str]] = {
    "md": ("markdown", "text/markdown"),
    "markdown": ("markdown", "text/markdown"),
    "mdx": ("markdown", "text/markdown"),
    "csv": ("csv", "text/csv"),
    "tsv": ("tsv", "text/tab-separated-values"),
    "json": ("json", "application/json"),
    "geojson": ("json", "application/geo+json"),
    "xml": ("xml", "application/xml"),
    "rss": ("xml", "application/rss+xml"),
    "atom": ("xml", "application/atom+xml"),
    "html": ("html", "text/html"),
    "htm": ("html", "text/html"),
    "xhtml": ("html", "application/xhtml+xml"),
}
_UNKNOWN_TYPES = frozenset(
    [
        "",
        "*/*",
        "text",
        "unknown",
        "unknown/unknown",
        "content/unknown",
        "application/unknown",
        "application/x-unknown",
        "application/octet-stream",
        "binary/octet-stream",
        "application/download",
        "application/force-download",
    ]
)
_MEDIA_FAMILIES = ("image/", "audio/", "video/", "font/", "model/")
# Bytes that text does not hold (WHATWG MIME Sniffing §3, "binary data byte").
_BINARY_BYTES = bytes(byte for byte in range(0x20) if byte not in (0x09, 0x0A, 0x0C, 0x0D, 0x1B))
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")


def sniff(body: bytes, content_type: str | None, url: str) -> Sniffed:
    """How to read `body`, of which the first bytes are enough.

    Raises WebError (WEB_UNSUPPORTED_CONTENT_TYPE) for what is no text, naming the type and the address.
    """
    declared = media_type(content_type)
    head = body[:_HEAD_BYTES]
    if "utf-16" in (content_type or "").lower() or head[:2] in (b"<\0", b"\0<"):
        # Wide characters hold zeros, which say nothing about text here.
        head = head.replace(b"\0", b"")
    if b"%PDF-" in head[:1024] and (
        declared in ("application/pdf", "application/x-pdf") or head.lstrip()[:5] == b"%PDF-"
    ):
        return Sniffed("pdf", "application/pdf")
    found = _binary_type(head)
    if found is not None:
        raise _unsupported(url, declared, found)
    if declared.startswith(_MEDIA_FAMILIES) and declared != "image/svg+xml":
        # An error page is often sent under the type of the picture that is missing.
        if _HTML_START.match(head):
            return Sniffed("html", "text/html")
        raise _unsupported(url, declared, None)
    named = _declared_form(declared, head, url)
    if named is not None:
        return named
    if _is_binary(head):
        raise _unsupported(url, declared, None)
    return _sniffed_text(head, declared, url)


def media_type(content_type: str | None) -> str:
    """The media type of a Content-Type header without its parameters, lower case."""
    return (content_type or "").split(";", 1)[0].split(",", 1)[0].strip().strip("\"'").lower()


def _declared_form(declared: str, head: bytes, url: str) -> Sniffed | None:
    """The form that a declared type means, where its bytes do not speak against it."""
    if declared in ("text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"):
        if _XML_START.match(head) and not _XHTML_ROOT.search(head) and not _HTML_START.match(head):
            return Sniffed("xml", "application/xml")
        if _JSON_START.match(head) and b"<" not in head[:200]:
            return Sniffed("json", "application/json")
        if _is_binary(head) and not _HTML_START.match(head):
            return None
        return Sniffed("html", declared)
    if _is_binary(head):
        return None
    if declared in ("text/markdown", "text/x-markdown", "text/vnd.daringfireball.markdown"):
        return Sniffed("markdown", declared)
    if declared in ("application/json", "text/json", "application/x-json", "text/x-json") or declared.endswith("+json"):
        return Sniffed("html", "text/html") if _HTML_START.match(head) else Sniffed("json", declared)
    if declared in (
        "application/xml",
        "text/xml",
        "application/rss",
        "application/atom",
        "text/rss",
        "application/x-rss+xml",
    ) or declared.endswith("+xml"):
        return Sniffed("html", "application/xhtml+xml") if _HTML_START.match(head) else Sniffed("xml", declared)
    if declared in (
        "text/csv",
        "application/csv",
        "text/comma-separated-values",
        "application/vnd.ms-excel",
        "text/x-csv",
    ):
        return Sniffed("csv", declared)
    if declared in ("text/tab-separated-values", "text/tsv"):
        return Sniffed("tsv", declared)
    if declared == "text/plain":
        form, _ = _TEXT_SUFFIXES.get(_suffix(url), ("plain", ""))
        return Sniffed(form if form in ("markdown", "csv", "tsv", "json") else "plain", declared)
    if declared.startswith("text/") or declared.endswith(
        ("javascript", "yaml", "toml", "sql", "x-sh", "x-httpd-php", "x-tex", "x-subrip")
    ):
        return Sniffed("plain", declared)
    return None


def _sniffed_text(head: bytes, declared: str, url: str) -> Sniffed:
    """What a text under an unknown type is, by its first bytes and the ending of its address."""
    name = "" if declared in _UNKNOWN_TYPES else declared
    text = head[2:].replace(b"\0", b"") if head.startswith(_WIDE_BOMS) else head.removeprefix(b"\xef\xbb\xbf")
    if _HTML_START.match(text):
        return Sniffed("html", "text/html")
    if _XML_START.match(text):
        return (
            Sniffed("html", "application/xhtml+xml")
            if _XHTML_ROOT.search(text)
            else Sniffed("xml", name or "application/xml")
        )
    by_suffix = _TEXT_SUFFIXES.get(_suffix(url))
    if by_suffix is not None:
        return Sniffed(by_suffix[0], name or by_suffix[1])
    if _JSON_START.match(text):
        return Sniffed("json", name or "application/json")
    if _MARKDOWN_START.match(text) and len(_MARKDOWN_LINES.findall(text)) >= 2:
        return Sniffed("markdown", name or "text/markdown")
    return Sniffed("plain", name or "text/plain")


def _suffix(url: str) -> str:
    try:
        last = urlsplit(url).path.rsplit("/", 1)[-1]
    except ValueError:
        return ""
    return last.rsplit(".", 1)[-1].lower() if "." in last else ""


def _binary_type(head: bytes) -> str | None:
    if head.startswith(_ANY_BINARY_SIGN):
        name = next(name for sign, name in _BINARY_SIGNS if head.startswith(sign))
        return _inside_zip(head) if name == "application/zip" else name
    if head[:4] == b"RIFF" and len(head) >= 12:
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}.get(head[8:12], "a RIFF file")
    if head[4:8] == b"ftyp":
        brand = head[8:12]
        return (
            "image/avif"
            if brand in (b"avif", b"avis")
            else "image/heic"
            if brand in (b"heic", b"heix", b"mif1")
            else "video/mp4"
        )
    if head[:2] == b"BM" and len(head) > 26 and _is_binary(head[:64]):
        return "image/bmp"
    if len(head) > 261 and head[257:262] == b"ustar":
        return "application/x-tar"
    return None


def _inside_zip(head: bytes) -> str:
    for sign, name in (
        (b"word/", "a Word document (docx)"),
        (b"xl/", "an Excel workbook (xlsx)"),
        (b"ppt/", "a PowerPoint presentation (pptx)"),
        (b"application/epub+zip", "application/epub+zip"),
        (b"application/vnd.oasis.opendocument", "an OpenDocument file"),
        (b"META-INF/", "application/java-archive"),
    ):
        if sign in head:
            return name
    return "application/zip"


def _is_binary(head: bytes) -> bool:
    """Whether the bytes hold what no text does; text in UTF-16 holds zeros, but says so at its start."""
    if head.startswith(_WIDE_BOMS):
        return False
    odd = len(head) - len(head.translate(None, _BINARY_BYTES))
    # A stray control byte makes no picture of a page.
    return odd > max(2, len(head) // 50)


def _unsupported(url: str, declared: str, found: str | None) -> WebError:
    if declared and found and declared != found:
        name = f"{found} (sent as {declared})"
    else:
        name = found or declared or "binary data of an unnamed type"
    return WebError(
        "WEB_UNSUPPORTED_CONTENT_TYPE",
        f"{url} is {name}, which has no text to read. Pages, text, Markdown, JSON, XML, feeds, CSV and PDF can be read.",
    )
