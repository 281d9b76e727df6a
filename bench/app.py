"""The server that is measured: the tools of the benchmark, every check on, written with the public names alone.

Serves POST /mcp as an ASGI application: `uvicorn bench.app:app`.
"""

from goldfish import Context, Server

server = Server("bench", "1.0", logging=False)


@server.tool
async def echo(message: str) -> str:
    """Answers with the message."""
    return message


@server.tool
async def stream(ctx: Context) -> str:
    """Tells of its progress five times."""
    for step in range(1, 6):
        await ctx.progress(step, 5)
    return "done"


@server.tool
async def touch() -> str:
    """Tells listeners that the note has changed."""
    await server.resource_updated("note://a")
    return "ok"


def _add_filler(number: int) -> None:
    @server.tool(name=f"filler_{number:02}")
    async def filler(text: str, count: int = 1) -> str:
        """Stands in the list."""
        return text * count


for number in range(17):
    _add_filler(number)


@server.resource("note://a")
async def note() -> str:
    """The note."""
    return "a note"


app = server.app
