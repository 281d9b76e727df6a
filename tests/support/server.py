"""The shipped command as a running server, for tests that want only its address.

Knows how the command is started and where it says that it listens; knows nothing of what it serves.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.serving.processes import goldfish


@contextmanager
def running(*arguments: str, **variables: str) -> Iterator[str]:
    """The base URL, `http://HOST:PORT`, of a `goldfish` on a free port; it ends with the block."""
    with goldfish("--quiet", *arguments, **variables) as program:
        host, port = program.address
        yield f"http://{host}:{port}"
        assert 0 == program.stop().status
