"""The example apps, started as the README says, in a real Chromium."""

import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import at_rest, free_port, wait_until_it_answers
from tests.shared import ROOT
from webcards.library.specimens import SPECIMENS

pytestmark = pytest.mark.browser


def test_the_chat_answers_with_a_card_a_call(page: Page, tmp_path: Path) -> None:
    port = free_port()
    log = tmp_path / "log"
    command = [sys.executable, "-m", "streamlit", "run", "examples/chat.py", "--server.headless=true"]
    with log.open("wb") as out:
        chat = subprocess.Popen([*command, f"--server.port={port}"], cwd=ROOT, stdout=out, stderr=subprocess.STDOUT)
    try:
        wait_until_it_answers(chat, f"http://127.0.0.1:{port}", log)
        page.goto(f"http://127.0.0.1:{port}")
        box = page.get_by_placeholder("Ask, or give an address")
        box.fill("harbour dues")
        box.press("Enter")
        answers = page.get_by_test_id("stChatMessage").filter(has=page.locator(".wc"))
        expect(answers.locator(".wc-list > li").first).to_be_visible()
        box.fill(SPECIMENS["article"])
        box.press("Enter")
        expect(answers).to_have_count(2)
        expect(answers.last).to_contain_text("200")
        expect(answers.last).to_contain_text(SPECIMENS["article"].split("/")[2])
        at_rest(page)
    finally:
        chat.terminate()
        chat.wait(timeout=20)
