"""A real Redis server for tests: started on a free port, killed, paused, started again.

Knows the server's program and its protocol as far as PING. Without the program tests are skipped, and fail under CI.
"""

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

#: Seconds until the server must answer, or have ended.
PATIENCE = 5.0
HOW = "needs redis-server: apt-get update && apt-get install -y redis-server (or brew install redis)"


def program() -> str:
    found = shutil.which("redis-server") or shutil.which("valkey-server")
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail(HOW)
        pytest.skip(HOW)
    return found


class RedisServer:
    """`appendonly`: whether it still knows everything after it was killed; without, it knows nothing."""

    def __init__(self, directory: Path, appendonly: bool = False) -> None:
        self._program = program()
        self._directory = directory
        self._appendonly = appendonly
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Returns when it answers. The port is found with the first start and stays the same."""
        for _ in range(5):
            port = self.port or _free_port()
            self._process = subprocess.Popen(
                [
                    *(self._program, "--port", str(port), "--bind", "127.0.0.1", "--dir", str(self._directory)),
                    *("--save", "", "--appendonly", "yes" if self._appendonly else "no", "--daemonize", "no"),
                    # Every second would be written later still, up to two of them, while the disk is slow.
                    *("--appendfsync", "always"),
                ],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            if self._answers(port):
                self.port = port
                return
            self.stop()
        pytest.fail("redis-server does not answer")

    def kill(self) -> None:
        """As a crash would: at once, without a word."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(PATIENCE)
            self._process = None

    def stop(self) -> None:
        self.resume()
        self.kill()

    def pause(self) -> None:
        """Holds every connection and answers nothing, like a server behind a broken network."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)

    def _answers(self, port: int) -> bool:
        assert self._process is not None
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                with socket.create_connection(("127.0.0.1", port), 1.0) as connection:
                    connection.sendall(b"PING\r\n")
                    if connection.recv(16).startswith(b"+PONG"):
                        return True
            except OSError:
                pass
            time.sleep(0.005)
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
