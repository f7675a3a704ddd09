"""Which IP addresses are public: the IANA special-purpose registries, the forms that embed IPv4, cloud metadata.

Pure tables and one question. What is allowed all the same is the guard's part.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

from webcards.fetch.url import Address

# IANA IPv4 Special-Purpose Address Registry; multicast and class E from the IPv4 Address Space registry.
_IPV4: tuple[tuple[IPv4Network, str], ...] = tuple(
    (IPv4Network(network), why)
    for network, why in (
        ("0.0.0.0/8", "this machine or network (RFC 791)"),
        ("10.0.0.0/8", "a private network (RFC 1918)"),
        ("100.64.0.0/10", "a provider's shared network (RFC 6598)"),
        ("127.0.0.0/8", "this machine's loopback (RFC 1122)"),
        ("169.254.0.0/16", "link-local, where cloud metadata lives (RFC 3927)"),
        ("172.16.0.0/12", "a private network (RFC 1918)"),
        ("192.0.0.0/24", "reserved for protocols (RFC 6890)"),
        ("192.0.2.0/24", "reserved for documentation (RFC 5737)"),
        ("192.31.196.0/24", "a DNS sink (AS112, RFC 7535)"),
        ("192.52.193.0/24", "reserved for multicast tunnels (RFC 7450)"),
        ("192.88.99.0/24", "a reserved 6to4 relay (RFC 7526)"),
        ("192.168.0.0/16", "a private network (RFC 1918)"),
        ("192.175.48.0/24", "a DNS sink (AS112, RFC 7534)"),
        ("198.18.0.0/15", "reserved for benchmarks, and what fake-IP proxies answer (RFC 2544)"),
        ("198.51.100.0/24", "reserved for documentation (RFC 5737)"),
        ("203.0.113.0/24", "reserved for documentation (RFC 5737)"),
        ("224.0.0.0/4", "multicast (RFC 5771)"),
        ("240.0.0.0/4", "reserved (RFC 1112)"),
    )
)

# IANA IPv6 Special-Purpose Address Registry. What is not in 2000::/3 is not global unicast at all (RFC 4291).
_IPV6: tuple[tuple[IPv6Network, str], ...] = tuple(
    (IPv6Network(network), why)
    for network, why in (
        ("::/128", "the unspecified address (RFC 4291)"),
        ("::1/128", "this machine's loopback (RFC 4291)"),
        ("64:ff9b:1::/48", "local NAT64 (RFC 8215)"),
        ("100::/64", "a discard address (RFC 6666)"),
        ("100:0:0:1::/64", "a dummy prefix (RFC 9780)"),
        ("2001:db8::/32", "reserved for documentation (RFC 3849)"),
        ("2001:2::/48", "reserved for benchmarks (RFC 5180)"),
        ("2001::/23", "reserved for protocols (RFC 2928)"),
        ("2620:4f:8000::/48", "a DNS sink (AS112, RFC 7534)"),
        ("3fff::/20", "reserved for documentation (RFC 9637)"),
        ("3ffe::/16", "the retired 6bone (RFC 3701)"),
        ("5f00::/16", "segment routing (RFC 9602)"),
        ("fc00::/7", "a private network (unique local, RFC 4193)"),
        ("fe80::/10", "link-local (RFC 4291)"),
        ("fec0::/10", "a private network (site-local, RFC 3879)"),
        ("ff00::/8", "multicast (RFC 4291)"),
    )
)
_GLOBAL_UNICAST = IPv6Network("2000::/3")

METADATA: dict[Address, str] = {
    IPv4Address("168.63.129.16"): "Azure's platform address",
    IPv4Address("169.254.169.254"): "the cloud metadata address",
    IPv4Address("169.254.170.2"): "the container metadata address",
    IPv4Address("169.254.170.23"): "the container identity address",
    IPv4Address("169.254.0.23"): "a cloud metadata address",
    IPv4Address("100.100.100.200"): "a cloud metadata address",
    IPv4Address("192.0.0.192"): "a cloud metadata address",
    IPv6Address("fd00:ec2::254"): "the cloud metadata address",
    IPv6Address("fd00:ec2::23"): "the container identity address",
    IPv6Address("fd20:ce::254"): "the cloud metadata address",
}
"""Addresses that hand credentials to whoever asks from inside: only a setting that names one exactly permits it."""

_MAPPED = IPv6Network("::ffff:0:0/96")
_COMPATIBLE = IPv6Network("::/96")
_TRANSLATED = IPv6Network("::ffff:0:0:0/96")
_NAT64 = IPv6Network("64:ff9b::/96")
_SIX_TO_FOUR = IPv6Network("2002::/16")
_TEREDO = IPv6Network("2001::/32")
_ISATAP = (0x00005EFE, 0x02005EFE)
_LOW_32 = 0xFFFF_FFFF


def plain_address(address: Address) -> Address:
    """The address that a packet really goes to: IPv4-mapped IPv6 is IPv4 (RFC 4291, 2.5.5.2), a zone is dropped."""
    if isinstance(address, IPv4Address):
        return address
    return address.ipv4_mapped or IPv6Address(int(address))


def why_not_public(address: Address) -> str | None:
    """Why an address must not be reached from a web fetch, in a few plain words; None for a public one."""
    if isinstance(address, IPv4Address):
        return _why_ipv4(address)
    if address in METADATA:
        return METADATA[address]
    low = IPv4Address(int(address) & _LOW_32)
    if address in _MAPPED:
        return _embedded(low, "IPv4-mapped")
    if address in _NAT64:
        # On an IPv6-only network every IPv4 site has such an address (RFC 6052): it is as public as the one inside.
        return _embedded(low, "NAT64")
    for network, why in _IPV6:
        if address in network and address not in _TEREDO:
            return why
    if address in _TEREDO:
        # The client's address is stored inverted (RFC 4380, section 4). No web site is reached this way today.
        return f"a Teredo tunnel to {IPv4Address(~int(address) & _LOW_32)} (RFC 4380)"
    if address in _SIX_TO_FOUR:
        return f"a 6to4 tunnel to {IPv4Address(int(address) >> 80 & _LOW_32)} (RFC 7526)"
    if address in _COMPATIBLE or address in _TRANSLATED:
        return f"an obsolete form of {low} (RFC 4291)"
    if address not in _GLOBAL_UNICAST:
        return "outside the public IPv6 space (RFC 4291)"
    if int(address) >> 32 & _LOW_32 in _ISATAP:
        return _embedded(low, "ISATAP")
    return None


def _why_ipv4(address: IPv4Address) -> str | None:
    if address in METADATA:
        return METADATA[address]
    return next((why for network, why in _IPV4 if address in network), None)


def _embedded(inner: IPv4Address, form: str) -> str | None:
    why = _why_ipv4(inner)
    return None if why is None else f"{form} for {inner}: {why}"
