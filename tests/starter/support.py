"""Where the starter lies, and how its modules are loaded. Knows paths; must not know the contract."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "mcp-server"
STARTER = EXAMPLE / "starter" / "mcp_server.py"

if str(EXAMPLE) not in sys.path:  # verify.py finds its neighbours as it does when it is run
    sys.path.insert(0, str(EXAMPLE))
verify: Any = importlib.import_module("verify")


def run(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """`python examples/mcp-server/verify.py ...`, as documented."""
    script = str(EXAMPLE.relative_to(ROOT) / "verify.py") if cwd == ROOT else str(EXAMPLE / "verify.py")
    return subprocess.run(
        [sys.executable, script, *arguments], cwd=cwd, capture_output=True, text=True, timeout=30, check=False
    )


def folder(path: Path, source: str) -> Path:
    """A folder whose mcp_server.py has this source."""
    path.mkdir(parents=True, exist_ok=True)
    (path / "mcp_server.py").write_text(source, encoding="utf-8")
    return path


def verdict(path: Path, key: str) -> Any:
    """The verifier's verdict on one rule for the folder's module, found in this process."""
    module = path / "mcp_server.py"
    if key == verify.MODULE.key:
        return next(verify.check(module))
    return verify.judge(next(rule for rule in verify.RULES if rule.key == key), verify.load(module))
