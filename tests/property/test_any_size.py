"""However deep, long or large: the answer keeps the rules of rules.py, and is no larger than it has to be."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .driver import RULES
from .probe import META, PREFIX, body, call, headers, request
from .rules import Site, post
from .strategies import USUAL

HOLE = "@hole@"
CAPABILITIES = PREFIX + "clientCapabilities"
GREETING = {"type": "ref/prompt", "name": "greet"}

#: Requests with a hole for something deep.
DEEP: dict[str, dict[str, Any]] = {
    "params": {**call("probe"), "params": HOLE},
    "id": call("probe", id=HOLE),
    "method": {**call("probe"), "method": HOLE},
    "foreign member": {**call("probe"), "x": HOLE},
    "arguments": call("probe", x=HOLE),
    "typed argument": call("typed", message=HOLE),
    "mirrored argument": call("routed", region=HOLE),
    "meta": call("probe", {**META, "x": HOLE}),
    "trace": call("probe", {**META, "traceparent": HOLE}),
    "capability": call("probe", {**META, CAPABILITIES: {"roots": {"x": HOLE}}}),
    "extension": call("probe", {**META, CAPABILITIES: {"extensions": {"a/b": {"x": HOLE}}}}),
    "answers": request("tools/call", name="asks", arguments={}, inputResponses={"name": HOLE, "x": HOLE}),
    "content": request(
        "tools/call",
        name="asks",
        arguments={},
        inputResponses={"name": {"action": "accept", "content": {"name": HOLE}}},
    ),
    "filter": request("subscriptions/listen", notifications={"toolsListChanged": HOLE, "x": HOLE}),
    "context": request(
        "completion/complete", ref=GREETING, argument={"name": "tone", "value": ""}, context={"arguments": HOLE}
    ),
}
DEPTHS = st.integers(200, 300) | st.integers(900, 1_100) | st.integers(1, 3_000) | st.just(100_000)


@RULES
@given(st.sampled_from(sorted(DEEP)), DEPTHS, st.booleans())
def test_any_nesting(where: Site, place: str, depth: int, lists: bool) -> None:
    """RPC-08, TOOL-11, MRTR-12: however deep, and wherever."""
    deep = b"[" * depth + b"]" * depth if lists else b'{"x":' * depth + b"1" + b"}" * depth
    message = DEEP[place]
    fields = USUAL if place in ("params", "method") else headers(message)
    post(where, body(message).replace(b'"@hole@"', deep), fields)


#: Requests with a hole for a number.
COUNTED: dict[str, dict[str, Any]] = {
    "id": call("typed", id=HOLE, message="m"),
    "method": {**call("typed"), "method": HOLE},
    "integer": call("typed", message="m", count=HOLE),
    "float": call("typed", message="m", ratio=HOLE),
    "unknown argument": call("typed", message="m", x=HOLE),
    "token": call("chatty", {**META, "progressToken": HOLE}),
    "meta": call("probe", {**META, "x": HOLE}),
    "answer": request("tools/call", name="asks", arguments={}, inputResponses={"name": HOLE}),
    "cursor": request("tools/list", cursor=HOLE),
}
NINES = st.integers(4_295, 4_305).map(lambda count: b"9" * count)
NUMBERS = (
    NINES
    | NINES.map(lambda digits: b"-" + digits)
    | st.sampled_from([b"9" * 100_000, b"1e999", b"-1e999", b"1e-999", b"1e99999999999", b"0." + b"9" * 50_000])
    | st.sampled_from([b"-0", b"-0.0", b"0e0", b"1E+2", b"1.0", b"9007199254740993", b"18446744073709551616"])
)


@RULES
@given(st.sampled_from(sorted(COUNTED)), NUMBERS)
def test_any_number(where: Site, place: str, number: bytes) -> None:
    """RPC-02, PRG-04, TOOL-14: of any size and precision."""
    message = COUNTED[place]
    fields = USUAL if place == "method" else headers(message)
    post(where, body(message).replace(b'"@hole@"', number), fields)


TYPED_WRONGLY = call("typed", message=5, count=HOLE)
#: Requests with a hole for a long text.
LONG: dict[str, dict[str, Any]] = {
    "id": call("nobody", id=HOLE),
    "method": {**call("probe"), "method": HOLE},
    "name": call(HOLE),
    "uri": request("resources/read", uri=HOLE),
    "version": call("nobody", {**META, PREFIX + "protocolVersion": HOLE}),
    "level": call("nobody", {**META, PREFIX + "logLevel": HOLE}),
    "client": call("nobody", {**META, PREFIX + "clientInfo": {"name": HOLE, "version": HOLE}}),
    "token": call("nobody", {**META, "progressToken": HOLE}),
    "capability": call("nobody", {**META, CAPABILITIES: {"extensions": {HOLE: HOLE}}}),
    "cursor": request("tools/list", cursor=HOLE),
    "state": request("tools/call", name="asks", arguments={}, requestState=HOLE),
    "argument": TYPED_WRONGLY,
    "argument's name": request("tools/call", name="typed", arguments={HOLE: 1}),
    "prompt": request("prompts/get", name=HOLE, arguments={}),
    "reference": request(
        "completion/complete", ref={"type": "ref/prompt", "name": HOLE}, argument={"name": "a", "value": ""}
    ),
    "reference's type": request(
        "completion/complete", ref={"type": HOLE, "name": "a"}, argument={"name": "a", "value": ""}
    ),
    "completed": request("completion/complete", ref=GREETING, argument={"name": HOLE, "value": ""}),
    "filter": request("subscriptions/listen", notifications={HOLE: True, "toolsListChanged": HOLE}),
}
TEXTS = {"letters": "x" * 1_000_000, "controls": "\x00" * 200_000, "beyond ASCII": "ß" * 500_000}


def _filled(value: Any, text: str) -> Any:
    if isinstance(value, dict):
        return {_filled(key, text): _filled(each, text) for key, each in value.items()}
    return text if value == HOLE else value


@pytest.mark.parametrize("text", sorted(TEXTS))
@pytest.mark.parametrize("place", sorted(LONG))
def test_a_megabyte_is_no_reason_to_send_one_back(where: Site, place: str, text: str) -> None:
    """RPC-05: nothing but the id and the URI that was not found is echoed whole (RPC-03, RES-03)."""
    message = _filled(LONG[place], TEXTS[text])
    answer = post(where, body(message), USUAL if place == "method" else headers(message))
    assert answer is not None
    assert len(answer.body) < (8_000_000 if place in ("id", "uri") else 5_000)


@pytest.mark.parametrize("name", [b"Mcp-Name", b"Mcp-Method", b"MCP-Protocol-Version", b"Host", b"Origin", b"Accept"])
@pytest.mark.parametrize(
    "value", [b"x" * 60_000, b"=?base64?" + b"AAAA" * 15_000 + b"?=", b",;" * 30_000, b"[" * 60_000]
)
def test_a_long_header_is_no_reason_to_send_one_back(where: Site, name: bytes, value: bytes) -> None:
    """RPC-05, HDR-16: whoever is told that it is wrong knows what it sent."""
    fields = [(each, old) for each, old in USUAL if each != name]
    answer = post(where, body(call("probe")), [*fields, (name, value)])
    assert answer is not None
    assert len(answer.body) < 1_000
