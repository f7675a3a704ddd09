"""A team's own documents: what of a folder, a web archive or a sitemap becomes searchable, and fetchable at its address."""

import gzip
import io
import os
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from pytest_httpserver import HTTPServer
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from tests.library.readers import stumbling
from webcards.fetch.page import read_page
from webcards.library.index import Index
from webcards.library.indexing import FetchedBody, IndexReport, Progress, index_paths
from webcards.library.reading import read_all
from webcards.library.sources import Body, Failure
from webcards.library.stored import LibraryHosts, StoredSite, StoredTransport

HTML = b"<!doctype html><html lang=en><title>Mooring rules</title><body><main><h1>Mooring rules</h1><p>Boats moor at the quay, and %s pay their dues to the harbour master before they leave for the open sea.</p></main>"


def page(word: str) -> bytes:
    return HTML % word.encode()


def pdf(text: str) -> bytes:
    """A PDF of one page, with the cross-reference table that readers want."""
    stream = f"BT /F1 24 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    body, places = b"%PDF-1.4\n", []
    for number, entry in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, entry)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return body + b"xref\n0 6\n0000000000 65535 f \n%strailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        table,
        len(body),
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "Team Docs"
    (root / "guide").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "index.html").write_bytes(page("skippers"))
    (root / "guide" / "tides & times.md").write_text(
        "---\ntitle: Tide tables\n---\n# Tides\n\nHigh water is at *noon*, see [the almanac](http://a.example/almanac).\n"
    )
    (root / "guide" / "notes.txt").write_text("Windlass maintenance is due in May.")
    (root / "guide" / "chart.pdf").write_bytes(pdf("Lighthouse bearings"))
    (root / "guide" / "photo.png").write_bytes(b"\x89PNG\r\n")
    (root / ".git" / "config.txt").write_text("secretword")
    (root / ".hidden.txt").write_text("secretword")
    return root


def run(out: Path, *paths: object, **rest: object) -> IndexReport:
    return index_paths([str(path) for path in paths], out, read_page, **rest)  # type: ignore[arg-type]


def urls(out: Path, query: str) -> list[str]:
    with Index.open(out) as index:
        return [hit.url for hit in index.search(query)]


