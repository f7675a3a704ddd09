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
    "iso_8859_1": "windows-1252",
    "iso8859_1": "windows-1252",
    "cp932": "shift_jis",
    "ms932": "shift_jis",
    "cp949": "euc-kr",
    "uhc": "euc-kr",
    "ms949": "euc-kr",
    "cp936": "gbk",
    "gb_18030": "gb18030",
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
    "utf-8-sig": "utf-8",
    "hz-gb-2312": "gbk",
    "unicode": "utf-16le",
    "ucs-2": "utf-16le",
    "iso-10646-ucs-2": "utf-16le",
    "csunicode": "utf-16le",
    "unicodefeff": "utf-16le",
    "unicodefffe": "utf-16be",
    "unicode11utf8": "utf-8",
    "unicode20utf8": "utf-8",
    "x-unicode20utf8": "utf-8",
}
# Python's codecs that read all of what the WHATWG encodings of these names hold.
_CODECS = {
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "big5": "big5hkscs",
    "iso-8859-8-i": "iso8859-8",
    "windows-874": "cp874",
    "ibm866": "cp866",
    "macintosh": "mac_roman",
    "x-mac-cyrillic": "mac_cyrillic",
}
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16le"), (codecs.BOM_UTF16_BE, "utf-16be"))
_PRESCAN_BYTES = 16_384
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_META = re.compile(rb"<meta\b[^>]{0,2000}", re.IGNORECASE)
_META_CHARSET = re.compile(rb"charset\s*=\s*[\"']?\s*([^\s\"'/>;,]{1,60})", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"^\s*<\?xml\b[^>]{0,200}?\bencoding\s*=\s*[\"']([^\"']{1,60})[\"']", re.IGNORECASE)
_HEADER_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]{1,60})", re.IGNORECASE)
_PIECE = re.compile(rb"[^<>\r\n]+")
_DETECTION_BYTES = 24_576
_BEYOND_ASCII = bytes(range(0x80, 0x100))
# A page in a single-byte encoding does not hold this many bytes that happen to be UTF-8, and none that are not; in a
# multi-byte one (where short words can be both) five times as many say so. The other way round, this many are enough to
# see that a page is not the UTF-8 it says it is.
_SURELY_UTF8 = 6
_SURELY_WRONG = 20
_JAPANESE_ESCAPE = re.compile(rb"\x1b\$[@B].{1,2000}?\x1b\([BJ]", re.DOTALL)
_SINGLE_BYTE = re.compile(r"windows-\d+|iso-8859-[\di-]+|koi8-[ru]|macintosh|x-mac-cyrillic|ibm866|x-user-defined")


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
            return _readable(name)
    for meta in _META.finditer(_COMMENT.sub(b"", head)):
        if found := _META_CHARSET.search(meta[0]):
            name = charset_label(found[1].decode("ascii", "replace"))
            if name is not None:
                return _readable(name)
    return None


def decode(body: bytes, content_type: str | None) -> Decoded:
    """The text of `body`; bytes that mean nothing in its charset become U+FFFD."""
    for bom, marked in _BOMS:
        if body.startswith(bom):
            return Decoded(_decode_as(body[len(bom) :], marked), marked)
    name = header_charset(content_type) or declared_charset(body)
    if name == "utf-8":
        try:
            return Decoded(body.decode("utf-8"), name)
        except UnicodeDecodeError:
            pass
    name = detected_charset(body) if name is None else _corrected(body, name)
    return Decoded(_decode_as(body, name), name)


def detected_charset(body: bytes) -> str:
    """The encoding of a body that does not name one: UTF-8 unless its bytes speak against it, then by the look of them."""
    if body[:2] in (b"<\0", b"\0<"):
        return "utf-16le" if body[:1] == b"<" else "utf-16be"
    if body.isascii():
        return "iso-2022-jp" if _JAPANESE_ESCAPE.search(body) else "utf-8"
    foreign, bad = _utf8_fit(body)
    if bad * 5 <= foreign:
        return "utf-8"
    return _guessed(body)


