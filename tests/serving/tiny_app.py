"""An application of a few lines, each path a way to be in the midst of something when a signal comes.

Run as a program: `python tiny_app.py PORT [no-close | close-fails | close-hangs | startup-fails]`. Prints its base URL
when it answers, and on stderr which request began and what it was told at its end.
"""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from goldfish import serving

Send = Callable[[dict[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[dict[str, Any]]]

MODE = sys.argv[2] if len(sys.argv) > 2 else ""
closing = asyncio.Event()


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


async def app(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        await lifespan(receive, send)
        return
    handler = PATHS[scope["path"]]
    say(f"begun {scope['path']}")
    await handler(scope, receive, send)


async def lifespan(receive: Receive, send: Send) -> None:
    await receive()
    if MODE == "startup-fails":
        await send({"type": "lifespan.startup.failed", "message": "no database"})
        return
    await send({"type": "lifespan.startup.complete"})
    await receive()
    say("lifespan ended")
    await send({"type": "lifespan.shutdown.complete"})


async def answer(send: Send, body: bytes, more: bool = False) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body, "more_body": more})


async def fast(scope: Any, receive: Receive, send: Send) -> None:
    await answer(send, repr(sorted(name.decode() for name, _ in scope["headers"])).encode())


async def stream(scope: Any, receive: Receive, send: Send) -> None:
    """Ends with a last frame when the application is closed."""
    await answer(send, b"first\n", more=True)
    await closing.wait()
    await send({"type": "http.response.body", "body": b"last\n"})


async def sleep(scope: Any, receive: Receive, send: Send) -> None:
    """Never ends by itself, and minds neither a close nor a client that left."""
    await asyncio.sleep(60)


async def stubborn(scope: Any, receive: Receive, send: Send) -> None:
    """Not even cancelling helps."""
    while True:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            say("never mind")


async def brief(scope: Any, receive: Receive, send: Send) -> None:
    """Ends within the grace."""
    await asyncio.sleep(0.4)
    await answer(send, b"done")


async def block(scope: Any, receive: Receive, send: Send) -> None:
    time.sleep(1.0)  # noqa: ASYNC251
    await answer(send, b"done")


async def block_long(scope: Any, receive: Receive, send: Send) -> None:
    time.sleep(60)  # noqa: ASYNC251


async def thread(scope: Any, receive: Receive, send: Send) -> None:
    await asyncio.to_thread(time.sleep, 60)


async def flood(scope: Any, receive: Receive, send: Send) -> None:
    await answer(send, b"", more=True)
    while not closing.is_set():
        await send({"type": "http.response.body", "body": b"x" * 65536, "more_body": True})
    await send({"type": "http.response.body", "body": b"last\n"})


async def body(scope: Any, receive: Receive, send: Send) -> None:
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size += len(message["body"])
        if not message["more_body"]:
            break
    await answer(send, b"%d bytes" % size)


async def gone(scope: Any, receive: Receive, send: Send) -> None:
    """Waits until its client has left."""
    while (await receive())["type"] != "http.disconnect":
        pass
    say("client left")


PATHS: dict[str, Callable[[Any, Receive, Send], Awaitable[None]]] = {
    "/fast": fast,
    "/stream": stream,
    "/sleep": sleep,
    "/stubborn": stubborn,
    "/brief": brief,
    "/block": block,
    "/block-long": block_long,
    "/thread": thread,
    "/flood": flood,
    "/body": body,
    "/gone": gone,
}


async def close(grace: float) -> None:
    say(f"closing within {grace:.1f}")
    closing.set()
    if MODE == "close-fails":
        raise RuntimeError("cannot close")
    if MODE == "close-hangs":
        await asyncio.sleep(60)


if __name__ == "__main__":
    sys.exit(
        serving.run(
            app,
            host="127.0.0.1",
            port=int(sys.argv[1]),
            close=None if MODE == "no-close" else close,
            on_ready=lambda url: print(url, flush=True),
        )
    )
