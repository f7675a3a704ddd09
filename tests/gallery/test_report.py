"""The report of a manual pass: what was marked, how far it went, and a picture of each failed state."""

import json
import re
from base64 import b64decode
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from components.gallery import pictures
from components.gallery.catalogue import states
from components.gallery.drawing import state_html
from components.gallery.marks import Marks, SessionMarks, StoreMarks, counted, new_mark
from components.gallery.pictures import chromium, take_pictures
from components.gallery.report import Report, make_report, report_json, report_markdown
from webcards import __version__
from webcards.store import Store
from webcards.store.marks import Mark

MADE = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)
PNG = b"\x89PNG\r\n\x1a\n and the rest"


def marked(state: str, mark: str, note: str = "", person: str | None = None) -> Mark:
    return Mark(state, __version__, mark, note, person, 1_764_579_600_000)  # type: ignore[arg-type]


MARKS = {
    "sources-0": marked("sources-0", "pass", person="Ada"),
    "sources-3": marked("sources-3", "fail", "badge | missing\n<b>here</b>", "Ada"),
    "sources-8": marked("sources-8", "skip"),
}


def report(taken: dict[str, bytes] | str = "none were taken") -> Report:
    return make_report(MARKS, made_at=MADE, language="en", pictures=taken)


def test_the_report_counts_every_state_of_the_catalogue() -> None:
    made = report()
    assert made.counts == {"pass": 1, "fail": 1, "skip": 1, "unmarked": len(states()) - 3}
    assert [line.state for line in made.states] == list(states())
    assert made.version == __version__


def test_as_json_it_holds_the_mark_the_note_the_moment_and_the_picture() -> None:
    made = json.loads(report_json(report({"sources-3": PNG})))
    line = next(line for line in made["states"] if line["state"] == "sources-3")
    assert line["mark"] == "fail"
    assert line["note"] == "badge | missing\n<b>here</b>"
    assert line["person"] == "Ada"
    assert line["markedAt"] == "2025-12-01T09:00:00Z"
    assert b64decode(line["picture"]) == PNG
    assert made["madeAt"] == "2026-12-01T09:30:00Z"
    assert [entry["state"] for entry in made["states"] if "picture" in entry] == ["sources-3"]


def test_as_markdown_a_note_is_text_in_one_cell_and_the_picture_is_in_the_file() -> None:
    text = report_markdown(report({"sources-3": PNG}))
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    images = [child for token in tokens for child in token.children or [] if child.type == "image"]
    assert len(images) == 1
    assert not [token for token in tokens if token.type.startswith("html")]
    rows = [line for line in text.splitlines() if line.startswith("| sources-")]
    assert "badge \\| missing" in next(row for row in rows if row.startswith("| sources-3 "))
    assert all(len(re.split(r"(?<!\\)\|", row)) == 7 for row in rows)


def test_without_pictures_it_says_why() -> None:
    assert "none were taken" in report_markdown(report())
    assert report().pictures == "none were taken"


def test_a_failed_state_names_the_checks_that_failed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("components.gallery.report.state_html", lambda state, card_id: BROKEN)
    line = next(line for line in report().states if line.state == "sources-3")
    assert [check for check in line.failed_checks if check.startswith("Links are safe")]


BROKEN = '<article class="wc" aria-label="x" lang="en"><a href="javascript:alert(1)">x</a></article>'


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path / 'marks.db'}") as opened:
        yield opened


@pytest.mark.parametrize("sort", ["store", "session"])
def test_marks_are_kept_replaced_and_taken_back(sort: str, store: Store) -> None:
    kept: Marks = StoreMarks(store) if sort == "store" else SessionMarks({}, "no database")
    kept.put(new_mark("sources-0", "pass", "", ""))
    kept.put(new_mark("sources-0", "fail", " a note ", " Ada "))
    kept.put(new_mark("sources-1", "skip", "", ""))
    found = kept.all()
    assert (found["sources-0"].mark, found["sources-0"].note, found["sources-0"].person) == ("fail", "a note", "Ada")
    assert counted(found) == {"pass": 0, "fail": 1, "skip": 1}
    kept.clear(["sources-0", "never-marked"])
    assert list(kept.all()) == ["sources-1"]


def test_marks_of_another_version_are_not_shown(store: Store) -> None:
    kept = StoreMarks(store)
    kept.put(Mark("sources-0", "0.0.1", "pass", "", None, 1))
    assert kept.all() == {}


def test_where_marks_are_kept_is_said(store: Store) -> None:
    assert "marks.db" in StoreMarks(store).place
    assert "the disk is full" in SessionMarks({}, "the disk is full").place


def test_without_a_browser_there_is_a_reason_in_place_of_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "chromium", lambda: None)
    assert "no Chromium" in take_pictures([("a", BROKEN)])


@pytest.mark.browser
def test_a_picture_is_a_png_of_the_card() -> None:
    if chromium() is None:
        pytest.skip("no Chromium is installed: install Debian's chromium to take pictures of cards")
    taken = take_pictures([(name, state_html(states()[name], card_id="s")) for name in ("sources-3", "huge-answer")])
    assert isinstance(taken, dict)
    assert list(taken) == ["sources-3", "huge-answer"]
    for png in taken.values():
        assert png.startswith(b"\x89PNG\r\n\x1a\n")
        width, height = (int.from_bytes(png[at : at + 4]) for at in (16, 20))
        assert 600 < width <= 780
        assert 100 < height <= 2_000
