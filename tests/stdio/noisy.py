"""A server whose handler prints in every way there is."""

import asyncio
import os

from goldfish import Server

server = Server("noisy", "1")


@server.tool
async def noisy() -> str:
    """Makes noise."""
    print("printed")
    os.write(1, b"written\n")
    child = await asyncio.create_subprocess_exec("echo", "said by a child")
    await child.wait()
    return "quiet"


if __name__ == "__main__":
    server.run_stdio()
