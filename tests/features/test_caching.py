"""Cache hints: on every result that may be kept, and on no other."""

from typing import Any

import pytest

from goldfish import Context, Hints, Server
from tests.support.inprocess import FORM, Client, Json, accept, in_loop

FIELD = {"type": "object", "properties": {"word": {"type": "string"}}}
CACHEABLE = [
    ("server/discover", {}),
    ("tools/list", {}),
    ("prompts/list", {}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": "test://plain"}),
]
UNCACHEABLE: list[tuple[str, Json]] = [
    ("tools/call", {"name": "tool"}),
    ("prompts/get", {"name": "prompt", "arguments": {"word": "x"}}),
    (
        "completion/complete",
        {"ref": {"type": "ref/prompt", "name": "prompt"}, "argument": {"name": "word", "value": ""}},
    ),
]


def furnished(**hints: Hints) -> Server:
    server = Server("test", "1", **hints)  # type: ignore[arg-type]

    @server.tool
    async def tool() -> str:
        return ""

    @server.prompt(complete={"word": ["x"]})
    async def prompt(word: str) -> str:
        return word

    @server.resource("test://plain")
    async def plain() -> str:
        return ""

    @server.resource("test://own", hints=Hints(7, "public"))
    async def own() -> str:
        return ""

    @server.resource("test://gated", hints=Hints(7, "public"))
    async def gated(ctx: Context) -> str:
        return str((await ctx.elicit("word", "Which?", FIELD)).get("word"))

    return server


def hints(result: Json) -> tuple[Any, Any]:
    return result.get("ttlMs"), result.get("cacheScope")


@pytest.mark.parametrize(("method", "params"), CACHEABLE)
@in_loop
async def test_what_may_be_kept_says_so_and_by_default_for_no_time(method: str, params: Json) -> None:
    """CAC-01, RES-08: both hints on all six, and without a word from the author nobody shares anything."""
    assert (0, "private") == hints((await Client(furnished().app).call(method, params)).result)


@pytest.mark.parametrize(("method", "params"), CACHEABLE[:-1])
@in_loop
async def test_the_hints_for_lists_are_on_every_list(method: str, params: Json) -> None:
    """CAC-01: one setting for discover and the four lists."""
    server = furnished(list_hints=Hints(300_000, "public"))
    assert (300_000, "public") == hints((await Client(server.app).call(method, params)).result)


@in_loop
async def test_a_resource_has_its_own_hints_or_those_of_its_server() -> None:
    """CAC-01, RES-08: the nearest counts."""
    client = Client(furnished(read_hints=Hints(60_000, "private")).app)
    assert (60_000, "private") == hints((await client.read("test://plain")).result)
    assert (7, "public") == hints((await client.read("test://own")).result)


@pytest.mark.parametrize(("method", "params"), UNCACHEABLE)
@in_loop
async def test_what_may_not_be_kept_has_no_hints(method: str, params: Json) -> None:
    """CAC-01, PRM-11: tools/call, prompts/get and completion are not in the list."""
    server = furnished(list_hints=Hints(1, "public"), read_hints=Hints(1, "public"))
    result = (await Client(server.app).call(method, params)).result
    assert (None, None) == hints(result)


@in_loop
async def test_a_question_has_no_hints_and_the_answer_to_a_retry_is_kept_by_nobody() -> None:
    """CAC-03, CAC-04, RES-09: what came of an answer is not what the URI alone would give."""
    client = Client(furnished().app, FORM)
    asked = await client.read("test://gated")
    assert (None, None) == hints(asked.result)
    assert "word" in asked.asked
    done = await client.read("test://gated", after=asked, answers={"word": accept(word="open")})
    assert "open" == done.result["contents"][0]["text"]
    assert (0, "private") == hints(done.result)


@in_loop
async def test_a_retry_of_what_asks_nothing_is_kept_by_nobody_either() -> None:
    """CAC-04: the hints look at the request alone."""
    done = await Client(furnished().app).read("test://own", answers={})
    assert (0, "private") == hints(done.result)


@pytest.mark.parametrize("ttl", [-1, 1.5, "60", True, None, 2**53])
def test_a_time_to_live_is_a_whole_number_that_every_client_can_read(ttl: Any) -> None:
    """CAC-01, CAC-06: an integer from 0 up, no float and no text, exact in JavaScript."""
    with pytest.raises(ValueError, match="ttl_ms must be an integer from 0"):
        Hints(ttl, "private")


@pytest.mark.parametrize("scope", ["Public", "shared", "", None])
def test_there_are_two_scopes(scope: Any) -> None:
    """CAC-02: exactly "public" or "private"."""
    with pytest.raises(ValueError, match='scope must be "public" or "private"'):
        Hints(0, scope)


@in_loop
async def test_a_change_is_told_however_long_the_list_may_be_kept() -> None:
    """CAC-08: the notification is what ends the time to live early."""
    server = furnished(list_hints=Hints(10**9, "public"))
    stream = Client(server.app).open("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    await stream.frame()
    await server.tools_changed()
    assert "notifications/tools/list_changed" == (await stream.frame())["method"]
    await server.close()
