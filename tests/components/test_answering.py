"""Who answered is told in words, from the details of the event, whatever stands in them."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.answering import facts, who_answered
from components.i18n import set_language

OFFLINE = {
    "provider": "auto",
    "queries": [],
    "answeredBy": [{"id": "library", "label": "the built-in library"}],
    "passedOver": [{"id": "duckduckgo", "label": "DuckDuckGo", "code": "WEB_PROVIDER_UNAVAILABLE"}],
    "searchMs": 3.5,
}


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    set_language("en")
    yield
    set_language("en")


def test_the_engine_that_answered_is_named_and_why_the_first_did_not() -> None:
    assert who_answered(OFFLINE) == ["Built-in library", "DuckDuckGo could not be reached"]


def test_the_engines_stand_in_words_among_the_facts() -> None:
    assert facts(OFFLINE) == {
        "provider": "auto",
        "queries": [],
        "Answered by": "Built-in library",
        "Not answered by": "DuckDuckGo could not be reached",
        "searchMs": 3.5,
    }


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("WEB_RATE_LIMITED", "Pond refused because of too many searches"),
        ("WEB_FETCH_TIMEOUT", "Pond did not answer in time"),
        ("WEB_PROVIDER_CREDENTIAL_MISSING", "Pond is not set up"),
        ("WEB_INVALID_ARGUMENTS", "Pond lacks what was asked for"),
        ("WEB_PROVIDER_ERROR", "Pond failed"),
    ],
)
def test_each_reason_has_its_words(code: str, words: str) -> None:
    skipped = [{"id": "pond", "label": "Pond", "code": code}]
    told = {"answeredBy": [{"id": "lake", "label": "Lake"}, {"id": "sea", "label": ""}], "passedOver": skipped}
    assert who_answered(told) == ["Lake, sea", words]


def test_an_older_log_names_what_was_asked_and_a_fetch_names_nobody() -> None:
    assert who_answered({"provider": "brave"}) == ["brave"]
    assert who_answered({"charset": "utf-8"}) == []


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "label", "code"]), inner),
)


@given(st.dictionaries(st.sampled_from(["provider", "answeredBy", "passedOver", "searchMs"]), json))
def test_any_details_at_all_are_told_without_a_fault(details: dict[str, object]) -> None:
    assert all(isinstance(word, str) for word in who_answered(details))
    assert facts(details).keys() - {"Answered by", "Not answered by"} <= details.keys()
