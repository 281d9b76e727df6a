"""Connections and responses over raw sockets, read as they come: whole bodies, chunks, server-sent events.

Knows HTTP/1.1 and server-sent events, as far as this server uses them. Knows no request and no feature.
"""

import json
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

from tests.support.answer import Json, Readings

#: Seconds. Answers take milliseconds; whoever waits in vain shall be told soon.
PATIENCE: Final = 5.0


class Ended(Exception):
    """The body ended while more of it was awaited."""


@dataclass(frozen=True, slots=True)
class Answer(Readings):
    """A response that was read to its end. `headers` has lower-case names."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def media(self) -> str:
        """The content type without its parameters."""
        return self.headers.get("content-type", "").split(";")[0].strip().lower()

    @property
    def messages(self) -> list[Json]:
        """Every JSON-RPC message, the response last."""
        if self.media == "text/event-stream":
            return [frame for event in self.body.split(b"\n\n") if (frame := _frame(event)) is not None]
        message: Json = json.loads(self.body)
        return [message]


class Channel:
    """A connection, kept open for more than one request unless the server closes it."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self.unread = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._socket.close()

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def half_close(self) -> None:
        """Says that nothing more will be sent; answers can still be read."""
        self._socket.shutdown(socket.SHUT_WR)

    def fill(self, deadline: float) -> bool:
        """Reads what is there, waiting until the deadline; False at the end of the connection. Raises TimeoutError."""
        self._socket.settimeout(max(deadline - time.monotonic(), 0.001))
        data = self._socket.recv(65536)
        self.unread += data
        return bool(data)

    def wait_for(self, part: bytes, timeout: float = PATIENCE) -> None:
        """Returns when `part` has arrived; it stays unread."""
        deadline = time.monotonic() + timeout
        while part not in self.unread:
            if not self.fill(deadline):
                raise Ended(f"the connection ended after {self.unread!r}")

    def take(self, size: int) -> bytes:
        taken, self.unread = self.unread[:size], self.unread[size:]
        return taken


class Stream:
    """A response that is under way: its head has been read, its body may still be coming.

    Closes its channel with it, unless the caller keeps one.
    """

    def __init__(self, channel: Channel, keep: bool, timeout: float = PATIENCE) -> None:
        self._channel = channel
        self._keep = keep
        self._unread = b""
        self._seen = b""
        self.ended = False
        head = self._head(time.monotonic() + timeout)
        while head.startswith(b"HTTP/1.1 1"):  # 100 Continue
            head = self._head(time.monotonic() + timeout)
        status, *lines = head.decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in lines)
        self.status = int(status.split()[1])
        self.headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        self._chunked = self.headers.get("transfer-encoding", "").lower() == "chunked"
        length = self.headers.get("content-length")
        self._left = None if length is None else int(length)
        self._decode()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Leaves; for a stream that has not ended this is how a client cancels (HTTP-20)."""
        if not self._keep:
            self._channel.close()

    def _head(self, deadline: float) -> bytes:
        self._channel.wait_for(b"\r\n\r\n", deadline - time.monotonic())
        head = self._channel.take(self._channel.unread.index(b"\r\n\r\n") + 4)
        return head.removesuffix(b"\r\n\r\n")

    def _decode(self) -> None:
        """Moves what the channel holds of this body to `_unread`."""
        if self._chunked:
            while not self.ended and (piece := self._chunk()) is not None:
                self._unread += piece
        elif self._left is None:
            self._unread += self._channel.take(len(self._channel.unread))
        else:
            piece = self._channel.take(self._left)
            self._unread += piece
            self._left -= len(piece)
            self.ended = self._left == 0

    def _chunk(self) -> bytes | None:
        line, found, rest = self._channel.unread.partition(b"\r\n")
        size = int(line.split(b";")[0], 16) if found else 0
        if not found or len(rest) < size + 2:
            return None
        self._channel.take(len(line) + 2)
        piece = self._channel.take(size)
        assert b"\r\n" == self._channel.take(2)
        self.ended = size == 0
        return piece

    def _more(self, deadline: float) -> bool:
        """Waits for more of the body; False at its end."""
        if self.ended:
            return False
        if self._channel.fill(deadline):
            self._decode()
            return True
        assert not self._chunked, f"the connection ended within a chunked body, after {self._seen + self._unread!r}"
        assert not self._left, f"the connection ended {self._left} bytes too early"
        self.ended = True
        return False

    def next_event(self, timeout: float = PATIENCE) -> bytes:
        """The next server-sent event, comments included. Raises Ended, or TimeoutError when none comes."""
        deadline = time.monotonic() + timeout
        while b"\n\n" not in self._unread:
            if not self._more(deadline):
                raise Ended(f"the stream ended after {self._seen + self._unread!r}")
        event, _, self._unread = self._unread.partition(b"\n\n")
        self._seen += event + b"\n\n"
        return event

    def next_frame(self, timeout: float = PATIENCE) -> Json:
        """The next message of the stream; comments are skipped, as clients must."""
        deadline = time.monotonic() + timeout
        while True:
            frame = _frame(self.next_event(deadline - time.monotonic()))
            if frame is not None:
                return frame

    def rest(self, timeout: float = PATIENCE) -> Answer:
        """Reads to the end, and gives the whole response, frames that were read before included."""
        deadline = time.monotonic() + timeout
        with self:
            while self._more(deadline):
                pass
        return Answer(self.status, self.headers, self._seen + self._unread)


def _frame(event: bytes) -> Json | None:
    """The message of an event; None for a comment. Fields other than `data` are none of this protocol (HTTP-18)."""
    lines = [line for line in event.split(b"\n") if line and not line.startswith(b":")]
    assert all(line.startswith((b"data:", b"event: message")) for line in lines), event
    data = [line.removeprefix(b"data:").removeprefix(b" ") for line in lines if line.startswith(b"data:")]
    frame: Json | None = json.loads(b"\n".join(data)) if data else None
    return frame
