"""`goldfish --stdio` as a process: lines in, lines out, and nothing else."""

import json
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import shipped
from tests.support.inprocess import Json, accept
from tests.support.wire import envelope

PATIENCE = 10.0
FORM: Json = {"elicitation": {"form": {}}}
NOISY = Path(__file__).with_name("noisy.py")


class Lines:
    """A server at the other end of two pipes."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [shipped.PYTHON, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.errors = b""
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._readers = [threading.Thread(target=read, daemon=True) for read in (self._read, self._read_errors)]
        for reader in self._readers:
            reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        self.errors = self.process.stderr.read()

    def raw(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, method: str, params: Json | None = None, *, id: Any = 1, **how: Any) -> None:
        given = {**(params or {}), "_meta": envelope(**how)}
        self.raw(json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": given}).encode() + b"\n")

    def tool(self, name: str, arguments: Json | None = None, **how: Any) -> None:
        self.send("tools/call", {"name": name, "arguments": arguments or {}}, **how)

    def line(self) -> bytes:
        return self._lines.get(timeout=PATIENCE)

    def message(self) -> Json:
        line = self.line()
        assert line.endswith(b"\n"), self.errors
        message: Json = json.loads(line)
        return message

    def end(self) -> tuple[int, list[Json]]:
        """Closes standard input: the exit status, and the messages that still came."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.ended()

    def ended(self) -> tuple[int, list[Json]]:
        status = self.process.wait(PATIENCE)
        for reader in self._readers:
            reader.join(PATIENCE)
        rest = []
        while line := self._lines.get(timeout=PATIENCE):
            rest.append(json.loads(line))
        return status, rest

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for reader in self._readers:
            reader.join(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()


@pytest.fixture
def server() -> Iterator[Lines]:
    lines = Lines("-m", "goldfish", "--stdio")
    yield lines
    lines.close()


def test_a_request_is_answered_without_headers(server: Lines) -> None:
    """STD-01, STD-04, STD-05: a mirrored parameter needs no header either."""
    server.tool("execute-sql", {"region": "eu", "query": "q"}, id="a")
    answer = server.message()
    assert ("a", {"region": "eu", "rowCount": 0}) == (answer["id"], answer["result"]["structuredContent"])


def test_text_with_line_breaks_stays_on_one_line(server: Lines) -> None:
    """STD-01: also those that only some readers take for one."""
    text = "a\nb\r\u2028c\u2029d\u0085e"
    server.tool("echo", {"message": text})
    line = server.line()
    assert 1 == len(line.decode().splitlines())
    assert f"echo: {text}" == json.loads(line)["result"]["content"][0]["text"]


def test_errors_are_the_same_as_over_http(server: Lines) -> None:
    """STD-04, STD-15: an unknown version, a handshake, a missing envelope, an unknown method."""
    server.send("tools/list", members={"io.modelcontextprotocol/protocolVersion": "1900-01-01"}, id=1)
    assert -32022 == server.message()["error"]["code"]
    server.raw(b'{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}\n')
    assert {"supported": ["2026-07-28"], "requested": "2025-11-25"} == server.message()["error"]["data"]
    server.raw(b'{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{}}\n')
    assert -32602 == server.message()["error"]["code"]
    server.send("no/such", id=4)
    assert -32601 == server.message()["error"]["code"]


def test_a_fast_request_does_not_wait_for_a_slow_one(server: Lines) -> None:
    """STD-12: answers come as they are ready, each with its id; progress is on the shared channel."""
    server.tool("long-task", {"steps": 2, "delayMs": 300}, id="slow", members={"progressToken": "p"})
    server.tool("echo", {"message": "hi"}, id="fast")
    assert "fast" == server.message()["id"]
    assert [1, 2] == [server.message()["params"]["progress"] for _ in range(2)]
    assert "slow" == server.message()["id"]


def test_a_cancelled_request_is_heard_of_no_more(server: Lines) -> None:
    """STD-06, CAN-02, CAN-05: no progress, no answer, no error."""
    server.tool("long-task", {"steps": 10, "delayMs": 200}, id=7, members={"progressToken": "p"})
    assert "notifications/progress" == server.message()["method"]
    server.raw(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}\n')
    server.tool("long-task", {"steps": 2, "delayMs": 300}, id=8)
    assert 8 == server.message()["id"]
    assert (0, []) == server.end()


@pytest.mark.parametrize("params", ["", ',"params":{}', ',"params":{"requestId":99}', ',"params":{"requestId":[]}'])
def test_cancelling_what_does_not_run_is_ignored(server: Lines, params: str) -> None:
    """STD-07, CAN-04: unknown, over, or malformed; the id 1 and the id "1" are two."""
    server.raw(b'{"jsonrpc":"2.0","method":"notifications/cancelled"' + params.encode() + b"}\n")
    server.tool("long-task", {"steps": 1, "delayMs": 100}, id=1)
    server.raw(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}}\n')
    assert 1 == server.message()["id"]


