"""The protocol over standard input and output: lines to Calls, Replies to lines (basic/transports/stdio).

Knows file descriptors, lines and signals. Knows no method and no feature. Requests run side by side and one writer
writes their messages whole; a bad line costs only itself. Standard output carries messages and nothing else: whatever
prints, a handler or a library, prints to standard error (STD-02).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Final, Protocol

from goldfish.kernel.call import Abandoned, Call, Channel, Emit, Reply

#: Bytes; a longer line is answered like a body that is too large: with an error, and not read.
MAX_LINE: Final = 4 * 1024 * 1024
#: Seconds that running calls have when standard input ends or a signal comes (STD-08).
GRACE: Final = 0.5
#: What is handed on in place of a line over the limit: no JSON, whatever the line began with.
TOO_LONG: Final = b"a line of more than %d bytes" % MAX_LINE
_CHUNK: Final = 65536


class Served(Protocol):
    async def serve(self, call: Call, emit: Emit) -> Reply: ...


def run(kernel: Served, start: Callable[[], Awaitable[None]], close: Callable[[float], Awaitable[None]]) -> None:
    """Serves until standard input ends, or SIGINT or SIGTERM comes; then ends what is open, streams with their result.

    `start` is awaited first and `close(grace)` last.
    """
    with _guarded_stdout() as output:
        asyncio.run(Lines(kernel, sys.stdin.fileno(), output).serve(start, close))


@contextlib.contextmanager
def _guarded_stdout() -> Iterator[int]:
    """A descriptor of standard output for messages alone; what else writes there goes to standard error."""
    sys.stdout.flush()
    output = os.dup(1)
    printed = sys.stdout
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        yield output
    finally:
        sys.stdout = printed
        os.dup2(output, 1)
        os.close(output)


class Lines:
    """Messages over two descriptors, one a line."""

    def __init__(self, kernel: Served, source: int, sink: int) -> None:
        self._kernel = kernel
        self._source = source
        self._sink = sink
        self._channel = Channel()
        self._calls: set[asyncio.Task[None]] = set()
        self._writing = asyncio.Lock()

    async def serve(self, start: Callable[[], Awaitable[None]], close: Callable[[float], Awaitable[None]]) -> None:
        loop = asyncio.get_running_loop()
        lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
                loop.add_signal_handler(number, lines.put_nowait, None)
        await start()

        def tell(line: bytes | None) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended, and with it the interest
                loop.call_soon_threadsafe(lines.put_nowait, line)

        threading.Thread(target=_read, args=(self._source, tell), name="goldfish-stdin", daemon=True).start()
        while (line := await lines.get()) is not None:
            task = loop.create_task(self._answer(line))
            self._calls.add(task)
            task.add_done_callback(self._calls.discard)
        await close(GRACE)
        if self._calls:
            await asyncio.wait(self._calls, timeout=GRACE)

    async def _answer(self, line: bytes) -> None:
        """One line. A request that its client cancelled says nothing more (STD-06)."""
        task = asyncio.current_task()
        assert task is not None

        async def emit(message: bytes) -> None:
            if not task.cancelling():
                await self._write(message)

        with contextlib.suppress(Abandoned, asyncio.CancelledError, BrokenPipeError):
            reply = await self._kernel.serve(Call(line, channel=self._channel), emit)
            if reply.body:
                await emit(reply.body)

    async def _write(self, message: bytes) -> None:
        """Whole, one after another; a client that reads slowly holds up its own answers and never the loop."""
        async with self._writing:
            await asyncio.to_thread(_write_all, self._sink, message + b"\n")


def _write_all(sink: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(sink, view) :]


def _read(source: int, tell: Callable[[bytes | None], None]) -> None:
    """Lines without their ends, blank ones left out; None at the end. A last line without an end is none (STD-09)."""
    buffer = bytearray()
    cut = False  # within a line that is too long, and was told of
    while data := _chunk(source):
        *ended, rest = data.split(b"\n")
        for part in ended:
            buffer += part
            line = bytes(buffer)
            buffer.clear()
            if line.strip() and not cut:
                tell(line)
            cut = False
        buffer += rest
        if len(buffer) > MAX_LINE:
            if not cut:
                tell(TOO_LONG)
            cut = True
            buffer.clear()
    tell(None)


def _chunk(source: int) -> bytes:
    try:
        return os.read(source, _CHUNK)
    except OSError:
        return b""
