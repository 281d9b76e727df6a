"""One request as its handler sees it: typed params, the envelope, and what may be sent ahead of the reply.

Knows notifications/progress and notifications/message (patterns/progress, server/utilities/logging). Knows no tool, no
transport and no question to the client; features build on it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any, Generic, TypeVar

from msgspec import UNSET

from goldfish.kernel.call import Call, Emit
from goldfish.kernel.profile import STRICT, Profile
from goldfish.wire import jsonrpc
from goldfish.wire.errors import missing_capability
from goldfish.wire.meta import LOG_LEVELS, SEVERITY, LogLevel, RequestMeta
from goldfish.wire.methods import Params

P = TypeVar("P", bound=Params)

PROGRESS = "notifications/progress"
LOG = "notifications/message"


def declares(meta: RequestMeta, extension: str) -> bool:
    """Whether the client declared `extension` in this request's capabilities."""
    declared = meta.client_capabilities.extensions
    return declared is not UNSET and extension in declared


class Request(Generic[P]):
    """An admitted request. `name` is the mirrored member of its params, where the method has one."""

    __slots__ = ("_call", "_emit", "_logging", "_progress", "id", "meta", "method", "name", "params", "profile")

    def __init__(
        self,
        method: str,
        id: int | str,
        params: P,
        name: str | None,
        call: Call,
        emit: Emit,
        logging: bool,
        profile: Profile = STRICT,
    ) -> None:
        self.method = method
        self.id = id
        self.params = params
        self.meta: RequestMeta = params.meta
        self.name = name
        self.profile = profile
        self._call = call
        self._emit = emit
        self._logging = logging
        self._progress = -math.inf

    @property
    def principal(self) -> str | None:
        return self._call.principal

    @property
    def caller(self) -> str:
        """Whom a cap counts: the principal, or whoever is at the other end of the connection."""
        return self._call.principal or self._call.peer or ""

    def require(self, extension: str) -> None:
        """Raises Refusal unless the client declared `extension` for this request, and not for another (ENV-05)."""
        if not declares(self.meta, extension):
            raise missing_capability({"extensions": {extension: {}}}, self.profile.missing_extension)

    @property
    def headers(self) -> Mapping[bytes, bytes] | None:
        """Lower-case names to raw values; None on a transport without headers."""
        return self._call.headers

    @property
    def repeated(self) -> Collection[bytes]:
        """The header names that came more than once."""
        return self._call.repeated

    async def emit(self, frame: bytes) -> None:
        """Sends an encoded notification ahead of the reply. Dropped where the client takes no stream (LOG-08)."""
        if self._call.streamable:
            await self._emit(frame)

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Tells how far the request has come, when the client asked for it with a progressToken (PRG-01).

        A value that does not rise above the last one is not sent, since progress must increase (PRG-02); nor is one
        that JSON cannot say, and an infinite total is the same as none.
        """
        token = self.meta.progress_token
        if token is UNSET or not self._call.streamable or not self._progress < progress < math.inf:
            return
        self._progress = progress
        params: dict[str, Any] = {"progressToken": token, "progress": progress}
        if total is not None and math.isfinite(total):
            params["total"] = total
        if message is not None:
            params["message"] = message
        await self._emit(jsonrpc.encode_notification(PROGRESS, params))

    async def log(self, level: LogLevel, data: Any, logger: str | None = None) -> None:
        """Sends a log message on this request's own stream (LOG-03).

        Nothing is sent unless the request named a level and `level` reaches it (LOG-01, LOG-02). `data` is any JSON
        value and must not hold secrets (LOG-06). Raises ValueError for a level that does not exist.
        """
        if level not in SEVERITY:
            raise ValueError(f"log level must be one of {', '.join(LOG_LEVELS)}, not {level!r}")
        wanted = self.meta.log_level
        if wanted is UNSET or not self._logging or SEVERITY[level] < SEVERITY[wanted] or not self._call.streamable:
            return
        params: dict[str, Any] = {"level": level, "data": data}
        if logger is not None:
            params["logger"] = logger
        await self._emit(jsonrpc.encode_notification(LOG, params))
