"""The starter's contract as data: RULES, one row a rule.

Knows: every rule of the contract, as requests with their outcomes or, where that is not enough, as a probe.
Must not know: how an implementation works inside. Where the contract leaves a choice open, each proper answer passes;
where two rules claim one request, either rule's answer does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import probes
from kit import ERRORS, LISTED, NOTHING, OUTPUTS, QUESTIONS, VERSION, ask, asked, call, failed, less, said
from lab import PROPER, REFUSED, Case, Judge, Lab, frame, identity, served
from probes import INITIALIZE, INVALID, MISSING, NOT_FOUND, ODD_VALUES, ONE, RIGHT, SAMPLES, UNKNOWN, WRONG

WRONG_VERSIONS: tuple[Any, ...] = (
    *("2025-11-25", "2026-07-27", "2026-07-29", "2027-01-01", f"{VERSION} ", f"{VERSION}-rc", "2026-07", "draft", ""),
    *(20260728, True, [VERSION], {"version": VERSION}),
)
FALSY: tuple[Any, ...] = ("", 0, False, None, [], {})
EMPTY: tuple[Any, ...] = ({},)


class Rule(NamedTuple):
    """A rule: its key, what it says, and what shows it: cases sent to one server, judged by `judge`, or a probe."""

    key: str
    says: str
    cases: Sequence[Case] = ()
    judge: Judge | None = None
    probe: Callable[[Lab], None] | None = None


def with_ids(*ids: Any) -> list[Case]:
    return [sample._replace(sent={**sample.sent, "id": id_}) for id_ in ids for sample in SAMPLES]


def versioned(expected: Any = None, **places: Any) -> list[Case]:
    """A list and a call with these `_meta`, `beside` the method or `inside` the params; served, or as expected."""
    beside = {"_meta": places["beside"]} if "beside" in places else {}
    inside = {"_meta": places["inside"]} if "inside" in places else {}
    return [
        Case({**request, **beside, "params": {**request["params"], **inside}}, expected or result)
        for result, request in ((LISTED, ask("tools/list", {})), (said("hi"), call("echo", {"text": "hi"})))
    ]


def each(expected: Any, requests: Iterable[Any], calls: Any = None) -> list[Case]:
    """The same outcome, and the same handler calls, of several requests."""
    return [Case(request, expected, calls) for request in requests]


# fmt: off
OUTCOMES = (
    Rule("standard-library", "the module imports the standard library alone", probe=probes.standard_library),
    Rule("register", "register_tool takes name, description, schema, handler, and returns None", probe=probes.register),
    Rule("question", "InputRequired is an Exception that keeps what it was given as requests", probe=probes.question),

    Rule("not-a-dict", "a request that is not a dict: -32600", each(
        INVALID, (None, True, 0, "tools/list", b"{}", 1.5, [], [ask("tools/list")], ("method", "tools/list")))),
    Rule("no-method", "a request without a method: -32600", each(
        INVALID, ({}, {"jsonrpc": "2.0"}, less(ask(0), "method"), less(ask(0, {"name": "free"}), "method")))),
    Rule("method-type", "a method that is not a string: -32600", each(
        INVALID, (ask(value) for value in ODD_VALUES if not isinstance(value, str)))),
    Rule("jsonrpc-absent", "a request without jsonrpc: -32600", each(
        INVALID, (less(ask("tools/list"), "jsonrpc"), less(call("free"), "jsonrpc")))),
    Rule("jsonrpc-value", 'a jsonrpc other than "2.0": -32600', each(INVALID, (
        {**request, "jsonrpc": value} for request in (ask("tools/list"), call("free"))
        for value in ("1.0", "2.1", "2", "2.0 ", "02.0", "", 2.0, 2, None, True, ["2.0"], {"2.0": 1})))),
    Rule("frame-first", "the frame is checked before the method is looked at: -32600", each(INVALID, (
        *(ask(method, jsonrpc="1.0") for method in ("nope", "initialize")), {**call("nope"), "jsonrpc": "1.0"},
        *(less(ask(method), "jsonrpc") for method in ("nope", "initialize")), {**call("echo", {}), "jsonrpc": "1.0"}))),

    Rule("unknown-method", "an unknown method: -32601", each(UNKNOWN, (
        *(ask(method, {"name": "free"}) for method in (
            "nope", "tools", "tools/", "tools/lists", "tools/call/", "Tools/List", " tools/list", "tools.call", "call",
            "list_tools", "register_tool", "handle_request", "__init__", "resources/list", "initialized", "free")),
        ask("nope"), less(ask("nope"), "id"), ask("nope", _meta=RIGHT)))),
    Rule("initialize", "initialize: -32601", INITIALIZE),
    Rule("initialize-note", f"its message says that the stateless {VERSION} specification removed it",
         probe=probes.removed),
    Rule("no-handshake", "the first request that a server gets is answered like any other", probe=probes.first),

    Rule("version-beside", "a wrong _meta.protocolVersion beside method: -32600", [
        case for wrong in WRONG_VERSIONS for case in versioned(INVALID, beside={"protocolVersion": wrong})]),
    Rule("version-inside", "a wrong _meta.protocolVersion inside params: -32600", [
        case for wrong in WRONG_VERSIONS for case in versioned(INVALID, inside={"protocolVersion": wrong})]),
    Rule("version-both", "one wrong version is enough, whatever the other place says: -32600", [
        case for beside, inside in ((RIGHT, WRONG), (WRONG, RIGHT), (WRONG, WRONG), ({}, WRONG), (WRONG, {}))
        for case in versioned(INVALID, beside=beside, inside=inside)]),
    Rule("version-right", "the right version is served, in either place and in both", [
        *versioned(beside=RIGHT), *versioned(inside=RIGHT), *versioned(beside=RIGHT, inside=RIGHT)]),
    Rule("version-absent", "a _meta without protocolVersion is served", [
        case for meta in ({}, {"progressToken": 1, "version": "1"})
        for case in (*versioned(beside=meta), *versioned(inside=meta), *versioned(beside=meta, inside=RIGHT))]),
    Rule("version-elsewhere", "a protocolVersion outside _meta is not a version", [
        Case(ask("tools/list", {"protocolVersion": "1"}, protocolVersion="1"), LISTED),
        Case(call("echo", {"text": "hi", "_meta": WRONG}), said("hi"))]),
    Rule("version-first", "a wrong version is refused before the tool is looked at", each(INVALID, (
        {**request, **meta, "params": {**request["params"], **inner}}
        for request in (call("nope"), call("echo", {}), ask("tools/call", {}))
        for meta, inner in (({"_meta": WRONG}, {}), ({}, {"_meta": WRONG}))))),

    Rule("list", "tools/list: each tool's name, description and inputSchema, as and in the order registered", each(
        LISTED, (*(ask("tools/list", *params) for params in ((), ({},), ({"a": 1},))), less(ask("tools/list"), "id")))),
    Rule("list-later", "a tool counts from its registration on, also after a tools/list", probe=probes.later),

    Rule("success", "a tool's output is one text block and nothing else", [
        Case(call("echo", {"text": "hi"}), said("hi")), Case(call("free", {}), said("done")),
        Case(call("echo", {"text": "Tool not found"}), said("Tool not found"))]),
    Rule("output", "the text is str(output), whatever the output is", [
        Case(call("give", {"kind": kind}), said(str(output))) for kind, output in OUTPUTS.items()]),
    Rule("arguments", "the handler gets the arguments as they were sent, once and by position", [
        Case(call("free", given), said("done"), [(given, NOTHING)]) for given in (
            {}, {"a": 1}, {"z": None, "a": "1", "n": "5", "flag": "true"}, {"deep": {"list": [{"a": [None]}]}, "": 0.5},
            {"_meta": 1, "name": "x", "arguments": {"a": 1}, "inputResponses": {"b": 2}})]
        + [Case(call("echo", given), said("5"), [(given, NOTHING)])
           for given in ({"text": "5", "more": []}, {"text": 5})]),
    Rule("arguments-absent", "absent or null arguments reach the handler as {}", each(
        said("done"), (call("free"), call("free", None)), [({}, NOTHING)])),
    Rule("responses", "the handler gets params.inputResponses as they were sent", [
        Case(call("free", {"a": 1}, inputResponses=sent), said("done"), [({"a": 1}, sent)]) for sent in (
            {"name": "Ada"}, {"b": {"action": "decline"}, "a": [0, None, {"c": ""}]}, {"n": 0}, {})]),
    Rule("responses-place", "inputResponses outside params are none", [
        Case(call("free", {}) | {"inputResponses": {"a": 1}}, said("done"), [({}, NOTHING)]),
        Case(call("free", {}, input_responses={"a": 1}, responses={"a": 1}), said("done"), [({}, NOTHING)])]),
    Rule("callables", "a handler may be anything callable with two arguments", probe=probes.callables),

    Rule("unknown-tool", "an unknown tool: isError, Tool not found", each(NOT_FOUND, (
        *(call(name, given) for name in ("nope", "Echo", "echo ", " echo", "ech", "echoo", "", "__init__", "tools/list")
          for given in ({}, {"text": "x"})),
        call("nope"), call("nope", None), call("nope", inputResponses={"a": 1})), [])),
    Rule("missing", "a missing required argument: isError, its name, and no call", [
        Case(call("echo", given, **more), failed(f"{MISSING}text"), [])
        for more in ({}, {"inputResponses": {"text": 1}})
        for given in (..., None, {}, {"Text": 1}, {"times": 2}, {"arguments": {"text": 1}})]
        + [Case(call("blank", {"a b": 1}), failed(f"{MISSING} a b "), []),
           Case(call("echo", {}, text="hi") | {"text": "hi"}, failed(f"{MISSING}text"), [])]),
    Rule("missing-order", "of several missing arguments, the first in the order of required is named", [
        Case(call("route", given), failed(f"{MISSING}{name}"), []) for given, name in (
            ({}, "to"), ({"by": 1}, "to"), ({"from": 1}, "to"), ({"to": 1}, "from"), ({"by": 1, "to": 1}, "from"),
            ({"from": 1, "to": 1}, "by"))]),
    Rule("present", "a required argument is there when its key is, whatever its value", [
        Case(call("echo", {"text": value}), said(str(value)), [({"text": value}, NOTHING)])
        for value in FALSY]
        + [Case(call("route", {"by": 0, "from": "", "to": None, "more": 1}), said("ok"))]),
    Rule("optional", "without a required list no argument is required", each(
        said("done"), (call("free", {}), call("free", {"a": 1}))) + each(said("None"), [call("give", {"kind": "none"})])
        + each(said("1"), [call("grow", {})])),

    Rule("asks", "InputRequired: resultType, requests unchanged and the fixed text", [
        Case(call("ask", {"kind": kind}), asked(requests)) for kind, requests in QUESTIONS.items()]),
    Rule("asks-subclass", "a subclass of InputRequired asks as well", [Case(call("inherit"), asked(ONE))]),
    Rule("asks-again", "each round is a call of its own, until the handler returns", [
        Case(call("quiz", {}, inputResponses=answers), expected, [({}, answers)]) for answers, expected in (
            ({}, asked({"first": {}})), ({"first": 1}, asked({"second": {}})),
            ({"second": 2}, said("answered {'second': 2}")), ({"first": 1}, asked({"second": {}})))]),
    Rule("asks-stateless", "an answer counts on any server, and is not remembered", probe=probes.elsewhere),

    Rule("error", "any other exception: isError, Error: and its text", [
        Case(call("fail", {"kind": kind}), failed(f"Error: {error}"), [({"kind": kind}, NOTHING)])
        for kind, error in ERRORS.items()]),
    Rule("error-arity", "a handler that does not take two arguments is a tool that failed", probe=probes.miscounted),
    Rule("never-raises", "what has no text of its own still gets an answer", each(
        REFUSED, (call("fail", {"kind": "mute"}), call("mute", {})))),
    Rule("odd-call", "a call whose params or name make no sense is refused, without an exception", each(REFUSED, (
        ask("tools/call"), *(ask("tools/call", value) for value in ODD_VALUES), ask("tools/call", {"arguments": {}}),
        *(call(value, {}) for value in ODD_VALUES)), [])),
    Rule("odd-arguments", "arguments that are no object cannot hold a required one", each(
        REFUSED, (call("echo", value) for value in ODD_VALUES if not isinstance(value, dict)))),
    Rule("odd-values", "what the contract leaves open gets some answer, never an exception", each(PROPER, (
        *(ask("tools/list", value) for value in ODD_VALUES), *(ask("tools/list", _meta=value) for value in ODD_VALUES),
        *(call("free", {}, _meta=value) for value in ODD_VALUES), *(call("free", value) for value in ODD_VALUES),
        *(call("ask", {"kind": "one"}, inputResponses=value) for value in ODD_VALUES),
        *({**ask("tools/list"), "id": value} for value in ([1], {"a": 1})), {**ask("nope"), 5: None}, ask(""),
        ask("tools/list", _meta={"protocolVersion": None}),
        ask("nope", _meta=WRONG), ask("initialize", {"_meta": WRONG})))),  # two rules claim these
    Rule("odd-schemas", "a schema whose required is no list of names gets some answer too", probe=probes.odd_schemas),

    Rule("unchanged", "the caller's request is left as it was", probe=probes.untouched),
    Rule("arguments-fresh", "arguments made for one call are not those of the next", each(
        said("1"), [call("grow", *given) for given in ((), (None,), EMPTY) for _ in range(2)])),
    Rule("independent", "a response does not change when later requests are answered", probe=probes.independent),
    Rule("instances", "two servers share no tools", probe=probes.instances),
    Rule("threads", "one server answers many threads, each with its own answer", probe=probes.threads),
)
EVERY = [case for rule in OUTCOMES for case in rule.cases]
RULES = (
    Rule("id-zero", "an id of 0 comes back as 0", with_ids(0), served),
    Rule("id-kinds", "an id comes back with its type and value", with_ids("7", 7, "", "0", -1, 2**70, 1.5), served),
    Rule("id-null", "an id of null comes back as null", with_ids(None), identity),
    Rule("id-absent", "a request without an id is answered with id null", [
        case._replace(sent=less(case.sent, "id")) for case in SAMPLES], identity),
    *OUTCOMES,
    # Last, since they send every request of the rules above once more.
    Rule("frame", 'every response: jsonrpc "2.0", the id, and one of result and error', EVERY, frame),
    Rule("id", "every response: the request's id", EVERY, identity),
)
# fmt: on