def test_html_markdown_text_and_pdf_of_a_folder_are_found_at_a_reserved_host(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "index.sqlite"
    report = run(out, folder)
    assert (report.path, report.pages, report.failures, report.skipped) == (out, 4, (), 1)
    site = "https://team-docs.library.example/"
    assert urls(out, "skippers") == [site + "index.html"]
    assert urls(out, "high water") == [site + "guide/tides%20%26%20times.md"]
    assert urls(out, "windlass") == [site + "guide/notes.txt"]
    assert urls(out, "lighthouse bearing") == [site + "guide/chart.pdf"]
    assert urls(out, "secretword") == []


def test_a_page_has_the_title_it_gives_itself_else_its_first_heading_else_its_file_name(
    folder: Path, tmp_path: Path
) -> None:
    (folder / "plain.md").write_text("Setext heading\n==============\n\nSetext text.")
    run(tmp_path / "index.sqlite", folder)
    with Index.open(tmp_path / "index.sqlite") as index:
        titles = {
            hit.url.rpartition("/")[2]: hit.title
            for query in ("noon", "skippers", "windlass", "setext")
            for hit in index.search(query)
        }
    assert titles == {
        "tides%20%26%20times.md": "Tide tables",
        "index.html": "Mooring rules",
        "notes.txt": "notes.txt",
        "plain.md": "Setext heading",
    }


def test_a_markdown_file_is_quoted_without_its_marks(folder: Path, tmp_path: Path) -> None:
    run(tmp_path / "index.sqlite", folder)
    with Index.open(tmp_path / "index.sqlite") as index:
        assert index.search("noon")[0].snippet == "Tides High water is at noon, see the almanac."


def test_pages_may_stand_at_their_address_on_the_web(folder: Path, tmp_path: Path) -> None:
    run(tmp_path / "index.sqlite", folder, base_url="https://docs.example/v2")
    assert urls(tmp_path / "index.sqlite", "windlass site:docs.example/v2/guide") == [
        "https://docs.example/v2/guide/notes.txt"
    ]


@pytest.mark.parametrize("base", ["docs.example", "ftp://docs.example/", "https://", "javascript:alert(1)"])
def test_a_base_that_is_no_address_is_refused(folder: Path, tmp_path: Path, base: str) -> None:
    with pytest.raises(ValueError, match="cannot be the base"):
        run(tmp_path / "index.sqlite", folder, base_url=base)


def test_two_folders_of_one_name_have_two_hosts_and_a_single_file_is_indexed_too(tmp_path: Path) -> None:
    for at, word in (("a", "windlass"), ("b", "capstan")):
        (tmp_path / at / "docs").mkdir(parents=True)
        (tmp_path / at / "docs" / "x.txt").write_text(word)
    (tmp_path / "single.txt").write_text("bollard")
    out = tmp_path / "index.sqlite"
    assert run(out, tmp_path / "a" / "docs", tmp_path / "b" / "docs", tmp_path / "single.txt").pages == 3
    assert urls(out, "windlass") == ["https://docs.library.example/x.txt"]
    assert urls(out, "capstan") == ["https://docs-2.library.example/x.txt"]
    assert urls(out, "bollard")[0].endswith(".library.example/single.txt")


def test_a_link_out_of_the_folder_is_not_followed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("secretword")
    (folder / "link.txt").symlink_to(tmp_path / "outside.txt")
    (folder / "way").symlink_to(tmp_path, target_is_directory=True)
    (folder / "alias.txt").symlink_to(folder / "guide" / "notes.txt")
    out = tmp_path / "index.sqlite"
    assert run(out, folder).pages == 5
    assert urls(out, "secretword") == []


def test_what_pages_are_made_from_is_not_indexed_beside_them(folder: Path, tmp_path: Path) -> None:
    (folder / "_sources").mkdir()
    (folder / "_sources" / "index.rst.txt").write_text("Boats moor at the quay.")
    assert run(tmp_path / "index.sqlite", folder).pages == 4


def test_one_bad_file_costs_only_itself_and_is_named(folder: Path, tmp_path: Path) -> None:
    (folder / "a-raises.html").write_bytes(page("please raise"))
    (folder / "b-dies.html").write_bytes(page("please die"))
    (folder / "c-broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    (folder / "d-empty.html").write_bytes(b"<html><body><script>draw()</script></body></html>")
    report = index_paths([str(folder)], tmp_path / "index.sqlite", stumbling)
    assert report.pages == 4
    reasons = {Path(failure.where).name: failure.reason for failure in report.failures}
    assert set(reasons) == {"a-raises.html", "b-dies.html", "c-broken.pdf", "d-empty.html"}
    assert reasons["a-raises.html"] == "It cannot be read: the reader gave up"
    assert "ended before it was read" in reasons["b-dies.html"]
    assert all(reason and "Traceback" not in reason for reason in reasons.values())


def test_a_document_that_never_ends_being_read_is_given_up() -> None:
    words = (b"first", b"please hang", b"third")
    bodies = [Body(f"{at}", f"https://a.example/{at}", "text/plain", word) for at, word in enumerate(words)]
    results = [source for source, _ in read_all(bodies, stumbling, seconds=4)]
    assert [source.where for source in results] == ["0", "1", "2"]
    assert [type(source) for source in results] == [Body, Failure, Body]


def test_a_reader_that_other_processes_cannot_have_reads_in_this_one(folder: Path, tmp_path: Path) -> None:
    seen: list[str] = []

    def reader(body: bytes, *, url: str, content_type: str | None = None) -> object:
        seen.append(url)
        return read_page(body, url=url, content_type=content_type)

    report = index_paths([str(folder)], tmp_path / "index.sqlite", reader)  # type: ignore[arg-type]
    assert (report.pages, len(seen)) == (4, 4)


def test_progress_counts_to_the_end(folder: Path, tmp_path: Path) -> None:
    steps: list[Progress] = []
    run(tmp_path / "index.sqlite", folder, progress=steps.append)
    assert [(step.done, step.total) for step in steps] == [(number, 5) for number in range(1, 6)]
    assert str(folder / "guide" / "notes.txt") in {step.where for step in steps}


@pytest.mark.parametrize("named", ["no-such-folder", "https://a.example/sitemap.xml"])
def test_what_cannot_be_indexed_at_all_is_refused_before_anything_is_read(
    folder: Path, tmp_path: Path, named: str
) -> None:
    with pytest.raises(ValueError, match=named):
        run(tmp_path / "index.sqlite", folder, named)
    assert not (tmp_path / "index.sqlite").exists()


def test_a_run_that_is_interrupted_leaves_the_old_index_and_nothing_else(folder: Path, tmp_path: Path) -> None:
    def interrupt(_: Progress) -> None:
        raise KeyboardInterrupt

    made = tmp_path / "made"
    made.mkdir()
    run(made / "index.sqlite", folder)
    with pytest.raises(KeyboardInterrupt):
        run(made / "index.sqlite", folder, progress=interrupt)
    assert [file.name for file in made.iterdir()] == ["index.sqlite"]
    assert urls(made / "index.sqlite", "windlass") != []


def archive(*answers: tuple[str, str, dict[str, str], bytes]) -> bytes:
    """A WARC of these answers: URL, status line, headers, body as sent."""
    stream = io.BytesIO()
    writer = WARCWriter(stream, gzip=True)
    for url, status, headers, body in answers:
        http = StatusAndHeaders(status, list(headers.items()), protocol="HTTP/1.1")
        writer.write_record(writer.create_warc_record(url, "response", payload=io.BytesIO(body), http_headers=http))
    return stream.getvalue()


HTML_TYPE = {"Content-Type": "text/html; charset=utf-8"}


def test_the_good_pages_of_a_web_archive_are_found_and_answered_for(tmp_path: Path) -> None:
    (tmp_path / "crawl.warc.gz").write_bytes(
        archive(
            ("https://old.example/plain", "200 OK", HTML_TYPE, page("skippers")),
            (
                "https://old.example/zipped",
                "200 OK",
                HTML_TYPE | {"Content-Encoding": "gzip"},
                gzip.compress(page("sailors")),
            ),
            (
                "https://old.example/chunked",
                "200 OK",
                HTML_TYPE | {"Transfer-Encoding": "chunked"},
                b"%x\r\n%s\r\n0\r\n\r\n" % (len(page("pilots")), page("pilots")),
            ),
            ("https://old.example/gone", "404 Not Found", HTML_TYPE, page("ghosts")),
            ("https://old.example/photo", "200 OK", {"Content-Type": "image/png"}, b"\x89PNG"),
            ("https://old.example/plain", "200 OK", HTML_TYPE, page("stowaways")),
            ("https://old.example/odd", "200 OK", HTML_TYPE | {"Content-Encoding": "br"}, b"not brotli at all"),
        )
    )
    out = tmp_path / "index.sqlite"
    report = run(out, tmp_path / "crawl.warc.gz")
    assert (report.pages, report.skipped) == (3, 1)
    assert [failure.where for failure in report.failures] == ["https://old.example/odd"]
    assert urls(out, "sailors") == ["https://old.example/zipped"]
    assert urls(out, "pilots") == ["https://old.example/chunked"]
    assert urls(out, "stowaways") == ["https://old.example/plain"]
    assert urls(out, "ghosts") == []
    with StoredSite(out) as site:
        assert site.lookup("https://old.example/zipped#top") == ("text/html; charset=utf-8", page("sailors"))
        assert site.lookup("https://old.example/plain") == ("text/html; charset=utf-8", page("stowaways"))
        assert site.lookup("https://old.example/gone") is None


def test_a_body_that_unpacks_without_end_costs_only_itself(tmp_path: Path) -> None:
    bomb = gzip.compress(b"\0" * (80 << 20))
    (tmp_path / "crawl.warc.gz").write_bytes(
        archive(
            ("https://old.example/bomb", "200 OK", HTML_TYPE | {"Content-Encoding": "gzip"}, bomb),
            ("https://old.example/plain", "200 OK", HTML_TYPE, page("skippers")),
        )
    )
    report = run(tmp_path / "index.sqlite", tmp_path / "crawl.warc.gz")
    assert report.pages == 1
    assert [(failure.where, failure.reason) for failure in report.failures] == [
        ("https://old.example/bomb", "It is larger than 64 MB.")
    ]


def test_a_damaged_archive_gives_what_comes_before_the_damage(tmp_path: Path) -> None:
    whole = archive(*((f"https://old.example/{at}", "200 OK", HTML_TYPE, page(f"skipper{at}")) for at in range(6)))
    (tmp_path / "crawl.warc.gz").write_bytes(whole[: len(whole) // 2] + os.urandom(200))
    report = run(tmp_path / "index.sqlite", tmp_path / "crawl.warc.gz")
    assert 1 <= report.pages <= 3
    assert urls(tmp_path / "index.sqlite", "skipper0") == ["https://old.example/0"]


async def over_http(url: str) -> FetchedBody:
    """A plain fetch, in the place of the guarded one."""
    async with httpx.AsyncClient(trust_env=False, follow_redirects=True) as client:
        answer = await client.get(url)
    if answer.status_code != 200:
        raise ValueError(f"the server answered {answer.status_code}.")
    return FetchedBody(str(answer.url), answer.headers.get("content-type"), answer.content)


def sitemap(kind: str, entry: str, *addresses: str) -> str:
    entries = "".join(f"<{entry}><loc> {address} </loc></{entry}>" for address in addresses)
    return f'<?xml version="1.0"?><{kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</{kind}>'


def test_the_pages_of_a_sitemap_and_of_those_it_names_are_fetched(httpserver: HTTPServer, tmp_path: Path) -> None:
    at: Callable[[str], str] = httpserver.url_for
    packed = gzip.compress(sitemap("urlset", "url", at("/c"), at("/a")).encode())
    httpserver.expect_request("/sitemap.xml").respond_with_data(
        sitemap("sitemapindex", "sitemap", at("/one.xml"), at("/two.xml.gz"), at("/none.xml"), at("/sitemap.xml"))
    )
    httpserver.expect_request("/one.xml").respond_with_data(
        sitemap("urlset", "url", at("/a"), at("/missing"), at("/moved"), "file:///etc/passwd")
    )
    httpserver.expect_request("/two.xml.gz").respond_with_data(packed, content_type="application/gzip")
    httpserver.expect_request("/moved").respond_with_data("", status=302, headers={"Location": at("/b")})
    for name, word in (("/a", "skippers"), ("/b", "sailors"), ("/c", "pilots")):
        httpserver.expect_request(name).respond_with_data(page(word), content_type="text/html")
    out = tmp_path / "index.sqlite"
    report = run(out, at("/sitemap.xml"), fetch=over_http)
    assert report.pages == 3
    assert sorted(failure.where for failure in report.failures) == [at("/missing"), at("/none.xml")]
    assert (urls(out, "skippers"), urls(out, "sailors"), urls(out, "pilots")) == ([at("/a")], [at("/b")], [at("/c")])
    with StoredSite(out) as site:
        assert (site.hosts, site.lookup(at("/a"))) == (frozenset(), None)


def test_a_sitemap_file_may_be_xml_or_a_list_of_addresses(httpserver: HTTPServer, tmp_path: Path) -> None:
    httpserver.expect_request("/a").respond_with_data(page("skippers"), content_type="text/html")
    (tmp_path / "list.xml").write_text(f"{httpserver.url_for('/a')}\nnot an address\n")
    assert run(tmp_path / "index.sqlite", tmp_path / "list.xml", fetch=over_http).pages == 1


def test_a_sitemap_that_expands_entities_without_end_is_only_reported(tmp_path: Path) -> None:
    levels = "".join(f'<!ENTITY e{at} "{f"&e{at - 1};" * 10}">' for at in range(1, 12))
    (tmp_path / "laughs.xml").write_text(
        f'<?xml version="1.0"?><!DOCTYPE u [<!ENTITY e0 "http://a.example/">{levels}]><urlset><url><loc>&e11;</loc></url></urlset>'
    )
    report = run(tmp_path / "index.sqlite", tmp_path / "laughs.xml", fetch=over_http)
    assert report.pages == 0


async def test_what_is_found_can_be_fetched_byte_for_byte(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "index.sqlite"
    run(out, folder)
    transport = StoredTransport(StoredSite(out))
    async with httpx.AsyncClient(transport=transport) as client:
        answer = await client.get(urls(out, "bearings")[0])
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/pdf")
        assert answer.content == (folder / "guide" / "chart.pdf").read_bytes()
        assert (await client.get(urls(out, "noon")[0])).headers["content-type"] == "text/markdown"
        assert (await client.get("https://TEAM-DOCS.library.example")).content == page("skippers")
        head = await client.head("https://team-docs.library.example/index.html")
        assert (head.status_code, head.content, head.headers["content-length"]) == (
            200,
            b"",
            str(len(page("skippers"))),
        )
        assert (await client.get("https://team-docs.library.example/../../etc/passwd")).status_code == 404
        assert (await client.post("https://team-docs.library.example/index.html")).status_code == 405
        with pytest.raises(httpx.ConnectError):
            await client.get("https://elsewhere.example/")


async def test_an_index_that_is_built_anew_is_fetched_from_without_a_restart(tmp_path: Path) -> None:
    out = tmp_path / "index.sqlite"
    for name, word in (("first", "skippers"), ("second", "sailors")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.html").write_bytes(page(word))
    run(out, tmp_path / "first")
    site = StoredSite(out)
    hosts = LibraryHosts(frozenset({"demo.example"}), site)
    assert ("first.library.example" in hosts, "second.library.example" in hosts) == (True, False)
    run(out, tmp_path / "second")
    async with httpx.AsyncClient(transport=StoredTransport(site)) as client:
        assert (await client.get("https://second.library.example/")).content == page("sailors")
        with pytest.raises(httpx.ConnectError):
            await client.get("https://first.library.example/")
        assert [host in hosts for host in ("first.library.example", "second.library.example", "demo.example")] == [
            False,
            True,
            True,
        ]
        (tmp_path / "nonsense").write_bytes(b"no index")
        (tmp_path / "nonsense").replace(out)
        assert (await client.get("https://second.library.example/")).content == page("sailors"), (
            "the last good one stays"
        )


async def test_other_hosts_are_left_to_the_next_transport(folder: Path, tmp_path: Path) -> None:
    run(tmp_path / "index.sqlite", folder)
    beyond = httpx.MockTransport(lambda request: httpx.Response(200, text=f"beyond: {request.url.host}"))
    async with httpx.AsyncClient(transport=StoredTransport(StoredSite(tmp_path / "index.sqlite"), beyond)) as client:
        assert (await client.get("https://elsewhere.example/")).text == "beyond: elsewhere.example"
        assert (await client.get("https://team-docs.library.example/")).content == page("skippers")
