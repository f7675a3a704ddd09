"""What draws itself again does so as a fragment, and what rests is none."""

from streamlit.testing.v1 import AppTest


def _page() -> None:
    import streamlit as st
    from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState

    from components.polled import polled

    def part(word: str) -> None:
        st.text(f"{word} {'a fragment' if ThreadState.get().fragment_id else 'no fragment'}")

    every = 0.2 if st.toggle("running") else None
    polled(part, every, "it is")


def test_what_rests_is_no_fragment_that_a_late_request_could_draw_instead_of_the_page() -> None:
    test = AppTest.from_function(_page).run()
    assert [text.value for text in test.text] == ["it is no fragment"]
    test.toggle[0].set_value(True).run()
    assert [text.value for text in test.text] == ["it is a fragment"]
    test.toggle[0].set_value(False).run()
    assert [text.value for text in test.text] == ["it is no fragment"]
