"""Verify that a folder's mcp_server.py keeps the starter's contract: `python examples/mcp-server/verify.py starter`.

Knows: how to find, load and judge a module, how to end one that hangs, and how to print the list.
Must not know: the rules themselves, which are rows of contract.py.

Exit status: 0 every rule holds, 1 some rule does not, 2 usage. The rules run in a child process that reports one line
of JSON a rule, so that whatever a module does (hang, exit, print), the list is printed to its end.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from contract import RULES, Rule
from lab import Lab, Problem, show

SECONDS = 2.0  # a rule's time limit; it takes milliseconds
LOST = 3  # so many rules lost to a hang or an exit end the run
SHOWN = 3  # problems shown of one rule
MODULE = Rule("module", "the folder's mcp_server.py loads and defines MCPServer and InputRequired")


class Verdict(NamedTuple):
    """One rule's outcome: it holds when there is no problem."""

    key: str
    says: str
    problems: Sequence[Problem]


def load(path: Path) -> ModuleType:
    """The module at `path`, from its source: a cached compilation could be another version's."""
    module = ModuleType("mcp_server")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # dataclasses and pickle look a class's module up there
    exec(compile(path.read_bytes(), path, "exec"), module.__dict__)
    missing = [name for name in ("MCPServer", "InputRequired") if not isinstance(getattr(module, name, None), type)]
    if missing:
        raise AttributeError(f"no class {' and no class '.join(missing)}")
    return module


def judge(rule: Rule, module: ModuleType) -> Verdict:
    """What the module makes of one rule. An exception the rule did not foresee is a problem like another."""
    problems: list[Problem] = []
    try:
        lab = Lab(module)
        problems = lab.problems
        for case in rule.cases:
            lab.send(case, rule.judge)
        if rule.probe:
            rule.probe(lab)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        problems.append(Problem("a step of this rule", "no exception", show(error)))
    return Verdict(rule.key, rule.says, problems)


def check(path: Path, seconds: float | None = None, start: int = 0) -> Iterator[Verdict]:
    """The verdicts on the module, then on each rule from `start` on; with `seconds`, hanging ends this process."""

    def arm() -> None:
        if seconds is not None:
            faulthandler.dump_traceback_later(seconds, exit=True, file=2)  # fires even where Python code cannot run

    arm()
    try:
        module = load(path)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        yield Verdict(MODULE.key, MODULE.says, [Problem(f"import {path}", "a module with both classes", show(error))])
        return
    yield Verdict(MODULE.key, MODULE.says, [])
    for rule in RULES[start:]:
        arm()
        yield judge(rule, module)
    faulthandler.cancel_dump_traceback_later()


def guarded(path: Path, seconds: float) -> Iterator[Verdict]:
    """The same verdicts from a child process, started anew behind each rule that it did not survive."""
    awaited, lost = [MODULE, *RULES], 0
    while awaited and lost < LOST:
        start = max(0, len(RULES) - len(awaited))
        # -S: without installed packages, for the module is to do without them.
        command = [sys.executable, "-S", "-B", __file__, "--child", str(start), "--seconds", str(seconds), str(path)]
        quiet = subprocess.DEVNULL
        with subprocess.Popen(command, stdin=quiet, stdout=subprocess.PIPE, stderr=quiet, encoding="ascii") as child:
            began = time.monotonic()
            try:
                for line in child.stdout or ():
                    key, says, problems = json.loads(line)
                    began = time.monotonic()
                    if key == awaited[0].key:  # a new process reports the module once more
                        awaited.pop(0)
                        yield Verdict(key, says, [Problem(*problem) for problem in problems])
                        if key == MODULE.key and problems:
                            return  # there is nothing to check the rules on
            except ValueError:
                pass  # half a line: the process ended while it was writing
            finally:
                child.kill()
        if awaited:
            rule, lost = awaited.pop(0), lost + 1
            hung = time.monotonic() - began >= seconds
            end = f"no answer within {seconds:g} s" if hung else f"the process ended with status {child.returncode}"
            yield Verdict(rule.key, rule.says, [Problem("a step of this rule", "an end to it", end)])
            if rule is MODULE:
                return


def report(verdicts: Iterator[Verdict]) -> int:
    """Print a line a rule, what is wrong below it, and a closing count. Returns the exit status."""
    total, count, broken = 1 + len(RULES), 0, []
    for key, says, problems in verdicts:
        count += 1
        print(f"{'FAIL' if problems else 'ok  '}  {key}: {says}")
        for problem in problems[:SHOWN]:
            print(f"        sent:     {problem.sent}\n        expected: {problem.expected}")
            print(f"        actual:   {problem.actual}")
        if problems[SHOWN:]:
            print(f"        ... and {len(problems) - SHOWN} more")
        broken += [key] if problems else []
    unchecked = f", {total - count} not checked" if count < total else ""
    print(f"\n{count - len(broken)} of {total} rules hold{unchecked}")
    if broken:
        print(f"broken: {', '.join(broken)}")
    return 1 if broken or unchecked else 0


def run_child(path: Path, start: int, seconds: float) -> int:
    """Check, and report to the parent."""
    # The channel is a copy of stdout; whatever the module prints goes elsewhere.
    with os.fdopen(os.dup(1), "w", encoding="ascii") as channel:
        os.dup2(2, 1)
        for verdict in check(path, seconds, start):
            print(json.dumps(verdict), file=channel, flush=True)
    os._exit(0)  # a thread the module left running must not keep this process


def find(folder: str) -> Path | None:
    """The folder's mcp_server.py, beside this file or else as a path."""
    places = (Path(__file__).resolve().parent / folder, Path(folder).absolute())
    return next((place / "mcp_server.py" for place in places if os.path.isfile(place / "mcp_server.py")), None)


def limit(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < 3600:
        raise argparse.ArgumentTypeError("must be more than 0 and less than 3600")
    return seconds


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="verify.py", description="Check a server against the starter's contract.")
    parser.add_argument("folder", help="a folder holding mcp_server.py, beside verify.py or as a path")
    parser.add_argument("--seconds", type=limit, default=SECONDS, help="time limit of one rule (default %(default)s)")
    parser.add_argument("--child", type=int, metavar="START", help=argparse.SUPPRESS)
    given = parser.parse_args(argv)
    if given.child is not None:
        return run_child(Path(given.folder), given.child, given.seconds)
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # a terminal may lack a character
    path = find(given.folder)
    if path is None:
        parser.error(f"no mcp_server.py in a folder {given.folder!r}, neither beside verify.py nor as a path")
    return report(guarded(path, given.seconds))


if __name__ == "__main__":
    sys.exit(main())
