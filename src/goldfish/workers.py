"""Several worker processes behind one listening socket: started, watched, replaced, ended.

Knows processes, pipes and signals. Knows no HTTP and nothing that the workers serve. A worker that dies is replaced; a
parent that dies, in whatever way, takes its workers along: each watches a pipe that only the parent holds open.
"""

from __future__ import annotations

import contextlib
import logging
import os
import selectors
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Final

logger = logging.getLogger("goldfish")

#: Serves until a signal and returns an exit status; calls what it is given once it answers.
Serve = Callable[[Callable[[], None]], int]

STOPS: Final = (signal.SIGINT, signal.SIGTERM)
LIMIT: Final = 2.8  # seconds from the first signal until workers that hold out are killed
BRIEF: Final = 1.0  # seconds: a worker that lived no longer has not really started
PATIENCE: Final = 5  # brief workers in a row after which nothing more is tried


def supervise(count: int, serve: Serve, on_ready: Callable[[], None]) -> int:
    """Runs `serve` in `count` processes until SIGINT or SIGTERM; returns the status to exit with.

    `on_ready` is called once every worker answers. 0 after a signal, 1 when workers end as soon as they are started. A
    second signal kills what is left.
    """
    return _Supervisor(count, serve, on_ready).run()


class _Supervisor:
    def __init__(self, count: int, serve: Serve, on_ready: Callable[[], None]) -> None:
        self._count = count
        self._serve = serve
        self._on_ready = on_ready
        self._workers: dict[int, float] = {}  # process id -> when it was started
        self._brief = 0
        self._waiting = count
        self._deadline: float | None = None
        self._alive = os.pipe()
        self._ready = os.pipe()
        self._signals = os.pipe()

    def run(self) -> int:
        os.set_blocking(self._signals[0], False)
        os.set_blocking(self._signals[1], False)
        with self._handlers(), selectors.DefaultSelector() as selector:
            selector.register(self._signals[0], selectors.EVENT_READ, self._drain)
            selector.register(self._ready[0], selectors.EVENT_READ, self._count_ready)
            for _ in range(self._count):
                self._start()
            while self._workers:
                timeout = None if self._deadline is None else max(0.0, self._deadline - time.monotonic())
                for key, _ in selector.select(timeout):
                    key.data()
                self._reap()
                if self._deadline is not None and time.monotonic() >= self._deadline:
                    self._tell(signal.SIGKILL)
        return 1 if self._brief >= PATIENCE else 0

    @contextlib.contextmanager
    def _handlers(self) -> Iterator[None]:
        before = {number: signal.signal(number, self._stop) for number in STOPS}
        before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda number, frame: None)
        wakeup = signal.set_wakeup_fd(self._signals[1], warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(wakeup)
            for number, handler in before.items():
                signal.signal(number, handler)

    def _stop(self, number: int, frame: object) -> None:
        first = self._deadline is None
        self._deadline = time.monotonic() + LIMIT if first else 0.0
        self._tell(signal.SIGTERM if first else signal.SIGKILL)

    def _tell(self, number: signal.Signals) -> None:
        for process in list(self._workers):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)

    def _drain(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._signals[0], 4096)

    def _count_ready(self) -> None:
        if self._waiting > 0:
            self._waiting -= len(os.read(self._ready[0], self._waiting))
            if self._waiting == 0 and self._deadline is None:
                self._on_ready()
        else:
            os.read(self._ready[0], 64)  # a replacement

    def _start(self) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        process = os.fork()
        if process == 0:
            self._be_worker()
        self._workers[process] = time.monotonic()

    def _be_worker(self) -> None:
        """Never returns. The parent's handlers and its ends of the pipes are put away first."""
        status = 1
        try:
            signal.set_wakeup_fd(-1)
            for number in (*STOPS, signal.SIGCHLD):
                signal.signal(number, signal.SIG_DFL)
            # The workers share a terminal with the parent, which passes the signal on: once is enough.
            os.setpgid(0, 0)
            os.close(self._alive[1])
            threading.Thread(target=_follow, args=(self._alive[0],), name="goldfish-parent", daemon=True).start()
            status = self._serve(lambda: _write(self._ready[1]))
        except BaseException:
            traceback.print_exc()
        finally:
            with contextlib.suppress(OSError, ValueError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(status)

    def _reap(self) -> None:
        while self._workers:
            process, status = os.waitpid(-1, os.WNOHANG)
            if process == 0:
                return
            started = self._workers.pop(process, None)
            if started is None or self._deadline is not None:
                continue
            code = os.waitstatus_to_exitcode(status)
            how = f"signal {-code}" if code < 0 else f"status {code}"
            self._brief = self._brief + 1 if time.monotonic() - started < BRIEF else 0
            if self._brief >= PATIENCE:
                logger.error("worker %d ended with %s at once, like %d before it", process, how, PATIENCE - 1)
                self._deadline = time.monotonic() + LIMIT
                self._tell(signal.SIGTERM)
                return
            logger.warning("worker %d ended with %s, another takes its place", process, how)
            self._start()


def _write(pipe: int) -> None:
    with contextlib.suppress(OSError):
        os.write(pipe, b"!")


def _follow(alive: int) -> None:
    """Ends this worker as a signal would when the parent is gone."""
    os.read(alive, 1)
    os.kill(os.getpid(), signal.SIGTERM)
