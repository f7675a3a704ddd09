"""Which characters the bytes of a page mean: BOM, then header, then what the page says of itself, then detection.

Labels are read as browsers read them (WHATWG Encoding): `gb2312` is gb18030, `shift_jis` is cp932. Decoding never fails;
a wrong or unknown label is passed over.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

import webencodings

# Spellings that people write and that the WHATWG table lacks.
_OTHER_LABELS = {
    "latin-1": "windows-1252",
    "latin_1": "windows-1252",
    "iso-latin-1": "windows-1252",
    "cp932": "shift_jis",
    "cp949": "euc-kr",
    "uhc": "euc-kr",
    "ms949": "euc-kr",
    "cp936": "gbk",
    "eucjp": "euc-jp",
    "euckr": "euc-kr",
    "euc_jp": "euc-jp",
    "euc_kr": "euc-kr",
    "big5hkscs": "big5",
    "big-5": "big5",
    "cp950": "big5",
    "utf_8": "utf-8",
    "utf8mb4": "utf-8",
    "utf-8n": "utf-8",
    "hz-gb-2312": "gbk",
}
# Python codecs that read more of what pages send than the ones of the same name.
_CODECS = {"gbk": "gb18030"}
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16le"), (codecs.BOM_UTF16_BE, "utf-16be"))
_PRESCAN_BYTES = 16_384
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.S)
_META = re.compile(rb"<meta\b[^>]{0,2000}", re.I)
_META_CHARSET = re.compile(rb"charset\s*=\s*[\"']?\s*([^\s\"'/>;,]{1,60})", re.I)
_XML_ENCODING = re.compile(rb"^\s*<\?xml\b[^>]{0,200}?\bencoding\s*=\s*[\"']([^\"']{1,60})[\"']", re.I)
_HEADER_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]{1,60})", re.I)


class Decoded(NamedTuple):
    """The text of a body and the WHATWG name of the encoding that gave it."""

    text: str
    charset: str


def charset_label(value: str) -> str | None:
    """The WHATWG name for a charset label, or None when nobody knows it."""
    label = value.strip().strip("\"'").lower()
    encoding = webencodings.lookup(_OTHER_LABELS.get(label, label))
    if encoding is None or encoding.name == "replacement":
        return None
    return str(encoding.name)


def header_charset(content_type: str | None) -> str | None:
    """The charset that a Content-Type header names, or None."""
    match = _HEADER_CHARSET.search(content_type or "")
    return charset_label(match[1]) if match else None


def declared_charset(body: bytes) -> str | None:
    """The charset that a page names in its XML declaration or a meta element, or None (HTML §13.2.3.2)."""
    head = body[:_PRESCAN_BYTES]
    if xml := _XML_ENCODING.match(head):
        name = charset_label(xml[1].decode("ascii", "replace"))
        if name is not None:
            return "utf-8" if name.startswith("utf-16") else name
    for meta in _META.finditer(_COMMENT.sub(b"", head)):
        if found := _META_CHARSET.search(meta[0]):
            name = charset_label(found[1].decode("ascii", "replace"))
            if name is not None:
                # A meta element that could be read cannot be UTF-16.
                return "utf-8" if name.startswith("utf-16") else name
    return None


def decode(body: bytes, content_type: str | None) -> Decoded:
    """The text of `body`; bytes that mean nothing in its charset become U+FFFD."""
    for bom, name in _BOMS:
        if body.startswith(bom):
            return Decoded(_decode_as(body[len(bom) :], name), name)
    name = header_charset(content_type) or declared_charset(body) or _detected_charset(body)
    return Decoded(_decode_as(body, name), name)


def _decode_as(body: bytes, name: str) -> str:
    encoding = webencodings.lookup(name)
    codec = _CODECS.get(name) or (encoding.codec_info.name if encoding else "utf-8")
    return body.decode(codec, "replace")


def _detected_charset(body: bytes) -> str:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":
            return "utf-8"
        return "windows-1252"
    return "utf-8"
