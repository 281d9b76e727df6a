"""The ladder of checks as tables: single flaws with their codes, pairs with the one that wins, and who judges them."""

from collections.abc import Callable, Mapping
from typing import Any

from goldfish.kernel.admit import admit
from goldfish.kernel.profile import STRICT, Profile
from goldfish.wire import jsonrpc
from goldfish.wire.errors import Refusal

from .rig import CC, CI, LL, PV, VERSION, Draft, table

PARSE, PARAMS, NOT_FOUND, MISMATCH, UNSUPPORTED = -32700, -32602, -32601, -32020, -32022

Flaw = Callable[[Draft], Any]

#: One flaw each, by name.
FLAWS: Mapping[str, Flaw] = {
    # the envelope
    "no params": lambda d: setattr(d, "params", {}),
    "params null": lambda d: setattr(d, "params", None),
    "params array": lambda d: setattr(d, "params", [1]),
    "params text": lambda d: setattr(d, "params", "x"),
    "no meta": lambda d: d.params.pop("_meta"),
    "meta null": lambda d: d.params.update(_meta=None),
    "meta array": lambda d: d.params.update(_meta=[]),
    "meta empty": lambda d: d.params.update(_meta={}),
    "no version": lambda d: d.meta.pop(PV),
    "version number": lambda d: d.meta.update({PV: 20260728}),
    "version null": lambda d: d.meta.update({PV: None}),
    "no capabilities": lambda d: d.meta.pop(CC),
    "capabilities null": lambda d: d.meta.update({CC: None}),
    "capabilities array": lambda d: d.meta.update({CC: []}),
    "no client info": lambda d: d.meta.pop(CI),
    "client info half": lambda d: d.meta.update({CI: {"name": "c"}}),
    "log level loud": lambda d: d.meta.update({LL: "loud"}),
    "log level upper": lambda d: d.meta.update({LL: "ERROR"}),
    "token float": lambda d: d.meta.update(progressToken=1.5),
    "token null": lambda d: d.meta.update(progressToken=None),
    "foreign keys": lambda d: d.meta.update({"a/b/c": [1], "x": None, "traceparent": "zz"}),
    # the headers
    "no headers": lambda d: d.fields.clear(),
    "no transport headers": lambda d: setattr(d, "headers", None),
    "no version header": lambda d: d.fields.pop(b"mcp-protocol-version"),
    "version header other": lambda d: d.fields.update({b"mcp-protocol-version": b"1900-01-01"}),
    "version header empty": lambda d: d.fields.update({b"mcp-protocol-version": b""}),
    "version header blanks": lambda d: d.fields.update({b"mcp-protocol-version": b" \t2026-07-28\t "}),
    "version header cut": lambda d: d.fields.update({b"mcp-protocol-version": b"2026-07-2"}),
    "version header list": lambda d: d.fields.update({b"mcp-protocol-version": b"2026-07-28, 2026-07-28"}),
    "version header encoded": lambda d: d.fields.update({b"mcp-protocol-version": b"=?base64?MjAyNi0wNy0yOA==?="}),
    "version header bytes": lambda d: d.fields.update({b"mcp-protocol-version": b"2026-07-28\xff"}),
    "version header twice": lambda d: d.repeated.append(b"mcp-protocol-version"),
    "no method header": lambda d: d.fields.pop(b"mcp-method"),
    "method header other": lambda d: d.fields.update({b"mcp-method": b"tools/list"}),
    "method header empty": lambda d: d.fields.update({b"mcp-method": b""}),
    "method header upper": lambda d: d.fields.update({b"mcp-method": b"TOOLS/CALL"}),
    "method header blanks": lambda d: d.fields.update({b"mcp-method": b"\t tools/call "}),
    "method header encoded": lambda d: d.fields.update({b"mcp-method": b"=?base64?dG9vbHMvY2FsbA==?="}),
    "method header bytes": lambda d: d.fields.update({b"mcp-method": b"tools/call\x00"}),
    "method header twice": lambda d: d.repeated.append(b"mcp-method"),
    "no name header": lambda d: d.fields.pop(b"mcp-name"),
    "name header other": lambda d: d.fields.update({b"mcp-name": b"other"}),
    "name header empty": lambda d: d.fields.update({b"mcp-name": b""}),
    "name header upper": lambda d: d.fields.update({b"mcp-name": b"ECHO"}),
    "name header blanks": lambda d: d.fields.update({b"mcp-name": b"  echo\t"}),
    "name header encoded": lambda d: d.fields.update({b"mcp-name": b"=?base64?ZWNobw==?="}),
    "name header encoded badly": lambda d: d.fields.update({b"mcp-name": b"=?base64?ZWNobw?="}),
    "name header bytes": lambda d: d.fields.update({b"mcp-name": b"ech\xc3\xb6"}),
    "name header twice": lambda d: d.repeated.append(b"mcp-name"),
    "name like a sentinel": lambda d: (
        d.params.update(name="=?base64?ZWNobw==?="),
        d.fields.update({b"mcp-name": b"=?base64?ZWNobw==?="}),
    ),
    "name like a sentinel, encoded": lambda d: (
        d.params.update(name="=?base64?ZWNobw==?="),
        d.fields.update({b"mcp-name": b"=?base64?PT9iYXNlNjQ/WldOb2J3PT0/PQ==?="}),
    ),
    # the version
    "version unserved": lambda d: d.dated("1900-01-01"),
    "version empty": lambda d: d.dated(""),
    "body version other": lambda d: d.meta.update({PV: "1900-01-01"}),
    "body version blank": lambda d: d.meta.update({PV: VERSION + " "}),
    # the method
    "discover": lambda d: d.renamed("server/discover"),
    "unknown method": lambda d: d.renamed("tools/fly"),
    "no method name": lambda d: d.renamed(""),
    "hidden method": lambda d: d.renamed("prompts/get"),
    "ping": lambda d: d.renamed("ping"),
    "initialize": lambda d: d.renamed("initialize"),
    "initialize, header other": lambda d: setattr(d, "method", "initialize"),
    # the params
    "no name": lambda d: d.params.pop("name"),
    "name number": lambda d: d.params.update(name=5),
    "name null": lambda d: d.params.update(name=None),
    "arguments array": lambda d: d.params.update(arguments=[]),
    "arguments null": lambda d: d.params.update(arguments=None),
    "answers null": lambda d: d.params.update(inputResponses=None),
    "state number": lambda d: d.params.update(requestState=5),
    "unknown params": lambda d: d.params.update(task={"ttl": 1}, extra=None),
}

