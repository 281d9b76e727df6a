"""What the tests of back-ends share: a loop with a time limit, a receiver that remembers, processes beside this one."""

import asyncio
import functools
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ParamSpec

from goldfish.ports import Backend, Event

P = ParamSpec("P")
#: Seconds. Whoever waits in vain shall be told.
PATIENCE = 10.0


def in_loop(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    """Runs an async test on an event loop of its own."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        async def bounded() -> None:
            async with asyncio.timeout(PATIENCE):
                await test(*args, **kwargs)

        asyncio.run(bounded())

    return run


async def until(condition: Callable[[], bool]) -> None:
    """Returns as soon as `condition` holds; the test's time limit is the deadline."""
    while not condition():  # noqa: ASYNC110 - what is awaited may happen in another process
        await asyncio.sleep(0.001)


def event(number: int, channel: str = "test") -> Event:
    return Event(channel, "notifications/test", json.dumps({"number": number}).encode())


def number(event: Event) -> int:
    value: int = json.loads(event.params)["number"]
    return value


class Receiver:
    """Remembers what a bus hands over, and holds it back while `gate` is closed."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.batches: list[int] = []
        self.losses = 0
        self.gate = asyncio.Event()
        self.gate.set()
        self._busy = False

    async def deliver(self, events: Sequence[Event]) -> None:
        assert not self._busy, "a second batch came before the first was taken"
        self._busy = True
        try:
            self.batches.append(len(events))
            await self.gate.wait()
            self.events += events
        finally:
            self._busy = False

    async def lost(self) -> None:
        self.losses += 1

    def numbers(self, channel: str = "test") -> list[int]:
        return [number(event) for event in self.events if event.channel == channel]

    async def until(self, count: int) -> None:
        await until(lambda: len(self.events) >= count)


@asynccontextmanager
async def listening(backend: Backend) -> AsyncIterator[Receiver]:
    receiver = Receiver()
    backend.bus.attach(receiver.deliver, receiver.lost)
    await backend.bus.start()
    try:
        yield receiver
    finally:
        await backend.bus.stop()


class Peer:
    """Another process; see `tests.backends.peer`."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            (sys.executable, "-m", "tests.backends.peer"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    async def do(self, what: str, *arguments: Any) -> Any:
        return await asyncio.to_thread(self._do, json.dumps([what, *arguments]).encode() + b"\n")

    def _do(self, line: bytes) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line)
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(PATIENCE)
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()


#: Those that no test uses right now: starting one takes longer than most tests.
_idle: list[Peer] = []


@asynccontextmanager
async def peers(url: str, count: int) -> AsyncIterator[list[Peer]]:
    """Returns when all of them have opened the back-end."""
    found = [_idle.pop() if _idle else Peer() for _ in range(count)]
    try:
        await asyncio.gather(*(peer.do("open", url) for peer in found))
        yield found
        await asyncio.gather(*(peer.do("close") for peer in found if peer.alive))
    except BaseException:
        for peer in found:
            peer.kill()
        raise
    _idle.extend(peer for peer in found if peer.alive)


def end_peers() -> None:
    while _idle:
        _idle.pop().kill()
