"""What a store says when a cap on its records is reached: the same words on every back-end.

Knows ports. Knows no store.
"""

from __future__ import annotations

from goldfish.ports import Caps, Full


def check_caps(caps: Caps, owned: int, total: int) -> None:
    """Raises Full when one more record of an owner who has `owned`, beside `total` of all, would exceed a cap."""
    if owned >= caps.per_owner:
        raise Full(f"the cap of {caps.per_owner} live records per owner is reached")
    if total >= caps.total:
        raise Full(f"the cap of {caps.total} live records in total is reached")
