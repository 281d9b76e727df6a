"""A clock that never goes back, and what it is built on: the time since the machine started.

Knows how to follow a better clock without a step back. Knows no store.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Final

from goldfish.ports import Clock

#: Linux: goes on while the machine is suspended, and nobody can set it. Elsewhere the monotonic clock comes closest.
_BOOT_CLOCK: Final[int | None] = getattr(time, "CLOCK_BOOTTIME", None)
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")


def boot_time() -> float:
    """Seconds since some moment that is the same for all processes until the machine starts anew (Linux)."""
    return time.monotonic() if _BOOT_CLOCK is None else time.clock_gettime(_BOOT_CLOCK)


def boot_id() -> str | None:
    """Names the time since the machine started: readings of `boot_time` compare within it. None where unknown."""
    if _BOOT_CLOCK is None:
        return None
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return None


class SteadyClock:
    """Seconds since the epoch, counted from the wall clock at first and by `elapsed` from then on.

    Setting the wall clock changes nothing. `anchor` follows a clock that knows better: forward at once, and back by
    running at half pace until the two agree, so that readings only ever grow. May be used from several threads.
    """

    __slots__ = ("_at", "_base", "_debt", "_elapsed", "_lock", "_read")

    def __init__(self, elapsed: Clock = boot_time) -> None:
        self._elapsed = elapsed
        self._lock = threading.Lock()
        self._read = False
        self._base = time.time()
        self._at = elapsed()
        self._debt = 0.0

    def __call__(self) -> float:
        with self._lock:
            self._read = True
            return self._reading(self._elapsed())

    def anchor(self, low: float, high: float) -> None:
        """The right time now lies between `low` and `high`; a reading that does so too is left alone."""
        with self._lock:
            at = self._elapsed()
            reading = self._reading(at)
            if low <= reading <= high:
                return
            right = (low + high) / 2
            # Who has not read the clock yet cannot see it go back.
            self._base = max(reading, right) if self._read else right
            self._debt = self._base - right
            self._at = at

    def _reading(self, at: float) -> float:
        passed = at - self._at
        return self._base + passed - min(self._debt, passed / 2)
