"""What went wrong on the network, in plain words: the libraries' exceptions as WebErrors."""

from __future__ import annotations

import errno
import logging
import ssl
from typing import TypeVar

import h2.exceptions
import httpcore
import httpx

from webcards.contract.errors import WebError
from webcards.fetch.url import WebUrl

E = TypeVar("E", bound=BaseException)

log = logging.getLogger(__name__)

TIMEOUTS = (httpcore.TimeoutException, httpx.TimeoutException)
CONNECT_FAILURES = (httpcore.ConnectError, httpx.ConnectError)


def failure(error: Exception, url: WebUrl) -> WebError:
    """The WebError that says what `error`, met while `url` was asked for, means."""
    host = url.netloc
    if isinstance(error, WebError):
        return error
    if isinstance(error, TIMEOUTS):
        return WebError("WEB_FETCH_TIMEOUT", f"{host} did not answer in time.")
    tls = _cause(error, ssl.SSLError)
    if tls is not None:
        return WebError("WEB_PROVIDER_ERROR", _tls_words(tls, host))
    if isinstance(error, (httpcore.ProxyError, httpx.ProxyError)):
        return WebError(
            "WEB_PROVIDER_ERROR",
            f"The proxy (WEBCARDS_FETCH_PROXY) did not connect to {host}: {str(error) or 'it gave no reason'}.",
        )
    if isinstance(error, CONNECT_FAILURES):
        return WebError("WEB_PROVIDER_ERROR", _connect_words(error, host))
    if _too_many_headers(error):
        return WebError("WEB_FETCH_TOO_LARGE", f"{host} sent more headers than are read (about 64 KiB).")
    if isinstance(error, (httpcore.ReadError, httpcore.WriteError, httpx.ReadError, httpx.WriteError)):
        return WebError("WEB_PROVIDER_ERROR", f"{host} broke the connection off before it answered.")
    if "disconnected without sending" in str(error):
        return WebError("WEB_PROVIDER_ERROR", f"{host} closed the connection without an answer.")
    if not isinstance(error, _EXPECTED):
        log.warning("fetching from %s met an unexpected %s", host, type(error).__name__, exc_info=error)
        return WebError("WEB_PROVIDER_ERROR", f"{host} could not be fetched ({type(error).__name__}).")
    return WebError("WEB_PROVIDER_ERROR", f"{host} gave an answer that is no valid HTTP.")


_EXPECTED = (
    httpcore.ProtocolError,
    httpcore.NetworkError,
    httpcore.UnsupportedProtocol,
    httpx.TransportError,
    h2.exceptions.H2Error,
    OSError,
)

BROKEN_OFF = (
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ReadTimeout,
    httpx.NetworkError,
    httpx.ProtocolError,
    httpx.ReadTimeout,
    h2.exceptions.H2Error,
)
"""A body that stops in the middle."""


def may_pass(error: Exception) -> bool:
    """Whether asking once more may help: the connection failed or broke, and not for a reason that stays."""
    tls = _cause(error, ssl.SSLError)
    if isinstance(error, WebError) or (tls is not None and not isinstance(tls, ssl.SSLEOFError)):
        return False
    return isinstance(
        error,
        (httpcore.NetworkError, httpx.NetworkError, httpcore.RemoteProtocolError, httpx.RemoteProtocolError),
    )


def _too_many_headers(error: Exception) -> bool:
    # h11 says it in a message only, hpack by a class of its own.
    return (
        "receive buffer too long" in str(error).lower() or _cause(error, h2.exceptions.DenialOfServiceError) is not None
    )


def _connect_words(error: Exception, host: str) -> str:
    match _errno(error):
        case errno.ECONNREFUSED:
            return f"{host} refused the connection: nothing answers on that port."
        case errno.ENETUNREACH | errno.EHOSTUNREACH | errno.EADDRNOTAVAIL:
            return f"{host} cannot be reached from here; is there a network?"
        case errno.ETIMEDOUT:
            return f"{host} did not answer the connection."
        case _:
            return f"No connection to {host}: {str(error) or 'the server hung up'}."


def _errno(error: BaseException | None) -> int | None:
    """The system's error number; the layers between wrap it in OSErrors of their own that have none."""
    for _ in range(10):
        if isinstance(error, OSError) and error.errno is not None:
            return error.errno
        if error is None:
            return None
        error = error.__cause__ or error.__context__
    return None


def _tls_words(error: ssl.SSLError, host: str) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        why = str(error.verify_message or "it could not be verified").rstrip(".")
        return f"The certificate of {host} is not valid: {why}. The page was not fetched."
    return f"No secure connection to {host}: {(error.reason or 'TLS failed').replace('_', ' ').lower()}."


def _cause(error: BaseException, kind: type[E]) -> E | None:
    """The first exception of a kind in the chain of causes."""
    current: BaseException | None = error
    for _ in range(10):
        if current is None or isinstance(current, kind):
            return current
        current = current.__cause__ or current.__context__
    return None
