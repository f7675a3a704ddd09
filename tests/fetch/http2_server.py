"""A small HTTP/2 server over TLS on loopback, with real flow control: `/endless` never stops, the rest is short."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator

import h2.config
import h2.connection
import h2.events
import h2.exceptions

from tests.fetch.loopback import authority


class Http2Server:
    """What it was asked, over how many connections."""

    def __init__(self) -> None:
        self.connections = 0
        self.asked: list[str] = []
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        self.connections += 1
        state = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        state.initiate_connection()
        waiting: dict[int, bytes | None] = {}
        with contextlib.suppress(OSError, h2.exceptions.ProtocolError):
            writer.write(state.data_to_send())
            while data := await reader.read(65_536):
                for event in state.receive_data(data):
                    if isinstance(event, h2.events.RequestReceived):
                        self._answer(state, event, waiting)
                    elif isinstance(event, h2.events.StreamReset):
                        waiting.pop(event.stream_id, None)
                for stream in list(waiting):
                    self._send(state, stream, waiting)
                writer.write(state.data_to_send())
                await writer.drain()
        writer.transport.abort()

    def _answer(
        self, state: h2.connection.H2Connection, event: h2.events.RequestReceived, waiting: dict[int, bytes | None]
    ) -> None:
        assert event.stream_id is not None and event.headers is not None
        path = dict(event.headers)[b":path"].decode()
        self.asked.append(path)
        headers = [(":status", "200"), ("content-type", "text/plain; charset=utf-8")]
        if path == "/huge-headers":
            headers += [(f"x-filler-{number}", "x" * 4000) for number in range(40)]
        state.send_headers(event.stream_id, headers)
        waiting[event.stream_id] = None if path == "/endless" else b"short"

    def _send(self, state: h2.connection.H2Connection, stream: int, waiting: dict[int, bytes | None]) -> None:
        """As much as the client's windows have room for; the rest waits, as with any real server."""
        body = waiting[stream]
        while (room := min(state.local_flow_control_window(stream), state.max_outbound_frame_size)) > 0:
            block = b"a" * room if body is None else body[:room]
            state.send_data(stream, block, end_stream=body is not None)
            if body is not None:
                del waiting[stream]
                return


@contextlib.asynccontextmanager
async def http2_running() -> AsyncIterator[Http2Server]:
    """The server until the block ends."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority().issue_cert("h2.example").configure_cert(context)
    context.set_alpn_protocols(["h2"])
    told = Http2Server()
    server = await asyncio.start_server(told.serve, "127.0.0.1", 0, ssl=context)
    told.port = server.sockets[0].getsockname()[1]
    try:
        yield told
    finally:
        server.close()
