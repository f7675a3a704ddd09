"""Pages are read in processes that can be killed: nothing holds up the event loop, nothing takes all the memory."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.fetch.pathological import BROKEN_BYTES, PAGES, WORDLESS, WORDS
from tests.fetch.reading import PROSE, article
from tests.shared import ROOT
from webcards.contract.errors import WebError
from webcards.fetch import worker_link
from webcards.fetch.page import read_page
from webcards.fetch.worker import PageReader, _Turns

URL = "http://pages.example/page"
HTML = "text/html; charset=utf-8"
# For what only has to end in its memory: on a busy machine a page may take longer than a person would wait.
PATIENCE = 120.0


@pytest.fixture(scope="module")
def reader() -> Iterator[PageReader]:
    """One reader for all tests that leave it whole: starting a process takes longer than reading a page."""
    reader = PageReader(workers=1, seconds=PATIENCE)
    yield reader
    asyncio.run(reader.aclose())


def _wait_for(happened: Callable[[], bool]) -> None:
    while not happened():
        time.sleep(0.001)


async def _ticks(done: asyncio.Event) -> int:
    count = 0
    while not done.is_set():
        await asyncio.sleep(0)
        count += 1
    return count


async def test_a_page_comes_out_as_it_does_without_a_worker(reader: PageReader) -> None:
    body = article("<h2>Dues</h2><p>Twelve crowns.</p>").encode()
    assert await reader.read(body, url=URL, content_type=HTML) == read_page(body, url=URL, content_type=HTML)


async def test_the_source_comes_out_raw_and_cut_as_asked(reader: PageReader) -> None:
    page = await reader.read(b"<p>x", url=URL, content_type=HTML, raw=True, source_truncated=True)
    assert (page.markdown, page.cut) == ("```html\n<p>x\n```", True)


async def test_a_refusal_crosses_the_processes(reader: PageReader) -> None:
    with pytest.raises(WebError) as refusal:
        await reader.read(b"\x89PNG\r\n\x1a\n", url=URL, content_type="image/png")
    assert refusal.value.code == "WEB_UNSUPPORTED_CONTENT_TYPE"
    assert "image/png" in refusal.value.message


@pytest.mark.parametrize("name", PAGES)
async def test_a_page_that_brings_readers_down_is_read_in_its_memory(reader: PageReader, name: str) -> None:
    page = await reader.read(PAGES[name].encode("utf-8", "surrogatepass"), url=URL, content_type=HTML)
    assert "bare text" not in (page.note or ""), "the worker was killed"
    assert name in WORDLESS or WORDS in page.text
    (page.markdown + page.text).encode()


async def test_bytes_that_are_no_text_in_any_charset_are_read(reader: PageReader) -> None:
    assert WORDS in (await reader.read(BROKEN_BYTES, url=URL, content_type=HTML)).text


async def test_the_event_loop_goes_on_while_a_page_is_read(reader: PageReader) -> None:
    done = asyncio.Event()
    ticking = asyncio.create_task(_ticks(done))
    await reader.read(PAGES["100,000 links"].encode(), url=URL, content_type=HTML)
    done.set()
    assert await ticking > 1_000


async def test_a_page_that_takes_too_long_is_read_the_bare_way() -> None:
    reader = PageReader(workers=1, seconds=0.05)
    try:
        page = await reader.read(PAGES["100,000 links"].encode(), url=URL, content_type=HTML)
        assert "bare text" in (page.note or "")
        assert WORDS in page.markdown
        assert "link 99999" in page.markdown
    finally:
        await reader.aclose()


async def test_a_page_that_takes_too_much_memory_is_read_the_bare_way() -> None:
    reader = PageReader(workers=1, seconds=PATIENCE, memory_bytes=100 * 1024 * 1024)
    try:
        page = await reader.read(PAGES["200,000 line breaks"].encode() * 8, url=URL, content_type=HTML)
        assert "bare text" in (page.note or "")
        assert WORDS in page.markdown
    finally:
        await reader.aclose()


async def test_a_deadline_that_has_passed_is_answered_the_bare_way(reader: PageReader) -> None:
    page = await reader.read(
        article("").encode(), url=URL, content_type=HTML, deadline=asyncio.get_running_loop().time()
    )
    assert "The harbour office keeps" in page.text
    assert "bare text" in (page.note or "")


async def test_a_worker_that_was_killed_is_replaced() -> None:
    reader = PageReader(workers=1, seconds=PATIENCE)
    try:
        await reader.read(b"<p>one", url=URL, content_type=HTML)
        (worker,) = reader._idle
        os.kill(worker.pid, signal.SIGKILL)
        worker._process.wait()
        assert (await reader.read(b"<p>two", url=URL, content_type=HTML)).text == "two"
    finally:
        await reader.aclose()


async def test_a_call_that_is_given_up_does_not_keep_its_worker() -> None:
    reader = PageReader(workers=1, seconds=PATIENCE)
    try:
        await reader.read(b"<p>one", url=URL, content_type=HTML)
        call = asyncio.create_task(reader.read(PAGES["100,000 rows"].encode() * 4, url=URL, content_type=HTML))
        await asyncio.to_thread(_wait_for, lambda: bool(reader._busy))
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert (await reader.read(b"<p>two", url=URL, content_type=HTML)).text == "two"
    finally:
        await reader.aclose()


async def test_many_pages_at_once_share_the_workers() -> None:
    reader = PageReader(workers=2, seconds=PATIENCE)
    try:
        bodies = [f"<p>page {number} {PROSE}".encode() for number in range(40)]
        pages = await asyncio.gather(*(reader.read(body, url=URL, content_type=HTML) for body in bodies))
        assert [page.text.splitlines()[0].startswith(f"page {number}") for number, page in enumerate(pages)] == [
            True
        ] * 40
        assert len(reader._idle) <= 2
    finally:
        await reader.aclose()


async def test_a_large_page_crosses_where_the_loop_cannot_wait_on_pipes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_link, "WATCHED", False)
    reader = PageReader(workers=1, seconds=PATIENCE)
    try:
        body = article("<p>Twelve crowns.</p>" * 40_000).encode()
        assert await reader.read(body, url=URL, content_type=HTML) == read_page(body, url=URL, content_type=HTML)
    finally:
        await reader.aclose()


def test_event_loops_of_several_threads_share_the_workers() -> None:
    reader = PageReader(workers=1, seconds=PATIENCE)

    async def pages(loop: int) -> list[str]:
        bodies = [f"<p>page {loop} {number}".encode() for number in range(10)]
        read = await asyncio.gather(*(reader.read(body, url=URL, content_type=HTML) for body in bodies))
        return [page.text for page in read]

    try:
        with ThreadPoolExecutor(4) as threads:
            texts = list(threads.map(lambda loop: asyncio.run(pages(loop)), range(4)))
        assert texts == [[f"page {loop} {number}" for number in range(10)] for loop in range(4)]
        assert len(reader._idle) == 1
    finally:
        asyncio.run(reader.aclose())


async def test_a_turn_that_comes_to_one_who_has_just_left_goes_to_the_next() -> None:
    turns = _Turns(1)
    await turns.take()
    first, second = asyncio.create_task(turns.take()), asyncio.create_task(turns.take())
    await asyncio.sleep(0)
    turns.give_back()
    first.cancel()
    async with asyncio.timeout(PATIENCE):
        await second
    assert first.cancelled()
    turns.give_back()
    async with asyncio.timeout(PATIENCE):
        await turns.take()


async def test_a_turn_is_no_ended_event_loop_s() -> None:
    turns = _Turns(1)
    await turns.take()
    ended = asyncio.new_event_loop()
    ended.set_exception_handler(lambda *_: None)  # it would tell of the task that it leaves behind
    waiting = ended.create_task(turns.take())
    await asyncio.to_thread(ended.run_until_complete, asyncio.wait([waiting], timeout=0.001))
    ended.close()
    turns.give_back()
    async with asyncio.timeout(PATIENCE):
        await turns.take()


async def test_a_closed_reader_says_so_and_leaves_no_process() -> None:
    reader = PageReader(workers=1)
    await reader.read(b"<p>one", url=URL, content_type=HTML)
    (worker,) = reader._idle
    await reader.aclose()
    assert worker._process.poll() is not None
    with pytest.raises(WebError, match="closed"):
        await reader.read(b"<p>two", url=URL, content_type=HTML)


def test_workers_end_with_the_process_that_owns_them() -> None:
    script = (
        "import asyncio\nfrom webcards.fetch.worker import PageReader\n"
        "async def main():\n    reader = PageReader(workers=1)\n    await reader.read(b'<p>x', url='http://a.example/')\n"
        "    (worker,) = reader._idle\n    print(worker.pid)\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    pid = int(done.stdout)
    for _ in range(200):
        if not Path(f"/proc/{pid}").exists():
            return
        time.sleep(0.05)
    pytest.fail(f"worker {pid} outlived its owner")
