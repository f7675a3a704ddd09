"""Where the app may be reached: on this machine, unless people sign in or everybody was let in by name. Pure."""

from ipaddress import ip_address
from urllib.parse import urlsplit

OPENED_BY = "--open-to-everyone (or WEBCARDS_SERVE_OPEN=1)"


def is_loopback(host: str | None) -> bool:
    """Whether a name or address means this machine alone. Nothing, which stands for every address, does not.

    RFC 6761 section 6.3: `localhost` and the names below it are loopback.
    """
    name = (host or "").strip().strip("[]").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ip_address(name)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def host_of_header(header: str) -> str:
    """The name in a Host header, without its port; empty where there is none."""
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""


def listening_refused(host: str, *, signed_in: bool, opened: bool) -> str | None:
    """Why the app will not listen on an address, and what would permit it; None where it may."""
    if signed_in or opened or is_loopback(host):
        return None
    return (
        f"the app will not listen on {host or 'every address'}: anybody who reaches it could read what was recorded and "
        "make this machine search and fetch. Let people sign in ([auth] in .streamlit/secrets.toml; docs/deploy.md says "
        f"how), or let everybody in with {OPENED_BY}, or listen on 127.0.0.1."
    )
