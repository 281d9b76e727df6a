"""The three ways in: in the process, over HTTP, over stdio. Each takes a request and gives every message that came.

Knows the clients of the tests. Knows no transcript.
"""

import asyncio
from typing import Any, Protocol

from goldfish.everything.app import create_server
from goldfish.kernel.profile import STRICT
from tests.stdio.test_command import Lines
from tests.support import inprocess, wire
from tests.support.inprocess import PREFIX, Json

SUBSCRIPTION = PREFIX + "subscriptionId"


class Way(Protocol):
    has_headers: bool

    def exchange(self, send: Json) -> list[Json]: ...

    def listen(self, send: Json, frames: int) -> list[Json]: ...

    def close(self) -> None: ...


class InProcess:
    has_headers = True

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._server = create_server()
        self._client = inprocess.Client(self._server.endpoint(STRICT))

    def _open(self, send: Json, id: Any = 1) -> inprocess.Exchange:
        return self._client.open(
            send["method"],
            send.get("params"),
            id=id,
            meta=send.get("meta"),
            headers=send.get("headers"),
            capabilities=send.get("capabilities"),
        )

    def exchange(self, send: Json) -> list[Json]:
        async def run() -> list[Json]:
            return (await self._open(send).answer()).messages

        return self._runner.run(run())

    def listen(self, send: Json, frames: int) -> list[Json]:
        async def run() -> list[Json]:
            stream = self._open(send, "listen")
            heard = [await stream.frame()]
            for other in send["meanwhile"]:
                await self._open(other).answer()
            while len(heard) < frames:
                heard.append(await stream.frame())
            await stream.gone()
            return heard

        return self._runner.run(run())

    def close(self) -> None:
        self._runner.run(self._server.close(0.1))
        self._runner.close()


class OverHttp:
    has_headers = True

    def __init__(self, base: str) -> None:
        self._client = wire.Client(f"{base}/strict/mcp")

    def _open(self, send: Json, id: Any = 1) -> Any:
        return self._client.open(
            send["method"],
            send.get("params"),
            id=id,
            meta=send.get("meta"),
            headers=send.get("headers"),
            capabilities=send.get("capabilities"),
        )

    def exchange(self, send: Json) -> list[Json]:
        messages: list[Json] = self._open(send).rest().messages
        return messages

    def listen(self, send: Json, frames: int) -> list[Json]:
        with self._open(send, "listen") as stream:
            heard = [stream.next_frame()]
            for other in send["meanwhile"]:
                self.exchange(other)
            while len(heard) < frames:
                heard.append(stream.next_frame())
        return heard

    def close(self) -> None:
        """Each request had a connection of its own."""


class OverStdio:
    has_headers = False

    def __init__(self) -> None:
        self._lines = Lines("-m", "goldfish", "--stdio")

    def _send(self, send: Json, id: Any) -> None:
        meta = {"members": send.get("meta"), "capabilities": send.get("capabilities")}
        self._lines.send(send["method"], send.get("params"), id=id, **meta)

    def exchange(self, send: Json) -> list[Json]:
        self._send(send, 1)
        messages = [self._lines.message()]
        while "id" not in messages[-1]:
            messages.append(self._lines.message())
        return messages

    def listen(self, send: Json, frames: int) -> list[Json]:
        self._send(send, "listen")
        heard = [self._lines.message()]
        for other in send["meanwhile"]:
            heard += [message for message in self.exchange(other) if "id" not in message]
        while len(heard) < frames:
            heard.append(self._lines.message())
        self._lines.raw(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"listen"}}\n')
        return heard

    def close(self) -> None:
        assert 0 == self._lines.end()[0]
        self._lines.close()
