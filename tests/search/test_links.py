"""Where a result's link really leads, and when two of them are one page."""

from base64 import b64encode, urlsafe_b64encode
from urllib.parse import quote

import ada_url
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from webcards.search.links import dedup_key, is_advertisement, same_site, unwrap

TARGET = "https://docs.example/dues?id=7&p=1%2F2"
WHOLE = quote(TARGET, safe="")
BING = urlsafe_b64encode(TARGET.encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "wrapped",
    [
        f"//duckduckgo.com/l/?uddg={WHOLE}&rut=abc123",
        f"https://duckduckgo.com/l/?kh=-1&uddg={WHOLE}",
        f"https://html.duckduckgo.com/l/?uddg={WHOLE}&amp;rut=abc",
        f"https://duckduckgo.com/l/?uddg={TARGET}&rut=abc",
        f"/l/?kh=-1&uddg={WHOLE}",
        f"duckduckgo.com/l/?uddg={WHOLE}",
        f"HTTPS://DuckDuckGo.com/l/?uddg={WHOLE}",
        f"https://www.google.com/url?q={WHOLE}&sa=U&ved=2ah",
        f"/url?q={WHOLE}&sa=U",
        f"https://www.google.co.uk/url?sa=t&url={WHOLE}",
        f"https://www.bing.com/ck/a?!&&p=0a1b&ptn=3&u=a1{BING}&ntb=1",
        f"https://www.bing.com/ck/a?u=a1{quote(b64encode(TARGET.encode()), safe='')}",
        f"https://www.bing.com/ck/a?!&amp;&amp;p=0a1b&amp;u=a1{BING}&amp;ntb=1",
        f"https://www.bing.com/news/apiclick.aspx?ref=FexRss&url={WHOLE}&c=1",
        f"https://r.search.yahoo.com/_ylt=A0geK;_ylu=Y29/RV=2/RE=1/RO=10/RU={WHOLE}/RK=2/RS=x-",
        f"https://l.facebook.com/l.php?u={WHOLE}&h=AT0",
        f"https://l.instagram.com/?u={WHOLE}&e=AT1",
        f"https://www.linkedin.com/redir/redirect?url={WHOLE}&urlhash=x",
        f"https://www.linkedin.com/safety/go?url={WHOLE}",
        f"https://www.youtube.com/redirect?event=video_description&q={WHOLE}&v=x",
        f"https://out.reddit.com/t3_x?url={WHOLE}",
        f"https://eur01.safelinks.protection.outlook.com/?url={WHOLE}&data=05",
        f"https://link.zhihu.com/?target={WHOLE}",
    ],
)
def test_a_known_wrapper_gives_the_address_inside_it_decoded_once(wrapped: str) -> None:
    assert unwrap(wrapped) == TARGET


def test_a_wrapper_inside_a_wrapper_is_undone_too() -> None:
    inner = f"https://www.google.com/url?q={WHOLE}"
    assert unwrap(f"//duckduckgo.com/l/?uddg={quote(inner, safe='')}") == TARGET