def test_a_bad_line_costs_only_itself(server: Lines) -> None:
    """STD-10, STD-11: it is answered without an id; blank lines and carriage returns are nothing."""
    server.raw(b"{bad\n\n   \n\r\n")
    answer = server.message()
    assert (-32700, False) == (answer["error"]["code"], "id" in answer)
    server.raw(b"[]\n")
    assert -32600 == server.message()["error"]["code"]
    server.raw(b'{"jsonrpc":"2.0","method":"notifications/unknown"}\r\n')
    server.tool("echo", {"message": "hi"}, id=5)
    assert 5 == server.message()["id"]


def test_a_line_over_the_limit_costs_only_itself(server: Lines) -> None:
    server.tool("echo", {"message": "x" * (5 * 1024 * 1024)}, id=1)
    assert -32700 == server.message()["error"]["code"]
    server.tool("echo", {"message": "hi"}, id=2)
    assert 2 == server.message()["id"]


def test_the_beginning_of_a_line_over_the_limit_is_no_message(server: Lines) -> None:
    """STD-10, RPC-09: a whole request, blanks and garbage are together no JSON, and nothing of it is served."""
    begun = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": envelope()}}).encode()
    server.raw(begun + b" " * 100_000 + b"garbage" * 700_000 + b"\n")
    answer = server.message()
    assert (-32700, False) == (answer["error"]["code"], "id" in answer)


def test_the_end_of_input_ends_the_server(server: Lines) -> None:
    """STD-08, STD-09: at once, with status 0; what came without its line's end is no message."""
    server.tool("echo", {"message": "hi"})
    server.message()
    server.raw(b'{"jsonrpc":"2.0","id":9,"method":"tools/list"')
    begun = time.monotonic()
    assert (0, []) == server.end()
    assert 1.5 > time.monotonic() - begun


def test_a_request_just_before_the_end_is_answered(server: Lines) -> None:
    """As in `echo ... | goldfish --stdio`."""
    server.tool("echo", {"message": "hi"}, id=3)
    status, messages = server.end()
    assert (0, [3]) == (status, [message["id"] for message in messages])


def test_subscriptions_share_the_channel_by_their_ids(server: Lines) -> None:
    """STD-13, SUBS-10, SUBS-12: each acknowledged first; a cancelled one hears nothing more."""
    for number in ("a", 1):
        server.send("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, id=number)
        acknowledged = server.message()
        assert "notifications/subscriptions/acknowledged" == acknowledged["method"]
        assert number == acknowledged["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"]
    server.raw(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}\n')
    server.tool("trigger-notifications", {"event": "tools"}, id="t")
    both = [server.message() for _ in range(2)]
    told = [message for message in both if "method" in message]
    assert [1] == [message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] for message in told]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_streams_with_their_result(server: Lines, number: signal.Signals) -> None:
    """STD-14, SUBS-11: and the process with status 0, no word of what was running left out."""
    server.send("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, id="s")
    server.message()
    server.process.send_signal(number)
    status, messages = server.ended()
    assert (0, ["s"]) == (status, [message["id"] for message in messages])
    assert "complete" == messages[0]["result"]["resultType"]


def test_a_question_takes_two_rounds_here_as_well(server: Lines) -> None:
    server.tool("ask-name", capabilities=FORM)
    assert "input_required" == server.message()["result"]["resultType"]
    retry = {"name": "ask-name", "arguments": {}, "inputResponses": {"name": accept(name="Ada")}}
    server.send("tools/call", retry, capabilities=FORM)
    assert "Hello, Ada!" == server.message()["result"]["content"][0]["text"]


def test_what_prints_prints_to_standard_error() -> None:
    """STD-02, STD-03: a handler, a library that writes to the descriptor, a child process."""
    server = Lines(str(NOISY))
    try:
        server.tool("noisy", id=1)
        answer = server.message()
        assert (1, "quiet") == (answer["id"], answer["result"]["content"][0]["text"])
        assert (0, []) == server.end()
    finally:
        server.close()
    for said in (b"printed", b"written", b"said by a child"):
        assert said in server.errors
