"""The verifier's kit: requests and results in short, and the tools that every server under test is given.

Knows: the wire shapes of the starter's contract. Must not know: which rules there are, or any server.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

VERSION = "2026-07-28"
ASKED = "Additional client input is required before this tool can finish."


class Either(NamedTuple):
    """Stands in an expected value for any of several."""

    values: Sequence[Any]


NOTHING = Either((None, {}))  # what a handler may see of inputResponses that were not sent

_ids = itertools.count(101)


def ask(method: Any, params: Any = ..., **members: Any) -> dict[str, Any]:
    """A request. Each has an id of its own, so that an answer carrying another's id is noticed."""
    request = {"jsonrpc": "2.0", "id": f"request-{next(_ids)}", "method": method, **members}
    return request if params is ... else {**request, "params": params}


def call(name: Any, arguments: Any = ..., **params: Any) -> dict[str, Any]:
    """A `tools/call`; without `arguments`, the member is absent."""
    return ask("tools/call", {"name": name, **({} if arguments is ... else {"arguments": arguments}), **params})


def less(request: dict[str, Any], *members: str) -> dict[str, Any]:
    return {key: value for key, value in request.items() if key not in members}


def said(text: str, **members: Any) -> dict[str, Any]:
    return {**members, "content": [{"type": "text", "text": text}]}


def failed(text: str) -> dict[str, Any]:
    return said(text, isError=True)


def asked(requests: Any) -> dict[str, Any]:
    return said(ASKED, resultType="input_required", requests=requests)


class Odd:
    """An output that tells str() from repr() and format()."""

    def __str__(self) -> str:
        return "by str"

    def __repr__(self) -> str:
        return "by repr"

    def __format__(self, spec: str) -> str:
        return "by format"


class Loud(Exception):
    """An exception whose text is not its argument."""

    def __str__(self) -> str:
        return "by str"


class Mute(Exception):
    """An exception, or an output, that cannot be turned into text."""

    def __str__(self) -> str:
        raise ValueError("no words")


OUTPUTS: dict[str, Any] = {
    "text": "hi",
    "empty": "",
    "padded": "  two\n lines \n",
    "unicode": "caf\u00e9 \u2028 \U0001f41f",
    "long": "x" * 100_000,
    "none": None,
    "zero": 0,
    "false": False,
    "true": True,
    "float": 1.0,
    "dict": {"b": ["c", None], "a": "\u00e9"},
    "list": [1, "b"],
    "tuple": (1,),
    "bytes": b"x",
    "odd": Odd(),
    "error": ValueError("returned, not raised"),
    "block": {"type": "text", "text": "x"},
    "content": [{"type": "text", "text": "x"}],
    "result": {"isError": True, "content": [{"type": "text", "text": "x"}]},
}
ERRORS: dict[str, Exception] = {
    "text": ValueError("boom"),
    "empty": ValueError(),
    "padded": RuntimeError(" two\nlines "),
    "unicode": Exception("caf\u00e9"),
    "two": ValueError("a", 1),
    "loud": Loud("by argument"),
    "key": KeyError("kind"),
    "os": FileNotFoundError(2, "No such file"),
    "type": TypeError("bad operand"),
    "attribute": AttributeError("gone"),
    "assert": AssertionError("no"),
    "stop": StopIteration("done"),
    "time": TimeoutError("too slow"),
    "recursion": RecursionError("too deep"),
}
QUESTIONS: dict[str, Any] = {
    "one": {"name": {"method": "elicitation/create", "params": {"message": "Who?", "schema": {"type": "object"}}}},
    "two": {"b": {"n": 1}, "a": None},
    "none": {},
    "list": [{"id": "b"}, {"id": "a"}],
    "text": "Who?",
}

# What a tool of the kit does: given the module's InputRequired, the arguments and the answers.
Act = Callable[[Any, Any, Any], Any]


def _fail(question: Any, given: Any, answers: Any) -> Any:
    raise Mute() if given["kind"] == "mute" else ERRORS[given["kind"]]


def _ask(question: Any, given: Any, answers: Any) -> Any:
    if not answers:
        raise question(QUESTIONS[given["kind"]])
    return f"answered {answers}"


def _inherit(question: Any, given: Any, answers: Any) -> Any:
    raise type("Own", (question,), {})(QUESTIONS["one"])


def _quiz(question: Any, given: Any, answers: Any) -> Any:
    if "second" not in (answers or {}):
        raise question({"second" if answers else "first": {}})
    return f"answered {answers}"


def _grow(question: Any, given: Any, answers: Any) -> Any:
    given["seen"] = given.get("seen", 0) + 1
    return given["seen"]


class Tool(NamedTuple):
    """A tool of the kit: the first three members are registered, and listed, as they are."""

    name: str
    description: str
    schema: Any
    act: Act


ECHO = {
    "type": "object",
    "properties": {"text": {"type": "string"}, "times": {"type": "integer", "default": 1}},
    "required": ["text"],
    "additionalProperties": False,
    "$defs": {"deep": [{"enum": [1, None, True]}]},
}
KIT = (  # names and required arguments stand in an order that no sorting gives
    Tool(
        "route", "Plan a route.", {"type": "object", "required": ["to", "from", "by"]}, lambda q, given, answers: "ok"
    ),
    Tool("echo", "Say it again.", ECHO, lambda q, given, answers: given["text"]),
    Tool("free", "", {}, lambda q, given, answers: "done"),
    Tool(
        "give",
        "  Give an output:\n\tof some kind, caf\u00e9.\n" * 9,
        {"required": []},
        lambda q, given, answers: OUTPUTS[given["kind"]],
    ),
    Tool("mute", "Give an output without text.", {"properties": {"a": {}}}, lambda q, given, answers: Mute()),
    Tool("fail", "Raise an error.", {"type": "object", "required": ["kind"]}, _fail),
    Tool("ask", "Ask the client.", {"type": "object", "required": ["kind"]}, _ask),
    Tool("inherit", "Ask by a subclass.", {"type": "object"}, _inherit),
    Tool("quiz", "Ask twice.", {"type": "object"}, _quiz),
    Tool("grow", "Write into the arguments.", {"properties": {"seen": {"type": "integer"}}}, _grow),
    Tool("blank", "An argument with blanks.", {"required": [" a b "]}, lambda q, given, answers: "done"),
)
LISTED = {"tools": [{"name": tool.name, "description": tool.description, "inputSchema": tool.schema} for tool in KIT]}
