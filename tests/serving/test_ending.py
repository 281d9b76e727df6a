"""How a served application ends: told first, cut where it holds out, with status 0, in time whatever is open.

None of this is specified by the protocol; that a server may end its streams whenever it likes is (SUBS-11).
"""

import signal
import time

import pytest

from tests.serving.processes import Program, get, read_to_end, read_until, tiny

IN_TIME = 3.0  # seconds
SOON = 1.5  # seconds: less than any wait for what holds out, and room for a busy machine

SIGNALS = [signal.SIGINT, signal.SIGTERM]


def begin(program: Program, path: str, times: int = 1) -> None:
    program.wait_for_log(f"begun {path}", times)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_ends_an_idle_server_with_status_0(number: signal.Signals) -> None:
    """SIGINT and SIGTERM do the same; uvicorn alone would raise the signal again."""
    with tiny() as program:
        assert program.first_line.startswith("http://127.0.0.1:")
        ending = program.stop(number)
        assert 0 == ending.status
        assert ending.seconds < SOON


def test_an_idle_connection_is_closed_at_once() -> None:
    with tiny() as program, program.connect(get("/fast")) as connection:
        read_until(connection, b"0\r\n\r\n")
        ending = program.stop()
        assert b"" == connection.recv(1)
        assert 0 == ending.status
        assert ending.seconds < SOON


def test_open_streams_get_their_last_frame_and_then_the_end() -> None:
    """The application is told before uvicorn waits for its answers, which would be for ever."""
    with tiny() as program:
        connections = [program.connect(get("/stream")) for _ in range(3)]
        for connection in connections:
            read_until(connection, b"first")
        ending = program.stop()
        for connection in connections:
            assert read_to_end(connection).endswith(b"last\n\r\n0\r\n\r\n")
        assert 0 == ending.status
        assert ending.seconds < SOON


def test_a_pipeline_ends_behind_what_is_being_answered() -> None:
    with tiny() as program:
        connection = program.connect(get("/stream") + get("/sleep") * 3)
        received = read_until(connection, b"first")
        ending = program.stop()
        received += read_to_end(connection)
        assert received.endswith(b"last\n\r\n0\r\n\r\n")
        assert 1 == received.count(b"HTTP/1.1")
        assert 0 == ending.status
        assert ending.seconds < SOON


def test_a_call_that_ends_within_the_grace_is_answered() -> None:
    with tiny("no-close") as program:
        connection = program.connect(get("/brief"))
        begin(program, "/brief")
        ending = program.stop()
        assert read_to_end(connection).endswith(b"done\r\n0\r\n\r\n")
        assert 0 == ending.status


def test_an_answer_given_while_ending_says_that_the_connection_closes() -> None:
    with tiny("no-close") as program:
        connection = program.connect(get("/brief"))
        begin(program, "/brief")
        program.stop()
        assert b"connection: close" in read_to_end(connection)


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"GET /fast HTTP/1.1\r\nHo", id="half a header"),
        pytest.param(b"POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc", id="half a body"),
    ],
)
def test_half_a_request_does_not_hold_the_end_up(sent: bytes) -> None:
    with tiny() as program, program.connect(sent) as connection, program.connect(get("/fast")) as other:
        read_until(other, b"0\r\n\r\n")  # so that what was sent first has been read
        ending = program.stop()
        assert b"" == connection.recv(1)
        assert 0 == ending.status
        assert ending.seconds < IN_TIME


def test_a_reader_that_takes_nothing_does_not_hold_the_end_up() -> None:
    with tiny() as program, program.connect(get("/flood")):
        begin(program, "/flood")
        ending = program.stop()
        assert 0 == ending.status
        assert ending.seconds < IN_TIME


def test_a_call_that_minds_nothing_is_cut_and_counted() -> None:
    with tiny() as program:
        connection = program.connect(get("/sleep"))
        begin(program, "/sleep")
        ending = program.stop()
        assert b"" == read_to_end(connection)
        assert 0 == ending.status
        assert ending.seconds < IN_TIME
        assert 1 == len(program.logged("cut off 1 running request(s)"))
        assert [] == program.logged("Traceback")


def test_a_call_that_blocks_the_loop_for_a_second_is_answered() -> None:
    with tiny() as program:
        connection = program.connect(get("/block"))
        begin(program, "/block")
        ending = program.stop()
        assert read_to_end(connection).endswith(b"done\r\n0\r\n\r\n")
        assert 0 == ending.status
        assert ending.seconds < IN_TIME


@pytest.mark.parametrize("paths", [["/block-long"], ["/thread", "/stubborn"]], ids=["the loop", "a thread and a task"])
def test_what_cannot_be_interrupted_is_left_behind(paths: list[str]) -> None:
    """A blocked loop, a blocked thread and a task that survives cancelling are beyond asyncio's reach."""
    with tiny() as program:
        connections = []
        for path in paths:
            connections.append(program.connect(get(path)))
            begin(program, path)
        ending = program.stop()
        assert [b""] * len(paths) == [read_to_end(connection) for connection in connections]
        assert 0 == ending.status
        assert ending.seconds < IN_TIME


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("path", ["/sleep", "/block-long"])
def test_a_second_signal_ends_at_once(number: signal.Signals, path: str) -> None:
    """The status then tells that it was not a clean end, as a shell would: 128 and the signal's number."""
    with tiny("close-hangs") as program, program.connect(get(path)):
        begin(program, path)
        program.process.send_signal(number)
        if path == "/sleep":
            program.wait_for_log("closing")
        begun = time.monotonic()
        while program.process.poll() is None and time.monotonic() < begun + IN_TIME:
            program.process.send_signal(number)  # two that come in the same moment may count as one
            time.sleep(0.01)
        ending = program.end(begun)
        assert 128 + number == ending.status
        assert ending.seconds < SOON


def test_no_connection_is_taken_while_ending() -> None:
    with tiny("close-hangs") as program:
        assert program.first_line
        program.process.send_signal(signal.SIGTERM)
        program.wait_for_log("closing")
        with pytest.raises(ConnectionRefusedError):
            program.connect()


def test_a_close_that_hangs_is_given_up() -> None:
    with tiny("close-hangs") as program:
        assert program.first_line
        ending = program.stop()
        assert 0 == ending.status
        assert ending.seconds < IN_TIME


def test_a_close_that_fails_is_logged_and_the_rest_goes_on() -> None:
    with tiny("close-fails") as program, program.connect(get("/stream")) as connection:
        read_until(connection, b"first")
        ending = program.stop()
        assert 0 == ending.status
        assert 1 == len(program.logged("the application failed to close"))
        assert 1 == len(program.logged("lifespan ended"))


def test_the_lifespan_ends_after_the_answers() -> None:
    with tiny() as program, program.connect(get("/stream")) as connection:
        read_until(connection, b"first")
        program.stop()
        assert ["closing within 1.0", "lifespan ended"] == program.err[-2:]


def test_an_application_that_cannot_start_gives_status_1() -> None:
    with tiny("startup-fails") as program:
        ending = program.end()
        assert 1 == ending.status
        assert [] == program.out
        assert 1 == len(program.logged("no database"))