def _readable(name: str) -> str:
    # A declaration that could be read byte by byte is not in UTF-16, whatever it says.
    if name.startswith("utf-16"):
        return "utf-8"
    return "windows-1252" if name == "x-user-defined" else name


def _corrected(body: bytes, name: str) -> str:
    """The declared charset, unless the bytes rule it out: servers name one for every page, tools save pages as UTF-8."""
    foreign, bad = _utf8_fit(body)
    if name == "utf-8":
        return _guessed(body) if foreign >= _SURELY_WRONG and bad * 3 > foreign else name
    enough = _SURELY_UTF8 if _SINGLE_BYTE.fullmatch(name) else 5 * _SURELY_UTF8
    return "utf-8" if foreign >= enough and not bad else name


def _utf8_fit(body: bytes) -> tuple[int, int]:
    """How many bytes are beyond ASCII, and how many of them are no UTF-8; a character cut off at the end counts as good."""
    if body.isascii():
        return 0, 0
    foreign = len(body) - len(body.translate(None, _BEYOND_ASCII))
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    bad = decoder.decode(body).count("\ufffd") - body.count(b"\xef\xbf\xbd")
    return foreign, bad


def _guessed(body: bytes) -> str:
    """The likeliest encoding by the look of the words that are not ASCII; windows-1252 where nothing is likely."""
    from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5

    sample = _foreign_words(body)
    # uchardet is right nearly always, and says UTF-8 (which it is not) where it does not know, as for Korean.
    label = charset_label(map_encoding_to_html5(detect_encoding(sample) or "") or "")
    if label is not None and label != "utf-8" and _reads_well(sample, label):
        return label
    import chardet

    for guess in chardet.detect_all(sample, ignore_threshold=True):
        label = charset_label(guess["encoding"] or "")
        if label is not None and label != "utf-8" and guess["confidence"] >= 0.5 and _reads_well(sample, label):
            return label
    return "windows-1252"


def _foreign_words(body: bytes) -> bytes:
    """The lines and pieces of text between tags that hold bytes beyond ASCII, as many as are enough to go by."""
    pieces: list[bytes] = []
    left = _DETECTION_BYTES
    for piece in _PIECE.finditer(body):
        if not piece[0].isascii():
            pieces.append(piece[0][:left])
            left -= len(pieces[-1])
            if left <= 0:
                break
    return b"\n".join(pieces)


def _reads_well(sample: bytes, label: str) -> bool:
    return _decode_as(sample, label).count("\ufffd") * 50 <= len(sample)


def _decode_as(body: bytes, name: str) -> str:
    encoding = webencodings.lookup(name)
    codec = _CODECS.get(name) or (encoding.codec_info.name if encoding else "utf-8")
    if name == "euc-jp":
        return _decode_euc_jp(body)
    return body.decode(codec, "replace")


def _decode_euc_jp(body: bytes) -> str:
    """EUC-JP with the rows that vendors added (circled digits, 髙), which browsers read and Python's codec does not."""
    return body.decode("euc_jp", _VENDOR_ROWS)


def _vendor_rows(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    pair = error.object[error.start : error.start + 2]
    if len(pair) == 2 and pair[0] >= 0xA1 and pair[1] >= 0xA1:
        # The same row and cell in Shift_JIS, whose Windows codec has them (JIS X 0208 to Shift_JIS).
        row, cell = pair[0] - 0xA1, pair[1] - 0xA1
        lead = (row >> 1) + (0x81 if row < 62 else 0xC1)
        trail = cell + (0x9F if row & 1 else 0x40 + (cell >= 63))
        text = bytes((lead, trail)).decode("cp932", "replace")
        if "\ufffd" not in text:
            return text, error.start + 2
    return "\ufffd", error.start + 1


_VENDOR_ROWS = "webcards.vendor-rows"
codecs.register_error(_VENDOR_ROWS, _vendor_rows)
