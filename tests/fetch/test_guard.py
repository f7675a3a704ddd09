"""The guard: which addresses are let through, in every notation, and what the settings permit all the same."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fetch.guarded_addresses import ALLOWED, BLOCKED, INVALID, urls
from tests.fetch.loopback import Asked, Wire, running, text_page
from webcards.contract import WebError
from webcards.fetch.guard import Guard
from webcards.fetch.ranges import METADATA, why_not_public
from webcards.fetch.url import parse_url
from webcards.settings import read_settings


def verdict(guard: Guard, url: str) -> str:
    """The code that a URL is refused with before any look-up, or "allowed"."""
    try:
        guard.check_url(parse_url(url))
    except WebError as error:
        return error.code
    return "allowed"


def guard(**settings: object) -> Guard:
    return Guard.from_settings(read_settings(**settings))


@pytest.mark.parametrize("url", urls(BLOCKED))
def test_an_address_that_is_not_public_is_blocked_in_every_notation(url: str) -> None:
    assert verdict(Guard(), url) == "WEB_BLOCKED_URL"


@pytest.mark.parametrize("url", urls(INVALID))
def test_what_is_no_web_address_is_invalid(url: str) -> None:
    assert verdict(Guard(), url) == "WEB_INVALID_URL"


@pytest.mark.parametrize("url", urls(ALLOWED))
def test_public_addresses_and_names_are_let_through(url: str) -> None:
    assert verdict(Guard(), url) == "allowed"


async def _page(asked: Asked, wire: Wire) -> None:
    await wire.answer(200, text_page(), Content_Type="text/html")


async def test_nothing_blocked_is_looked_up_or_connected_to() -> None:
    async with running(_page) as web:
        fetcher = web.fetcher()
        for url in [*urls(BLOCKED), *urls(INVALID)]:
            with pytest.raises(WebError):
                await fetcher.fetch(url)
    assert (web.looked_up, web.dialled, web.asked) == ([], [], [])


async def test_a_redirect_to_any_of_them_is_not_followed() -> None:
    # Without slashes, and relative to an http page, `http:` is no host at all but a path (WHATWG URL).
    targets = [url for url in urls(BLOCKED) if url.isascii() and "\t" not in url and "//" in url]

    async def redirect(asked: Asked, wire: Wire) -> None:
        await wire.answer(302, Location=targets[int(asked.target[1:])])

    async with running(redirect) as web:
        fetcher = web.fetcher()
        codes = set()
        for number in range(len(targets)):
            with pytest.raises(WebError) as refused:
                await fetcher.fetch(f"http://public.example/{number}")
            codes.add(refused.value.code)
    assert codes <= {"WEB_BLOCKED_URL", "WEB_REDIRECT_BLOCKED"}
    assert set(web.looked_up) == {"public.example"}
    assert {address for address, _ in web.dialled} == {"93.184.216.34"}


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["93.184.216.34", "127.0.0.1"],
        ["10.0.0.1", "93.184.216.34"],
        ["2606:4700::1", "::1"],
        ["93.184.216.34", "::ffff:10.0.0.1"],
        ["93.184.216.34", "64:ff9b::a9fe:a9fe"],
        ["fe80::1", "93.184.216.34"],
        ["169.254.169.254"],
        ["93.184.216.34", "0.0.0.0"],
    ],
)
async def test_a_name_with_one_address_that_is_not_public_is_refused_altogether(addresses: list[str]) -> None:
    async with running(_page, names={"mixed.example": [addresses]}) as web:
        with pytest.raises(WebError) as refused:
            await web.fetcher().fetch("http://mixed.example/")
    assert refused.value.code == "WEB_BLOCKED_URL"
    assert "mixed.example" in refused.value.message
    assert web.dialled == []


async def test_a_name_that_changes_its_answer_is_connected_to_where_it_was_checked() -> None:
    async with running(_page, names={"rebind.example": [["93.184.216.34"], ["127.0.0.1"]]}) as web:
        fetched = await web.fetcher().fetch("http://rebind.example/")
    assert fetched.value.status_code == 200
    assert (web.looked_up, web.dialled) == (["rebind.example"], [("93.184.216.34", 80)])


async def test_a_name_that_has_turned_inward_is_refused_on_its_next_connection() -> None:
    async def hang_up(asked: Asked, wire: Wire) -> None:
        await wire.answer(200, text_page(), Content_Type="text/html", Connection="close")
        wire.abort()

    async with running(hang_up, names={"rebind.example": [["93.184.216.34"], ["10.0.0.1"]]}) as web:
        fetcher = web.fetcher(fetch_retries=0)
        await fetcher.fetch("http://rebind.example/")
        with pytest.raises(WebError) as refused:
            await fetcher.fetch("http://rebind.example/")
    assert refused.value.code == "WEB_BLOCKED_URL"
    assert web.dialled == [("93.184.216.34", 80)]


def test_the_message_names_the_address_why_it_is_not_public_and_the_setting_that_permits_it() -> None:
    with pytest.raises(WebError) as refused:
        Guard().check_addresses("blog.example", 8080, [ipaddress.ip_address("198.18.0.84")])
    message = refused.value.message
    assert "blog.example, which resolves to 198.18.0.84, is not public" in message
    assert "WEBCARDS_FETCH_ALLOW=198.18.0.84:8080" in message
    assert guard(fetch_allow=("198.18.0.84:8080",)).check_addresses(
        "blog.example", 8080, [ipaddress.ip_address("198.18.0.84")]
    )


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8080/", "http://localhost:3000/", "http://[::1]:90/", "http://10.1:85/"]
)
def test_following_the_message_permits_the_address(url: str) -> None:
    with pytest.raises(WebError) as refused:
        Guard().check_url(parse_url(url))
    entry = refused.value.message.partition("WEBCARDS_FETCH_ALLOW=")[2].split()[0]
    assert verdict(guard(fetch_allow=(entry,)), url) == "allowed"


@pytest.mark.parametrize(
    ("settings", "url", "expected"),
    [
        ({"fetch_allow": ("127.0.0.1:8080",)}, "http://127.0.0.1:8080/", "allowed"),
        ({"fetch_allow": ("127.0.0.1:8080",)}, "http://127.0.0.1:8081/", "WEB_BLOCKED_URL"),
        ({"fetch_allow": ("127.0.0.1:8080",)}, "http://2130706433:8080/", "allowed"),
        ({"fetch_allow": ("127.0.0.1:8080",)}, "http://localhost:8080/", "allowed"),
        ({"fetch_allow": ("127.0.0.1:8080",)}, "http://127.0.0.2:8080/", "WEB_BLOCKED_URL"),
        ({"fetch_allow": ("localhost:8080",)}, "http://localhost:8080/", "allowed"),
        ({"fetch_allow": ("localhost:8080",)}, "http://127.0.0.1:8080/", "WEB_BLOCKED_URL"),
        ({"fetch_allow": ("127.0.0.1:80",)}, "http://127.0.0.1/", "allowed"),
        ({"fetch_allow": ("127.0.0.1:443",)}, "https://127.0.0.1/", "allowed"),
        ({"fetch_allow": ("[::1]:8080",)}, "http://[::1]:8080/", "allowed"),
        ({"fetch_allow": ("10.0.0.5:22",)}, "http://10.0.0.5:22/", "allowed"),
        ({"fetch_private_hosts": ("10.0.0.0/8",)}, "http://10.9.8.7:9000/", "allowed"),
        ({"fetch_private_hosts": ("10.0.0.0/8",)}, "http://11.1.1.1:22/", "WEB_BLOCKED_URL"),
        ({"fetch_private_hosts": ("10.0.0.0/8",)}, "http://192.168.0.1/", "WEB_BLOCKED_URL"),
        ({"fetch_private_hosts": ("10.0.0.0/8",)}, "http://[::ffff:10.0.0.1]/", "allowed"),
        ({"fetch_private_hosts": ("192.168.0.1",)}, "http://192.168.0.1:8000/", "allowed"),
        ({"fetch_private_hosts": ("fd00::/8",)}, "http://[fd00::5]/", "allowed"),
        ({"fetch_private_hosts": ("wiki.internal",)}, "http://wiki.internal/", "allowed"),
        ({"fetch_private_hosts": ("wiki.internal",)}, "http://wiki.internal./", "allowed"),
        ({"fetch_private_hosts": ("wiki.internal",)}, "http://de.wiki.internal/", "allowed"),
        ({"fetch_private_hosts": ("wiki.internal",)}, "http://db.internal/", "WEB_BLOCKED_URL"),
        ({"fetch_private_hosts": ("wiki.internal",)}, "http://notwiki.internal/", "WEB_BLOCKED_URL"),
        ({"fetch_private_hosts": ("0.0.0.0/0",)}, "http://169.254.169.254/", "WEB_BLOCKED_URL"),
        ({"fetch_private_hosts": ("169.254.0.0/16",)}, "http://169.254.169.254/", "WEB_BLOCKED_URL"),
        ({"fetch_private_hosts": ("169.254.169.254",)}, "http://169.254.169.254/", "allowed"),
        ({"fetch_allow": ("169.254.169.254:80",)}, "http://169.254.169.254/", "allowed"),
        ({"fetch_allow_domains": ("example.com",)}, "http://example.com/", "allowed"),
        ({"fetch_allow_domains": ("example.com",)}, "http://docs.example.com./", "allowed"),
        ({"fetch_allow_domains": ("*.example.com",)}, "http://docs.example.com/", "allowed"),
        ({"fetch_allow_domains": ("example.com",)}, "http://badexample.com/", "WEB_BLOCKED_URL"),
        ({"fetch_allow_domains": ("example.com",)}, "http://example.com.evil.example/", "WEB_BLOCKED_URL"),
        ({"fetch_allow_domains": ("例え.テスト",)}, "http://xn--r8jz45g.xn--zckzah/", "allowed"),
        ({"fetch_block_domains": ("example.com",)}, "http://ads.EXAMPLE.com/", "WEB_BLOCKED_URL"),
        ({"fetch_block_domains": ("example.com",)}, "http://example.org/", "allowed"),
        ({"fetch_block_domains": ("93.184.216.34",)}, "http://0x5db8d822/", "WEB_BLOCKED_URL"),
        (
            {"fetch_allow_domains": ("example.com",), "fetch_block_domains": ("ads.example.com",)},
            "http://ads.example.com/",
            "WEB_BLOCKED_URL",
        ),
    ],
)  # fmt: skip
def test_the_settings_permit_what_they_name_and_nothing_beside_it(
    settings: dict[str, tuple[str, ...]], url: str, expected: str
) -> None:
    assert verdict(guard(**settings), url) == expected


def test_a_named_private_host_may_resolve_inside_but_never_to_a_metadata_address() -> None:
    named = guard(fetch_private_hosts=("wiki.example",))
    inside = ipaddress.ip_address("10.0.0.7")
    assert named.check_addresses("wiki.example", 80, [inside]) == (inside,)
    for metadata in METADATA:
        with pytest.raises(WebError):
            named.check_addresses("wiki.example", 80, [metadata])


@pytest.mark.parametrize(
    ("setting", "entry"),
    [
        ("fetch_allow", "127.0.0.1"),
        ("fetch_allow", "10.0.0.0/8"),
        ("fetch_allow", "host:port"),
        ("fetch_private_hosts", "two words"),
        ("fetch_allow_domains", "http://example.com/"),
        ("fetch_block_domains", "user@example.com"),
    ],
)
def test_a_setting_that_cannot_be_read_is_named(setting: str, entry: str) -> None:
    with pytest.raises(WebError) as refused:
        guard(**{setting: (entry,)})
    assert f"WEBCARDS_{setting.upper()}" in refused.value.message


async def test_localhost_is_never_looked_up_and_reached_only_where_it_is_permitted() -> None:
    async with running(_page, names={"localhost": [["93.184.216.34"]]}) as web:
        await web.fetcher(fetch_allow=("127.0.0.1:8080",)).fetch("http://localhost:8080/")
    assert web.looked_up == []
    assert web.dialled == [("127.0.0.1", 8080)]


def test_hosts_of_the_library_are_at_no_address() -> None:
    assert verdict(Guard(library_hosts=frozenset({"town.local"})), "https://town.local/") == "allowed"


@given(st.ip_addresses(v=4))
def test_ipv4_is_public_only_where_python_agrees(address: ipaddress.IPv4Address) -> None:
    if why_not_public(address) is None:
        assert address.is_global and not address.is_multicast


@given(st.ip_addresses(v=6))
def test_ipv6_is_public_only_where_python_agrees(address: ipaddress.IPv6Address) -> None:
    if why_not_public(address) is None and address.ipv4_mapped is None:
        assert address.is_global and not address.is_multicast


@given(st.ip_addresses(v=4))
def test_a_form_that_embeds_ipv4_is_never_more_public_than_what_it_embeds(address: ipaddress.IPv4Address) -> None:
    if why_not_public(address) is None:
        return
    number = int(address)
    forms = [
        number,
        0xFFFF << 32 | number,
        0xFFFF << 48 | number,
        0x0064FF9B << 96 | number,
        0x2002 << 112 | number << 80 | 1,
        0x2001_0000 << 96 | 0xFFFF_FFFF ^ number,
        0x2606_4700 << 96 | 0x5EFE << 32 | number,
        0x2606_4700 << 96 | 0x0200_5EFE << 32 | number,
    ]
    assert all(why_not_public(ipaddress.IPv6Address(form)) for form in forms)
