"""Looking a name up: the machine's own resolver, off the event loop, and the interface that tests put theirs behind."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
import threading
from typing import Any, Protocol

from webcards.contract.errors import WebError
from webcards.fetch.url import Address

MAX_LOOK_UPS = 64
"""Look-ups that may run at the same time; the rest wait."""


class Resolver(Protocol):
    """Gives every address that a name has."""

    async def resolve(self, host: str, port: int) -> list[Address]:
        """All addresses of `host`, in the order of preference.

        Raises WebError (WEB_PROVIDER_ERROR) where the name has none.
        """
        ...


class SystemResolver:
    """`getaddrinfo`, each look-up in a thread of its own: one that hangs holds up neither the others nor the exit."""

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(MAX_LOOK_UPS)

    async def resolve(self, host: str, port: int) -> list[Address]:
        """All addresses of `host`. Raises WebError (WEB_PROVIDER_ERROR) where the look-up fails."""
        async with self._free:
            try:
                found = await _in_thread(host, port)
            except socket.gaierror as error:
                raise _not_found(host, error) from None
            except UnicodeError:  # a label that the resolver's own IDNA codec refuses
                raise WebError("WEB_PROVIDER_ERROR", f"{host} cannot be looked up: it is no valid host name.") from None
            except OSError as error:
                raise WebError("WEB_PROVIDER_ERROR", f"{host} could not be looked up: {error.strerror}.") from None
        return [ipaddress.ip_address(str(sockaddr[0]).partition("%")[0]) for *_, sockaddr in found]


_Found = list[tuple[Any, ...]]
"""getaddrinfo's rows; the last item of each is the socket address."""


async def _in_thread(host: str, port: int) -> _Found:
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[_Found] = loop.create_future()

    def settle(found: _Found | None, error: Exception | None) -> None:
        if answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        elif found is not None:
            answer.set_result(found)

    def look_up() -> None:
        found: _Found | None = None
        failure: Exception | None = None
        try:
            found = list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except Exception as error:  # whatever it is, it belongs to the waiting task
            failure = error
        with contextlib.suppress(RuntimeError):  # the loop has closed: nobody waits any more
            loop.call_soon_threadsafe(settle, found, failure)

    threading.Thread(target=look_up, name=f"look-up {host}", daemon=True).start()
    return await answer


def _not_found(host: str, error: socket.gaierror) -> WebError:
    if error.errno == socket.EAI_AGAIN:
        why = "the name server did not answer; is there a network?"
    elif error.errno in (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)):
        why = "the name is not known; is it spelt right?"
    else:
        why = f"{error.strerror}."
    return WebError("WEB_PROVIDER_ERROR", f"{host} could not be found: {why}")
