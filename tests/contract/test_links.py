"""What may be a link, and the host that it really leads to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webcards.contract import Host, link_host, link_hostname, safe_link
from webcards.contract.links import MAX_URL_LENGTH


@pytest.mark.parametrize(
    ("url", "href"),
    [
        ("https://a.example", "https://a.example/"),
        ("HTTP://A.example:80/x", "http://a.example/x"),
        ("https://example.com/a b|c?q=x y#frag ment", "https://example.com/a%20b|c?q=x%20y#frag%20ment"),
        ("https://r2---sn-ab3cde0g4-xyze.example.com/v", "https://r2---sn-ab3cde0g4-xyze.example.com/v"),
        ("https://xn--mn8ha4uc.example/", "https://xn--mn8ha4uc.example/"),
        (" https://a.example/ ", "https://a.example/"),
        ("https://a.example/\n", "https://a.example/"),
        ("https://例え.example/é", "https://xn--r8jz45g.example/%C3%A9"),
    ],
)
def test_an_http_url_becomes_its_normalised_href(url: str, href: str) -> None:
    assert safe_link(url) == href


@pytest.mark.parametrize(
    "url",
    [
        "",
        "not a url",
        "www.example.com/page",
        "//a.example/",
        "/path",
        "#1",
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "\x01javascript:alert(1)",
        "java\tscript:alert(1)",
        "java\nscript:alert(1)",
        " javascript:alert(1)",
        "javascript://example.com/%0aalert(1)",
        "data:text/html,<script>",
        "vbscript:x",
        "file:///etc/passwd",
        "mailto:x@a.example",
        "ftp://a.example/",
        "blob:https://a.example/1",
        "view-source:https://a.example/",
        "https://[::1",
        "https://a.example:99999/",
        "https://",
        "https://a.example/\u202egpj.exe",
        "https://a.exa\x00mple/",
        "https://a.example/\ud83d",
        "https://a.example/" + "x" * MAX_URL_LENGTH,
    ],
)
def test_anything_else_stays_text(url: str) -> None:
    assert safe_link(url) is None
    assert link_host(url) is None


@pytest.mark.parametrize(
    ("url", "ascii_name", "unicode_name"),
    [
        ("https://A.example/", "a.example", "a.example"),
        ("https://a.example:8443/", "a.example:8443", "a.example:8443"),
        ("https://例え.example/", "xn--r8jz45g.example", "例え.example"),
        ("https://xn--mn8ha4uc.example/", "xn--mn8ha4uc.example", "xn--mn8ha4uc.example"),
        ("http://[2001:db8::1]:8080/", "[2001:db8::1]:8080", "[2001:db8::1]:8080"),
        ("https://user:pass@real.example/", "real.example", "real.example"),
    ],
)
def test_the_host_is_the_one_that_is_looked_up(url: str, ascii_name: str, unicode_name: str) -> None:
    host = link_host(url)
    assert host == Host(ascii_name, unicode_name)
    assert host.is_idn == (ascii_name != unicode_name)


@pytest.mark.parametrize(
    ("url", "hostname"),
    [
        ("https://A.example:8443/x", "a.example"),
        ("http://[2001:DB8::1]:8080/", "[2001:db8::1]"),
        ("mailto:x@a.example", None),
        ("", None),
    ],
)
def test_the_hostname_has_no_port(url: str, hostname: str | None) -> None:
    assert link_hostname(url) == hostname


@given(st.text())
def test_no_text_makes_it_raise_and_what_it_gives_is_a_web_address(text: str) -> None:
    href = safe_link(text)
    assert href is None or href.startswith(("http://", "https://"))
