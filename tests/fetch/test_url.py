"""A web address read once: normal form, what is refused and how that is said, and that no other parser reads it else."""

from __future__ import annotations

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webcards.contract import WebError
from webcards.fetch.retrieve import _as_httpx
from webcards.fetch.url import MAX_URL_LENGTH, parse_url


def refusal(text: str) -> WebError:
    with pytest.raises(WebError) as refused:
        parse_url(text)
    return refused.value


def test_a_url_is_taken_apart_as_a_browser_would() -> None:
    url = parse_url(" HTTPS://Docs.Example.:443/a/../b c|d?q=x y&z=[1]#Part ")
    assert url.href == "https://docs.example./b%20c|d?q=x%20y&z=[1]#Part"
    assert (url.scheme, url.host, url.port) == ("https", "docs.example", 443)
    assert url.target == b"/b%20c|d?q=x%20y&z=[1]"
    assert url.without_fragment == "https://docs.example./b%20c|d?q=x%20y&z=[1]"
    assert (url.fragment, url.netloc, url.address) == ("#Part", "docs.example", None)


def test_addresses_are_seen_in_every_notation_and_ports_kept() -> None:
    assert str(parse_url("http://0x7f.1:8080/").address) == "127.0.0.1"
    assert str(parse_url("http://[0:0::0:1]/").address) == "::1"
    assert parse_url("http://[2606:4700::1]:8080/").netloc == "[2606:4700::1]:8080"
    assert parse_url("http://example.com:8080/").origin == ("http", "example.com", 8080)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("www.example.com/page", "begin it with https://"),
        ("example.com", "begin it with https://"),
        ("localhost:3000", "begin it with https://"),
        ("", "no full web address"),
        ("http://", "no valid web address"),
        ("https://example.com:99999/", "no valid web address"),
        ("ftp://example.com/", "Only http and https can be fetched, and this is ftp"),
        ("file:///etc/passwd", "this is file"),
        ("http://example.com:0/", "Port 0"),
        ("http://" + "a" * 64 + ".example/", "no host name"),
        ("http://" + "a." * 140 + "example/", "no host name"),
        ("https://example.com/" + "x" * MAX_URL_LENGTH, "characters"),
        ("http://\ud800.example/", "no valid web address"),
    ],
)
def test_what_cannot_be_fetched_is_said_in_plain_words(text: str, words: str) -> None:
    error = refusal(text)
    assert error.code == "WEB_INVALID_URL"
    assert words in error.message
    assert len(error.message) < 400
    error.message.encode("utf-8")


def test_credentials_are_refused_and_never_repeated() -> None:
    error = refusal("https://user:s3cret@example.com/")
    assert error.code == "WEB_BLOCKED_URL"
    assert "s3cret" not in error.message and "user:" not in error.message
    assert "example.com" in error.message


def test_a_relative_url_needs_a_base_and_follows_it() -> None:
    base = parse_url("https://example.com/dir/page?q#f")
    assert parse_url("other", base).href == "https://example.com/dir/other"
    assert parse_url("//elsewhere.example", base).href == "https://elsewhere.example/"
    assert parse_url("", base).href == "https://example.com/dir/page?q"


HOST_LETTERS = st.sampled_from(
    [*list("abz09-._~%:@[]\\/#? \t\n\x00.。．Ａａ①ß\xad\u200dé例xn--"), "127", "0x7f", "::1", "localhost"]
)
ANY_URL = st.one_of(
    st.text(max_size=60),
    st.builds(
        "{}{}{}".format,
        st.sampled_from(["http://", "https://", "http:", "HTTP:\\\\", "https:/", "//", "ftp://"]),
        st.lists(HOST_LETTERS, max_size=12).map("".join),
        st.sampled_from(["", "/", "/a b", ":80/", ":65536", "?q", "#f"]),
    ),
)


@given(ANY_URL)
def test_any_text_is_a_url_or_a_refusal(text: str) -> None:
    try:
        url = parse_url(text)
    except WebError as error:
        assert error.code in ("WEB_INVALID_URL", "WEB_BLOCKED_URL")
        return
    assert url.scheme in ("http", "https")
    assert parse_url(url.href) == url


@given(ANY_URL)
def test_what_is_sent_goes_to_the_very_host_that_was_checked(text: str) -> None:
    try:
        url = parse_url(text)
        sent: httpx.URL = _as_httpx(url)
    except WebError:
        return
    assert (sent.scheme, sent.raw_host.decode("ascii").removesuffix("."), sent.port or url.port) == url.origin
