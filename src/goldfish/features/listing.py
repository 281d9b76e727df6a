"""Lists: registration order, pages and cursors (server/utilities/pagination), for tools, prompts, resources, templates.

Knows entries that are already encoded. Knows no kind of entry. A cursor is sealed for its list: one of another list, or
made up, is refused and never answered with the first page (PAG-03).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from msgspec import UNSET, Raw, UnsetType

from goldfish.kernel.context import Request
from goldfish.ports import Seal
from goldfish.wire.errors import invalid_params
from goldfish.wire.methods import ListParams

BAD_CURSOR: Final = "Invalid or expired cursor"


@dataclass(frozen=True, slots=True)
class Pager:
    """Cuts lists into pages of `page_size` entries; None gives everything at once."""

    seal: Seal
    page_size: int | None = None

    def __post_init__(self) -> None:
        if self.page_size is not None and self.page_size < 1:
            raise ValueError(f"page_size must be at least 1, not {self.page_size}")

    def page(
        self, request: Request[ListParams], entries: Iterable[tuple[int, Raw]]
    ) -> tuple[Sequence[Any], str | UnsetType]:
        """The asked page of `entries`, which are (position, entry) in rising position, and the next cursor.

        A position never changes while its entry lives, so that a page turn survives additions and removals (PAG-05).
        """
        cursor = request.params.cursor
        after = -1 if cursor is UNSET else self._position(request.method, cursor)
        rest = (pair for pair in entries if pair[0] > after)
        if self.page_size is None:
            return [entry for _, entry in rest], UNSET
        page = list(islice(rest, self.page_size + 1))
        more = len(page) > self.page_size  # PAG-01: a cursor only where there is more
        shown = page[: self.page_size]
        return [entry for _, entry in shown], self._cursor(request.method, shown[-1][0]) if more else UNSET

    def _cursor(self, method: str, position: int) -> str:
        return self.seal.seal(str(position).encode(), _bound(method))

    def _position(self, method: str, cursor: str) -> int:
        payload = self.seal.open(cursor, _bound(method))
        if payload is None:
            raise invalid_params(BAD_CURSOR)
        return int(payload)


def _bound(method: str) -> bytes:
    return b"cursor " + method.encode()
