"""What the HTTP/1.1 connection does before an application sees a request: bounds, and clients with habits."""

import contextlib
import socket
import statistics
import time
from collections.abc import Iterator

import pytest

from tests.serving.processes import Program, get, read_to_end, read_until, tiny

LIMIT = 64 * 1024


@pytest.fixture(scope="module")
def program() -> Iterator[Program]:
    with tiny() as started:
        yield started


def post(*fields: str, body: bytes = b"") -> bytes:
    return "\r\n".join(["POST /body HTTP/1.1", "Host: x", "Connection: close", *fields, "", ""]).encode() + body


def exchange(program: Program, sent: bytes) -> bytes:
    """What comes back, even where the server stops reading in the midst of it."""
    received = b""
    cut = (ConnectionResetError, BrokenPipeError)
    with program.connect() as connection:
        with contextlib.suppress(*cut):
            connection.sendall(sent)
        with contextlib.suppress(*cut):
            while piece := connection.recv(65536):
                received += piece
    return received


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"GET /fast HTTP/1.1\r\nA: " + b"a" * 3_000_000 + b"\r\n\r\n", id="a long value"),
        pytest.param(b"GET /fast HTTP/1.1\r\n" + b"a: b\r\n" * 20_000 + b"\r\n", id="many lines"),
        pytest.param(b"GET /fast?" + b"a" * LIMIT + b" HTTP/1.1\r\n\r\n", id="a long path"),
        pytest.param(b"GET /fast HTTP/1.1\r\nA: " + b"a" * 600_000, id="a value without end"),
    ],
)
def test_a_header_block_without_measure_is_refused(program: Program, sent: bytes) -> None:
    """uvicorn takes any; 431 is from RFC 6585 section 5."""
    assert exchange(program, sent).startswith(b"HTTP/1.1 431 ")


def test_trailers_without_measure_are_refused(program: Program) -> None:
    sent = post("Transfer-Encoding: chunked", body=b"3\r\nabc\r\n0\r\nA: " + b"a" * 1_000_000)
    assert exchange(program, sent).startswith(b"HTTP/1.1 431 ")


def test_a_header_block_of_60_kilobytes_is_served(program: Program) -> None:
    assert exchange(program, get("/fast", "Connection: close", "A: " + "a" * 60_000)).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    ("framing", "body"),
    [
        pytest.param("Content-Length: 3000000", b"a" * 3_000_000, id="at once"),
        pytest.param("Transfer-Encoding: chunked", b"1\r\na\r\n" * 50_000 + b"0\r\n\r\n", id="in tiny pieces"),
        pytest.param("Transfer-Encoding: chunked", b"1\r\na\r\n0\r\nX: 1\r\n\r\n", id="with a trailer"),
    ],
)
def test_bodies_are_not_bounded_here(program: Program, framing: str, body: bytes) -> None:
    size = b"%d bytes" % body.count(b"a")
    assert size in exchange(program, post(framing, body=body))


def test_what_is_not_http_is_refused(program: Program) -> None:
    received = exchange(program, b"HELLO\r\n\r\n")
    assert received.startswith(b"HTTP/1.1 400 ")
    assert received.endswith(b"\r\n\r\nThe request is not valid HTTP/1.1\n")


def test_no_refusal_is_written_into_an_open_stream(program: Program) -> None:
    with program.connect(get("/stream")) as connection:
        received = read_until(connection, b"first\n\r\n")
        connection.sendall(b"\0\0\r\n\r\n")
        received += read_to_end(connection)
    assert 1 == received.count(b"HTTP/1.1")


def test_a_request_before_what_is_not_http_is_answered(program: Program) -> None:
    received = exchange(program, get("/brief") + b"\0\0\r\n\r\n")
    assert received.endswith(b"done\r\n0\r\n\r\n")
    assert 1 == received.count(b"HTTP/1.1")


@pytest.mark.parametrize("pause", [False, True], ids=["with the header", "after the header"])
def test_a_body_behind_an_offer_of_http_2_arrives(program: Program, pause: bool) -> None:
    """Java's client makes the offer with every request; a server may ignore it (RFC 9110 section 7.8)."""
    offer = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABk"]
    head = "\r\n".join(["POST /body HTTP/1.1", "Host: x", *offer, "Content-Length: 5", "", ""]).encode()
    with program.connect() as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        before = len(program.logged("begun /body"))
        connection.sendall(head if pause else head + b"hello")
        if pause:
            program.wait_for_log("begun /body", before + 1)
            connection.sendall(b"hello")
        assert b"5 bytes" in read_until(connection, b"0\r\n\r\n")


def test_an_offer_that_comes_in_pieces_is_refused(program: Program) -> None:
    """Rather than losing the body behind it."""
    with program.connect(b"POST /body HTTP/1.1\r\nConnection: Upgrade\r\nContent-Length: 5\r\nUp") as connection:
        with program.connect(get("/fast")) as other:  # once this is answered, the first piece has been read
            read_until(other, b"0\r\n\r\n")
        connection.sendall(b"grade: h2c\r\n\r\nhello")
        assert read_to_end(connection).startswith(b"HTTP/1.1 400 ")


def test_a_client_that_has_closed_its_side_is_answered(program: Program) -> None:
    with program.connect(get("/fast")) as connection:
        connection.shutdown(socket.SHUT_WR)
        assert read_to_end(connection).startswith(b"HTTP/1.1 200 ")


def test_a_client_that_has_left_is_noticed(program: Program) -> None:
    """Leaving looks like closing one side, and cancels what runs for the client (HTTP-20)."""
    with program.connect(get("/gone")):
        program.wait_for_log("begun /gone")
    program.wait_for_log("client left")


def test_an_answer_says_nothing_of_its_server_software(program: Program) -> None:
    assert b"\r\nserver:" not in exchange(program, get("/fast", "Connection: close")).lower()


def test_answers_are_not_held_back_for_an_acknowledgement(program: Program) -> None:
    """An answer leaves in two writes, of which Nagle's algorithm would hold the second back for 40 ms."""
    seconds = []
    with program.connect() as connection:
        for _ in range(20):
            begun = time.perf_counter()
            connection.sendall(get("/fast"))
            read_until(connection, b"0\r\n\r\n")
            seconds.append(time.perf_counter() - begun)
    assert statistics.median(seconds) < 0.02
