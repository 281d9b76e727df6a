"""Params and results of the specification's methods (schema.ts)."""

import json
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from goldfish.wire import jsonrpc, methods
from goldfish.wire.methods import (
    CallToolParams,
    CallToolResult,
    CompleteParams,
    Completion,
    DiscoverResult,
    GetPromptParams,
    InputRequiredResult,
    ListenParams,
    ListParams,
    ListToolsResult,
    Params,
    PromptReference,
    ReadResourceParams,
    ReadResourceResult,
    ResourceReference,
    Result,
)

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def read(kind: type[Params], **members: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode({"_meta": META, **members}), type=kind)


def sent(result: Result) -> Any:
    return json.loads(jsonrpc.encode(result))


@pytest.mark.parametrize(
    "kind", [each for each in vars(methods).values() if isinstance(each, type) and issubclass(each, Params)]
)
def test_every_request_needs_the_envelope(kind: type[Params]) -> None:
    """ENV-01: it is part of the type of all params."""
    with pytest.raises(msgspec.ValidationError, match="_meta"):
        msgspec.json.decode(b"{}", type=kind)


def test_unknown_members_of_params_are_ignored() -> None:
    """TOOL-32, TOOL-33, DIS-07, MRTR-19: objects are open, and so are answers nobody asked for."""
    assert read(Params) == read(Params, extra=1, inputResponses=5, requestState=[])
    assert read(CallToolParams, name="t") == read(CallToolParams, name="t", task={"ttl": 1})


def test_arguments_that_are_left_out_are_an_empty_object() -> None:
    """TOOL-17: the same as {}."""
    assert read(CallToolParams, name="t", arguments={}) == read(CallToolParams, name="t")
    assert {} == read(GetPromptParams, name="p").arguments


@pytest.mark.parametrize(
    ("kind", "members"),
    [
        (CallToolParams, {}),
        (CallToolParams, {"name": 5}),
        (CallToolParams, {"name": None}),
        (CallToolParams, {"name": "t", "arguments": []}),
        (CallToolParams, {"name": "t", "arguments": None}),
        (CallToolParams, {"name": "t", "arguments": 5}),
        (CallToolParams, {"name": "t", "inputResponses": None}),
        (CallToolParams, {"name": "t", "inputResponses": []}),
        (CallToolParams, {"name": "t", "requestState": 5}),
        (CallToolParams, {"name": "t", "requestState": None}),
        (ReadResourceParams, {}),
        (ReadResourceParams, {"uri": 5}),
        (GetPromptParams, {"name": "p", "arguments": {"a": 5}}),
        (GetPromptParams, {"name": "p", "arguments": {"a": None}}),
        (ListParams, {"cursor": None}),
        (ListParams, {"cursor": 1}),
        (CompleteParams, {"ref": {"type": "ref/tool", "name": "t"}, "argument": {"name": "a", "value": ""}}),
        (CompleteParams, {"ref": {"type": "ref/prompt"}, "argument": {"name": "a", "value": ""}}),
        (CompleteParams, {"ref": {"type": "ref/prompt", "name": "p"}}),
        (CompleteParams, {"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": 1}}),
        (ListenParams, {}),
        (ListenParams, {"notifications": None}),
        (ListenParams, {"notifications": []}),
    ],
)
def test_params_of_another_shape_are_refused(kind: type[Params], members: dict[str, Any]) -> None:
    """TOOL-14, PRM-04, PAG-04, CMP-02, SUBS-01, MRTR-12, MRTR-21."""
    with pytest.raises(msgspec.ValidationError):
        read(kind, **members)


def test_only_what_brings_answers_or_a_state_is_a_retry() -> None:
    """MRTR-07: either member makes it one, empty or not."""
    assert not read(CallToolParams, name="t").is_retry
    assert read(CallToolParams, name="t", inputResponses={}).is_retry
    assert read(ReadResourceParams, uri="x://", requestState="").is_retry


def test_answers_stay_raw_until_their_question_is_known() -> None:
    """MRTR-13: unknown keys may hold anything."""
    responses = read(CallToolParams, name="t", inputResponses={"a": 5, "b": {"action": "maybe"}}).input_responses
    assert {"a": b"5", "b": b'{"action":"maybe"}'} == {key: bytes(raw) for key, raw in responses.items()}


def test_a_reference_is_to_a_prompt_or_to_a_resource() -> None:
    """CMP-02, CMP-06: the context is optional and may narrow."""
    argument = {"name": "a", "value": "v"}
    prompt = read(CompleteParams, ref={"type": "ref/prompt", "name": "p"}, argument=argument)
    assert (PromptReference("p"), {}) == (prompt.ref, prompt.context.arguments)
    context = {"arguments": {"b": "c"}}
    resource = read(CompleteParams, ref={"type": "ref/resource", "uri": "x://"}, argument=argument, context=context)
    assert (ResourceReference("x://"), {"b": "c"}) == (resource.ref, resource.context.arguments)


def test_every_result_says_of_what_type_it_is() -> None:
    """ENV-08: the default too is sent."""
    assert {"resultType": "complete"} == sent(Result())
    assert {"resultType": "complete", "content": []} == sent(CallToolResult())


def test_cacheable_results_carry_both_hints() -> None:
    """CAC-01, PAG-07: also when they forbid caching; a cursor only where there is more."""
    hints = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    assert {**hints, "tools": []} == sent(ListToolsResult(tools=[]))
    assert {**hints, "contents": []} == sent(ReadResourceResult(contents=[]))
    discovered = DiscoverResult(supported_versions=["2026-07-28"], capabilities={})
    assert {**hints, "supportedVersions": ["2026-07-28"], "capabilities": {}} == sent(discovered)


@pytest.mark.parametrize("value", [None, 0, False, "", []])
def test_structured_content_that_is_falsy_is_sent(value: Any) -> None:
    """TOOL-19: absent only when it was never set."""
    assert value == sent(CallToolResult(structured_content=value))["structuredContent"]
    assert "structuredContent" not in sent(CallToolResult())


def test_a_question_carries_no_content_and_no_hints() -> None:
    """MRTR-02, MRTR-22: questions, a state, or both."""
    assert {"resultType": "input_required", "requestState": "s"} == sent(InputRequiredResult(request_state="s"))
    assert {"resultType": "input_required", "inputRequests": {"k": {}}} == sent(
        InputRequiredResult(input_requests={"k": {}})
    )


def test_a_completion_leaves_out_what_it_does_not_know() -> None:
    """CMP-03: total and hasMore are optional."""
    assert b'{"values":["a"]}' == jsonrpc.encode(Completion(["a"]))
    assert b'{"values":[],"total":0,"hasMore":false}' == jsonrpc.encode(Completion([], total=0, has_more=False))


def test_meta_of_a_result_is_absent_until_it_is_stamped() -> None:
    """ENV-09: the kernel stamps it."""
    result = Result()
    assert UNSET is result.meta
    result.meta = {"a": 1}
    assert {"resultType": "complete", "_meta": {"a": 1}} == sent(result)
