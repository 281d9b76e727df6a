"""The fixtures that the official conformance suite asks of a server: a server of their own, on the strict profile.

Knows the names, texts and schemas that the suite looks for; knows no endpoint. Only public names of the library are
used.
"""

from goldfish import Server, __version__
from goldfish.everything.conformance import asking, prompts, resources, tasks, tools


def create_server(store: str = "memory:", state_keys: tuple[bytes, ...] = ()) -> Server:
    """The server with every fixture registered."""
    server = Server(
        "goldfish-conformance",
        __version__,
        title="Goldfish conformance fixtures",
        instructions="The fixtures of the official conformance suite.",
        store=store,
        state_keys=state_keys,
    )
    for part in (tools, asking, resources, prompts, tasks):
        part.register(server)
    return server
