"""The command `goldfish` on a signal: whatever is open gets its last frame if there is a reader; the status is 0.

The application that the other tests of ending use knows how each situation is handled; this is the server itself.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from typing import Any

import pytest

from tests.serving.processes import Program, exchange, get, goldfish, post, read_to_end, read_until, wait_until

IN_TIME = 3.0  # seconds
SOON = 1.5  # seconds: nothing waits, on a busy machine
ENDPOINTS = ("/mcp", "/strict/mcp")
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
FILTER = {"notifications": {"toolsListChanged": True}}


def frames(received: bytes) -> list[dict[str, Any]]:
    """The messages of a stream, which must have ended in due form."""
    assert received.endswith(b"\r\n0\r\n\r\n"), received
    return [json.loads(text) for text in re.findall(rb"data: (.*)\n\n", received)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_with_nothing_open_it_ends_at_once(number: signal.Signals) -> None:
    with goldfish() as program:
        assert program.first_line
        ending = program.stop(number)
        assert (0, []) == (ending.status, program.err)
        assert ending.seconds < SOON


def test_listen_streams_at_both_endpoints_get_their_result_and_the_end() -> None:
    """SUBS-11: the result carries the subscription's id, which is that of the request."""
    with goldfish() as program:
        opened: dict[int | str, socket.socket] = {}
        for number, path in enumerate(path for path in ENDPOINTS for _ in range(3)):
            identity: int | str = number if number % 2 else f"stream {number}"
            opened[identity] = program.connect(post(path, "subscriptions/listen", FILTER, number=identity))
            read_until(opened[identity], b"acknowledged")
        ending = program.stop()
        for identity, connection in opened.items():
            last = frames(b"\n\n" + read_to_end(connection))[-1]
            assert identity == last["id"]
            assert "complete" == last["result"]["resultType"]
            assert identity == last["result"]["_meta"][SUBSCRIPTION]
        assert 0 == ending.status
        assert ending.seconds < SOON


@pytest.mark.parametrize("path", ENDPOINTS)
def test_a_call_that_streams_gets_a_last_frame(path: str) -> None:
    """It is told that the server ends, as an error with its own id."""
    arguments = {"name": "long-task", "arguments": {"steps": 10, "delayMs": 400}}
    with goldfish() as program:
        connection = program.connect(post(path, "tools/call", arguments, number=7, meta={"progressToken": "p"}))
        received = read_until(connection, b"notifications/progress")
        ending = program.stop()
        *_, last = frames(received + read_to_end(connection))
        assert (7, -32603) == (last["id"], last["error"]["code"])
        assert 0 == ending.status
        assert ending.seconds < IN_TIME


def test_calls_at_both_endpoints_are_answered_in_time() -> None:
    arguments = {"name": "long-task", "arguments": {"steps": 1, "delayMs": 2000}}
    with goldfish() as program:
        connections = [program.connect(post(path, "tools/call", arguments)) for path in ENDPOINTS]
        for path in ENDPOINTS:  # once these are answered, the calls have begun
            exchange(program, post(path, "server/discover"))
        ending = program.stop()
        for connection in connections:
            assert b"-32603" in read_to_end(connection)
        assert 0 == ending.status
        assert ending.seconds < IN_TIME


def test_a_call_that_ends_within_the_grace_gets_its_result() -> None:
    arguments = {"name": "long-task", "arguments": {"steps": 1, "delayMs": 400}}
    with goldfish() as program:
        connection = program.connect(post("/mcp", "tools/call", arguments))
        exchange(program, post("/mcp", "server/discover"))
        ending = program.stop()
        assert b"completed 1 steps" in read_to_end(connection)
        assert 0 == ending.status


def half_a_body(path: str) -> bytes:
    return post(path, "server/discover")[:-10]


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"POST /mcp HTTP/1.1\r\nHo", id="half a header"),
        *(pytest.param(half_a_body(path), id=f"half a body at {path}") for path in ENDPOINTS),
    ],
)
def test_half_a_request_does_not_hold_the_end_up(sent: bytes) -> None:
    with goldfish() as program, program.connect(sent) as connection:
        exchange(program, post("/mcp", "server/discover"))
        ending = program.stop()
        assert b"" == connection.recv(1)
        assert 0 == ending.status
        assert ending.seconds < IN_TIME


def test_an_idle_connection_does_not_hold_the_end_up() -> None:
    with goldfish() as program, program.connect(post("/mcp", "server/discover")) as connection:
        read_until(connection, b"supportedVersions")
        ending = program.stop()
        assert 0 == ending.status
        assert ending.seconds < SOON


def test_a_reader_that_takes_nothing_does_not_hold_the_end_up() -> None:
    with goldfish() as program, socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(10)
        connection.connect(program.address)
        connection.sendall(get("/") * 300)  # some 20 MB of page
        connection.recv(1, socket.MSG_PEEK)
        exchange(program, post("/mcp", "server/discover"))
        ending = program.stop()
        assert 0 == ending.status
        assert ending.seconds < IN_TIME
        assert [] == program.logged("Traceback")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port: int = holder.getsockname()[1]
        return port


def answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            connection.sendall(get("/healthz", "Connection: close"))
            return read_to_end(connection).startswith(b"HTTP/1.1 200 ")
    except ConnectionRefusedError:
        return False


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_a_reader_of_its_output_that_has_left_does_not_stop_it(closed: str) -> None:
    port = free_port()
    reading, writing = os.pipe()
    os.close(reading)
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, closed: writing}
    with subprocess.Popen([sys.executable, "-m", "goldfish", "--port", str(port)], **streams) as process:  # type: ignore[call-overload]
        os.close(writing)
        try:
            wait_until(lambda: answers(port))
            with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
                connection.sendall(post("/mcp", "server/discover", fields=[("Connection", "close")]))
                assert b"supportedVersions" in read_to_end(connection)
            process.terminate()
            assert 0 == process.wait(5)
        finally:
            process.kill()


@pytest.mark.parametrize("arguments", ["--help", "--version"])
def test_a_reader_of_help_that_has_left_is_no_error(arguments: str) -> None:
    line = f"{sys.executable} -m goldfish {arguments} | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=10, check=False)
    assert (0, "") == (done.returncode, done.stderr)


def test_output_that_was_closed_from_the_start_is_no_error() -> None:
    line = f"{sys.executable} -m goldfish --version >&- 2>&-"
    assert 0 == subprocess.run(["bash", "-c", line], timeout=10, check=False).returncode


def test_an_interrupt_before_it_serves_shows_no_traceback() -> None:
    with Program(["-X", "importtime", "-m", "goldfish", "--port", "0"]) as program:
        program.wait_for_log("uvicorn")  # which is imported when the settings are known
        program.stop(signal.SIGINT)
        assert [] == program.logged("Traceback")
