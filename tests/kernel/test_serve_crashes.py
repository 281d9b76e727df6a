"""Kernel.serve: handlers that crash are logged with their traceback, and answered without internals."""

import asyncio
import logging
from typing import Any

import pytest

from goldfish.kernel.call import Abandoned, Call, Reply
from goldfish.kernel.context import Request
from goldfish.kernel.method import Method
from goldfish.kernel.serve import Kernel
from goldfish.wire.content import TextContent
from goldfish.wire.methods import CallToolResult, Params, Result

from .rig import SI, Circle, Draft, answer, crashing, kernel, reply_to, run, tool

IDENTITY = {SI: {"name": "s", "version": "1"}}
CRASH = {"code": -32603, "message": "Internal error"}


def posted(body: bytes, served: Kernel | None = None) -> Reply:
    async def emit(frame: bytes) -> None:
        raise AssertionError("nothing is emitted")

    return run((served or kernel()).serve(Call(body), emit))


# ---------------------------------------------------------------- handlers that crash


class Mute(Exception):
    """An exception that cannot say what it is."""

    def __str__(self) -> str:
        raise RuntimeError("no words")

    __repr__ = __str__


class Beyond(BaseException):
    """Not an Exception, and nothing of the interpreter's either."""


@pytest.mark.parametrize(
    "error",
    [
        ValueError("the secret is 42"),
        SystemExit("the secret is 42"),
        SystemExit(0),
        asyncio.CancelledError("the secret is 42"),
        TimeoutError(),
        StopAsyncIteration("the secret is 42"),
        RecursionError("the secret is 42"),
        MemoryError(),
        Mute(),
        Beyond("the secret is 42"),
        ExceptionGroup("the secret is 42", [ValueError("the secret is 42")]),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_crash_is_logged_with_its_traceback_and_answered_without_internals(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    """RPC-21, HTTP-14: -32603 in a 200, whatever was raised; the server lives on."""
    served = kernel(tool(crashing(error)))
    for _ in range(2):
        caplog.clear()
        reply = reply_to(served, Draft(id=7))
        assert (200, -32603, "echo") == (reply.status, reply.code, reply.name)
        assert {"jsonrpc": "2.0", "id": 7, "error": CRASH} == answer(reply)
        [record] = caplog.records
        assert ("goldfish", logging.ERROR) == (record.name, record.levelno)
        assert "'tools/call' 'echo' failed" == record.getMessage()
        assert record.exc_info is not None
        assert error is record.exc_info[1]


@pytest.mark.parametrize(
    "result",
    [
        None,
        "text",
        {"content": []},
        CallToolResult(structured_content=object()),
        CallToolResult(structured_content="\ud800"),
        CallToolResult(structured_content=Circle().value),
        CallToolResult(content=[TextContent(text="\udc00")]),
        CallToolResult(meta={"a": object()}),
        CallToolResult(meta=5),  # type: ignore[arg-type]
    ],
)
def test_a_result_that_cannot_be_encoded_is_an_internal_error(result: Any, caplog: pytest.LogCaptureFixture) -> None:
    """RPC-21: nothing of it leaves."""

    async def handle(request: Request[Any]) -> Result:
        returned: Result = result
        return returned

    reply = reply_to(kernel(tool(handle)))
    assert (200, {"jsonrpc": "2.0", "id": 1, "error": CRASH}) == (reply.status, answer(reply))
    assert 1 == len(caplog.records)


def test_a_check_that_crashes_is_answered_like_a_handler_that_crashes(caplog: pytest.LogCaptureFixture) -> None:
    """RPC-21: nothing but a Refusal is expected there, and nothing escapes."""

    def check(request: Request[Any]) -> None:
        raise KeyError("the secret is 42")

    reply = reply_to(kernel(tool(crashing(AssertionError("not reached")), check=check)), Draft(id=7))
    assert (200, {"jsonrpc": "2.0", "id": 7, "error": CRASH}) == (reply.status, answer(reply))
    [record] = caplog.records
    assert "'tools/call' 'echo' failed" == record.getMessage()


def test_a_client_cannot_forge_a_line_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """RPC-21, LOG-06: names are the client's text: escaped, and cut."""
    draft = Draft()
    draft.params["name"] = "a\nERROR forged " + "x" * 10_000
    draft.headers = None
    reply_to(kernel(tool(crashing(ValueError()))), draft)
    [message] = caplog.messages
    assert 1 == len(message.splitlines())
    assert message.startswith(r"'tools/call' 'a\nERROR forged x")
    assert len(message) < 300


def test_a_crash_without_a_name_is_logged_too(caplog: pytest.LogCaptureFixture) -> None:
    """RPC-21: a method that mirrors no name."""
    draft = Draft()
    draft.renamed("server/discover")
    reply_to(kernel(Method("server/discover", Params, crashing(ValueError()))), draft)
    assert ["'server/discover' None failed"] == caplog.messages


@pytest.mark.parametrize("error", [KeyboardInterrupt(), GeneratorExit()])
def test_what_ends_the_interpreter_passes_through(error: BaseException) -> None:
    """Neither is a handler's to raise, nor the kernel's to hold up."""
    served = kernel(tool(crashing(error)))
    with pytest.raises(type(error)):
        reply_to(served)


def test_a_stream_that_was_abandoned_has_no_reply() -> None:
    """SUBS-12: the transport is told, and ends it where it is."""
    with pytest.raises(Abandoned):
        reply_to(kernel(tool(crashing(Abandoned()))))
