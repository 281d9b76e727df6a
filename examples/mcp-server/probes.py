"""The verifier's probes: rules that take more than one request and its outcome, and the samples they share.

Knows: how to show such a rule on a module. Must not know: the table it is a row of.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kit import KIT, LISTED, QUESTIONS, VERSION, Tool, ask, asked, call, failed, less, said
from lab import PROPER, REFUSED, Case, Lab, clone, outcome, same, show

INVALID, UNKNOWN = (-32600,), (-32601,)
MISSING = "Missing required argument: "
NOT_FOUND = failed("Tool not found")
ODD_VALUES: tuple[Any, ...] = (None, True, 0, 5, "text", [], ["text"], {}, {"a": 1})
RIGHT, WRONG = {"protocolVersion": VERSION}, {"protocolVersion": "2025-11-25"}
ONE = QUESTIONS["one"]

# One request for each kind of answer.
SAMPLES = (
    Case(call("echo", {"text": "hi"}), said("hi")),
    Case(call("ask", {"kind": "one"}), asked(ONE)),
    Case(call("ask", {"kind": "one"}, inputResponses={"name": 1}), said("answered {'name': 1}")),
    Case(call("fail", {"kind": "text"}), failed("Error: boom")),
    Case(call("nope", {}), NOT_FOUND),
    Case(call("echo", {}), failed(f"{MISSING}text")),
    Case(ask("tools/list"), LISTED),
    Case(ask("nope"), UNKNOWN),
    Case(ask("initialize"), UNKNOWN),
    Case(ask("tools/list", jsonrpc="1.0"), INVALID),
    Case(less(ask("tools/list"), "method"), INVALID),
    Case(ask("tools/list", _meta=WRONG), INVALID),
    Case(ask("tools/list", {"_meta": WRONG}), INVALID),
)
INITIALIZE = tuple(
    Case(request, UNKNOWN)
    for request in (
        ask("initialize"),
        ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c"}}),
        ask("initialize", {"_meta": RIGHT}, _meta=RIGHT),
    )
)


def standard_library(lab: Lab) -> None:
    source = Path(str(lab.module.__file__)).read_bytes()
    for node in ast.walk(ast.parse(source)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += ["." * node.level + (node.module or "")] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            lab.note(
                f"import {name}",
                "a module of the standard library",
                name,
                name.split(".")[0] in sys.stdlib_module_names,
            )


def register(lab: Lab) -> None:
    members = {"name": "t", "description": "d", "schema": {}, "handler": lab.handler(lambda q, given, answers: "done")}
    for args, named in ((tuple(members.values()), {}), ((), members)):
        server = lab.module.MCPServer()
        given = server.register_tool(*args, **named)
        lab.note("register_tool(name, description, schema, handler)", "None", given, given is None)
        lab.send(Case(call("t"), said("done")), server=server)


def question(lab: Lab) -> None:
    kind = lab.module.InputRequired
    lab.note("InputRequired", "a subclass of Exception", kind, isinstance(kind, type) and issubclass(kind, Exception))
    for requests in (QUESTIONS["one"], QUESTIONS["two"]):
        kept = kind(requests).requests
        lab.note(f"InputRequired({requests}).requests", "what was given", kept, kept == requests)


class Caller:
    """An object that can be called, and a method that can."""

    def __call__(self, arguments: Any, answers: Any, /) -> str:
        return "done"

    def method(self, a: Any, b: Any, /) -> str:
        return "done"


def callables(lab: Lab) -> None:
    bound = functools.partial(lambda text, a, b: str(text), "done")
    handlers: tuple[Callable[..., str], ...] = (Caller(), Caller().method, bound, lambda _, __: "done")
    for number, handler in enumerate(handlers):
        lab.shared.register_tool(f"tool{number}", "", {}, handler)
        lab.send(Case(call(f"tool{number}", {"a": 1}, inputResponses={"b": 2}), said("done")))


def miscounted(lab: Lab) -> None:
    handlers: tuple[Callable[..., str], ...] = (lambda: "none", lambda arguments: "one", lambda a, b, c: "three")
    for number, handler in enumerate(handlers):
        lab.shared.register_tool(f"tool{number}", "", {}, handler)
        lab.send(Case(call(f"tool{number}", {}), REFUSED))


def odd_schemas(lab: Lab) -> None:
    for number, required in enumerate((*ODD_VALUES, [5], [["a"]], [None])):
        with contextlib.suppress(Exception):  # to refuse such a schema at once is an answer too
            lab.shared.register_tool(f"odd{number}", "", {"required": required}, lambda arguments, answers: "done")
        lab.send(Case(call(f"odd{number}", {}), PROPER))


def removed(lab: Lab) -> None:
    for case in INITIALIZE:
        response = lab.send(case)
        message = response.get("error", {}).get("message") if outcome(case, response) is None else None
        noted = all(word in str(message).lower() for word in ("stateless", VERSION, "remov"))
        lab.note(case.sent, f"a message noting that the stateless {VERSION} specification removed it", message, noted)


def first(lab: Lab) -> None:
    for before in (None, *SAMPLES):  # nothing has to come first, and whatever did settled nothing
        server = lab.server()
        if before:
            server.handle_request(clone(before.sent))
        lab.send(Case(ask("tools/list"), LISTED), server=server)
        lab.send(SAMPLES[0], server=server)


def untouched(lab: Lab) -> None:
    for case in SAMPLES:
        request = clone(case.sent)
        lab.shared.handle_request(request)
        lab.note(case.sent, "the caller's request left as it was", request, case.sent == request)


def independent(lab: Lab) -> None:
    answers = [
        (case, answer, clone(answer)) for case in SAMPLES for answer in [lab.shared.handle_request(clone(case.sent))]
    ]
    lab.shared.register_tool("late", "", {}, lab.handler(lambda q, given, answers: "done"))
    for case, answer, once in answers:
        lab.note(case.sent, f"still {show(once)}", answer, same(once, answer))


def instances(lab: Lab) -> None:
    other = lab.server(())
    lab.send(Case(ask("tools/list"), {"tools": []}), server=other)
    lab.send(Case(call("free"), NOT_FOUND), server=other)
    own = Tool("free", "Another.", {"type": "object"}, lambda q, given, answers: "another")
    other.register_tool(*own[:3], lab.handler(own.act))
    listed = {"tools": [{"name": own.name, "description": own.description, "inputSchema": own.schema}]}
    lab.send(Case(ask("tools/list"), listed), server=other)
    lab.send(Case(call("free"), said("another")), server=other)
    lab.send(Case(call("free"), said("done")))
    lab.send(Case(ask("tools/list"), LISTED))


def later(lab: Lab) -> None:
    server = lab.server(KIT[:2])
    for tool in KIT[2:4]:
        lab.send(Case(ask("tools/list"), PROPER), server=server)
        lab.send(Case(call(tool.name, {"kind": "none"}), NOT_FOUND), server=server)
        server.register_tool(*tool[:3], lab.handler(tool.act))
    lab.send(Case(ask("tools/list"), {"tools": LISTED["tools"][:4]}), server=server)
    lab.send(Case(call("give", {"kind": "none"}), said("None")), server=server)


def elsewhere(lab: Lab) -> None:
    for answers in ({"name": "Ada"}, {"name": {"action": "accept", "content": {"n": 0}}}):
        for server in (lab.shared, lab.server()):  # the second was never asked
            lab.send(
                Case(call("ask", {"kind": "one"}, inputResponses=answers), said(f"answered {answers}")), server=server
            )
        lab.send(Case(call("ask", {"kind": "one"}), asked(ONE)))


def threads(lab: Lab) -> None:
    entered, released, answers = threading.Event(), threading.Event(), list[tuple[Case, Any]]()

    def slow(question: Any, given: Any, responses: Any) -> str:
        entered.set()
        released.wait(0.3)  # no longer, since a server may take one request at a time
        return f"slow {given['n']}"

    def start(*cases: Case) -> threading.Thread:
        def work() -> None:
            with contextlib.suppress(BaseException):  # which shows as answers that are missing
                answers.extend([(case, lab.shared.handle_request(clone(case.sent))) for case in cases])
            entered.set()  # also when the tool was never reached

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        return thread

    others = [case for case in SAMPLES if case.expected is not LISTED]
    lab.shared.register_tool("slow", "", {"required": ["n"]}, lab.handler(slow))
    running = [start(Case(call("slow", {"n": 1}), said("slow 1")))]  # one request is held inside its tool ...
    entered.wait(1)
    # ... while others come and go, in an order that does not depend on luck.
    during = start(*others)
    during.join(1)
    released.set()
    ago = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)  # then many at once, taking turns as often as Python lets them
    try:
        running += [
            start(*(Case(call("echo", {"text": f"{n}.{i}"}), said(f"{n}.{i}")) for i in range(30))) for n in range(6)
        ]
        for thread in (*running, during):
            thread.join(2)
    finally:
        sys.setswitchinterval(ago)
    lab.note("requests from 8 threads", "an answer to each", len(answers), len(answers) == 1 + len(others) + 6 * 30)
    for case, answer in answers:  # whether it is the right answer is other rules' matter
        alone = lab.shared.handle_request(clone(case.sent))
        lab.note(case.sent, f"as without other threads: {show(alone)}", answer, same(alone, answer))
