"""Programs under test as processes: start one, read what it says, talk to it over a socket, end it, see how it ended.

Waiting is always for a condition, with a deadline.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tests.support import shipped
from tests.support.inprocess import Json, mirrored
from tests.support.wire import Client, envelope

DEADLINE = 20.0
TINY_APP = str(Path(__file__).with_name("tiny_app.py"))


@dataclass(frozen=True)
class Ending:
    status: int
    seconds: float


class Program:
    """A running process; leaving the `with` block kills it if it still runs."""

    def __init__(self, arguments: Sequence[str], variables: Mapping[str, str] | None = None) -> None:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("GOLDFISH_")}
        self.process = subprocess.Popen(
            [shipped.PYTHON, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**inherited, **(variables or {})},
        )
        self.out: list[str] = []
        self.err: list[str] = []
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self._streams = (self.process.stdout, self.process.stderr)
        self._readers = [
            threading.Thread(target=_collect, args=(stream, lines), daemon=True)
            for stream, lines in zip(self._streams, (self.out, self.err), strict=True)
        ]
        for reader in self._readers:
            reader.start()

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for reader in self._readers:
            reader.join(DEADLINE)
        for stream in self._streams:
            stream.close()

    @property
    def first_line(self) -> str:
        wait_until(lambda: bool(self.out) or self.process.poll() is not None)
        assert self.out, f"it said nothing, and on stderr {self.err}"
        return self.out[0]

    @property
    def address(self) -> tuple[str, int]:
        """Host and port, as the first line tells."""
        found = re.search(r"http://(\[[0-9a-f:.]+\]|[^:/\s]+):([0-9]+)", self.first_line)
        assert found is not None, self.first_line
        return found[1].strip("[]"), int(found[2])

    def logged(self, part: str) -> list[str]:
        return [line for line in self.err if part in line]

    def wait_for_log(self, part: str, times: int = 1) -> None:
        wait_until(lambda: len(self.logged(part)) >= times, lambda: f"{part!r} is not in {self.err}")

    def connect(self, sent: bytes = b"") -> socket.socket:
        connection = socket.create_connection(self.address, timeout=DEADLINE)
        connection.sendall(sent)
        return connection

    def stop(self, *numbers: signal.Signals) -> Ending:
        """Sends the signals (SIGTERM, if none is named) and waits for the end."""
        begun = time.monotonic()
        for number in numbers or (signal.SIGTERM,):
            self.process.send_signal(number)
        return self.end(begun)

    def end(self, begun: float | None = None) -> Ending:
        started = time.monotonic() if begun is None else begun
        status = self.process.wait(DEADLINE)
        seconds = time.monotonic() - started
        for reader in self._readers:
            reader.join(DEADLINE)
        return Ending(status, seconds)


def _collect(stream: IO[str], lines: list[str]) -> None:
    for line in stream:
        lines.append(line.rstrip("\n"))


def tiny(mode: str = "") -> Program:
    return Program([TINY_APP, "0", mode])


def goldfish(*arguments: str, **variables: str) -> Program:
    """The command itself; a free port unless one is given."""
    given = "--port" in arguments or "GOLDFISH_PORT" in variables
    return Program(["-m", "goldfish", *arguments, *(() if given else ("--port", "0"))], variables)


def wait_until(condition: Callable[[], bool], problem: Callable[[], str] = lambda: "it did not happen") -> None:
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline, problem()
        time.sleep(0.005)


def read_until(connection: socket.socket, part: bytes) -> bytes:
    """Everything up to and with `part`."""
    received = b""
    while part not in received:
        piece = connection.recv(65536)
        assert piece, f"the connection ended after {received!r}"
        received += piece
    return received


def read_to_end(connection: socket.socket) -> bytes:
    """Everything until the other side closes; a reset raises ConnectionResetError."""
    received = b""
    with connection:
        while piece := connection.recv(65536):
            received += piece
    return received


def get(path: str, *fields: str) -> bytes:
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: 127.0.0.1", *fields, "", ""]).encode()


def post(
    path: str,
    method: str,
    params: Json | None = None,
    *,
    number: int | str = 1,
    meta: Mapping[str, Any] | None = None,
    host: str = "127.0.0.1",
    fields: Sequence[tuple[str, str]] = (),
) -> bytes:
    """An MCP request in due form; `fields` are further header fields."""
    given = {**(params or {}), "_meta": envelope(members=meta)}
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": given}
    headers: dict[str, str | bytes | None] = {"Host": host, "Mcp-Method": mirrored(method)}
    return Client(f"http://127.0.0.1:1{path}").compose(message, headers=headers, extra=fields)


def exchange(program: Program, sent: bytes) -> bytes:
    """The whole answer to one request, whose connection closes behind it."""
    head, end, body = sent.partition(b"\r\n\r\n")
    with program.connect(head + b"\r\nConnection: close" + end + body) as connection:
        return read_to_end(connection)
