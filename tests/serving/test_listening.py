"""The listening sockets: addresses, ports, and one sentence for each way in which they cannot be had."""

import errno
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from goldfish import serving
from tests.serving.processes import TINY_APP, Program


@contextmanager
def listening(host: str, port: int = 0) -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        yield [stack.enter_context(opened) for opened in serving.listen(host, port)]


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


ipv6 = pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")


def test_port_0_takes_a_free_port() -> None:
    with listening("127.0.0.1") as (first,), listening("127.0.0.1") as (second,):
        assert first.getsockname()[1] != second.getsockname()[1]


def test_a_listening_socket_names_its_protocol() -> None:
    """Event loops turn Nagle's algorithm off only on sockets that do."""
    with listening("127.0.0.1") as (opened,):
        assert socket.IPPROTO_TCP == opened.proto


def test_a_port_can_be_taken_again_at_once() -> None:
    """A connection that the server closed lingers for a minute in TIME_WAIT."""
    with listening("127.0.0.1") as (opened,):
        port = opened.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):
            opened.setblocking(True)
            accepted, _ = opened.accept()
            accepted.close()
    with listening("127.0.0.1", port) as (again,):
        assert port == again.getsockname()[1]


@ipv6
def test_an_ipv6_address_is_listened_on() -> None:
    with listening("::1") as (opened,):
        assert socket.AF_INET6 == opened.family


@ipv6
def test_a_name_with_two_addresses_is_listened_on_at_both_on_one_port(monkeypatch: pytest.MonkeyPatch) -> None:
    def both(host: str, port: int, **_: object) -> list[tuple[socket.AddressFamily, int, int, str, tuple[object, ...]]]:
        return [
            (socket.AF_INET6, 1, 6, "", ("::1", port, 0, 0)),
            (socket.AF_INET, 1, 6, "", ("127.0.0.1", port)),
        ]

    monkeypatch.setattr(socket, "getaddrinfo", both)
    with listening("localhost") as opened:
        assert [socket.AF_INET6, socket.AF_INET] == [each.family for each in opened]
        assert 1 == len({each.getsockname()[1] for each in opened})


@ipv6
def test_the_unspecified_ipv6_address_takes_ipv4_too() -> None:
    with listening("::") as (opened,), socket.create_connection(("127.0.0.1", opened.getsockname()[1])) as connection:
        assert "127.0.0.1" == connection.getpeername()[0]


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", "http://127.0.0.1:80"), ("::1", "http://[::1]:80"), ("localhost", "http://localhost:80")],
)
def test_a_base_url_has_brackets_round_an_ipv6_address(host: str, expected: str) -> None:
    assert expected == serving.base_url(host, 80)


def refusal(host: str, port: int) -> str:
    with pytest.raises(serving.CannotListen) as caught, listening(host, port):
        pass
    return str(caught.value)


def test_a_taken_port_is_named_with_what_to_do() -> None:
    with listening("127.0.0.1") as (opened,):
        port = opened.getsockname()[1]
        assert f"port {port} on 127.0.0.1 is taken: choose another with --port" == refusal("127.0.0.1", port)


def test_a_name_that_cannot_be_resolved_is_named() -> None:
    assert "host no-such.invalid cannot be resolved: choose another with --host" == refusal("no-such.invalid", 0)


def test_a_name_that_is_none_is_named() -> None:
    name = "a" * 70 + ".example"
    assert f"host {name} cannot be resolved: choose another with --host" == refusal(name, 0)


def test_an_address_of_another_machine_is_named() -> None:
    """192.0.2.0/24 is for documentation (RFC 5737)."""
    assert "host 192.0.2.1 is no address of this machine: choose another with --host" == refusal("192.0.2.1", 0)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (
            errno.EACCES,
            "port 80 on 127.0.0.1 needs privileges that this process lacks: choose one above 1023 with --port",
        ),
        (errno.ENOBUFS, "cannot listen on 127.0.0.1, port 80: it is so"),
    ],
)
def test_what_the_system_refuses_is_named(monkeypatch: pytest.MonkeyPatch, number: int, expected: str) -> None:
    """Which ports need privileges depends on the machine, so the refusal is made here."""

    class Refusing(socket.socket):
        def bind(self, address: object) -> None:
            raise OSError(number, "it is so")

    monkeypatch.setattr(socket, "socket", Refusing)
    assert expected == refusal("127.0.0.1", 80)


def test_run_prints_the_refusal_and_gives_status_1() -> None:
    with listening("127.0.0.1") as (opened,), Program([TINY_APP, str(opened.getsockname()[1])]) as program:
        assert 1 == program.end().status
        assert [] == program.out
        port = opened.getsockname()[1]
        assert [f"port {port} on 127.0.0.1 is taken: choose another with --port"] == program.err