#: flaws, separated by " + "; the code on the strict profile; the code on the relaxed one. None is served.
ONE = [
    ("", None, None),
    # envelope: ENV-01, ENV-02, ENV-04, LOG-05, PRG-04, RPC-16
    ("no params", PARAMS, PARAMS),
    ("params null", PARAMS, PARAMS),
    ("params array", PARAMS, PARAMS),
    ("params text", PARAMS, PARAMS),
    ("no meta", PARAMS, PARAMS),
    ("meta null", PARAMS, PARAMS),
    ("meta array", PARAMS, PARAMS),
    ("meta empty", PARAMS, PARAMS),
    ("no version", PARAMS, PARAMS),
    ("version number", PARAMS, PARAMS),
    ("version null", PARAMS, PARAMS),
    ("no capabilities", PARAMS, PARAMS),
    ("capabilities null", PARAMS, PARAMS),
    ("capabilities array", PARAMS, PARAMS),
    ("client info half", PARAMS, PARAMS),
    ("log level loud", PARAMS, PARAMS),
    ("log level upper", PARAMS, PARAMS),
    ("token float", PARAMS, PARAMS),
    ("token null", PARAMS, PARAMS),
    ("no client info", None, None),  # ENV-03
    ("foreign keys", None, None),  # ENV-14, ENV-16
    # headers: HDR-01 to HDR-05, HDR-08 to HDR-16, HDR-30
    ("no headers", MISMATCH, MISMATCH),
    ("no transport headers", None, None),  # STD-04
    ("no version header", MISMATCH, None),
    ("version header other", MISMATCH, MISMATCH),
    ("version header empty", MISMATCH, MISMATCH),
    ("version header blanks", None, None),
    ("version header cut", MISMATCH, MISMATCH),
    ("version header list", MISMATCH, MISMATCH),
    ("version header encoded", MISMATCH, MISMATCH),
    ("version header bytes", MISMATCH, MISMATCH),
    ("version header twice", MISMATCH, MISMATCH),
    ("no method header", MISMATCH, MISMATCH),
    ("method header other", MISMATCH, MISMATCH),
    ("method header empty", MISMATCH, MISMATCH),
    ("method header upper", MISMATCH, MISMATCH),
    ("method header blanks", None, None),
    ("method header encoded", MISMATCH, MISMATCH),
    ("method header bytes", MISMATCH, MISMATCH),
    ("method header twice", MISMATCH, MISMATCH),
    ("no name header", MISMATCH, MISMATCH),
    ("name header other", MISMATCH, MISMATCH),
    ("name header empty", MISMATCH, MISMATCH),
    ("name header upper", MISMATCH, MISMATCH),
    ("name header blanks", None, None),
    ("name header encoded", None, None),
    ("name header encoded badly", MISMATCH, MISMATCH),
    ("name header bytes", MISMATCH, MISMATCH),
    ("name header twice", MISMATCH, MISMATCH),
    ("name like a sentinel", MISMATCH, MISMATCH),  # HDR-15
    ("name like a sentinel, encoded", None, None),
    # version: VER-01, VER-09
    ("version unserved", UNSUPPORTED, UNSUPPORTED),
    ("version empty", UNSUPPORTED, UNSUPPORTED),
    ("body version other", MISMATCH, MISMATCH),
    ("body version blank", MISMATCH, MISMATCH),
    # method: RPC-17, VER-07, HDR-07
    ("discover", None, None),
    ("unknown method", NOT_FOUND, NOT_FOUND),
    ("no method name", NOT_FOUND, NOT_FOUND),
    ("hidden method", NOT_FOUND, NOT_FOUND),
    ("ping", NOT_FOUND, NOT_FOUND),
    ("initialize", NOT_FOUND, NOT_FOUND),
    # params: TOOL-14, MRTR-12, MRTR-21, TOOL-33
    ("no name", PARAMS, PARAMS),
    ("name number", PARAMS, PARAMS),
    ("name null", PARAMS, PARAMS),
    ("arguments array", PARAMS, PARAMS),
    ("arguments null", PARAMS, PARAMS),
    ("answers null", PARAMS, PARAMS),
    ("state number", PARAMS, PARAMS),
    ("unknown params", None, None),
]

