"""The command `goldfish` as a process: what it prints and where, its status, and whom it lets through."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from goldfish import __version__, settings
from tests.serving.processes import Program, exchange, get, goldfish, post, wait_until
from tests.serving.test_listening import ipv6

ECHO = {"name": "echo", "arguments": {"message": "hi"}}
ENDPOINTS = ("/mcp", "/strict/mcp")


def run(*arguments: str, **variables: str) -> tuple[int, str, str]:
    """Status, stdout and stderr of a command that ends by itself."""
    with Program(["-m", "goldfish", *arguments], variables) as program:
        status = program.end().status
        return status, "\n".join(program.out), "\n".join(program.err)


@pytest.fixture(scope="module")
def program() -> Iterator[Program]:
    """One server for the tests that only look."""
    with goldfish() as started:
        wait_until(lambda: "try:" in started.out[:-1])
        yield started


def test_version_is_one_line_on_stdout() -> None:
    assert (0, f"goldfish {__version__}", "") == run("--version")


def test_help_goes_to_stdout() -> None:
    assert (0, settings.help_text().rstrip("\n"), "") == run("--help")


@pytest.mark.parametrize("flag", ["--version", "--help"])
def test_help_and_version_import_nothing_that_serves(flag: str) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "goldfish", flag], capture_output=True, text=True, check=True
    )
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert "argparse" in imported
    assert set() == imported & {"uvicorn", "uvloop", "httptools", "starlette"}


@pytest.mark.parametrize(("arguments", "source"), [(["--port", "\x1b[31m"], "--port"), ([], "GOLDFISH_PORT")])
def test_a_bad_value_gives_one_line_on_stderr_and_status_2(arguments: list[str], source: str) -> None:
    expected = f"goldfish: {source} must be a whole number from 0 to 65535, not '\\x1b[31m'"
    assert (2, "", expected) == run(*arguments, GOLDFISH_PORT="\x1b[31m")


def test_an_unknown_flag_gives_one_line_on_stderr_and_status_2() -> None:
    assert (2, "", "goldfish: unrecognized arguments: --nope; goldfish --help lists what there is") == run("--nope")


def test_a_public_address_without_a_list_of_hosts_gives_status_2() -> None:
    status, out, err = run("--host", "0.0.0.0")
    assert (2, "") == (status, out)
    assert err.startswith("goldfish: --host 0.0.0.0 can be reached from other machines: ")
    assert "\n" not in err


def test_a_taken_port_gives_one_line_on_stderr_and_status_1() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as holder:
        port = holder.getsockname()[1]
        expected = f"goldfish: port {port} on 127.0.0.1 is taken: choose another with --port"
        assert (1, "", expected) == run("--port", str(port))


def test_a_host_that_cannot_be_resolved_gives_one_line_on_stderr_and_status_1() -> None:
    expected = "goldfish: host no-such.invalid cannot be resolved: choose another with --host"
    assert (1, "", expected) == run("--host", "no-such.invalid", "--allowed-host", "*")


def test_the_first_line_carries_the_base_url(program: Program) -> None:
    start = f"goldfish {__version__}: the MCP 2026-07-28 reference server at http://127.0.0.1:"
    assert start == program.first_line.rstrip("0123456789")
    assert exchange(program, get("/healthz")).startswith(b"HTTP/1.1 200 ")


def test_the_port_is_the_one_that_was_asked_for() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as holder:
        port = holder.getsockname()[1]
    with goldfish("--port", str(port)) as program:
        assert ("127.0.0.1", port) == program.address
    with goldfish(GOLDFISH_PORT=str(port)) as program:
        assert ("127.0.0.1", port) == program.address


def test_the_lines_below_name_each_endpoint_and_the_page(program: Program) -> None:
    _, port = program.address
    urls = [line.split()[0] for line in program.out[1:] if line.startswith("  http")]
    assert [f"http://127.0.0.1:{port}{path}" for path in ("/mcp", "/strict/mcp", "/")] == urls
    for path in ENDPOINTS:
        assert b"echo: hi" in exchange(program, post(path, "tools/call", ECHO))
    assert b"<!doctype html>" in exchange(program, get("/"))


@pytest.mark.parametrize("path", ENDPOINTS)
def test_the_line_to_try_works_as_pasted(program: Program, path: str) -> None:
    """It carries every header and the whole envelope, so it works at the strict endpoint too."""
    line = program.out[program.out.index("try:") + 1].replace("/mcp ", f"{path} ", 1)
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=10, check=True)
    assert "echo: hi" in done.stdout


@ipv6
def test_an_ipv6_address_stands_in_brackets_and_is_let_through() -> None:
    with goldfish("--host", "::1") as program:
        host, port = program.address
        assert "::1" == host
        assert program.first_line.endswith(f" at http://[::1]:{port}")
        assert b"echo: hi" in exchange(program, post("/strict/mcp", "tools/call", ECHO, host=f"[::1]:{port}"))


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


@pytest.mark.parametrize("variables", [{}, {"GOLDFISH_ALLOWED_HOST": "example.com"}], ids=["flag", "variable"])
def test_an_allowed_host_is_let_through_and_another_is_not(variables: dict[str, str]) -> None:
    with goldfish(*([] if variables else ["--allowed-host", "example.com"]), **variables) as program:
        statuses = [
            status(exchange(program, post(path, "server/discover", host=host)))
            for path in ENDPOINTS
            for host in ("example.com", "example.org", "localhost")
        ]
        assert [200, 421, 200] * 2 == statuses


@pytest.mark.parametrize(
    "variables", [{}, {"GOLDFISH_ALLOWED_ORIGIN": "https://example.com"}], ids=["flag", "variable"]
)
def test_an_allowed_origin_is_let_through_and_another_is_not(variables: dict[str, str]) -> None:
    """HTTP-03."""
    with goldfish(*([] if variables else ["--allowed-origin", "https://example.com"]), **variables) as program:
        statuses = [
            status(exchange(program, post(path, "server/discover", fields=[("Origin", origin)])))
            for path in ENDPOINTS
            for origin in ("https://example.com", "https://example.org", "http://localhost:3000")
        ]
        assert [200, 403, 200] * 2 == statuses


def test_a_public_address_with_a_list_of_hosts_is_warned_about_and_served() -> None:
    with goldfish("--host", "0.0.0.0", "--allowed-host", "example.com") as program:
        _, port = program.address
        assert program.first_line.endswith(f" at http://0.0.0.0:{port}")
        wait_until(lambda: "try:" in program.out)
        assert f"  http://127.0.0.1:{port}/mcp" in "\n".join(program.out)
        program.wait_for_log("must not guard anything real")
        for host, expected in (("example.com", 200), (f"0.0.0.0:{port}", 200), ("example.org", 421)):
            assert expected == status(exchange(program, post("/mcp", "server/discover", host=host)))


def test_a_loopback_address_is_not_warned_about(program: Program) -> None:
    exchange(program, post("/mcp", "server/discover"))
    program.wait_for_log("server/discover")
    assert [] == program.logged("warning")


@pytest.mark.parametrize("workers", [[], ["--workers", "2"]])
def test_a_store_that_can_never_work_is_refused_at_once(workers: list[str], tmp_path: Path) -> None:
    """One sentence that says what to change, before a process is started for it."""
    missing = tmp_path / "none"
    with goldfish("--store", f"sqlite:{missing}/store.db", *workers) as program:
        assert 2 == program.end().status
        [line] = program.err
    assert f"the folder {missing} does not exist: make it, or choose another path" in line
