"""What a refusal says, and that whatever cannot be read is refused and never worse."""

from typing import Any

import msgspec
import pytest
from msgspec import Raw

from goldfish.kernel.admit import admit
from goldfish.kernel.profile import STRICT
from goldfish.wire import jsonrpc
from goldfish.wire.errors import Refusal
from goldfish.wire.jsonrpc import Message

from .ladder import NOT_FOUND, PARAMS, PARSE, UNSUPPORTED, Flaw, judged, refused
from .rig import CC, LL, PV, VERSION, Draft, table

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
        ("initialize", f"{VERSION} has no handshake, begin with server/discover"),
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