TWO = [
    # without an envelope the version header says which rule was broken (X-33)
    ("no meta + no headers", MISMATCH, PARAMS),
    ("no meta + no version header", MISMATCH, PARAMS),
    ("no meta + version header other", MISMATCH, MISMATCH),
    ("no meta + version header blanks", PARAMS, PARAMS),
    ("no meta + version header bytes", MISMATCH, PARAMS),
    ("no meta + no transport headers", PARAMS, PARAMS),
    # a missing or malformed envelope wins over all that could be judged with it (RPC-23)
    ("no meta + method header other", PARAMS, PARAMS),
    ("no meta + no name header", PARAMS, PARAMS),
    ("no meta + unknown method", PARAMS, PARAMS),
    ("no meta + arguments array", PARAMS, PARAMS),
    ("no capabilities + version header other", PARAMS, PARAMS),
    ("no capabilities + no headers", PARAMS, PARAMS),
    ("no capabilities + version unserved", PARAMS, PARAMS),
    ("log level loud + unknown method", PARAMS, PARAMS),
    ("meta null + no headers", PARAMS, PARAMS),
    ("params array + no headers", PARAMS, PARAMS),
    # headers win over the version (X-32, EC-28)
    ("version header other + body version other", UNSUPPORTED, UNSUPPORTED),
    ("no version header + body version other", MISMATCH, UNSUPPORTED),
    ("version unserved + method header other", MISMATCH, MISMATCH),
    ("version unserved + no name header", MISMATCH, MISMATCH),
    ("version unserved + no transport headers", UNSUPPORTED, UNSUPPORTED),
    # headers win over the method and the params
    ("unknown method + method header other", MISMATCH, MISMATCH),
    ("hidden method + name header other", MISMATCH, MISMATCH),
    ("arguments array + name header other", MISMATCH, MISMATCH),
    ("arguments array + method header twice", MISMATCH, MISMATCH),
    # a name that is no text cannot be compared
    ("name number + name header other", PARAMS, PARAMS),
    ("no name + no name header", PARAMS, PARAMS),
    ("name number + method header other", MISMATCH, MISMATCH),
    # headers of a method that mirrors no name do not count (HDR-07)
    ("discover + name header other", None, None),
    ("discover + no name header", None, None),
    ("unknown method + name header twice", NOT_FOUND, NOT_FOUND),
    # the version wins over the method and the params (VER-04, EC-26)
    ("discover + version unserved", UNSUPPORTED, UNSUPPORTED),
    ("unknown method + version unserved", UNSUPPORTED, UNSUPPORTED),
    ("arguments array + version unserved", UNSUPPORTED, UNSUPPORTED),
    # the method wins over the params
    ("hidden method + arguments array", NOT_FOUND, NOT_FOUND),
    ("ping + arguments array", NOT_FOUND, NOT_FOUND),
    # initialize without an envelope is an older client, whatever its headers say (VER-06, X-08, EC-29)
    ("initialize + no params + no headers", UNSUPPORTED, UNSUPPORTED),
    ("initialize + no params", UNSUPPORTED, UNSUPPORTED),
    ("initialize + no meta", UNSUPPORTED, UNSUPPORTED),
    ("initialize + no meta + version header other", UNSUPPORTED, UNSUPPORTED),
    ("initialize + no meta + version header twice", UNSUPPORTED, UNSUPPORTED),
    ("initialize + no version", UNSUPPORTED, UNSUPPORTED),
    ("initialize + meta null", UNSUPPORTED, UNSUPPORTED),
    ("initialize + meta array", UNSUPPORTED, UNSUPPORTED),
    ("initialize, header other + no meta", UNSUPPORTED, UNSUPPORTED),
    ("initialize + no meta + no transport headers", UNSUPPORTED, UNSUPPORTED),
    ("initialize + params array", PARAMS, PARAMS),
    # with an envelope it is a method like any other, which does not exist (VER-07, EC-30)
    ("initialize + no capabilities", PARAMS, PARAMS),
    ("initialize + version number", PARAMS, PARAMS),
    ("initialize, header other", MISMATCH, MISMATCH),
    ("initialize + no version header", MISMATCH, NOT_FOUND),
    ("initialize + version unserved", UNSUPPORTED, UNSUPPORTED),
    ("initialize + no transport headers", NOT_FOUND, NOT_FOUND),
]


def flawed(flaws: str) -> Draft:
    draft = Draft()
    for name in filter(None, flaws.split(" + ")):
        FLAWS[name](draft)
    return draft


def judged(draft: Draft, profile: Profile = STRICT) -> Refusal | None:
    call = draft.call()
    try:
        admit(table(), profile, jsonrpc.decode(call.body), call)
    except Refusal as refusal:
        return refusal
    return None


def refused(flaws: str, profile: Profile = STRICT) -> Refusal:
    refusal = judged(flawed(flaws), profile)
    assert refusal is not None
    return refusal
