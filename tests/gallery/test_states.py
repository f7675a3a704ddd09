"""Every state of the catalogue: its card shows what its sentence promises."""

import re
from collections import Counter

import pytest
from lxml import html as lxml_html

from components.gallery.catalogue import GROUPS, states
from components.gallery.drawing import state_html
from components.gallery.state import State
from tests.components.test_cases_card_render import Drawn, check
from webcards.contract import ERROR_CODES

SETTLED = [pytest.param(state, id=state.id) for state in states().values() if state.build is not None]
RUNNING = [pytest.param(state, id=state.id) for state in states().values() if state.build is None]


@pytest.mark.parametrize("state", SETTLED)
def test_a_settled_state_shows_what_it_promises(state: State) -> None:
    drawn = Drawn({"tool": state.tool, "args": state.args, "result": state.result})
    for fact, value in state.expect.items():
        check(drawn, fact, value)


@pytest.mark.parametrize("state", RUNNING)
def test_a_running_state_shows_what_it_promises_and_nothing_that_looks_settled(state: State) -> None:
    tree = lxml_html.fromstring(state_html(state, card_id="s"))
    text = tree.text_content()
    for words in state.expect.get("visible_text_has", []):
        assert words in text
    assert tree.get("aria-busy") == "true"
    assert not tree.xpath("//ol | //a | //*[@data-badge]")
    assert not list(tree.iter(*state.expect.get("no_element", ["script"])))


@pytest.mark.parametrize("state", [pytest.param(state, id=state.id) for state in states().values()])
def test_every_state_is_one_labelled_article_that_can_be_encoded(state: State) -> None:
    drawn = state_html(state, card_id="s")
    drawn.encode()
    tree = lxml_html.fromstring(drawn)
    assert tree.tag == "article"
    assert tree.get("aria-label")
    assert len(tree.get("lang")) == 2


def test_ids_are_unique_and_fit_for_an_address() -> None:
    ids = [state.id for group in GROUPS for state in group.states]
    assert [name for name, count in Counter(ids).items() if count > 1] == []
    assert [name for name in ids if not re.fullmatch(r"[a-z0-9-]+", name)] == []


def test_a_state_says_in_a_sentence_what_to_look_for() -> None:
    assert [state.id for state in states().values() if not re.fullmatch(r"(?s).{10,200}\.", state.look)] == []


def test_every_state_expects_something() -> None:
    assert [state.id for state in states().values() if not state.expect] == []


def test_each_error_code_has_its_state_with_a_message_of_its_own() -> None:
    errors = next(group for group in GROUPS if group.id == "errors")
    shown = {
        state.result["error"]["code"]: state.result["content"][0]["text"] for state in errors.states[: len(ERROR_CODES)]
    }
    assert list(shown) == list(ERROR_CODES)
    assert [code for code, text in shown.items() if text == f"Error: The call failed with {code}."] == []
    assert len(set(shown.values())) == len(shown)
