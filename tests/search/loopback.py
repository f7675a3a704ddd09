"""A small real HTTP server on loopback for the search tests: answers word for word what a test gives it."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True)
class Asked:
    """A request as it came in; header names in lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def params(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.target).query, keep_blank_values=True))

    @property
    def form(self) -> dict[str, str]:
        return dict(parse_qsl(self.body.decode(), keep_blank_values=True))

    @property
    def json(self) -> object:
        return json.loads(self.body)


@dataclass(frozen=True)
class Answer:
    """A response; `hangs` sends nothing and keeps the connection, `breaks` closes it in the middle of the body."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    hangs: bool = False
    breaks: bool = False


def as_json(content: object, status: int = 200, **headers: str) -> Answer:
    """A JSON answer; a keyword such as `retry_after` becomes the header Retry-After."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, json.dumps(content).encode(), {"Content-Type": "application/json", **named})


def page(html: str, status: int = 200, **headers: str) -> Answer:
    """An HTML answer."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, html.encode(), {"Content-Type": "text/html; charset=utf-8", **named})


HANGS = Answer(hangs=True)


class Server:
    """The running server: its address, and what it was asked so far."""

    def __init__(self, answers: Callable[[Asked], Answer]) -> None:
        self.url = ""
        self.asked: list[Asked] = []
        self.reached = asyncio.Event()
        """Set when the first request is in."""
        self.left = asyncio.Event()
        """Set when a client goes away from a request that hangs."""
        self._answers = answers
        self._open: set[asyncio.StreamWriter] = set()
        self._all_closed = asyncio.Event()
        self._all_closed.set()

    async def close(self) -> None:
        """Close what clients have left open."""
        for writer in self._open:
            writer.close()
        await self._all_closed.wait()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        self._all_closed.clear()
        try:
            while asked := await _read(reader):
                self.asked.append(asked)
                self.reached.set()
                answer = self._answers(asked)
                if answer.hangs:
                    await reader.read()
                    self.left.set()
                    return
                writer.write(_head(answer) + (answer.body[: len(answer.body) // 2] if answer.breaks else answer.body))
                await writer.drain()
                if answer.breaks:
                    return
        except ConnectionError:
            self.left.set()
        finally:
            writer.close()
            self._open.discard(writer)
            if not self._open:
                self._all_closed.set()


@asynccontextmanager
async def serving(*answers: Answer | Callable[[Asked], Answer]) -> AsyncIterator[Server]:
    """A server that gives the answers in turn, the last one from then on; or whatever a function says."""
    server = Server(_in_turn(answers))
    listening = await asyncio.start_server(server.handle, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    try:
        yield server
    finally:
        listening.close()
        await server.close()


def closed_port() -> str:
    """The address of a port on loopback where nobody listens (TCP port 9, discard, needs root and a daemon)."""
    return "http://127.0.0.1:9"


def _in_turn(answers: tuple[Answer | Callable[[Asked], Answer], ...]) -> Callable[[Asked], Answer]:
    left = list(answers)

    def give(asked: Asked) -> Answer:
        answer = left.pop(0) if len(left) > 1 else left[0]
        return answer if isinstance(answer, Answer) else answer(asked)

    return give


async def _read(reader: asyncio.StreamReader) -> Asked | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(method, target, headers, body)


def _head(answer: Answer) -> bytes:
    lines = [f"HTTP/1.1 {answer.status} {_phrase(answer.status)}", f"Content-Length: {len(answer.body)}"]
    lines += [f"{name}: {value}" for name, value in answer.headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else "Unknown"
