"""What may be reached: the rules for hosts, ports and addresses, made from the settings.

Pure: it is given URLs and addresses and answers with a WebError or not. Looking names up and connecting to the very
address that was checked is network.py's part; where an address is public is told by ranges.py.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import TYPE_CHECKING, NoReturn

import msgspec

from webcards.contract.errors import WebError
from webcards.fetch.ports import UNSAFE_PORTS
from webcards.fetch.ranges import METADATA, plain_address, why_not_public
from webcards.fetch.url import Address, WebUrl, literal_address, parse_url

if TYPE_CHECKING:
    from webcards.settings import Settings

Network = IPv4Network | IPv6Network

LOOPBACK: tuple[Address, ...] = (IPv4Address("127.0.0.1"), IPv6Address("::1"))

_LOCAL_NAMES = {
    "localhost": "this machine (RFC 6761)",
    "localdomain": "this machine",
    "ip6-localhost": "this machine",
    "ip6-loopback": "this machine",
    "local": "the local network (RFC 6762)",
    "internal": "a private network (reserved by ICANN)",
    "home.arpa": "a home network (RFC 8375)",
    "onion": "the Tor network, not the web (RFC 7686)",
    "metadata.goog": "a cloud metadata service",
    "instance-data": "a cloud metadata service",
    "metadata.tencentyun.com": "a cloud metadata service",
}


class Guard(msgspec.Struct, frozen=True):
    """The rules of one fetcher.

    `library_hosts` are answered without a network, and `offline` says that all hosts are (a capture is replayed): no
    address is at stake there, while the lists of domains hold all the same.
    """

    allow: frozenset[tuple[str, int]] = frozenset()
    private_names: frozenset[str] = frozenset()
    private_networks: tuple[Network, ...] = ()
    allow_domains: frozenset[str] = frozenset()
    block_domains: frozenset[str] = frozenset()
    library_hosts: Container[str] = frozenset()
    offline: bool = False

    @classmethod
    def from_settings(cls, settings: Settings, *, library_hosts: Container[str] = frozenset()) -> Guard:
        """The rules that the settings ask for. Raises WebError (WEB_PROVIDER_ERROR) for one it cannot read."""
        networks, names = [], set()
        for entry in settings.fetch_private_hosts:
            network = _network(entry)
            if network is None:
                names.add(_domain(entry, "WEBCARDS_FETCH_PRIVATE_HOSTS"))
            else:
                networks.append(network)
        return cls(
            allow=frozenset(_host_and_port(entry) for entry in settings.fetch_allow),
            private_names=frozenset(names),
            private_networks=tuple(networks),
            allow_domains=frozenset(
                _domain(entry, "WEBCARDS_FETCH_ALLOW_DOMAINS") for entry in settings.fetch_allow_domains
            ),
            block_domains=frozenset(
                _domain(entry, "WEBCARDS_FETCH_BLOCK_DOMAINS") for entry in settings.fetch_block_domains
            ),
            library_hosts=library_hosts,
            offline=bool(settings.fetch_replay),
        )

    def check_url(self, url: WebUrl) -> None:
        """All that can be said before a look-up. Raises WebError (WEB_BLOCKED_URL)."""
        self._check_domain(url.host)
        if self.offline or url.host in self.library_hosts:
            return
        if url.address is not None:
            self.check_addresses(url.host, url.port, (url.address,))
        else:
            self._check_name(url.host, url.port)
        if url.port in UNSAFE_PORTS and not self._named(url.host, url.port):
            _block(
                f"Port {url.port} ({UNSAFE_PORTS[url.port]}) is no port for web pages. "
                f"If {url.netloc} is meant all the same, WEBCARDS_FETCH_ALLOW={url.netloc} permits it."
            )

    def check_addresses(self, host: str, port: int, addresses: Iterable[Address]) -> tuple[Address, ...]:
        """The addresses to connect to, in order, if every one of them may be reached.

        Raises WebError (WEB_BLOCKED_URL) that names the first which may not, and the setting that would permit it.
        """
        checked = tuple(dict.fromkeys(plain_address(address) for address in addresses))
        for address in checked:
            why = why_not_public(address)
            if why is not None and not self._permitted(host, port, address):
                _refuse_address(host, port, address, why)
        return checked

    def loopback_for(self, host: str, port: int) -> tuple[Address, ...] | None:
        """The addresses of `localhost` and names below it, which are never looked up (RFC 6761, 6.3); else None."""
        if not _is_within(host, "localhost"):
            return None
        if self._named(host, port):
            return LOOPBACK
        return tuple(address for address in LOOPBACK if self._permitted(host, port, address)) or LOOPBACK

    def _check_domain(self, host: str) -> None:
        if any(_is_within(host, domain) for domain in self.block_domains):
            _block(f"{host} is on the list of blocked domains (WEBCARDS_FETCH_BLOCK_DOMAINS).")
        if self.allow_domains and not any(_is_within(host, domain) for domain in self.allow_domains):
            _block(f"{host} is not on the list of domains that may be fetched (WEBCARDS_FETCH_ALLOW_DOMAINS).")

    def _check_name(self, host: str, port: int) -> None:
        if self._named(host, port):
            return
        why = next((why for name, why in _LOCAL_NAMES.items() if _is_within(host, name)), None)
        if why is None:
            return
        if _is_within(host, "localhost") and any(self._permitted(host, port, address) for address in LOOPBACK):
            return
        _block(
            f"{host} is not a public host: the name stands for {why}. If it is meant, "
            f"WEBCARDS_FETCH_ALLOW={host}:{port} permits it, or {host} in WEBCARDS_FETCH_PRIVATE_HOSTS for every port."
        )

    def _named(self, host: str, port: int) -> bool:
        """Whether a setting permits this very host, whatever it resolves to."""
        return (host, port) in self.allow or any(_is_within(host, name) for name in self.private_names)

    def _permitted(self, host: str, port: int, address: Address) -> bool:
        exact = (str(address), port) in self.allow or any(
            network.prefixlen == network.max_prefixlen and address in network for network in self.private_networks
        )
        if exact or address in METADATA:
            # A whole network, or a name, that happens to lead to a metadata service is not what its owner meant.
            return exact
        return self._named(host, port) or any(address in network for network in self.private_networks)


def _refuse_address(host: str, port: int, address: Address, why: str) -> NoReturn:
    bracketed = f"[{address}]" if isinstance(address, IPv6Address) else str(address)
    named = str(address) if literal_address(host) is not None else f"{host}, which resolves to {address},"
    setting = f"WEBCARDS_FETCH_ALLOW={bracketed}:{port}"
    if address not in METADATA:
        setting += f" permits it, or {address} (or its network) in WEBCARDS_FETCH_PRIVATE_HOSTS for every port"
    else:
        setting += " permits it"
    _block(f"{named} is not public: {why}. If it is meant, {setting}.")


def _block(message: str) -> NoReturn:
    raise WebError("WEB_BLOCKED_URL", message)


def _is_within(host: str, domain: str) -> bool:
    return host == domain or host.endswith("." + domain)


def _network(entry: str) -> Network | None:
    try:
        return ip_network(entry.strip("[]"), strict=False)
    except ValueError:
        return None


def _host_and_port(entry: str) -> tuple[str, int]:
    try:
        if not entry.rpartition(":")[2].isdigit():
            raise WebError("WEB_INVALID_URL", "no port")
        url = parse_url(f"http://{entry}/")
    except WebError:
        raise _unreadable(
            "WEBCARDS_FETCH_ALLOW", entry, "host:port, such as intranet.example:8080 or 10.0.0.7:80"
        ) from None
    return (str(plain_address(url.address)) if url.address is not None else url.host), url.port


def _domain(entry: str, setting: str) -> str:
    try:
        if "/" in entry:
            raise WebError("WEB_INVALID_URL", "a URL is no name")
        return parse_url(f"http://{entry.removeprefix('*').removeprefix('.')}/").host
    except WebError:
        raise _unreadable(setting, entry, "a name such as example.com") from None


def _unreadable(setting: str, entry: str, wanted: str) -> WebError:
    return WebError("WEB_PROVIDER_ERROR", f"The setting {setting} holds {entry!r}, where {wanted} is wanted.")
