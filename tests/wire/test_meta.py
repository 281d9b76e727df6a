"""A request's `_meta` (basic/index "Per-request protocol fields") and the capabilities in it."""

from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from goldfish.wire import meta
from goldfish.wire.meta import CAPABILITIES, ClientCapabilities, RequestMeta, required_capabilities, supports

LEAST: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def read(members: dict[str, Any]) -> RequestMeta:
    return msgspec.json.decode(msgspec.json.encode({**LEAST, **members}), type=RequestMeta)


def declared(capabilities: dict[str, Any]) -> ClientCapabilities:
    return read({meta.CLIENT_CAPABILITIES: capabilities}).client_capabilities


def test_the_key_names_are_those_of_the_specification() -> None:
    """ENV-01, ENV-09, ENV-11: each with the reserved prefix."""
    assert (
        "io.modelcontextprotocol/protocolVersion",
        "io.modelcontextprotocol/clientCapabilities",
        "io.modelcontextprotocol/clientInfo",
        "io.modelcontextprotocol/logLevel",
        "io.modelcontextprotocol/serverInfo",
        "io.modelcontextprotocol/subscriptionId",
    ) == (
        meta.PROTOCOL_VERSION,
        meta.CLIENT_CAPABILITIES,
        meta.CLIENT_INFO,
        meta.LOG_LEVEL,
        meta.SERVER_INFO,
        meta.SUBSCRIPTION_ID,
    )


def test_version_and_capabilities_are_enough() -> None:
    """ENV-01, ENV-03: clientInfo and the rest are optional."""
    least = read({})
    assert "2026-07-28" == least.protocol_version
    assert ClientCapabilities() == least.client_capabilities
    assert (UNSET, UNSET, UNSET) == (least.client_info, least.log_level, least.progress_token)


@pytest.mark.parametrize("missing", sorted(LEAST))
def test_a_missing_required_member_is_refused(missing: str) -> None:
    """ENV-01: both are required."""
    members = {key: value for key, value in LEAST.items() if key != missing}
    with pytest.raises(msgspec.ValidationError, match=missing):
        msgspec.json.decode(msgspec.json.encode(members), type=RequestMeta)


@pytest.mark.parametrize(
    "members",
    [
        {meta.PROTOCOL_VERSION: 20260728},
        {meta.PROTOCOL_VERSION: None},
        {meta.CLIENT_CAPABILITIES: None},
        {meta.CLIENT_CAPABILITIES: []},
        {meta.CLIENT_CAPABILITIES: {"elicitation": True}},
        {meta.CLIENT_CAPABILITIES: {"elicitation": {"form": None}}},
        {meta.CLIENT_CAPABILITIES: {"sampling": []}},
        {meta.CLIENT_CAPABILITIES: {"extensions": {"a/b": 1}}},
        {meta.CLIENT_INFO: {}},
        {meta.CLIENT_INFO: {"name": "x"}},
        {meta.CLIENT_INFO: {"version": "1"}},
        {meta.CLIENT_INFO: None},
        {meta.CLIENT_INFO: {"name": "x", "version": 1}},
        {meta.LOG_LEVEL: "loud"},
        {meta.LOG_LEVEL: "ERROR"},
        {meta.LOG_LEVEL: None},
        {"progressToken": 1.5},
        {"progressToken": 1.0},
        {"progressToken": True},
        {"progressToken": None},
        {"progressToken": []},
    ],
)
def test_a_member_of_the_wrong_shape_is_refused(members: dict[str, Any]) -> None:
    """ENV-04, LOG-05, PRG-04: present but malformed is malformed."""
    with pytest.raises(msgspec.ValidationError):
        read(members)


def test_who_the_client_is_is_read() -> None:
    """ENV-10: for display and logs."""
    info = read({meta.CLIENT_INFO: {"name": "c", "version": "1", "title": "C", "websiteUrl": "x", "icons": 5}})
    assert meta.ClientInfo("c", "1", "C") == info.client_info


@pytest.mark.parametrize("level", meta.LOG_LEVELS)
def test_every_log_level_is_known(level: str) -> None:
    """LOG-07: lower case, exactly."""
    assert level == read({meta.LOG_LEVEL: level}).log_level


