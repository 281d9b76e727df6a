"""A line per request on stderr: its columns, and that no client can forge one."""

import io
import logging
import re
import sys

import pytest

from goldfish import Report, cli
from tests.serving.processes import exchange, get, goldfish, post

TEXT = r'([^\s"]+|"(?:[^"\\]|\\.)*")'
LINE = re.compile(rf"\d\d:\d\d:\d\d  {TEXT} +{TEXT} +(\d{{3}}) +(-?\d*) +\d+\.\d ms")
ECHO = {"name": "echo", "arguments": {"message": "hi"}}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def line(stream: io.StringIO, **changes: object) -> str:
    values: dict[str, object] = {
        "method": "tools/call", "name": "echo", "status": 200, "code": None, "ms": 1.26, "client": "127.0.0.1",
    }  # fmt: skip
    cli.RequestLog(stream)(Report(**(values | changes)))  # type: ignore[arg-type]
    return stream.getvalue()


def test_a_line_has_time_method_name_status_code_and_milliseconds() -> None:
    expected = r"\d\d:\d\d:\d\d  tools/call                echo                      200       -        1.3 ms\n"
    assert re.fullmatch(expected, line(io.StringIO()))


def test_a_refusal_shows_its_code_in_the_same_columns() -> None:
    refused = line(io.StringIO(), name=None, status=400, code=-32020, ms=12345.6)
    expected = r"\d\d:\d\d:\d\d  tools/call                -                         400  -32020    12345.6 ms\n"
    assert re.fullmatch(expected, refused)
    assert len(line(io.StringIO())) == len(refused)


def test_a_stream_that_is_no_terminal_gets_no_colour() -> None:
    assert "\x1b" not in line(io.StringIO(), status=500)


@pytest.mark.parametrize(("status", "colour"), [(200, 32), (404, 33), (500, 31)])
def test_a_terminal_shows_the_status_in_colour(monkeypatch: pytest.MonkeyPatch, status: int, colour: int) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert f"\x1b[{colour}m{status}\x1b[0m" in line(Terminal(), status=status)


def test_no_color_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in line(Terminal())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("echo", "echo"),
        ("Straße", "Straße"),
        ("demo://files/a?b", "demo://files/a?b"),
        ("", '""'),
        ("a b", '"a b"'),
        ('a"b', '"a\\"b"'),
        ("a\\nb", '"a\\\\nb"'),
        ("a\nb", '"a\\nb"'),
        ("a\r\x1b[2Jb", '"a\\r\\x1b[2Jb"'),
        ("a\u2028b\u202eb\x85\x7f", '"a\\u2028b\\u202eb\\x85\\x7f"'),
        ("a\ud800", '"a\\ud800"'),
        ("a\U000e0041", '"a\\U000e0041"'),
    ],
)
def test_what_does_not_print_or_separates_columns_is_quoted_and_escaped(text: str, expected: str) -> None:
    assert expected == cli.visible(text)


@pytest.mark.parametrize(
    ("sign", "expected"),
    [
        ("a", "a" * 77 + "..."),
        (" ", '"' + " " * 75 + '..."'),
        ("\n", '"' + "\\n" * 37 + '..."'),
        ("\U000e0041", '"' + "\\U000e0041" * 7 + '..."'),
    ],
)
def test_long_text_is_cut_between_two_characters(sign: str, expected: str) -> None:
    assert expected == cli.visible(sign * 1_000_000)


def test_text_of_80_characters_is_not_cut() -> None:
    assert "a" * 80 == cli.visible("a" * 80)


def test_a_stream_that_breaks_is_let_go() -> None:
    class Broken(io.StringIO):
        attempts = 0

        def write(self, _: str) -> int:
            self.attempts += 1
            raise BrokenPipeError

    stream = Broken()
    log = cli.RequestLog(stream)
    report = Report("tools/call", None, 200, None, 1.0, None)
    log(report)
    log(report)
    assert 1 == stream.attempts


def test_a_record_is_one_line_and_its_traceback_is_marked() -> None:
    """An exception's message may hold what a client sent."""
    try:
        raise ValueError("first\n12:00:00  tools/call")
    except ValueError:
        caught = sys.exc_info()
    record = logging.LogRecord("goldfish", logging.ERROR, "", 0, "%s failed\x1b", ("a\nb",), caught)
    first, *others = cli._Lines().format(record).split("\n")
    assert re.fullmatch(r"\d\d:\d\d:\d\d  error: a\\nb failed\\x1b", first)
    assert others
    assert all(other.startswith("  | ") for other in others)


def test_every_request_has_its_line_on_stderr() -> None:
    with goldfish() as program:
        exchange(program, post("/mcp", "tools/call", ECHO))
        exchange(program, post("/strict/mcp", "tools/list"))
        exchange(program, post("/strict/mcp", "nothing/there"))
        exchange(program, get("/mcp"))
        program.wait_for_log(" ms", 4)
        columns = [found.groups() for found in map(LINE.fullmatch, program.err) if found]
        assert [
            ("tools/call", "echo", "200", "-"),
            ("tools/list", "-", "200", "-"),
            ("nothing/there", "-", "404", "-32601"),
            ("GET", "-", "405", "-"),
        ] == columns
        assert all("\x1b" not in each for each in program.err)


@pytest.mark.parametrize(
    ("arguments", "variables"),
    [
        (["--quiet"], {}),
        ([], {"GOLDFISH_LOG_LEVEL": "warning"}),
    ],
)
def test_a_quiet_server_logs_no_request(arguments: list[str], variables: dict[str, str]) -> None:
    with goldfish(*arguments, **variables) as program:
        exchange(program, post("/mcp", "tools/call", ECHO))
        assert 0 == program.stop().status
        assert [] == program.err


def test_a_client_cannot_forge_a_line() -> None:
    """Names come from clients; so do methods, where nothing else is known of a request."""
    forged = "x\n12:00:00  tools/call                echo                      200       -        1.0 ms\x1b[2J"
    with goldfish() as program:
        exchange(program, post("/mcp", "tools/call", {"name": forged, "arguments": {}}))
        exchange(program, post("/mcp", forged))
        exchange(program, post("/mcp", "tools/call", {"name": "ü" * 5000, "arguments": {}}))
        assert 0 == program.stop().status
        assert 3 == len(program.err)
        assert all(LINE.fullmatch(each) for each in program.err)
        assert all(each.isprintable() and len(each) < 200 for each in program.err)
