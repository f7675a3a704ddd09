"""The demo web's binary documents, written byte by byte: a tide table as PDF, a chart thumbnail as PNG."""

from __future__ import annotations

import struct
import zlib
from datetime import date, timedelta

from webcards.library.tides import turns

_MONTH = date(2026, 12, 1)


def tide_table_pdf() -> bytes:
    """The December tide table: a two-page PDF 1.4 with plain text (ISO 32000-1, sections 7.5 and 9.4)."""
    days = [_MONTH + timedelta(days=number) for number in range(31)]
    first = [
        "Kittiwick Harbour Office",
        "Tide tables for December 2026",
        "Heights in metres above chart datum. Times in UTC. HW high water, LW low water.",
        "",
        *map(_day_line, days[:16]),
    ]
    second = [
        "Tide tables for December 2026, continued",
        "",
        *map(_day_line, days[16:]),
        "",
        "The gate of the inner basin opens when the tide reaches 4.5 m and closes when it falls below.",
        "Predictions are for average pressure: a deep low over the Sound adds up to 0.9 m.",
        "The new year's tables are on the counter from 14 December, price two crowns.",
    ]
    return _pdf([first, second], title="Tide tables for December 2026", author="Kittiwick Harbour Office")


def chart_png() -> bytes:
    """A thumbnail of the harbour chart, 96 by 64 pixels: water that deepens from the quay (PNG, RFC 2083)."""
    width, height = 96, 64
    rows = b"".join(
        b"\x00"
        + b"".join(
            bytes((210 - 2 * y, 228 - y, 240)) if (x - 48) ** 2 > 40 * y else bytes((238, 226, 190))
            for x in range(width)
        )
        for y in range(height)
    )
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


def _day_line(day: date) -> str:
    tides = "   ".join(f"{turn.kind} {turn.at:%H:%M} {turn.height:.1f} m" for turn in turns(day))
    return f"{day:%a} {day.day:2d} December   {tides}"


def _pdf(sheets: list[list[str]], *, title: str, author: str) -> bytes:
    """A PDF of A4 sheets, one line of Helvetica a string."""
    count = len(sheets)
    kids = " ".join(f"{5 + 2 * number} 0 R" for number in range(count))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R /Lang (en-GB) >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        f"<< /Title ({title}) /Author ({author}) /CreationDate (D:20261130080000Z) >>",
    ]
    for number, lines in enumerate(sheets):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {6 + 2 * number} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>"
        )
        escaped = (line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)") for line in lines)
        text = "BT /F1 11 Tf 16 TL 56 780 Td\n" + "".join(f"({line}) Tj T*\n" for line in escaped) + "ET"
        objects.append(f"<< /Length {len(text)} >>\nstream\n{text}\nendstream")

    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    trailer = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info 4 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}".encode("latin-1")
    return bytes(out)
