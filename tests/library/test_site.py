"""The demo web's pages: complete, linked, dated, all in reserved names, and what the specimens promise."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from html import unescape
from itertools import pairwise
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit
from xml.etree import ElementTree as ET

import PIL.Image
import pypdf
import pytest
from selectolax.lexbor import LexborHTMLParser

import webcards.library
from webcards.library.catalogue import LIBRARY_HOSTS, LibraryPage, entry_at, hosts, manifest, pages, read_file
from webcards.library.specimens import SPECIMENS
from webcards.library.tides import Turn, height, turns
from webcards.library.tour import TOUR

ROOT = Path(__file__).resolve().parents[2]
PAGES_FOLDER = Path(webcards.library.__file__).parent / "pages"
NAMESPACES = {"schema.org", "www.w3.org", "www.sitemaps.org"}
"""Hosts that occur in pages as the names of vocabularies, never as addresses to follow."""
MEANT_TO_LEAD_NOWHERE = {"https://proofs.kittiwick.example/not-pulled", "https://wreckers.example/more"}
MISBEHAVING = {SPECIMENS["hostile"], SPECIMENS["redirect-blocked"], SPECIMENS["redirect-scheme"]}
"""Pages whose very point is a link that should not be followed."""
ALL = list(pages())
BY_URL = {page.url: page for page in ALL}


def text(page: LibraryPage) -> str:
    return page.body.decode(page.charset)


def is_html(page: LibraryPage) -> bool:
    return (page.content_type or "").startswith(("text/html", "application/xhtml"))


def exists(url: str) -> bool:
    parts = urlsplit(urldefrag(url).url)
    if parts.path in ("/robots.txt", "/sitemap.xml"):
        return parts.netloc in LIBRARY_HOSTS
    return entry_at(parts.netloc, parts.path + ("?" + parts.query if parts.query else "")) is not None


def links(page: LibraryPage) -> Iterator[str]:
    for anchor in LexborHTMLParser(text(page)).css("a[href]"):
        yield urljoin(page.url, anchor.attributes["href"] or "")


def test_the_constant_of_hosts_names_the_hosts_of_the_manifest() -> None:
    assert frozenset(hosts()) == LIBRARY_HOSTS
    assert {urlsplit(page.url).netloc for page in ALL} == LIBRARY_HOSTS
    assert all(host.endswith(".example") for host in LIBRARY_HOSTS)


def test_the_library_is_about_as_big_as_promised_and_speaks_three_scripts() -> None:
    indexed = [page for page in ALL if page.indexed]
    assert len(indexed) >= 40
    assert len({urlsplit(page.url).netloc for page in indexed}) >= 9
    assert sum((page.lang or "").startswith("zh") for page in indexed) >= 4
    assert sum(page.lang == "ar" for page in indexed) >= 4


def test_no_two_pages_have_one_address() -> None:
    assert len(BY_URL) == len(ALL) == len(manifest().page)


def test_every_file_of_the_package_is_used() -> None:
    used = {entry.file for entry in manifest().page} | {host.not_found for host in hosts().values()}
    parts_of_the_logbook = {"office.kittiwick.example/logbook.html", "office.kittiwick.example/logbook.toml"}
    there = {str(path.relative_to(PAGES_FOLDER)) for path in PAGES_FOLDER.rglob("*") if path.is_file()}
    assert there == (used - {None}) | parts_of_the_logbook | {"manifest.toml"}


def test_an_indexed_page_is_an_ok_page_with_a_title_and_a_language_and_mostly_a_date() -> None:
    indexed = [page for page in ALL if page.indexed]
    for page in indexed:
        assert page.status == 200, page.url
        assert page.title.strip(), page.url
        assert page.lang, page.url
    undated = [page for page in indexed if page.published is None]
    assert 0 < len(undated) < len(indexed) / 10, "a list of sources should show both kinds"


def test_dates_are_iso_8601_with_an_offset_and_not_in_the_future_of_the_story() -> None:
    for page in ALL:
        if page.published is not None:
            when = datetime.fromisoformat(page.published)
            assert when.tzinfo is not None, page.url
            assert when < datetime(2026, 12, 2, tzinfo=UTC), page.url


def test_every_range_of_dates_finds_something() -> None:
    today = datetime(2026, 12, 1, 12, tzinfo=UTC)
    ages = [today - datetime.fromisoformat(page.published) for page in ALL if page.indexed and page.published]
    for days in (2, 7, 31, 365, 100_000):
        assert any(age <= timedelta(days=days) for age in ages)
    assert any(age > timedelta(days=365) for age in ages)


def test_the_title_in_the_manifest_is_the_title_on_the_page() -> None:
    for page in ALL:
        found = re.search(r"<title>(.*?)</title>", text(page), re.DOTALL) if is_html(page) else None
        if found and page.indexed:
            words = unescape(page.title).split(" (")[0]
            on_page = unescape(found[1]) + " ".join(node.text() for node in LexborHTMLParser(text(page)).css("h1"))
            assert words in on_page or words in text(page), page.url


def test_links_between_pages_lead_to_pages_that_exist() -> None:
    count = 0
    for page in ALL:
        if is_html(page) and page.url not in MISBEHAVING:
            for link in links(page):
                assert link in MEANT_TO_LEAD_NOWHERE or exists(link), f"{page.url} → {link}"
                count += 1
    assert count > 500


def test_every_site_is_linked_from_another_one() -> None:
    linked = {
        urlsplit(link).netloc
        for page in ALL
        if is_html(page) and page.url not in MISBEHAVING
        for link in links(page)
        if urlsplit(link).netloc != urlsplit(page.url).netloc
    }
    assert linked == LIBRARY_HOSTS


def test_the_404_pages_link_to_pages_that_exist_and_differ_from_host_to_host() -> None:
    bodies = [read_file(host.not_found) for host in hosts().values()]
    assert len(set(bodies)) == len(bodies)
    for host in hosts().values():
        for anchor in LexborHTMLParser(read_file(host.not_found).decode()).css("a[href]:not([href^='#'])"):
            assert exists(urljoin(f"https://{host.name}/x", anchor.attributes["href"] or ""))


def test_a_page_asks_for_nothing_from_any_host_but_its_own() -> None:
    asking = "[src], [srcset], [poster], [data], link[rel~=stylesheet], link[rel~=icon]"
    for page in ALL:
        if is_html(page) and page.url not in MISBEHAVING:
            for node in LexborHTMLParser(text(page)).css(asking):
                for name in ("src", "srcset", "poster", "data", "href"):
                    target = urljoin(page.url, node.attributes.get(name) or "")
                    assert urlsplit(target).netloc == urlsplit(page.url).netloc, f"{page.url} asks for {target}"


def test_no_page_names_a_host_outside_the_reserved_names() -> None:
    named = re.compile(r"(?i)\bhttps?://([^\s/\"'<>)\\\]?#]+)")
    for page in ALL:
        if page.url not in MISBEHAVING and not page.body.startswith((b"%PDF", b"\x89PNG")):
            for host in named.findall(text(page)):
                assert host.endswith(".example") or host in NAMESPACES, f"{page.url} names {host}"


@pytest.mark.parametrize(
    ("key", "label", "phrase"),
    [
        ("shift-jis", "shift_jis", "①②③の番号は、倉庫の棚の番号を示します。"),
        ("windows-1251", "windows-1251", "Ёлки, бочки и щенки — по особому тарифу № 7."),
        ("windows-1256", "windows-1256", "سعر القهوة: نصف درهم."),
        ("big5", "big5", "要半斤月亮"),
        ("meta-charset", "gb2312", "例如“镕”和“喆”"),
    ],
)
def test_a_legacy_page_decodes_by_its_label_to_the_text_that_was_written(key: str, label: str, phrase: str) -> None:
    page = BY_URL[SPECIMENS[key]]
    with pytest.raises(UnicodeDecodeError):
        page.body.decode()
    assert label in (page.content_type or "").lower() or label.encode() in page.body.lower()
    # What browsers mean by these two labels (WHATWG Encoding, 4.2) is more than Python's codecs of the same names know.
    decoded = page.body.decode({"shift_jis": "cp932", "gb2312": "gb18030"}.get(label, label))
    assert phrase in decoded
    file = next(entry.file for entry in manifest().page if entry.url == page.url)
    assert file is not None
    assert decoded == read_file(file).decode()


def test_the_charset_of_one_page_is_said_nowhere_but_in_the_page_and_of_another_nowhere() -> None:
    assert BY_URL[SPECIMENS["meta-charset"]].content_type == "text/html"
    unlabelled = BY_URL[SPECIMENS["no-charset"]]
    assert unlabelled.content_type == "text/html"
    assert b"charset=" not in unlabelled.body
    assert "Łódź" in unlabelled.body.decode()
    assert BY_URL[SPECIMENS["utf-16-bom"]].body.startswith((b"\xff\xfe", b"\xfe\xff"))


def test_the_long_page_has_300_kb_of_text_that_does_not_repeat() -> None:
    page = BY_URL[SPECIMENS["long"]]
    assert len(page.body) >= 300 * 1024
    tree = LexborHTMLParser(text(page))
    paragraphs = [node.text() for node in tree.css("main p")]
    assert sum(map(len, paragraphs)) > 250_000
    assert len(set(paragraphs)) == len(paragraphs)
    assert len(tree.css("main h3")) == 365
    assert not [paragraph for paragraph in paragraphs if "{" in paragraph]


def test_the_long_page_is_the_same_in_every_process() -> None:
    program = (
        "import hashlib; from webcards.library.logbook import logbook_html;"
        "print(hashlib.sha256(logbook_html().encode()).hexdigest())"
    )
    sums = {
        subprocess.run(
            [sys.executable, "-c", program],
            check=True,
            capture_output=True,
            text=True,
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(sums) == 1


def test_importing_the_catalogue_opens_none_of_its_pages() -> None:
    program = (
        "import sys; opened = []\n"
        "sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == 'open' else None)\n"
        "import webcards.library.site, webcards.library.tour\n"
        "assert not [name for name in opened if '/library/pages/' in name], opened\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT, env={"PYTHONPATH": str(ROOT)})


def test_tides_turn_from_high_to_low_and_back_about_every_six_hours() -> None:
    found: list[Turn] = []
    for number in range(60):
        found += turns(date(2026, 10, 1) + timedelta(days=number))
    for before, after in pairwise(found):
        assert before.kind != after.kind
        assert timedelta(hours=5, minutes=30) < after.at - before.at < timedelta(hours=7)
    for turn in found:
        around = [height(turn.at + timedelta(minutes=m)) for m in (-30, 30)]
        assert turn.height > max(around) if turn.kind == "HW" else turn.height < min(around)


def test_the_tide_table_says_the_same_as_html_csv_json_and_pdf() -> None:
    rows = list(csv.DictReader(io.StringIO(text(BY_URL[SPECIMENS["csv"]]))))
    assert len({row["date"] for row in rows}) == 31
    cells = [cell.text() for cell in LexborHTMLParser(text(BY_URL[SPECIMENS["table"]])).css("table.tides td")]
    pdf = "".join(sheet.extract_text() for sheet in pypdf.PdfReader(io.BytesIO(BY_URL[SPECIMENS["pdf"]].body)).pages)
    for row in rows:
        assert row["time_utc"] in cells
        assert f"{row['kind']} {row['time_utc']} {row['height_m']} m" in pdf
    first_day = json.loads(text(BY_URL[SPECIMENS["json"]]))["turns"]
    for turn, row in zip(first_day, rows[:4], strict=True):
        assert (turn["kind"], turn["time"][11:16]) == (row["kind"], row["time_utc"])
        assert round(turn["height"], 1) == float(row["height_m"])


def test_the_pdf_has_pages_a_title_and_an_author() -> None:
    reader = pypdf.PdfReader(io.BytesIO(BY_URL[SPECIMENS["pdf"]].body), strict=True)
    assert len(reader.pages) == 2
    assert reader.metadata is not None
    assert reader.metadata.title == "Tide tables for December 2026"
    assert reader.metadata.author == "Kittiwick Harbour Office"


def test_the_image_is_an_image() -> None:
    with PIL.Image.open(io.BytesIO(BY_URL[SPECIMENS["image"]].body)) as image:
        image.load()
        assert (image.format, image.size) == ("PNG", (96, 64))


def test_feeds_and_xml_are_well_formed_and_lead_to_pages_that_exist() -> None:
    rss = ET.fromstring(text(BY_URL[SPECIMENS["rss"]]))
    atom = ET.fromstring(text(BY_URL[SPECIMENS["atom"]]))
    ET.fromstring(text(BY_URL[SPECIMENS["xml"]]))
    ET.fromstring(text(BY_URL[SPECIMENS["xhtml"]]))
    targets = [item.findtext("link") or "" for item in rss.iter("item")]
    targets += [link.attrib["href"] for link in atom.iter("{http://www.w3.org/2005/Atom}link")]
    assert len(targets) >= 10
    assert all(map(exists, targets))


def test_json_ld_on_the_pages_is_json() -> None:
    blocks = [
        node.text()
        for page in ALL
        if is_html(page)
        for node in LexborHTMLParser(text(page)).css('script[type="application/ld+json"]')
    ]
    assert len(blocks) > 25
    assert all(json.loads(block)["@context"] == "https://schema.org" for block in blocks)


def test_the_hostile_page_has_the_tricks_that_it_is_there_for() -> None:
    page = BY_URL[SPECIMENS["hostile"]]
    for trick in (
        "javascript:",
        "JaVaScRiPt:",
        "data:text/html",
        "vbscript:",
        "&#x202E;",
        ":red[",
        ":material/home:",
        "Ignore all previous instructions",
        "Sources:",
        "display:none",
        "169.254.169.254",
        "onerror=",
    ):
        assert trick in text(page)
    assert "<img" in page.title
    assert "\u202e" in page.title


def test_specimens_stand_at_known_addresses_and_only_one_is_missing_on_purpose() -> None:
    assert {key for key, url in SPECIMENS.items() if not exists(url)} == {"not-found"}
    assert all(urlsplit(url).netloc in LIBRARY_HOSTS for url in SPECIMENS.values())


def test_the_tour_is_ten_calls_that_the_demo_web_can_answer() -> None:
    assert len(TOUR) == 10
    fetched = [str(step.args["url"]) for step in TOUR if step.tool == "web_fetch"]
    assert {url for url in fetched if url not in SPECIMENS.values()} == {"http://169.254.169.254/"}
    for step in TOUR:
        assert set(step.args) <= ({"url"} if step.tool == "web_fetch" else {"query", "queries"})
        assert step.text.endswith(".")
