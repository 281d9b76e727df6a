"""Completion of prompt arguments and template variables."""

import threading
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from goldfish import Completer, Server
from tests.support.inprocess import Answer, Client, Json, in_loop


async def by_country(typed: str, others: Mapping[str, str]) -> list[str]:
    towns = {"fr": ["Paris", "Lyon"], "de": ["Berlin", "Bonn"]}.get(others.get("country", ""), ["Rome"])
    return [town for town in towns if typed.lower() in town.lower()]


def served(**complete: Completer) -> Client:
    """A prompt and a template with the arguments country, town and free; `complete` is for both."""
    server = Server("test", "1")

    @server.prompt(complete=complete)
    async def travel(country: str, town: str = "", free: str = "") -> str:
        return country

    @server.resource("travel://{country}/{town}/{free}", complete=complete)
    async def resource(country: str, town: str, free: str) -> str:
        return country

    @server.resource("travel://all")
    async def fixed() -> str:
        return ""

    return Client(server.app)


PROMPT = {"type": "ref/prompt", "name": "travel"}
TEMPLATE = {"type": "ref/resource", "uri": "travel://{country}/{town}/{free}"}


async def completed(
    client: Client, argument: str, value: str = "", ref: Json | None = None, context: Json | None = None
) -> Answer:
    params: Json = {"ref": ref or PROMPT, "argument": {"name": argument, "value": value}}
    if context is not None:
        params["context"] = context
    return await client.call("completion/complete", params)


@pytest.mark.parametrize("ref", [PROMPT, TEMPLATE])
@in_loop
async def test_values_are_matched_by_their_beginning(ref: Json) -> None:
    """CMP-02, CMP-09: for a prompt by name and for a template by URI; no Mcp-Name is needed."""
    answer = await completed(served(country=["fr", "de", "dk"]), "country", "d", ref)
    assert {"values": ["de", "dk"], "total": 2, "hasMore": False} == answer.result["completion"]
    assert "complete" == answer.result["resultType"]


@in_loop
async def test_a_function_is_given_what_is_typed_and_the_other_arguments() -> None:
    """CMP-06: earlier answers narrow the next."""
    client = served(town=by_country)
    assert ["Rome"] == (await completed(client, "town")).result["completion"]["values"]
    french = await completed(client, "town", "l", context={"arguments": {"country": "fr"}})
    assert ["Lyon"] == french.result["completion"]["values"]


@in_loop
async def test_the_order_of_a_function_is_kept() -> None:
    """CMP-07: it knows what is relevant."""
    client = served(town=lambda typed, others: iter(["z", "a", "m"]))
    assert ["z", "a", "m"] == (await completed(client, "town")).result["completion"]["values"]


@in_loop
async def test_a_plain_function_runs_beside_the_loop() -> None:
    """Ours: a look-up that blocks must not stop the others."""

    def where(typed: str, others: Mapping[str, str]) -> Iterable[str]:
        return [threading.current_thread().name]

    (name,) = (await completed(served(town=where), "town")).result["completion"]["values"]
    assert threading.main_thread().name != name


@in_loop
async def test_a_plain_function_may_hand_on_to_an_async_one() -> None:
    """Ours: what comes back is awaited."""
    client = served(town=lambda typed, others: by_country(typed, others))
    assert ["Rome"] == (await completed(client, "town")).result["completion"]["values"]


@pytest.mark.parametrize(("count", "expected"), [(0, False), (100, False), (101, True), (150, True)])
@in_loop
async def test_a_hundred_values_are_the_most(count: int, expected: bool) -> None:
    """CMP-03: the rest is counted and announced."""
    client = served(country=[f"v{number}" for number in range(count)])
    completion = (await completed(client, "country")).result["completion"]
    assert (min(count, 100), count, expected) == (
        len(completion["values"]),
        completion["total"],
        completion["hasMore"],
    )


@in_loop
async def test_an_argument_that_nobody_completes_has_no_values() -> None:
    """CMP-05: nothing to offer is no error."""
    client = served(country=["fr"])
    for ref in (PROMPT, TEMPLATE):
        answer = await completed(client, "free", "x", ref)
        assert {"values": [], "total": 0, "hasMore": False} == answer.result["completion"]


@pytest.mark.parametrize(
    ("ref", "argument", "named"),
    [
        ({"type": "ref/prompt", "name": "nothing"}, "country", "'nothing'"),
        ({"type": "ref/resource", "uri": "travel://{other}"}, "country", "'travel://{other}'"),
        (PROMPT, "planet", "'planet'"),
        (TEMPLATE, "planet", "'planet'"),
        ({"type": "ref/resource", "uri": "travel://all"}, "country", "'country'"),
    ],
)
@in_loop
async def test_what_does_not_exist_cannot_be_completed(ref: Json, argument: str, named: str) -> None:
    """CMP-04: -32602 for an unknown prompt, template or argument, which the message names."""
    answer = await completed(served(country=["fr"]), argument, ref=ref)
    assert (400, -32602) == answer.refusal
    assert named in answer.error["message"]


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"ref": PROMPT},
        {"argument": {"name": "country", "value": ""}},
        {"ref": {"type": "ref/tool", "name": "travel"}, "argument": {"name": "country", "value": ""}},
        {"ref": {"name": "travel"}, "argument": {"name": "country", "value": ""}},
        {"ref": {"type": "ref/prompt", "uri": "travel"}, "argument": {"name": "country", "value": ""}},
        {"ref": PROMPT, "argument": {"name": "country"}},
        {"ref": PROMPT, "argument": {"name": "country", "value": 5}},
        {"ref": PROMPT, "argument": {"name": "country", "value": ""}, "context": {"arguments": {"town": 5}}},
        {"ref": PROMPT, "argument": {"name": "country", "value": ""}, "context": None},
    ],
)
@in_loop
async def test_every_input_is_validated(params: Json) -> None:
    """CMP-02, CMP-07: -32602 for any other kind of reference and any other shape."""
    assert (400, -32602) == (await served(country=["fr"]).call("completion/complete", params)).refusal


@in_loop
async def test_a_server_without_completers_has_no_completion() -> None:
    """CMP-01: not declared, and so not found."""
    assert (404, -32601) == (await completed(served(), "country")).refusal


@in_loop
async def test_a_completer_that_breaks_is_an_internal_error() -> None:
    """RPC-21: without internals."""

    def breaks(typed: str, others: Mapping[str, str]) -> Iterable[str]:
        raise RuntimeError("secret")

    answer = await completed(served(town=breaks), "town")
    assert {"code": -32603, "message": "Internal error"} == answer.error


@pytest.mark.parametrize(
    ("complete", "rule"),
    [
        ({"planet": ["x"]}, "prompt 'travel' has no argument 'planet' to complete"),
        ({"country": "fr"}, "the completer of 'country' is neither a sequence nor a function"),
        ({"country": 5}, "the completer of 'country' is neither a sequence nor a function"),
    ],
)
def test_a_completer_that_could_never_serve_is_refused(complete: Any, rule: str) -> None:
    """Ours: the error names the prompt, the argument and the rule."""
    with pytest.raises(ValueError, match=rule):
        served(**complete)
