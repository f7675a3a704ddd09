"""The library as an engine: the demo web, kept in the user's cache, and pages of one's own beside it."""

import os
from pathlib import Path

import pytest

from webcards.contract import WebError
from webcards.library.index import Document, Index
from webcards.search import library as library_module
from webcards.search.library import Library, cache_folder, demo_index
from webcards.search.provider import SearchRequest
from webcards.settings import read_settings


@pytest.fixture(autouse=True)
def afresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each test builds the demo index anew, in a cache folder of its own."""
    monkeypatch.setattr(library_module, "_demo", [])
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


async def test_the_demo_web_is_found_with_title_snippet_and_a_date_where_the_page_has_one() -> None:
    result = await Library(read_settings()).search(SearchRequest(query="quay dues"))
    assert result.sources
    assert all(source.url.startswith(("https://", "http://")) and ".example" in source.url for source in result.sources)
    assert all(isinstance(source.title, str) and isinstance(source.snippet, str) for source in result.sources)
    assert any("dues" in f"{source.title} {source.snippet}".lower() for source in result.sources)


async def test_nothing_found_is_an_empty_list() -> None:
    assert (await Library(read_settings()).search(SearchRequest(query="xylophonequark"))).sources == []


async def test_a_site_limits_what_is_found() -> None:
    everywhere = await Library(read_settings()).search(SearchRequest(query="harbour", max_results=50))
    hosts = {source.url.split("/")[2] for source in everywhere.sources}
    assert len(hosts) > 1
    host = min(hosts)
    there = await Library(read_settings()).search(SearchRequest(query="harbour", site=host))
    assert there.sources
    assert {source.url.split("/")[2] for source in there.sources} == {host}


async def test_what_the_library_lacks_is_refused() -> None:
    with pytest.raises(WebError, match=r"the built-in library has no time_range\. It has max_results, site\."):
        await Library(read_settings()).search(SearchRequest(query="harbour", time_range="w"))


def test_the_index_of_the_demo_web_is_built_once_and_then_read_from_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    first = demo_index()
    assert [path.suffix for path in cache_folder().iterdir()] == [".sqlite"]
    assert demo_index() is first

    def never(*args: object) -> None:
        raise AssertionError("built again")

    monkeypatch.setattr(library_module, "_demo", [])
    monkeypatch.setattr(Index, "build", never)
    assert demo_index().count == first.count


def test_a_damaged_index_in_the_cache_is_built_anew() -> None:
    count = demo_index().count
    (path,) = cache_folder().iterdir()
    path.write_bytes(b"SQLite format 3\0 and then nonsense")
    library_module._demo.clear()
    assert demo_index().count == count


def test_where_the_cache_cannot_be_written_the_index_is_kept_in_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("not a folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(in_the_way))
    assert demo_index().count > 0


async def test_pages_of_ones_own_come_before_the_demo_web(tmp_path: Path) -> None:
    path = tmp_path / "own.sqlite"
    Index.build([Document("https://intranet.example/quay", "Our <quay> & dues", "What our quay dues are.")], path)
    provider = Library(read_settings(library=str(path)))
    assert provider.available() is None
    result = await provider.search(SearchRequest(query="quay dues"))
    assert (result.sources[0].url, result.sources[0].title) == ("https://intranet.example/quay", "Our <quay> & dues")
    assert len(result.sources) > 1


async def test_an_index_that_is_built_anew_is_searched_without_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "own.sqlite"
    provider = Library(read_settings(library=str(path)))
    for where in ("first", "second", "third"):
        # Of one size and made within one tick of a coarse clock: the file is another all the same.
        Index.build(
            [Document(f"https://intranet.example/{where}", "Quay dues", "What our quay dues are.")], path
        ).close()
        os.utime(path, ns=(1, 1))
        result = await provider.search(SearchRequest(query="quay dues", site="intranet.example"))
        assert [source.url for source in result.sources] == [f"https://intranet.example/{where}"]


async def test_an_unchanged_index_is_opened_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "own.sqlite"
    Index.build([Document("https://intranet.example/quay", "Quay dues", "What our quay dues are.")], path).close()
    provider = Library(read_settings(library=str(path)))
    first = await provider.search(SearchRequest(query="quay dues"))

    def never(*args: object) -> None:
        raise AssertionError("opened again")

    monkeypatch.setattr(Index, "open", never)
    assert await provider.search(SearchRequest(query="quay dues")) == first


async def test_an_index_that_is_not_there_or_is_none_is_told_in_words(tmp_path: Path) -> None:
    missing = Library(read_settings(library=str(tmp_path / "missing.sqlite")))
    assert "WEBCARDS_LIBRARY names" in (missing.available() or "")
    nonsense = tmp_path / "nonsense.sqlite"
    nonsense.write_text("no database")
    with pytest.raises(WebError) as caught:
        await Library(read_settings(library=str(nonsense))).search(SearchRequest(query="quay"))
    assert caught.value.code == "WEB_PROVIDER_ERROR"


async def test_as_many_pages_are_found_as_were_asked_for_and_a_list_that_was_cut_says_so() -> None:
    everything = await Library(read_settings()).search(SearchRequest(query="harbour", max_results=100))
    there = len(everything.sources)
    assert 8 < there < 100
    assert not everything.truncated
    for wanted in (1, 8, there - 1, there):
        result = await Library(read_settings()).search(SearchRequest(query="harbour", max_results=wanted))
        assert len(result.sources) == wanted
        assert result.truncated is (wanted < there)
