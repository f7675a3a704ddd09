"""Saved pages, read as a fetch would read them."""

import gzip
import json
from pathlib import Path

import pytest

from tests.commands.program import shell
from webcards.commands.saved_pages import UnreadableError, read_saved

WORDS = "The harbour office keeps a ledger of every boat that ties up before noon. " * 8
PAGE = f"<html><head><title>Ledger</title></head><body><main><h1>Ledger</h1><p>{WORDS}</p></main>".encode()


def read(file: Path, limit: int = 1_000_000) -> dict[str, object]:
    return read_saved(file, url="", content_type=None, limit=limit)


def test_a_packed_page_is_unpacked_no_further_than_a_fetch_reads(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.html.gz"
    bomb.write_bytes(gzip.compress(PAGE + b"<p>more of it</p>" * 1_000_000))
    read_of_it = read(bomb, limit=20_000)
    assert read_of_it["cut"] is True
    assert read_of_it["title"] == "Ledger"
    assert len(str(read_of_it["text"])) < 20_000


def test_a_page_that_is_not_packed_has_the_same_bound(tmp_path: Path) -> None:
    page = tmp_path / "long.html"
    page.write_bytes(PAGE + b"<p>more of it</p>" * 10_000)
    assert read(page, limit=20_000)["cut"] is True
    assert read(page)["cut"] is False


def test_pages_packed_one_after_the_other_are_one_page(tmp_path: Path) -> None:
    page, packed = tmp_path / "page.html", tmp_path / "two.gz"
    page.write_bytes(PAGE)
    packed.write_bytes(gzip.compress(PAGE[:300]) + gzip.compress(PAGE[300:]))
    assert read(packed)["text"] == read(page)["text"]


def test_a_packed_page_that_breaks_off_is_cut(tmp_path: Path) -> None:
    page = tmp_path / "half.gz"
    page.write_bytes(gzip.compress(PAGE * 50, compresslevel=0)[:20_000])
    assert read(page)["cut"] is True


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"\x1f\x8bbroken", "it begins as gzip does, and is none"),
        (gzip.compress(PAGE, mtime=0)[:12], "it breaks off before anything can be unpacked"),
        (b"PK\x03\x04" + bytes(200), "has no text to read"),
    ],
)
def test_what_cannot_be_read_is_named_by_its_file(body: bytes, words: str, tmp_path: Path) -> None:
    page = tmp_path / "page"
    page.write_bytes(body)
    with pytest.raises(UnreadableError) as caught:
        read(page)
    assert words in str(caught.value)
    assert str(page) in str(caught.value)
    assert "page.example" not in str(caught.value)


def test_the_exit_code_says_that_a_file_could_not_be_read_and_the_others_are_printed(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(PAGE)
    run = shell(f"webcards extract {tmp_path}/absent.html {page} {tmp_path}")
    absent, read_of_it, folder = [json.loads(line) for line in run.stdout.splitlines()]
    assert run.returncode == 1
    assert absent["error"] == {
        "code": "FILE",
        "message": f"{tmp_path}/absent.html cannot be read: No such file or directory.",
    }
    assert read_of_it["title"] == "Ledger"
    assert folder["error"]["message"] == f"{tmp_path} cannot be read: Is a directory."
    assert shell(f"webcards extract {page}").returncode == 0