@pytest.mark.parametrize(
    "url",
    [
        "https://docs.example/url?q=https%3A%2F%2Fother.example",
        "https://notduckduckgo.com/l/?uddg=https%3A%2F%2Fother.example",
        "https://duckduckgo.com.evil.example/l/?uddg=https%3A%2F%2Fother.example",
        "https://www.google.com/search?q=https%3A%2F%2Fother.example",
        "https://www.google.com/url?q=cats",
        "https://www.google.com/url",
        "https://www.bing.com/ck/a?u=a1L3NlYXJjaD9xPWE",
        "https://www.bing.com/ck/a?u=a1%%%",
        "https://www.youtube.com/watch?v=abc&q=https%3A%2F%2Fother.example",
        "https://www.facebook.com/sharer.php?u=https%3A%2F%2Fother.example",
        "https://t.co/abc",
        "https://docs.example/?utm_source=newsletter&id=7",
        "/l/install-guide",
        "/url",
        "google.com",
        "not a url",
        "",
    ],
)
def test_what_is_no_wrapper_stays_as_it_was_given(url: str) -> None:
    assert unwrap(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "https://duckduckgo.com/y.js?ad_domain=shop.example&u3=https%3A%2F%2Fwww.bing.com%2Faclick",
        "//duckduckgo.com/y.js?ad_provider=bingv7aa",
        "https://www.bing.com/aclick?ld=e8",
        "https://www.google.com/aclk?sa=l",
        "https://www.googleadservices.com/pagead/aclk?sa=L",
        "https://ad.doubleclick.net/clk",
    ],
)
def test_an_advertisement_is_told_from_a_result(url: str) -> None:
    assert is_advertisement(url)
    assert not is_advertisement("https://docs.example/y.js")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://docs.example/dues", "https://docs.example/dues/"),
        ("https://docs.example", "https://docs.example/"),
        ("https://DOCS.Example/dues", "HTTPS://docs.example:443/dues"),
        ("http://docs.example:80/dues", "http://docs.example/dues"),
        ("https://docs.example/a/../dues", "https://docs.example/dues"),
        ("https://docs.example/dues?utm_source=x&utm_medium=y", "https://docs.example/dues"),
        ("https://docs.example/dues?id=7&fbclid=z", "https://docs.example/dues?gclid=q&id=7"),
        ("https://docs.example/dues?", "https://docs.example/dues"),
        ("https://docs.example/dues#", "https://docs.example/dues"),
        ("https://docs.example/dues#:~:text=rope", "https://docs.example/dues"),
        ("https://docs.example/%7Eann/caf%c3%a9", "https://docs.example/~ann/café"),
        ("https://bücher.example/", "https://xn--bcher-kva.example"),
        ("https://docs.example./dues", "https://docs.example/dues"),
        (" https://docs.example/dues\n", "https://docs.example/dues"),
    ],
)
def test_two_spellings_of_one_page_have_one_key(one: str, other: str) -> None:
    assert dedup_key(one) == dedup_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://docs.example/guide#install", "https://docs.example/guide#config"),
        ("https://docs.example/guide", "https://docs.example/guide#install"),
        ("https://docs.example/dues?id=7", "https://docs.example/dues?id=8"),
        ("https://docs.example/Dues", "https://docs.example/dues"),
        ("https://docs.example/a%2Fb", "https://docs.example/a/b"),
        ("https://docs.example:8443/", "https://docs.example/"),
        ("https://docs.example/?utm=1", "https://docs.example/?utm=2"),
        ("not a url", "not another"),
    ],
)
def test_two_pages_have_two_keys(one: str, other: str) -> None:
    assert dedup_key(one) != dedup_key(other)


@given(st.text(max_size=80))
def test_any_text_has_a_key_and_unwraps_to_something(text: str) -> None:
    dedup_key(text)
    unwrap(text)
    is_advertisement(text)
    same_site(text, "docs.example")


@given(
    st.from_regex(
        r"https://[a-z]{1,8}\.example(:80|:443)?(/[a-zA-Z0-9%~.]{0,6}){0,3}/?(\?[a-z]=[a-z0-9]{0,3})?", fullmatch=True
    )
)
def test_a_key_does_not_depend_on_what_whatwg_parsing_makes_of_a_url(url: str) -> None:
    try:
        parsed = ada_url.URL(url).href
    except ValueError:
        assume(False)
    assert dedup_key(parsed) == dedup_key(url)


@pytest.mark.parametrize(
    ("url", "site", "same"),
    [
        ("https://docs.example/a", "docs.example", True),
        ("https://www.docs.example/a", "docs.example", True),
        ("https://notdocs.example/a", "docs.example", False),
        ("https://docs.example.evil.example/", "docs.example", False),
        ("https://docs.example/guide/a", "docs.example/guide", True),
        ("https://docs.example/guidebook", "docs.example/guide", False),
        ("nonsense", "docs.example", False),
    ],
)
def test_a_site_is_a_host_with_what_lies_below_it(url: str, site: str, same: bool) -> None:
    assert same_site(url, site) is same
