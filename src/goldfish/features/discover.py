"""server/discover: which versions, capabilities and instructions this server has (server/discover).

Knows what it is told at the moment it is asked, so that the answer is never ahead of the handlers (DIS-05).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import UNSET

from goldfish.features.caching import Hints
from goldfish.kernel.context import Request
from goldfish.kernel.method import Method
from goldfish.wire.meta import SUPPORTED_VERSIONS
from goldfish.wire.methods import DiscoverResult, Params, Result


class Discover:
    def __init__(self, capabilities: Callable[[], dict[str, Any]], instructions: str | None, hints: Hints) -> None:
        self._capabilities = capabilities
        self._instructions = instructions
        self._hints = hints

    def methods(self) -> list[Method]:
        return [Method("server/discover", Params, self._discover)]

    async def _discover(self, request: Request[Params]) -> Result:
        instructions = UNSET if self._instructions is None else self._instructions
        result = DiscoverResult(
            supported_versions=SUPPORTED_VERSIONS, capabilities=self._capabilities(), instructions=instructions
        )
        return self._hints.on(result)