def test_log_levels_rise_from_debug_to_emergency() -> None:
    """LOG-02: the order of the specification."""
    order = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
    assert order == sorted(meta.SEVERITY, key=lambda level: meta.SEVERITY[level])


@pytest.mark.parametrize("token", [0, -1, 7, 2**60, "", "t"])
def test_a_progress_token_keeps_its_value_and_type(token: int | str) -> None:
    """PRG-02: 0 and "" are tokens."""
    read_token = read({"progressToken": token}).progress_token
    assert (token, type(token)) == (read_token, type(read_token))


@pytest.mark.parametrize(
    "foreign", [{"com.example/x": [1]}, {"foo": None}, {"": {}}, {"a/b/c": 1}, {"io.modelcontextprotocol/new": True}]
)
def test_keys_of_others_make_no_difference(foreign: dict[str, Any]) -> None:
    """ENV-14: whatever their value."""
    assert read({}) == read(foreign)


@pytest.mark.parametrize("value", ["zz", 5, None, [1], {"a": {}}])
@pytest.mark.parametrize("key", ["traceparent", "tracestate", "baggage"])
def test_malformed_trace_context_is_no_error(key: str, value: Any) -> None:
    """ENV-15, ENV-16: it is there for who wants it, in whatever shape it came."""
    assert value == getattr(read({key: value}), key)


def test_unknown_capabilities_are_ignored() -> None:
    """ENV-17: an open set."""
    future = {"future": {"x": 1}, "tasks": {}, "elicitation": {"form": {}, "voice": 1}, "sampling": {"more": []}}
    assert {"elicitation.form", "sampling"} == {name for name in CAPABILITIES if supports(declared(future), name)}


def test_extensions_and_experiments_are_settings_objects() -> None:
    """ENV-18: {} means supported."""
    found = declared({"extensions": {"a.b/c": {}}, "experimental": {"x": {"y": 1}}})
    assert ({"a.b/c": {}}, {"x": {"y": 1}}) == (found.extensions, found.experimental)


@pytest.mark.parametrize(
    ("names", "capabilities"),
    [
        (set(), {}),
        ({"elicitation.form"}, {"elicitation": {}}),
        ({"elicitation.form"}, {"elicitation": {"form": {}}}),
        ({"elicitation.url"}, {"elicitation": {"url": {}}}),
        ({"elicitation.form", "elicitation.url"}, {"elicitation": {"form": {}, "url": {}}}),
        ({"sampling"}, {"sampling": {}}),
        ({"sampling", "sampling.tools"}, {"sampling": {"tools": {}}}),
        ({"sampling", "sampling.context"}, {"sampling": {"context": {}}}),
        ({"roots"}, {"roots": {}}),
        ({"roots"}, {"roots": {"listChanged": True}}),
    ],
)
def test_a_capability_counts_when_this_request_declares_it(names: set[str], capabilities: dict[str, Any]) -> None:
    """ELI-01, SAM-01, ROO-01, MRTR-05: an empty elicitation object means forms, and only forms."""
    assert names == {name for name in CAPABILITIES if supports(declared(capabilities), name)}


@pytest.mark.parametrize("name", sorted(CAPABILITIES))
def test_what_an_error_asks_for_is_what_would_have_been_enough(name: str) -> None:
    """MRTR-06: a client that declares requiredCapabilities is served."""
    assert supports(declared(required_capabilities([name])), name)


def test_required_capabilities_are_merged_into_one_object() -> None:
    """MRTR-06: and the table they come from stays as it is."""
    wanted: dict[str, Any] = {"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}}
    names = ["elicitation.form", "elicitation.url", "sampling", "sampling.tools", "roots"]
    assert wanted == required_capabilities(names)
    assert {"elicitation": {"form": {}}} == required_capabilities(["elicitation.form"])
    assert {"sampling": {}} == required_capabilities(["sampling"])


def test_metadata_cannot_be_changed() -> None:
    """ENV-05: what a request said stays what it said."""
    with pytest.raises(AttributeError):
        read({}).protocol_version = "x"  # type: ignore[misc]
