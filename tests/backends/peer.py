"""Another process that uses the same back-end: `python -m tests.backends.peer`.

Reads one JSON array a line, ["open", url], ["close"] or [what, arguments...], and answers each with one line. Knows
the ports.
"""

import asyncio
import json
import sys
from typing import Any

from goldfish.backends.choose import open_backend
from goldfish.ports import Backend, Caps, Event, Full


async def add(backend: Backend, key: str, expires: float | None, owner: str, per_owner: int) -> str:
    try:
        return str(await backend.tasks.add(key, b"", expires, owner, Caps(per_owner, 1_000_000)))
    except Full:
        return "Full"


async def publish(backend: Backend, channel: str, count: int) -> int:
    for number in range(count):
        await backend.bus.publish(Event(channel, "notifications/test", json.dumps({"number": number}).encode()))
    return count


async def swap(backend: Backend, key: str, version: int, body: str) -> bool:
    return await backend.tasks.swap(key, version, body.encode())


async def count_up(backend: Backend, key: str, times: int) -> int:
    """Adds one to the number under `key` so many times, against all others who do; how often another was first."""
    beaten = 0
    while times:
        record = await backend.tasks.get(key)
        assert record is not None
        if await backend.tasks.swap(key, record.version, str(int(record.body) + 1).encode()):
            times -= 1
        else:
            beaten += 1
    return beaten


async def incarnation(backend: Backend) -> str:
    return await backend.tasks.incarnation()


async def now(backend: Backend) -> float:
    return backend.tasks.now()


DOES: dict[str, Any] = {each.__name__: each for each in (add, publish, swap, count_up, incarnation, now)}


async def main() -> None:
    backend: Backend | None = None
    while line := await asyncio.to_thread(sys.stdin.readline):
        what, *arguments = json.loads(line)
        answer = None
        if what == "open":
            backend = open_backend(*arguments)
            await backend.tasks.start()
        elif what == "close":
            assert backend is not None
            await backend.bus.stop()
            await backend.tasks.stop()
        else:
            answer = await DOES[what](backend, *arguments)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
