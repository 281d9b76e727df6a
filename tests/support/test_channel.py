"""The client over raw sockets reads what it should, and notices what no server may send."""

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from tests.support.channel import Channel, Ended, Stream

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n"
COUNTED = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nContent-Type: application/json\r\n\r\n"


@contextmanager
def receiving(pieces: Sequence[bytes], ends: bool = True) -> Iterator[Channel]:
    """A channel on which these pieces arrive one after another, and then the end of the connection."""
    ours, theirs = socket.socketpair()

    def send() -> None:
        for piece in pieces:
            theirs.sendall(piece)
        if ends:
            theirs.shutdown(socket.SHUT_WR)

    sender = threading.Thread(target=send)
    sender.start()
    with theirs, Channel(ours) as channel:
        yield channel
        sender.join()


def bytewise(data: bytes) -> list[bytes]:
    return [data[index : index + 1] for index in range(len(data))]


def test_chunks_are_put_together_however_they_arrive() -> None:
    whole = CHUNKED + b"12\r\n" + b'data: {"id": 1}\n\nd\r\n' + b"2;x=y\r\n: \r\n1\r\n\n\r\n" + b"0\r\n\r\n"
    for pieces in ([whole], bytewise(whole)):
        with receiving(pieces) as channel:
            answer = Stream(channel, keep=True).rest()
        assert (200, "text/event-stream") == (answer.status, answer.media)
        assert b'data: {"id": 1}\n\nd: \n' == answer.body


def test_frames_are_read_one_by_one_and_comments_passed_over() -> None:
    body = b': hello\n\ndata: {"id": 1}\n\n: bye\n\nevent: message\ndata: {"id":\ndata: 2}\n\n'
    with receiving(bytewise(CHUNKED + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))) as channel:
        stream = Stream(channel, keep=True)
        assert [{"id": 1}, {"id": 2}] == [stream.next_frame(), stream.next_frame()]
        with pytest.raises(Ended):
            stream.next_frame()
        assert [{"id": 1}, {"id": 2}] == stream.rest().messages


def test_what_follows_a_response_belongs_to_the_next_one() -> None:
    with receiving([b"HTTP/1.1 100 Continue\r\n\r\n" + (COUNTED + b'{"id": 1}') * 2]) as channel:
        answers = [Stream(channel, keep=True).rest() for _ in range(2)]
    assert [{"id": 1}, {"id": 1}] == [answer.message for answer in answers]


def test_a_body_without_a_length_ends_with_the_connection() -> None:
    with receiving([b"HTTP/1.1 200 OK\r\n\r\n", b"one ", b"two"]) as channel:
        assert b"one two" == Stream(channel, keep=True).rest().body


@pytest.mark.parametrize(
    "cut", [CHUNKED + b"5\r\nab", CHUNKED + b"2\r\nab\r\n", COUNTED + b'{"id"'], ids=["chunk", "last chunk", "length"]
)
def test_a_body_that_is_cut_off_is_noticed(cut: bytes) -> None:
    with receiving([cut]) as channel, pytest.raises(AssertionError, match=r"within a chunked body|too early"):
        Stream(channel, keep=True).rest()


def test_a_head_that_is_cut_off_is_noticed() -> None:
    with receiving([b"HTTP/1.1 200 OK\r\n"]) as channel, pytest.raises(Ended):
        Stream(channel, keep=True)


def test_an_event_with_an_id_is_noticed() -> None:
    body = b"id: 7\ndata: {}\n\n"
    with receiving([CHUNKED + b"%x\r\n%s\r\n" % (len(body), body)]) as channel, pytest.raises(AssertionError):
        Stream(channel, keep=True).next_frame()


def test_nobody_waits_for_ever() -> None:
    with receiving([CHUNKED], ends=False) as channel, pytest.raises(TimeoutError):
        Stream(channel, keep=True).next_frame(timeout=0.01)
