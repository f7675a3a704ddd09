"""What is hidden before a log is shown: secrets of every kind, and nothing that is none."""

import json
import sys
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.logs.made import HEAD, call, result
from tests.shared import shared_path
from webcards import logs, masking
from webcards.logs.masking import mask_call, masked_note
from webcards.masking import mask_text, mask_url, mask_value

LETTERS = "aB3dE6gH1jK4mN7pQ0sT2vW5yZ8"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"Authorization: Bearer {LETTERS}", LETTERS),
        (f"authorization: Basic {LETTERS}==", LETTERS),
        (f"curl -H 'X-Api-Key: {LETTERS}' https://a.example/", LETTERS),
        ("Cookie: sid=31d4d96e; theme=dark", "31d4d96e"),
        ("Set-Cookie: sid=31d4d96e; Path=/; HttpOnly", "31d4d96e"),
        (f'{{"api_key": "{LETTERS}"}}', LETTERS),
        (f'{{\\"api_key\\": \\"{LETTERS}\\"}}', LETTERS),
        ('{"password": "correct-horse"}', "correct-horse"),
        ("password='correct-horse'", "correct-horse"),
        (f"export OPENAI_KEY=sk-proj-{LETTERS}", LETTERS),
        (f"key sk-{LETTERS}{LETTERS}.", LETTERS),
        (f"ghp_{LETTERS}", LETTERS),
        (f"token tvly-dev-{LETTERS}", LETTERS),
        ("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
        (f"AIza{LETTERS}{LETTERS}", LETTERS),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N", "eyJzdWIi"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----", "MIIEow"),
        ("https://user:hunter22@a.example/x", "hunter22"),
        ("https://token1234@a.example/x", "token1234"),
        ("https://a.example/?X-Amz-Signature=abcdef0123&X-Amz-Credential=AK%2Fx", "abcdef0123"),
        ("https://a.example/?sv=2020&sig=abc%2Bdef%3D", "abc%2Bdef"),
        ("https://a.example/?q=tides&access_token=abcdef", "abcdef"),
        ("https://a.example/cb#access_token=abcdef&state=1", "abcdef"),
        (f"https://a.example/?key=AI{LETTERS}", LETTERS),
        ("https://a.example/?page=2&key=k3y-of-9", "k3y-of-9"),
        ("https://a.example/?page=2&key=OpenSesame", "OpenSesame"),
        ("https://a.example/?page=2&key=4711", "4711"),
        ("https:\\/\\/a.example\\/?x=1\\u0026X-Amz-Signature=abcdef0123456", "abcdef0123456"),
        ("https:\\\\user:hunter22@a.example/x", "hunter22"),
        ("see /docs?page=2&session_token=hunter22#top", "hunter22"),
        ("https://a.example/go?to=https%3A%2F%2Fada%3Ahunter22%40b.example%2F", "hunter22"),
        ("https://a.example/go?to=https%3A%2F%2Fb.example%2F%3Fapi_key%3Dhunter22", "hunter22"),
        ("next=https%3A%2F%2Fa.example%3FX-Amz-Signature%3Dabcdef0123456", "abcdef0123456"),
    ],
)
def test_a_secret_is_hidden_and_counted(text: str, secret: str) -> None:
    found: Counter[str] = Counter()
    assert secret in text
    assert secret not in mask_text(text, found)
    assert sum(found.values()) >= 1
    assert secret not in json.dumps(mask_value({"x": [text], text: 1}))
    assert secret not in json.dumps(mask_value({"x": [text], text: 1}, deepest=sys.maxsize))


@settings(max_examples=400, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                *(
                    "https://",
                    "s3+x:\\\\",
                    "://",
                    "a.example",
                    "/x",
                    "?",
                    "&",
                    "&amp;",
                    ";",
                    "#",
                    "=",
                    "%3D",
                    "%26",
                    "%3F",
                    "@",
                ),
                *(
                    "token",
                    "access_token",
                    "Sig",
                    "X-Amz-Signature",
                    "x-goog-ab",
                    "session_id",
                    "ada:hunter22",
                    "abc12345678",
                ),
                *("api_key", "Bearer ", "Cookie:", " ", "\n", '"', "'", "\\", "<", "-", "_", "1", "masked", "é"),
            ]
        ),
        max_size=14,
    )
)
def test_no_pattern_finds_anything_more_in_a_masked_text(pieces: list[str]) -> None:
    masked = mask_text("".join(pieces))
    for pattern in (masking._PARAMETER, masking._LOOSE, masking._USER):
        assert [hit[0] for hit in pattern.finditer(masked) if "[masked" not in hit[0]] == []


@pytest.mark.parametrize(
    "text",
    [
        "The basic research was done in 1912.",
        "Cookies are baked at noon; the cookie jar is empty.",
        "https://a.example/search?q=token+ring&page=2#results",
        "https://a.example/?key=name&code=FR",
        "The password field is required.",
        "a bearer of news",
        "sk-learn is a library, and so is sk-image",
        "Fetched https://d.example/ (HTTP 200)",
        "token: the smallest unit of a text",
        "# Authorization\n\nHow to log in.",
    ],
)
def test_what_is_no_secret_stays_as_it_is(text: str) -> None:
    found: Counter[str] = Counter()
    assert mask_text(text, found) == text
    assert not found


def test_a_masked_url_is_still_the_same_url_otherwise() -> None:
    url = "https://u:p@a.example:8443/a%20b/c?q=1&sig=xyz&r=2;s=3#part"
    assert mask_url(url) == "https://masked@a.example:8443/a%20b/c?q=1&sig=masked&r=2;s=3#part"
    assert mask_url(mask_url(url)) == mask_url(url)


def test_a_whole_call_is_masked_in_its_args_its_result_its_sources_and_its_records() -> None:
    url = "https://u:hunter22@a.example/?sig=hunter22"
    meta = {"sources": [{"url": url, "title": "x", "snippet": "Cookie: sid=hunter22"}], "truncated": False}
    data = (
        HEAD
        + call("c1", args={"query": "password=hunter22", "api_key": "hunter22"})
        + result("c1", f"- [x]({url})", meta)
    )
    masked, hidden = mask_call(next(iter(logs.read(data))))
    assert b"hunter22" not in b"".join(masked.raw)
    assert "hunter22" not in str(masked)
    assert masked_note(hidden) is not None
    view = logs.view_of(masked)
    assert view is not None
    assert "hunter22" not in str(view)


def test_signed_addresses_of_a_recorded_log_are_hidden_with_a_note() -> None:
    path = shared_path("logs") / "claude-code" / "03-stream-json-webfetch.jsonl"
    item = next(iter(logs.read(path)))
    masked, hidden = mask_call(item)
    assert masked_note(hidden) == "Hidden here: 2 signed query strings."
    assert b"X-Amz-Signature=masked" in b"".join(masked.raw)
    assert masked.result is not None
    assert masked.result.text.count("X-Amz-Signature=masked") == 2


def test_nothing_hidden_means_no_note() -> None:
    assert masked_note(mask_call(next(iter(logs.read(HEAD + call("c1")))))[1]) is None
