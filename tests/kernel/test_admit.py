"""The ladder of checks: which flaw is answered with which code, and which of two flaws wins."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import pytest
from msgspec import Raw

from goldfish.kernel.admit import UNKNOWN, admit, build_table, mirrored
from goldfish.kernel.call import Call
from goldfish.kernel.method import Method
from goldfish.kernel.profile import RELAXED, STRICT, Profile
from goldfish.wire import jsonrpc
from goldfish.wire.errors import Refusal
from goldfish.wire.jsonrpc import Message
from goldfish.wire.methods import CallToolParams, Params

from .rig import CC, CI, LL, PV, VERSION, Draft, done, run, table

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


@pytest.mark.parametrize(("flaws", "strict", "relaxed"), ONE)
def test_a_flaw_has_its_code(flaws: str, strict: int | None, relaxed: int | None) -> None:
    """ENV-01, HDR-01, HDR-02, HDR-03, HDR-04, VER-01, RPC-17, TOOL-14: one row per flaw."""
    codes = [refusal and refusal.code for refusal in (judged(flawed(flaws), each) for each in (STRICT, RELAXED))]
    assert [strict, relaxed] == codes


@pytest.mark.parametrize(("flaws", "strict", "relaxed"), TWO)
def test_of_two_flaws_one_wins(flaws: str, strict: int | None, relaxed: int | None) -> None:
    """RPC-23, VER-04, VER-06, VER-07: envelope, headers, version, method, params, in this order."""
    codes = [refusal and refusal.code for refusal in (judged(flawed(flaws), each) for each in (STRICT, RELAXED))]
    assert [strict, relaxed] == codes


def test_every_flaw_of_the_table_is_judged() -> None:
    """A flaw that no row names shows nothing."""
    named = {name for flaws, _, _ in ONE + TWO for name in flaws.split(" + ")}
    assert set(FLAWS) == named - {""}


# ---------------------------------------------------------------- what an admitted request is


def test_an_admitted_request_has_its_row_its_params_and_its_name() -> None:
    """HDR-04: the name is the member that Mcp-Name mirrors."""
    call = Draft().call()
    row, params, name = admit(table(), STRICT, jsonrpc.decode(call.body), call)
    assert isinstance(params, CallToolParams)
    assert ("tools/call", "echo", "echo", {}) == (row.name, params.name, name, params.arguments)


def test_a_method_that_mirrors_no_name_has_none() -> None:
    """HDR-07: also where its params have a member of that name."""
    call = flawed("discover").call()
    row, _, name = admit(table(), STRICT, jsonrpc.decode(call.body), call)
    assert ("server/discover", None) == (row.name, name)


def test_a_uri_is_mirrored_as_the_text_it_is() -> None:
    """RES-17, HDR-04: no percent-decoding on the way."""
    draft = Draft(params={"uri": "x://a%20b?c#d", "_meta": Draft().meta})
    draft.renamed("resources/read")
    draft.fields[b"mcp-name"] = b"x://a%20b?c#d"
    assert judged(draft) is None
    draft.fields[b"mcp-name"] = b"x://a b?c#d"
    assert MISMATCH == getattr(judged(draft), "code", None)


def test_the_last_of_two_envelopes_and_of_two_names_counts_for_every_check() -> None:
    """RPC-24: what the headers are compared with is what is executed."""
    meta = b'{"%b":"%s","%b":{}}' % (PV.encode(), b"%s", CC.encode())
    body = b'{"name":"other","name":"echo","_meta":%b,"_meta":%b}' % (meta % b"1900-01-01", meta % VERSION.encode())
    call = Draft().call()
    _, params, name = admit(table(), STRICT, Message("2.0", "tools/call", 1, Raw(body)), call)
    assert (VERSION, "echo") == (params.meta.protocol_version, name)
    with pytest.raises(Refusal, match="Mcp-Name"):
        admit(table(), STRICT, Message("2.0", "tools/call", 1, Raw(body.replace(b'"echo"', b'"third"'))), call)


def test_a_name_sent_twice_with_different_types_is_refused_as_params() -> None:
    """RPC-24, TOOL-14: no reader knows which one was meant."""
    call = Draft().call()
    meta = b'{"%b":"%b","%b":{}}' % (PV.encode(), VERSION.encode(), CC.encode())
    body = Raw(b'{"name":5,"name":"echo","_meta":%b}' % meta)
    with pytest.raises(Refusal) as caught:
        admit(table(), STRICT, Message("2.0", "tools/call", 1, body), call)
    assert PARAMS == caught.value.code


# ---------------------------------------------------------------- what a refusal says


def test_what_is_unsupported_lists_what_is_served() -> None:
    """VER-01: supported and requested in the data."""
    assert {"supported": [VERSION], "requested": "1900-01-01"} == refused("version unserved").data


@pytest.mark.parametrize(
    ("params", "header", "requested"),
    [
        ({"protocolVersion": "2025-06-18"}, b"2024-11-05", "2025-06-18"),
        ({}, b"2024-11-05", "2024-11-05"),
        ({"protocolVersion": 5}, b" 2024-11-05 ", "2024-11-05"),
        ({}, None, ""),
        ({}, b"\xff", ""),
        ({"protocolVersion": "9" * 100_000}, None, "9" * 256),
    ],
)
def test_an_old_handshake_is_told_what_is_served(params: dict[str, Any], header: bytes | None, requested: str) -> None:
    """VER-06: what it asked for is in its params, or else in the header."""
    draft = Draft("initialize", params)
    draft.fields.clear()
    if header is not None:
        draft.fields[b"mcp-protocol-version"] = header
    refusal = judged(draft)
    assert refusal is not None
    assert (UNSUPPORTED, {"supported": [VERSION], "requested": requested}) == (refusal.code, refusal.data)
    assert VERSION in refusal.message


@pytest.mark.parametrize(
    ("method", "hint"),
    [
        ("initialize", f"{VERSION} has no handshake, call server/discover"),
        ("ping", "this revision removed it"),
        ("logging/setLevel", "send io.modelcontextprotocol/logLevel in _meta instead"),
        ("resources/subscribe", "send subscriptions/listen instead"),
        ("resources/unsubscribe", "close the subscriptions/listen stream instead"),
    ],
)
def test_a_removed_method_is_not_found_and_its_successor_is_named(method: str, hint: str) -> None:
    """RPC-17, VER-07: for whoever ports a client."""
    draft = Draft()
    draft.renamed(method)
    refusal = judged(draft)
    assert refusal is not None
    assert (NOT_FOUND, f"Method not found: {method!r} ({hint})") == (refusal.code, refusal.message)


@pytest.mark.parametrize(
    ("flaws", "message"),
    [
        ("unknown method", "Method not found: 'tools/fly'"),
        ("no version header", "Header mismatch: MCP-Protocol-Version is missing; this server serves 2026-07-28"),
        ("no meta + no headers", "Header mismatch: MCP-Protocol-Version is missing; this server serves 2026-07-28"),
        (
            "no meta + version header other",
            "Header mismatch: MCP-Protocol-Version is '1900-01-01', the body has no _meta; "
            "this server serves 2026-07-28",
        ),
        (
            "version header other",
            "Header mismatch: MCP-Protocol-Version is '1900-01-01', the body says '2026-07-28'",
        ),
        ("version header twice", "Header mismatch: MCP-Protocol-Version was sent more than once"),
        ("no method header", "Header mismatch: Mcp-Method is missing, the body's method is 'tools/call'"),
        ("no name header", "Header mismatch: Mcp-Name is missing, the body names 'echo'"),
        ("name header other", "Header mismatch: Mcp-Name is 'other', the body says 'echo'"),
        (
            "no meta",
            "Invalid params: _meta is missing; it carries the protocol version and client capabilities",
        ),
        ("params array", "Invalid params: params must be an object with _meta"),
        (
            "log level loud",
            "Invalid params: _meta: Invalid enum value 'loud' - at `$.io.modelcontextprotocol/logLevel`",
        ),
        ("name number", "Invalid params: Expected `str`, got `int` - at `$.name`"),
    ],
)
def test_a_refusal_names_the_field_and_the_rule(flaws: str, message: str) -> None:
    """RPC-05, HDR-01: one short sentence."""
    assert message == refused(flaws).message


def test_a_method_that_does_not_print_is_escaped() -> None:
    """RPC-05: control characters stay out of messages."""
    draft = Draft("a\n\x00\u202e")
    draft.headers = None
    refusal = judged(draft)
    assert refusal is not None
    assert "Method not found: 'a\\n\\x00\\u202e'" == refusal.message


ENDLESS = "\x00" * 1_000_000


@pytest.mark.parametrize(
    "change",
    [
        lambda d: setattr(d, "method", ENDLESS),
        lambda d: d.__dict__.update(method=ENDLESS, headers=None),
        lambda d: d.fields.update({b"mcp-method": b"x" * 1_000_000}),
        lambda d: d.fields.update({b"mcp-protocol-version": b"x" * 1_000_000}),
        lambda d: d.fields.update({b"mcp-name": b"x" * 1_000_000}),
        lambda d: d.fields.update({b"mcp-name": b"=?base64?" + b"x" * 1_000_000 + b"?="}),
        lambda d: (d.params.pop("_meta"), d.fields.update({b"mcp-protocol-version": b"x" * 1_000_000})),
        lambda d: d.params.update(name=ENDLESS),
        lambda d: (d.params.update(name=ENDLESS), d.fields.pop(b"mcp-name")),
        lambda d: d.meta.update({LL: ENDLESS}),
        lambda d: d.meta.update({PV: ENDLESS}),
        lambda d: (d.meta.update({PV: ENDLESS}), d.__dict__.update(headers=None)),
        lambda d: d.meta.update({CC: {"elicitation": {"form": {ENDLESS: None}, "url": 5}}}),
    ],
)
def test_no_refusal_echoes_without_end(change: Flaw) -> None:
    """RPC-05, HDR-16: whatever a client sends a megabyte of, it gets back a line."""
    draft = Draft()
    change(draft)
    refusal = judged(draft)
    assert refusal is not None
    assert len(refusal.message) < 1_000
    assert len(jsonrpc.encode_error(1, refusal)) < 4_000


# ---------------------------------------------------------------- params that cannot be read


@pytest.mark.parametrize("place", ["arguments", "_meta", "inputResponses", "foreign"])
def test_deep_nesting_is_refused_or_read_and_never_worse(place: str) -> None:
    """RPC-08, TOOL-11, MRTR-12: every depth around the one where the interpreter gives up."""
    codes: set[int | None] = set()
    for depth in range(880, 1_000):
        deep = b'{"x":' * depth + b"1" + b"}" * depth
        meta = b'{"%b":"%b","%b":{},"foreign":1}' % (PV.encode(), VERSION.encode(), CC.encode())
        members = {"name": b'"echo"', "_meta": meta, place: deep}
        if place == "_meta":
            members["_meta"] = meta.replace(b'"foreign":1', b'"traceparent":' + deep)
        body = b"{%b}" % b",".join(b'"%b":%b' % (key.encode(), raw) for key, raw in members.items())
        call = Draft().call()
        try:
            admit(table(), STRICT, Message("2.0", "tools/call", 1, Raw(body)), call)
            codes.add(None)
        except Refusal as refusal:
            assert refusal.message.endswith("nested too deeply")
            codes.add(refusal.code)
    assert None in codes
    assert codes <= {None, PARSE, PARAMS}
    assert len(codes) > 1


def test_a_capability_nested_too_deeply_is_a_flaw_of_the_envelope() -> None:
    """ENV-04, RPC-08: the envelope is read again by itself, and is at fault."""
    settings = b'{"x":' * 930 + b"1" + b"}" * 930

    def deeper(frames: int) -> Refusal:
        if frames:
            return deeper(frames - 1)
        call = Draft().call()
        meta = b'{"%b":"%b","%b":{"roots":%b}}' % (PV.encode(), VERSION.encode(), CC.encode(), settings)
        with pytest.raises(Refusal) as caught:
            admit(table(), STRICT, Message("2.0", "tools/call", 1, Raw(b'{"name":"echo","_meta":%b}' % meta)), call)
        return caught.value

    assert "nested too deeply" in deeper(100).message


def test_params_that_are_no_json_are_a_parse_error() -> None:
    """RPC-08: for a transport that hands over params it has not looked at."""
    call = Draft().call()
    with pytest.raises(Refusal) as caught:
        admit(table(), STRICT, Message("2.0", "tools/call", 1, Raw(b'{"name":')), call)
    assert PARSE == caught.value.code


def test_arguments_with_a_number_out_of_range_are_refused() -> None:
    """TOOL-14: no number type holds it."""
    call = Draft().call()
    meta = msgspec.json.encode(Draft().meta)
    for number in (b"1e999", b"9" * 5000):
        body = Raw(b'{"name":"echo","arguments":{"n":%b},"_meta":%b}' % (number, meta))
        with pytest.raises(Refusal) as caught:
            admit(table(), STRICT, Message("2.0", "tools/call", 1, body), call)
        assert PARAMS == caught.value.code


# ---------------------------------------------------------------- the table


def test_two_rows_of_one_name_are_refused() -> None:
    """RPC-17: a method has one handler."""
    with pytest.raises(ValueError, match="two rows for the method 'a/b'"):
        build_table([Method("a/b", Params, done), Method("a/b", Params, done)])


def test_the_table_cannot_be_changed() -> None:
    """Two endpoints share it."""
    with pytest.raises(TypeError):
        table()["x"] = UNKNOWN  # type: ignore[index]


def test_a_method_appears_and_disappears_with_its_capability() -> None:
    """RPC-17, DIS-05: judged for every request anew."""
    there: list[int] = []
    rows = build_table([Method("tools/call", CallToolParams, done, "name", available=lambda: bool(there))])
    call = Draft().call()
    message = jsonrpc.decode(call.body)
    with pytest.raises(Refusal, match="Method not found"):
        admit(rows, STRICT, message, call)
    there.append(1)
    assert "tools/call" == admit(rows, STRICT, message, call)[0].name


def test_the_row_of_unknown_methods_is_never_available_and_cannot_be_handled() -> None:
    """RPC-17: it only lends its params to the checks before."""
    assert not UNKNOWN.method.available()
    with pytest.raises(AssertionError):
        run(_handled(UNKNOWN.method))


async def _handled(method: Method) -> None:
    await method.handle(None)  # type: ignore[arg-type]


def test_headers_are_not_asked_for_where_there_are_none() -> None:
    """STD-04: a transport without headers hands over None."""
    call = Call(flawed("no transport headers").call().body)
    assert "tools/call" == admit(table(), STRICT, jsonrpc.decode(call.body), call)[0].name


def test_a_mirrored_header_has_one_value_or_none() -> None:
    """HDR-30, STD-04: what features mirror is read by the same rule."""
    assert b"1" == mirrored(Call(b"", {b"mcp-param-x": b"1"}), b"mcp-param-x", "Mcp-Param-X")
    assert mirrored(Call(b"", {}), b"mcp-param-x", "Mcp-Param-X") is None
    assert mirrored(Call(b"", None, [b"mcp-param-x"]), b"mcp-param-x", "Mcp-Param-X") is None
    with pytest.raises(Refusal, match="Mcp-Param-X was sent more than once"):
        mirrored(Call(b"", {b"mcp-param-x": b"1"}, [b"mcp-param-x"]), b"mcp-param-x", "Mcp-Param-X")
