"""Cache hints: how long a result may be kept, and by whom (server/utilities/caching).

Knows the two hints and when none may be trusted. Knows no method.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeVar

from goldfish.wire.methods import CacheableResult, CacheScope

R = TypeVar("R", bound=CacheableResult)


@dataclass(frozen=True, slots=True)
class Hints:
    """`ttl_ms` counts milliseconds from now; "private" results are for this caller alone (CAC-01, CAC-05)."""

    ttl_ms: int
    scope: CacheScope

    def __post_init__(self) -> None:
        if isinstance(self.ttl_ms, bool) or not isinstance(self.ttl_ms, int) or not 0 <= self.ttl_ms < 2**53:
            raise ValueError(f"ttl_ms must be an integer from 0 to 2**53 - 1, not {self.ttl_ms!r}")  # CAC-06
        if self.scope not in ("public", "private"):
            raise ValueError(f'scope must be "public" or "private", not {self.scope!r}')  # CAC-02

    def on(self, result: R) -> R:
        result.ttl_ms = self.ttl_ms
        result.cache_scope = self.scope
        return result


#: Nothing may be kept. Also what the answer to a retry says: it depends on more than its cache key (CAC-04).
NO_CACHE: Final = Hints(0, "private")
