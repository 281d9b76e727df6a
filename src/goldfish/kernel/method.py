"""The method table: one row per method, with every way in which methods differ as a column.

Knows the columns. Knows no method: features and extensions contribute the rows, and all of them travel the same way.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal

from goldfish.kernel.context import Request
from goldfish.wire.methods import Params, Result

Streams = Literal["never", "may", "always"]


def always() -> bool:
    return True


def no_check(request: Request[Any]) -> None:
    """Nothing to look at before the handler runs."""


@dataclass(frozen=True, slots=True)
class Method:
    """One row.

    name        the JSON-RPC method
    params      its typed params
    handle      what answers it
    name_field  the member of params that Mcp-Name mirrors, as it is called on the wire (HDR-04, HDR-05)
    check       what must hold before the first byte leaves; raises Refusal (HTTP-23)
    available   whether the capability it stands behind is advertised right now (RPC-17)
    streams     whether notifications may, must or cannot precede its reply
    extension   the extension the client must have declared for this request, None for a core method (TASK-04)
    """

    name: str
    params: type[Params]
    handle: Callable[[Request[Any]], Awaitable[Result]]
    name_field: str | None = None
    check: Callable[[Request[Any]], None] = no_check
    available: Callable[[], bool] = always
    streams: Streams = "never"
    extension: str | None = None
