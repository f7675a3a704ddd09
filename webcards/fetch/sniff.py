"""What a body is: its declared media type, corrected by its first bytes (WHATWG MIME Sniffing, read leniently)."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from webcards.contract.errors import WebError

Form = Literal["html", "markdown", "plain", "json", "xml", "csv", "pdf"]


class Sniffed(NamedTuple):
    """How a body is to be read, and its media type as declared or found."""

    form: Form
    media_type: str


_HTML_START = re.compile(
    rb"\s*(?:<!--.*?-->\s*|<\?xml[^>]*>\s*)*<(?:!doctype\s+html|html|head|body|script|iframe|h1|div|font|table|"
    rb"a|style|title|b|br|p|meta|link|main|article|section|noscript)[\s>]",
    re.I | re.S,
)


def sniff(body: bytes, content_type: str | None, url: str) -> Sniffed:
    """How to read `body`. Raises WebError (WEB_UNSUPPORTED_CONTENT_TYPE) for what is no text."""
    declared = (content_type or "").split(";", 1)[0].strip().lower()
    head = body[:1024]
    if b"%PDF-" in head:
        return Sniffed("pdf", "application/pdf")
    if declared in ("text/html", "application/xhtml+xml"):
        return Sniffed("html", declared)
    if declared in ("text/markdown", "text/x-markdown"):
        return Sniffed("markdown", declared)
    if declared in ("application/json", "text/json") or declared.endswith("+json"):
        return Sniffed("json", declared)
    if declared in ("application/xml", "text/xml") or declared.endswith("+xml"):
        return Sniffed("xml", declared)
    if declared in ("text/csv", "text/tab-separated-values"):
        return Sniffed("csv", declared)
    if declared.startswith("text/"):
        return Sniffed("plain", declared)
    if b"\0" in head or declared.startswith(("image/", "audio/", "video/", "font/")):
        name = declared or "binary data of an unnamed type"
        raise WebError("WEB_UNSUPPORTED_CONTENT_TYPE", f"{url} is {name}, which has no text to read.")
    if _HTML_START.match(head):
        return Sniffed("html", "text/html")
    return Sniffed("plain", declared or "text/plain")
