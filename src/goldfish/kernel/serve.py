"""Kernel.serve: one Call in, one Reply out, and whatever the handler emits in between.

Knows the order of a request's life: decode, admit, check, handle, encode. Knows no transport, no tool and no store. A
handler that crashes is logged with its traceback and answered without internals (RPC-21); it never ends the server.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from goldfish.kernel.admit import Table, admit
from goldfish.kernel.call import Abandoned, Call, Channel, Emit, Reply, Unserved
from goldfish.kernel.context import Request
from goldfish.kernel.method import Method
from goldfish.kernel.profile import Profile
from goldfish.wire import jsonrpc
from goldfish.wire.errors import INTERNAL_ERROR, Refusal
from goldfish.wire.jsonrpc import BadMessage, Message
from goldfish.wire.methods import Result

logger = logging.getLogger("goldfish")

CANCELLED: Final = "notifications/cancelled"
SHUTTING_DOWN: Final = "The server is shutting down; send the request again"
ANSWERING: Final = 0.2  # seconds that a call which was cancelled has to be answered


class Kernel:
    """Serves calls by one method table on one profile.

    `result_meta` is what every result's `_meta` carries (ENV-09); `logging` whether handlers may send log messages.
    """

    def __init__(self, table: Table, profile: Profile, result_meta: dict[str, Any], logging: bool) -> None:
        self._table = table
        self._profile = profile
        self._result_meta = result_meta
        self._logging = logging
        self._running: set[asyncio.Task[Any]] = set()
        self._ended: set[asyncio.Task[Any]] = set()

    async def serve(self, call: Call, emit: Emit) -> Reply:
        try:
            message = jsonrpc.decode(call.body)
        except BadMessage as bad:
            return _refused(bad.request_id, bad, "-", None)
        if message.id is UNSET:
            if call.channel is not None and message.method == CANCELLED:  # HTTP-11: elsewhere it cancels nothing
                _cancel(call.channel, message)
            return Reply(202, b"", method=message.method)  # HTTP-10, RPC-06: never an answer, not even an error
        name = None
        try:
            row, params, name = admit(self._table, self._profile, message, call)
            request = Request(row.name, message.id, params, name, call, emit, self._logging, self._profile)
            if row.extension is not None:
                request.require(row.extension)
            row.check(request)
            if row.streams == "always" and not call.streamable:  # SUBS-14
                raise Unserved(406, f"{row.name} answers with a stream: Accept must allow text/event-stream")
            body = await self._run(row, request, call.channel)
        except Abandoned:
            raise
        except Unserved as turned:
            if call.headers is None:  # no status there, and nothing but messages (STD-02): an error like any other
                return _refused(message.id, Refusal(INTERNAL_ERROR, turned.text), message.method, name)
            text = f"{turned.text}\n".encode()
            return Reply(turned.status, text, "text", message.method, name, retry_after=turned.retry_after)
        except Refusal as refusal:
            return _refused(message.id, refusal, message.method, name)
        except Exception:  # a check that crashes is answered like a handler that crashes (RPC-21)
            return _refused(message.id, _crashed(message.method, name), message.method, name)
        return Reply(200, body, "json", message.method, name)

    async def _run(self, row: Method, request: Request[Any], channel: Channel | None) -> bytes:
        task = asyncio.current_task()
        assert task is not None
        self._running.add(task)
        if channel is not None:
            channel.enter(request.id, task)
        try:
            result = await row.handle(request)
            return jsonrpc.encode_result(request.id, self._stamped(result))
        except (Refusal, Abandoned, Unserved, KeyboardInterrupt, GeneratorExit):
            raise
        except asyncio.CancelledError:
            if task in self._ended:
                task.uncancel()
                raise Refusal(INTERNAL_ERROR, SHUTTING_DOWN) from None
            if task.cancelling():
                raise
            raise _crashed(row.name, request.name) from None  # the handler's own doing: nobody cancelled this request
        except BaseException:
            raise _crashed(row.name, request.name) from None
        finally:
            self._running.discard(task)
            self._ended.discard(task)
            if channel is not None:
                channel.leave(request.id, task)

    def _stamped(self, result: Result) -> Result:
        result.meta = self._result_meta if result.meta is UNSET else {**result.meta, **self._result_meta}
        return result

    async def close(self, grace: float, caller: asyncio.Task[Any] | None = None) -> None:
        """Lets running calls end within `grace` seconds, then cancels the rest, which are answered with an error.

        A handler may end its server: `caller` is not waited for. Returns when those answers are out, or ANSWERING
        seconds later where a handler holds out against its end.
        """
        spared = {caller or asyncio.current_task()}
        running = self._running - spared
        if running:
            await asyncio.wait(running, timeout=grace)
        late = self._running - spared
        for task in late:
            self._ended.add(task)
            task.cancel()
        if late:
            await asyncio.wait(late, timeout=ANSWERING)


class _Cancelled(msgspec.Struct):
    request_id: int | str = msgspec.field(name="requestId")


def _cancel(channel: Channel, message: Message) -> None:
    """patterns/cancellation: what names no running request is ignored, whatever its shape."""
    with contextlib.suppress(msgspec.DecodeError, RecursionError):
        channel.cancel(msgspec.json.decode(message.params, type=_Cancelled).request_id)


def _crashed(method: str, name: str | None) -> Refusal:
    # Both may be the client's text: escaped and cut, so that they cannot forge a line of the log.
    logger.exception("%r %r failed", method[:200], name and name[:200])
    return Refusal(INTERNAL_ERROR, "Internal error")


def _refused(request_id: int | str | UnsetType, refusal: Refusal, method: str, name: str | None) -> Reply:
    try:
        if str(refusal) != refusal.message:  # it knows more than the client is told
            logger.error("%r %r: %s", method[:200], name and name[:200], refusal)
        body = jsonrpc.encode_error(request_id, refusal)
    except Exception:  # data that is no JSON, from an application's own Refusal
        logger.exception("%r: the error cannot be encoded", method[:200])
        refusal = Refusal(INTERNAL_ERROR, "Internal error")
        body = jsonrpc.encode_error(request_id, refusal)
    return Reply(refusal.http_status, body, "json", method, name, refusal.code)
