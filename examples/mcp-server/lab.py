"""The verifier's lab: sends requests to a module's servers and notes which promise an answer breaks.

Knows: what a proper response looks like and how values are compared. Must not know: which rules there are.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, NamedTuple

from kit import KIT, Act, Either, Tool

# What a case may expect: a dict is the exact result, a tuple holds the allowed error codes, and these two say it all.
PROPER = "a well-formed response"
REFUSED = "an error, or a result with isError"


class Case(NamedTuple):
    """A request, its outcome and, where it matters, the arguments of each handler call it leads to."""

    sent: Any
    expected: Any
    calls: Sequence[tuple[Any, ...]] | None = None


class Problem(NamedTuple):
    """What was sent, what the contract promises for it and what came instead, as text."""

    sent: str
    expected: str
    actual: str


# A judge names the promise that a response breaks, or returns None.
Judge = Callable[[Case, Any], "str | None"]


class Lab:
    """One rule's look at a module: a server with the kit, the calls its handlers got, the problems found."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self.calls: list[tuple[Any, ...]] = []
        self.problems: list[Problem] = []
        self.shared = self.server()

    def server(self, kit: Sequence[Tool] = KIT) -> Any:
        server = self.module.MCPServer()
        for tool in kit:
            server.register_tool(tool.name, tool.description, clone(tool.schema), self.handler(tool.act))
        return server

    def handler(self, act: Act) -> Callable[..., Any]:
        def handler(*args: Any, **named: Any) -> Any:
            self.calls.append(clone((*args, named) if named else args))
            return act(self.module.InputRequired, *args)

        return handler

    def note(self, sent: Any, expected: str, actual: Any, holds: bool) -> None:
        if not holds:
            self.problems.append(Problem(show(sent), expected, show(actual)))

    def send(self, case: Case, judge: Judge | None = None, server: Any = None) -> Any:
        """Send one request; note the promise its answer breaks, if any. None when there was no answer to judge."""
        self.calls.clear()
        try:
            response = (server or self.shared).handle_request(clone(case.sent))
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            return self.note(case.sent, "a response, never an exception", error, False)
        broken = (judge or outcome)(case, response)
        self.note(case.sent, broken or "", response, broken is None)
        calls = [] if isinstance(case.expected, tuple) else case.calls  # what is refused runs no handler
        if judge is None and calls is not None:
            self.note(case.sent, f"handler calls {show(calls)}", self.calls, same(calls, self.calls))
        return response


def clone(value: Any) -> Any:
    """A copy of the value's dicts, lists and tuples, many times faster than deepcopy; all else is shared."""
    if isinstance(value, dict):
        return {key: clone(item) for key, item in value.items()}
    return type(value)(map(clone, value)) if isinstance(value, (list, tuple)) else value


def show(value: Any) -> str:
    """The value in text, bounded, whatever it is: its repr, or an exception's class and message."""
    shown = f"<{type(value).__name__}>"
    with contextlib.suppress(Exception):
        shown = f"{type(value).__name__}: {value}" if isinstance(value, BaseException) else repr(value)
    shown = shown if len(shown) <= 300 else f"{shown[:300]}..."
    return shown.encode("utf-8", "backslashreplace").decode()  # a lone surrogate cannot be printed


def same(expected: Any, actual: Any) -> bool:
    """Equal, and of one kind all the way down: 0 is not False, a tuple is not a list."""
    if isinstance(expected, Either):
        return any(same(value, actual) for value in expected.values)
    if not isinstance(actual, type(expected)) or isinstance(actual, bool) != isinstance(expected, bool):
        return False
    if isinstance(expected, dict):
        return expected.keys() == actual.keys() and all(same(value, actual[key]) for key, value in expected.items())
    if isinstance(expected, (list, tuple)):
        return len(expected) == len(actual) and all(map(same, expected, actual))
    return bool(expected == actual)


def frame(case: Case, response: Any) -> str | None:
    """Every response: `{"jsonrpc": "2.0", "id": ..., "result" or "error": {...}}`, and JSON can carry it."""
    if not isinstance(response, dict):
        return "a dict"
    if not same("2.0", response.get("jsonrpc")):
        return 'jsonrpc "2.0" in the response'
    bodies = [response[key] for key in response if key not in ("jsonrpc", "id")]
    if len(bodies) != 1 or not isinstance(response.get("result", response.get("error")), dict):
        return "jsonrpc, id and one object, result or error"
    error = response.get("error", {"code": 0, "message": "-"})
    if not (isinstance(error.get("code"), int) and isinstance(error.get("message"), str) and error["message"]):
        return "an error with an integer code and a message"
    try:
        json.dumps(response)
    except (TypeError, ValueError):
        return "a response that JSON can carry"
    return None


def identity(case: Case, response: Any) -> str | None:
    """The request's id comes back as it was; null where there was none."""
    sent = case.sent.get("id") if isinstance(case.sent, dict) else None
    # What JSON-RPC does not allow as an id may come back as it was, or count as no id.
    right = Either((sent, None) if isinstance(sent, (dict, list)) else (sent,))
    kept = isinstance(response, dict) and "id" in response and same(right, response["id"])
    return None if kept else f"id {sent!r} in the response"


def served(case: Case, response: Any) -> str | None:
    """The id comes back, and makes no error of a result, nor a result of an error; which one is other rules' matter."""
    kind = "error" if isinstance(case.expected, tuple) else "result"
    has = isinstance(response, dict) and kind in response
    return identity(case, response) or (None if has else f"{kind}, as with any other id")


def outcome(case: Case, response: Any) -> str | None:
    """The response's result or error is the one the case expects."""
    expected = case.expected
    result, error = (response.get(key) if isinstance(response, dict) else None for key in ("result", "error"))
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(expected, tuple):
        return None if same(Either(expected), code) else f"an error with code {' or '.join(map(str, expected))}"
    if isinstance(expected, dict):
        return None if same(expected, result) else f"result {show(expected)}"
    refused = error is not None or (isinstance(result, dict) and result.get("isError") is True)
    return None if frame(case, response) is None and (refused or expected is PROPER) else str(expected)
