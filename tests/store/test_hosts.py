"""The host that is kept of a URL is the one that a browser goes to, however the URL is written."""

import ada_url
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webcards.store.recording import host_of

LABELS = st.one_of(
    st.sampled_from(
        ["www", "xn--mnchen-3ya", "a--b", "-a", "127", "0x7f", "1", "COM", "com", "münchen", "", "a_b", "%61"]
    ),
    st.text("abz019-.", min_size=1, max_size=6),
)
AFTER = st.sampled_from(["", "/", "?q", "#f", ":80", ":0080/", ":99999", "\\x", "@b.example/", "\n/", " ", ":", "/\t"])


@given(
    scheme=st.sampled_from(["http://", "https://", "HTTP://", "http:/", "ftp://", "http:\\\\"]),
    labels=st.lists(LABELS, min_size=1, max_size=4),
    after=AFTER,
)
def test_the_host_is_as_a_browser_has_it(scheme: str, labels: list[str], after: str) -> None:
    url = scheme + ".".join(labels) + after
    try:
        parsed = ada_url.URL(url)
    except ValueError:
        assert host_of(url) is None
        return
    assert host_of(url) == ((parsed.hostname or None) if parsed.protocol in ("http:", "https:") else None)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://www.harbour.example/dues?year=2026", "www.harbour.example"),
        ("http://harbour.example:8080", "harbour.example"),
        ("HTTP://Harbour.EXAMPLE/", "harbour.example"),
        ("http://2130706433/", "127.0.0.1"),
        ("http://a.example\\@b.example/", "a.example"),
        ("http://a.example@b.example/", "b.example"),
        ("ftp://harbour.example/", None),
        ("harbour.example", None),
        ("", None),
    ],
)
def test_the_host_of_one_url(url: str, host: str | None) -> None:
    assert host_of(url) == host
