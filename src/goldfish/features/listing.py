"""Lists: registration order, pages and cursors (server/utilities/pagination), for tools, prompts, resources, templates.

Knows entries by their keys. Knows no kind of entry. A cursor is sealed for its list: one of another list, or
made up, is refused and never answered with the first page (PAG-03).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

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
        self, request: Request[ListParams], entries: Iterable[tuple[str, Any]]
    ) -> tuple[Sequence[Any], str | UnsetType]:
        """The asked page of `entries`, which are (key, entry) in their order, and the next cursor.

        A cursor names the last entry of its page, so that a page turn survives additions and removals (PAG-05).
        """
        cursor = request.params.cursor
        listed = list(entries)
        start = 0 if cursor is UNSET else self._behind(listed, request.method, cursor)
        end = len(listed) if self.page_size is None else start + self.page_size
        shown = [entry for _, entry in listed[start:end]]
        if end >= len(listed):  # PAG-01: a cursor only where there is more
            return shown, UNSET
        return shown, self._cursor(request.method, end - 1, listed[end - 1][0])

    def _cursor(self, method: str, index: int, key: str) -> str:
        return self.seal.seal(msgspec.json.encode((index, key)), _bound(method))

    def _behind(self, listed: Sequence[tuple[str, Any]], method: str, cursor: str) -> int:
        """The index behind the entry that the cursor names; where that one is gone, the index at which it stood."""
        payload = self.seal.open(cursor, _bound(method))
        if payload is None:
            raise invalid_params(BAD_CURSOR)
        try:
            index, key = msgspec.json.decode(payload, type=tuple[int, str])
        except msgspec.DecodeError:  # sealed by another version that shares the keys
            raise invalid_params(BAD_CURSOR) from None
        if index < len(listed) and listed[index][0] == key:
            return index + 1
        return next((place + 1 for place, (name, _) in enumerate(listed) if name == key), index)


def _bound(method: str) -> bytes:
    return b"cursor " + method.encode()
