"""However a log is packed, encoded or cut off, its calls come out of it, or a message says why not."""

import gzip
import io
import zipfile
from pathlib import Path

import pytest
import zstandard

from tests.logs.made import HEAD, fetch, search
from webcards import logs
from webcards.logs.frames import FrameWatch

LOG = HEAD + search("c1") + fetch("c2")


def _ids(source: bytes | Path) -> list[str | None]:
    return [call.call_id for call in logs.read(source)]


def _problems(source: bytes | Path) -> list[str]:
    return [item.message for item in logs.read_log(source) if isinstance(item, logs.LogProblem)]


def _frames(*parts: bytes) -> bytes:
    return b"".join(zstandard.ZstdCompressor(write_checksum=True).compress(part) for part in parts)


def _zip(**files: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return target.getvalue()


def test_all_frames_of_a_zstd_log_are_read() -> None:
    assert _ids(_frames(HEAD, search("c1"), fetch("c2"))) == ["c1", "c2"]


def test_a_torn_last_frame_costs_only_what_was_in_it_and_is_said() -> None:
    whole = _frames(HEAD, search("c1"))
    torn = _frames(fetch("c2") * 50)
    for kept in (1, 5, 9, len(torn) // 2, len(torn) - 1):
        data = whole + torn[:kept]
        assert _ids(data)[:1] == ["c1"]
        assert any("zstd" in problem for problem in _problems(data)), kept
    assert _problems(whole) == []


@pytest.mark.parametrize("checksum", [True, False])
@pytest.mark.parametrize("sized", [True, False])
def test_the_end_of_a_frame_is_known_whatever_its_header_holds(checksum: bool, sized: bool) -> None:
    compressor = zstandard.ZstdCompressor(write_checksum=checksum, write_content_size=sized)
    skippable = b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc"
    data = compressor.compress(LOG) + skippable + compressor.compress(b"") + compressor.compress(bytes(400_000))
    for size in (1, 7, 4096):
        watch = FrameWatch(io.BytesIO(data))
        while watch.read(size):
            pass
        assert not watch.torn
    for cut in (1, len(data) - 1, len(data) - 3):
        watch = FrameWatch(io.BytesIO(data[:cut]))
        while watch.read(4096):
            pass
        assert watch.torn


def test_damage_inside_a_frame_is_said_and_what_came_before_is_kept() -> None:
    data = bytearray(_frames(HEAD + search("c1")) + _frames(fetch("c2") * 50))
    data[-40] ^= 0xFF
    assert _ids(bytes(data))[:1] == ["c1"]
    assert any("zstd" in problem for problem in _problems(bytes(data)))


def test_gzip_is_read_member_by_member_and_a_cut_is_said() -> None:
    data = gzip.compress(HEAD + search("c1")) + gzip.compress(fetch("c2"))
    assert _ids(data) == ["c1", "c2"]
    assert _problems(data) == []
    assert _ids(data + bytes(512)) == ["c1", "c2"]
    assert _ids(data[:-6])[:1] == ["c1"]
    assert any("gzip" in problem for problem in _problems(data[:-6]))


def test_an_archive_may_hold_several_formats_packed_and_not() -> None:
    tavily = b'{"query": "tides", "results": [{"url": "https://t.example/", "title": "T"}], "response_time": 1}'
    data = _zip(
        **{"a.jsonl": LOG, "b.json": tavily, "c.zst": _frames(HEAD, fetch("c3")), "d.zip": _zip(e=HEAD + search("c4"))}
    )
    calls = list(logs.read(data))
    assert [call.format for call in calls] == ["dsh", "dsh", "tavily", "dsh", "dsh"]
    assert [call.position.member for call in calls] == ["a.jsonl", "a.jsonl", "b.json", "c.zst", "d.zip/e"]


def test_a_broken_archive_is_a_message() -> None:
    assert any("ZIP" in problem for problem in _problems(b"PK\x03\x04" + bytes(50)))
    assert _ids(_zip(a=LOG)[:-30]) == []


def test_an_archive_in_an_archive_ends_somewhere() -> None:
    data = LOG
    for _ in range(8):
        data = gzip.compress(data)
    assert any("packed more than" in problem for problem in _problems(data))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings_of_unicode_are_read(encoding: str) -> None:
    assert _ids(LOG.decode().encode(encoding)) == ["c1", "c2"]


def test_bytes_that_are_not_utf8_are_replaced_and_noted() -> None:
    calls = list(logs.read(LOG.replace(b"Hi", b"H\xe9")))
    assert calls[1].result is not None
    assert calls[1].result.text.endswith("H\ufffd")
    assert any("UTF-8" in note for note in calls[1].notes)


def test_a_bomb_takes_no_memory() -> None:
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    bomb = zstandard.ZstdCompressor(level=3).compress(bytes(400 << 20))
    assert len(bomb) < 100_000
    assert any("MB" in problem for problem in _problems(bomb))
    # The bytes that make the bomb are this test's own: 400 MB; reading it adds little to that.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < (400 + 200) << 10


def test_a_folder_is_read_by_name_without_hidden_files_and_links_that_lead_out(tmp_path: Path) -> None:
    outside = tmp_path / "outside.jsonl"
    outside.write_bytes(HEAD + search("secret"))
    folder = tmp_path / "logs"
    (folder / "deep").mkdir(parents=True)
    (folder / "b.jsonl").write_bytes(HEAD + fetch("c2"))
    (folder / "a.jsonl").write_bytes(HEAD + search("c1"))
    (folder / "deep" / "c.gz").write_bytes(gzip.compress(HEAD + fetch("c3")))
    (folder / ".hidden").write_bytes(HEAD + search("hidden"))
    (folder / "link.jsonl").symlink_to(outside)
    assert _ids(folder) == ["c1", "c2", "c3"]
    assert any("leads out" in problem for problem in _problems(folder))


def test_a_path_that_is_not_there_raises(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(logs.read(tmp_path / "nothing.jsonl"))


def test_an_unknown_format_name_raises_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="claude-code"):
        list(logs.read(b"", format_name="no such"))


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf", b"   ", b"\0\0\0\0\0\0"])
def test_an_empty_log_says_so(data: bytes) -> None:
    assert _problems(data) == ["the log is empty: there is nothing to show"]


@pytest.mark.parametrize(
    "data", [b"hello", b"{", b"[1, 2", b'{"a": 1}', b"123", b'"text"', b"null\n", b"\x89PNG\r\n", b"<html></html>"]
)
def test_what_is_no_log_gives_a_message_with_line_and_column_and_no_call(data: bytes) -> None:
    items = list(logs.read_log(data))
    assert items
    for item in items:
        assert isinstance(item, logs.LogProblem)
        assert item.line >= 1
        assert item.column >= 1
        assert item.message


def test_a_document_that_is_broken_is_told_by_line_and_column() -> None:
    text = '{\n "results": [\n  {"url": "https://a.example/"},\n  oops\n ]\n}'
    problem = next(item for item in logs.read_log(text.encode()) if isinstance(item, logs.LogProblem))
    assert (problem.line, problem.column) == (4, 3)


def test_documents_one_after_another_are_all_read_with_their_lines() -> None:
    body = '{\n "query": "q",\n "results": [{"url": "https://a.example/", "title": "A"}],\n "response_time": 1\n}'
    calls = list(logs.read(f"{body}\n\n{body}{body}".encode()))
    assert [call.position.line for call in calls] == [1, 7, 11]


def test_server_sent_events_are_rows() -> None:
    done = 'data: "id": "w", "status": "completed", "action": {"type": "search", "query": "tides"}}}'
    rows = [
        'event: response.created\ndata: {"type": "response.created", "response": {"id": "r", "status": "in_progress"}}\n',
        f'data: {{"type": "response.output_item.done", "output_index": 0,\ndata: "item": {{"type": "web_search_call",\n{done}\n',
        ": a comment\nid: 7\n",
        "data: [DONE]\n",
    ]
    calls = list(logs.read("\n".join(rows).encode()))
    assert [(call.call_id, call.format, call.args) for call in calls] == [("w", "openai-responses", {"query": "tides"})]


def test_a_list_of_rows_in_one_document_is_read_row_by_row() -> None:
    rows = b"[" + b",\n".join(line for line in LOG.splitlines()) + b"]"
    assert _ids(rows) == ["c1", "c2"]


def test_a_response_inside_an_export_is_found_with_its_path() -> None:
    export = (
        b'{"entries": [{"note": "x"}, {"response": {"body": "{\\"query\\": \\"q\\", \\"response_time\\": 1, '
        b'\\"results\\": [{\\"url\\": \\"https://a.example/\\", \\"title\\": \\"A\\"}]}"}}]}'
    )
    calls = list(logs.read(export))
    assert [(call.format, call.position.path) for call in calls] == [("tavily", "$.entries[1].response.body")]
