"""What a handler may send ahead of its reply: progress and log messages."""

import math
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from goldfish.kernel.context import Request
from goldfish.wire.methods import Result

from .rig import LL, Draft, Frames, kernel, reply_to, run, tool

Work = Callable[[Request[Any]], Awaitable[None]]


def emitted(work: Work, draft: Draft, logging: bool = True) -> list[Any]:
    async def handle(request: Request[Any]) -> Result:
        await work(request)
        return Result()

    frames = Frames()
    reply = reply_to(kernel(tool(handle), logging=logging), draft, frames)
    assert 200 == reply.status
    assert reply.code is None
    return list(frames)


def asking(**meta: Any) -> Draft:
    draft = Draft()
    draft.meta.update(meta)
    return draft


def params(frames: list[Any]) -> list[Any]:
    return [frame["params"] for frame in frames]


# ---------------------------------------------------------------- progress


@pytest.mark.parametrize("token", [0, -1, "", "t", 2**60])
def test_progress_carries_the_token_it_was_asked_with(token: int | str) -> None:
    """PRG-01, PRG-02, ENV-11: with its JSON type, and nothing that was not said."""

    async def work(request: Request[Any]) -> None:
        await request.progress(0)
        await request.progress(0.5, 1, "half")

    frames = emitted(work, asking(progressToken=token))
    assert {"notifications/progress"} == {frame["method"] for frame in frames}
    assert [
        {"progressToken": token, "progress": 0},
        {"progressToken": token, "progress": 0.5, "total": 1, "message": "half"},
    ] == params(frames)


def test_progress_is_silent_where_nobody_asked() -> None:
    """PRG-01: no token, no notification."""
    assert [] == emitted(lambda request: request.progress(1), asking())


def test_progress_only_rises() -> None:
    """PRG-02: what stands still, falls back or is no number is not sent."""

    async def work(request: Request[Any]) -> None:
        for value in (1, 1, 0, -5, 1.5, math.nan, 1.25, 2, math.inf, -math.inf, 3):
            await request.progress(value)

    assert [1, 1.5, 2, 3] == [each["progress"] for each in params(emitted(work, asking(progressToken="t")))]


def test_progress_may_begin_below_zero() -> None:
    """PRG-02: it only has to rise."""

    async def work(request: Request[Any]) -> None:
        await request.progress(-10)
        await request.progress(-5)

    assert [-10, -5] == [each["progress"] for each in params(emitted(work, asking(progressToken="t")))]


@pytest.mark.parametrize("total", [math.inf, math.nan])
def test_a_total_that_json_cannot_say_is_left_out(total: float) -> None:
    """PRG-02: a number or absent, never null."""
    frames = emitted(lambda request: request.progress(1, total), asking(progressToken="t"))
    assert [{"progressToken": "t", "progress": 1}] == params(frames)


def test_progress_is_dropped_where_the_client_takes_no_stream() -> None:
    """HTTP-08, LOG-08: the call is answered all the same."""
    draft = asking(progressToken="t")
    draft.streamable = False
    assert [] == emitted(lambda request: request.progress(1), draft)


# ---------------------------------------------------------------- log messages

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


async def every_level(request: Request[Any]) -> None:
    for level in LEVELS:
        await request.log(level, level)  # type: ignore[arg-type]


@pytest.mark.parametrize("wanted", range(len(LEVELS)))
def test_messages_below_the_wanted_level_are_not_sent(wanted: int) -> None:
    """LOG-02: the wanted level itself is."""
    frames = emitted(every_level, asking(**{LL: LEVELS[wanted]}))
    assert list(LEVELS[wanted:]) == [each["level"] for each in params(frames)]


def test_nothing_is_logged_to_who_named_no_level() -> None:
    """LOG-01: no level, no message."""
    assert [] == emitted(every_level, asking())


def test_nothing_is_logged_where_the_server_does_not_log() -> None:
    """LOG-04: what is not declared is not sent."""
    assert [] == emitted(every_level, asking(**{LL: "debug"}), logging=False)


def test_nothing_is_logged_where_the_client_takes_no_stream() -> None:
    """LOG-08: dropped, not an error."""
    draft = asking(**{LL: "debug"})
    draft.streamable = False
    assert [] == emitted(every_level, draft)


@pytest.mark.parametrize("data", ["text", None, 0, {"a": [1]}, []])
def test_a_message_holds_any_json_and_a_logger_where_one_is_named(data: Any) -> None:
    """LOG-06, ENV-11: level and data always, and no _meta."""

    async def work(request: Request[Any]) -> None:
        await request.log("info", data)
        await request.log("error", data, "db")

    frames = emitted(work, asking(**{LL: "debug"}))
    assert {"notifications/message"} == {frame["method"] for frame in frames}
    assert [{"level": "info", "data": data}, {"level": "error", "data": data, "logger": "db"}] == params(frames)


def test_a_level_that_does_not_exist_is_the_authors_mistake() -> None:
    """LOG-07: told also when nobody listens."""

    async def work(request: Request[Any]) -> None:
        with pytest.raises(ValueError, match=r"log level must be one of debug, .*, not 'loud'"):
            await request.log("loud", "x")  # type: ignore[arg-type]

    assert [] == emitted(work, asking())


# ---------------------------------------------------------------- other frames


def test_frames_of_extensions_are_dropped_where_the_client_takes_no_stream() -> None:
    """LOG-08: the same rule for whatever is emitted."""
    draft = Draft(streamable=False)
    assert [] == emitted(lambda request: request.emit(b"{}"), draft)
    assert [{}] == emitted(lambda request: request.emit(b"{}"), Draft())


# ---------------------------------------------------------------- who asks, and what they declared


@pytest.mark.parametrize(
    ("caller", "principal", "peer"),
    [("", None, None), ("1.2.3.4", None, "1.2.3.4"), ("ann", "ann", None), ("ann", "ann", "1.2.3.4")],
)
def test_a_caller_is_its_principal_or_else_its_address(caller: str, principal: str | None, peer: str | None) -> None:
    """SUBS-18: whom a cap counts."""
    seen: list[Request[Any]] = []

    async def handle(request: Request[Any]) -> Result:
        seen.append(request)
        return Result()

    run(kernel(tool(handle)).serve(replace(Draft().call(), principal=principal, peer=peer), Frames().emit))
    assert (caller, principal) == (seen[0].caller, seen[0].principal)
