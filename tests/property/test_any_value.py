"""Whatever metadata, arguments and answers are sent, the answer keeps the rules of rules.py."""

from collections.abc import Mapping
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from .driver import RULES
from .probe import META, PREFIX, VERSION, body, call, encoded, headers, request
from .rules import Site, post, readable
from .strategies import JSON, TEXT, VALUES, fields_for

OWN_KEYS = st.sampled_from([*META, PREFIX + "logLevel", "progressToken", "traceparent"])
VERSIONS = st.sampled_from(["", "2026-07-27", "2026-07-28 ", "\t2026-07-28", "2026-07-28, 2026-07-28", "2025-11-25"])
TYPED = st.fixed_dictionaries(
    {},
    optional={
        "message": TEXT | JSON,
        "count": st.integers() | JSON,
        "ratio": st.floats() | JSON,
        "flags": st.lists(TEXT) | JSON,
        "other": JSON,
    },
)
ROUTED = st.fixed_dictionaries({}, optional={"region": TEXT | JSON, "size": st.integers() | JSON, "dry": JSON})
ROUTES = st.dictionaries(st.sampled_from([b"Mcp-Param-Region", b"Mcp-Param-Size", b"Mcp-Param-Dry"]), VALUES)
KEYS = st.sampled_from(["name", "more", "text", "roots"]) | TEXT
ANSWERS = st.fixed_dictionaries({"action": st.sampled_from(["accept", "decline", "cancel", "maybe"]), "content": JSON})


@RULES
@given(st.dictionaries(OWN_KEYS | TEXT, JSON, max_size=6), st.sampled_from(["chatty", "probe", "asks"]))
def test_any_metadata(where: Site, meta: dict[str, Any], name: str) -> None:
    """ENV-01, ENV-04, ENV-17, LOG-05, PRG-04: alone, and over what is required."""
    post(where, body(call(name, meta)), headers(call(name)))
    post(where, body(call(name, {**META, **meta})), headers(call(name)))


@RULES
@given(st.dictionaries(TEXT.map(lambda key: "com.example/" + key), JSON, max_size=5))
def test_any_metadata_of_others(where: Site, meta: dict[str, Any]) -> None:
    """ENV-14: keys that nobody reserved make no difference, whatever they hold."""
    sent = body(call("chatty", {**META, **meta}))
    answer = post(where, sent, headers(call("chatty")))
    assert answer is not None
    assert ("result" in answer.last) == bool(readable(sent))


@RULES
@given(VERSIONS | TEXT, st.booleans())
@example(VERSION, False)
def test_any_version_that_body_and_header_agree_on(where: Site, version: str, relaxed: bool) -> None:
    """VER-01, VER-09: served is the one that is served, to the letter."""
    message = call("probe", {**META, PREFIX + "protocolVersion": version})
    answer = post(where, body(message), fields_for(message), relaxed=relaxed)
    assert answer is not None
    assert (version == VERSION) == ("result" in answer.last)


@RULES
@given(st.dictionaries(TEXT, JSON, max_size=4))
def test_any_arguments_of_a_tool_that_takes_all(where: Site, arguments: dict[str, Any]) -> None:
    """TOOL-12, TOOL-19: what runs gets what was sent."""
    message = request("tools/call", name="probe", arguments=arguments)
    post(where, body(message), headers(message))


@RULES
@given(TYPED)
def test_any_arguments_of_a_tool_with_a_signature(where: Site, arguments: dict[str, Any]) -> None:
    """TOOL-14, TOOL-15: refused by the schema, or run."""
    message = request("tools/call", name="typed", arguments=arguments)
    post(where, body(message), headers(message))


@RULES
@given(ROUTED, ROUTES, st.booleans())
@example({"region": "x", "size": int("9" * 4000)}, {b"Mcp-Param-Size": b"9" * 4000}, True)
@example({"region": "x", "size": 1}, {b"Mcp-Param-Size": b"9" * 60_000}, True)
@example({"region": "x", "size": 1}, {b"Mcp-Param-Size": b"0" * 60_000 + b"1"}, True)
def test_any_arguments_that_headers_mirror(
    where: Site, arguments: dict[str, Any], fields: dict[bytes, bytes], fitting: bool
) -> None:
    """HDR-21, HDR-22, HDR-24, HDR-25, HDR-27, HDR-28: what runs is what the headers say."""
    message = request("tools/call", name="routed", arguments=arguments)
    if fitting:
        fields = {**_fitting(arguments), **fields}
    post(where, body(message), headers(message, *fields.items()))


def _fitting(arguments: Mapping[str, Any]) -> dict[bytes, bytes]:
    """The headers that a client would send with these arguments, as far as they have a header form."""
    fields: dict[bytes, bytes] = {}
    for name, value in arguments.items():
        if isinstance(value, str) and readable(body(value)):
            fields[b"Mcp-Param-" + name.encode()] = encoded(value)
        elif isinstance(value, bool | int):
            fields[b"Mcp-Param-" + name.encode()] = body(value)
    return fields


@RULES
@given(
    st.dictionaries(KEYS, JSON | ANSWERS, max_size=4) | JSON,
    st.none() | TEXT | st.binary().map(lambda raw: raw.hex()) | JSON,
)
def test_any_answers_to_questions(where: Site, responses: Any, state: Any) -> None:
    """MRTR-09, MRTR-12, MRTR-13, MRTR-21: asked again, or refused; never believed."""
    params = {"inputResponses": responses} if state is None else {"inputResponses": responses, "requestState": state}
    message = request("tools/call", name="asks", arguments={}, **params)
    answer = post(where, body(message), headers(message))
    assert answer is not None
    assert (
        "error" in answer.last or "complete" != answer.last["result"]["resultType"] or answer.last["result"]["isError"]
    )
