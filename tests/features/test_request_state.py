"""The sealed requestState: what it is bound to, for how long it opens, and what travels in it (patterns/mrtr)."""

import base64
import functools
import random
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from goldfish import Context, InputRequired, Server, ToolError, form
from goldfish.backends.hmac_seal import HmacSeal
from goldfish.features.inputs import BAD_STATE, MAX_STATE, Asking
from goldfish.kernel.call import Call
from goldfish.kernel.context import Request
from goldfish.wire.errors import Refusal
from goldfish.wire.methods import CallToolParams, CallToolResult, InputRequiredResult, Result
from tests.support.inprocess import FORM, PREFIX, VERSION, Answer, Client, Json, accept, in_loop

OLD, KEY = b"the key of yesterday", b"the key of today"
WORD: Json = {"type": "object", "properties": {"word": {"type": "string"}}}


def server(*keys: bytes) -> Server:
    """Two tools, a prompt and a resource that ask two questions each, and a tool that asks nothing."""
    server = Server("test", "1", state_keys=keys or (KEY,))

    async def asks(ctx: Context) -> str:
        first = await ctx.elicit("first", "First?", WORD)
        second = await ctx.elicit("second", "Second?", WORD)
        return f"{first['word']} {second['word']}"

    @server.tool
    async def one(ctx: Context, number: int = 0, text: str = "") -> str:
        return await asks(ctx)

    @server.tool
    async def other(ctx: Context, number: int = 0, text: str = "") -> str:
        return await asks(ctx)

    @server.prompt(name="one")
    async def prompt(ctx: Context) -> str:
        return await asks(ctx)

    @server.resource("test://{name}")
    async def resource(name: str, ctx: Context) -> str:
        return await asks(ctx)

    @server.tool
    async def never_asks() -> str:
        return "done"

    return server


FIRST: Json = {"first": accept(word="secret")}
SECOND: Json = {"second": accept(word="end")}
REFUSED: Json = {"code": -32602, "message": "Invalid or expired requestState"}


async def begun(client: Client, name: str = "one", arguments: Json | None = None) -> Answer:
    """The question of the second round, with its state."""
    asked = await client.tool(name, arguments, answers=FIRST)
    assert ["second"] == list(asked.asked)
    return asked


@in_loop
async def test_a_state_opens_for_the_same_request() -> None:
    """MRTR-10: also where a client writes its arguments in another order."""
    client = Client(server().app, FORM)
    asked = await begun(client, arguments={"number": 1, "text": "x"})
    done = await client.tool("one", {"text": "x", "number": 1}, after=asked, answers=SECOND)
    assert "secret end" == done.text


@in_loop
async def test_a_state_does_not_open_for_another_request() -> None:
    """MRTR-09, MRTR-10: neither another tool, nor other arguments, nor another method of the same name."""
    client = Client(server().app, FORM)
    asked = await begun(client, arguments={"number": 1})
    refusals = [
        await client.tool("other", {"number": 1}, after=asked, answers=SECOND),
        await client.tool("one", {"number": 2}, after=asked, answers=SECOND),
        await client.tool("one", {"number": 1, "text": ""}, after=asked, answers=SECOND),
        await client.tool("one", after=asked, answers=SECOND),
        await client.tool("never_asks", after=asked),
        await client.prompt("one", after=asked, answers=SECOND),
        await client.read("test://one", after=asked, answers=SECOND),
    ]
    without_arguments = await begun(client)
    refusals.append(await client.prompt("one", after=without_arguments, answers=SECOND))
    assert [(400, REFUSED)] * len(refusals) == [(answer.status, answer.error) for answer in refusals]


@in_loop
async def test_a_state_of_one_uri_does_not_open_for_another() -> None:
    """MRTR-10: for a read the URI is what counts, and not its template."""
    client = Client(server().app, FORM)
    asked = await client.read("test://a", answers=FIRST)
    assert REFUSED == (await client.read("test://b", after=asked, answers=SECOND)).error
    assert 200 == (await client.read("test://a", after=asked, answers=SECOND)).status


@in_loop
async def test_no_changed_state_opens() -> None:
    """MRTR-09: not with any one character changed, missing or added; one message for all of it."""
    client = Client(server().app, FORM)
    state = (await begun(client)).result["requestState"]
    places = random.Random(1).sample(range(len(state)), 20)
    changed = [state[:at] + ("A" if state[at] != "A" else "B") + state[at + 1 :] for at in places]
    changed += [state[:-1], state[1:], state + "A", state + "=", state * 2, "", "garbage", " " + state, "ü"]
    for bad in changed:
        answer = await client.call("tools/call", {"name": "one", "requestState": bad, "inputResponses": SECOND})
        assert (400, REFUSED) == (answer.status, answer.error)


@pytest.mark.parametrize("state", [None, 5, True, [], {}])
@in_loop
async def test_a_state_is_a_text(state: Any) -> None:
    """MRTR-21: -32602 for anything else."""
    answer = await Client(server().app, FORM).call("tools/call", {"name": "one", "requestState": state})
    assert (400, -32602) == answer.refusal


@in_loop
async def test_a_state_that_nobody_gave_is_refused_by_every_tool() -> None:
    """MRTR-18: a tool that never gives one neither uses nor overlooks it."""
    answer = await Client(server().app).call("tools/call", {"name": "never_asks", "requestState": "made up"})
    assert (400, REFUSED) == (answer.status, answer.error)


@in_loop
async def test_keys_are_shared_and_rotate() -> None:
    """ENV-07, MRTR-09: the first key seals, all of them open, and a stranger's opens nothing."""
    asked = await begun(Client(server(OLD).app, FORM))
    rotated = await Client(server(KEY, OLD).app, FORM).tool("one", after=asked, answers=SECOND)
    assert "secret end" == rotated.text
    assert REFUSED == (await Client(server(KEY).app, FORM).tool("one", after=asked, answers=SECOND)).error


@in_loop
async def test_without_a_key_each_server_has_its_own() -> None:
    """MRTR-09: a random one, so that nobody can know it."""
    one, other = Server("test", "1"), Server("test", "1")
    for each in (one, other):

        @each.tool
        async def counts(ctx: Context) -> str:
            raise InputRequired(state=1)

    asked = await Client(one.app).tool("counts")
    assert "requestState" in (await Client(one.app).tool("counts", after=asked)).result
    assert REFUSED == (await Client(other.app).tool("counts", after=asked)).error


def test_a_key_that_could_be_guessed_is_refused() -> None:
    """MRTR-09: 16 bytes at least."""
    with pytest.raises(ValueError, match="at least 16 bytes"):
        Server("test", "1", state_keys=[b"short"])


@pytest.mark.parametrize("state", [0, False, "", [], {}, 1.5, "\u2028ü", {"deep": [{"x": None}]}])
@in_loop
async def test_any_json_value_is_a_state(state: Any) -> None:
    """MRTR-16: it comes back as it was, also where it is false."""
    server = Server("test", "1")
    seen: list[Any] = []

    @server.tool
    async def keeps(ctx: Context) -> str:
        seen.append(ctx.state)
        ctx.state = state
        await ctx.elicit("word", "Which?", WORD)
        return "done"

    client = Client(server.app, FORM)
    asked = await client.tool("keeps")
    done = await client.tool("keeps", after=asked, answers={"word": accept(word="x")})
    assert ("done", [None, state]) == (done.text, seen)
    assert asked.result["requestState"].isascii()


@in_loop
async def test_a_state_is_kept_until_another_is_set() -> None:
    """MRTR-16: a question that says nothing of it carries it on; the explicit form replaces it."""
    server = Server("test", "1")

    @server.tool
    async def walks(ctx: Context) -> str:
        if ctx.state is None:
            raise InputRequired({"first": form("First?", WORD)}, state="begun")
        if "second" not in ctx.responses:
            raise InputRequired({"second": form("Second?", WORD)})
        return f"{ctx.state} {sorted(ctx.responses)}"

    client = Client(server.app, FORM)
    asked = await client.tool("walks")
    asked = await client.tool("walks", after=asked, answers=FIRST)
    done = await client.tool("walks", after=asked, answers=SECOND)
    assert "begun ['second']" == done.text


@in_loop
async def test_a_state_is_signed_and_not_hidden() -> None:
    """MRTR-09, ours: who decodes it can read the answers in it, which the documentation says."""
    state = (await begun(Client(server().app, FORM))).result["requestState"]
    assert b"secret" in base64.urlsafe_b64decode(state + "=" * (-len(state) % 4))


@in_loop
async def test_a_state_without_measure_never_leaves() -> None:
    """MRTR-09, ours: what travels through a client twice is bounded."""
    server = Server("test", "1")

    @server.tool
    async def hoards(ctx: Context) -> str:
        raise InputRequired(state="x" * MAX_STATE)

    assert (200, -32603) == (await Client(server.app).tool("hoards")).refusal


@in_loop
async def test_what_may_happen_once_is_remembered_by_the_server() -> None:
    """MRTR-09, ours: a state can be sent twice, so that a redemption is noted where it counts."""
    server = Server("test", "1")
    redeemed: set[str] = set()

    @server.tool
    async def redeem(ctx: Context) -> str:
        ctx.state = ctx.state or "voucher-1"
        await ctx.elicit("word", "Sure?", WORD)
        if ctx.state in redeemed:
            raise ToolError("redeemed already")
        redeemed.add(ctx.state)
        return "enjoy"

    client = Client(server.app, FORM)
    asked = await client.tool("redeem")
    answers = {"word": accept(word="yes")}
    assert "enjoy" == (await client.tool("redeem", after=asked, answers=answers)).text
    replayed = await client.tool("redeem", after=asked, answers=answers)
    assert ("redeemed already", True) == (replayed.text, replayed.result["isError"])


def request(
    principal: str | None, state: str | None = None, arguments: Mapping[str, Any] | None = None
) -> Request[CallToolParams]:
    meta = {PREFIX + "protocolVersion": VERSION, PREFIX + "clientCapabilities": FORM}
    members: Json = {"_meta": meta, "name": "tool", "arguments": arguments or {}}
    if state is not None:
        members["requestState"] = state

    async def emit(frame: bytes) -> None:
        raise AssertionError("nothing is emitted here")

    params = msgspec.convert(members, CallToolParams)
    return Request("tools/call", 1, params, "tool", Call(b"", principal=principal), emit, logging=False)


async def counting(context: Context) -> Result:
    """Asks once, and then tells the caller."""
    if context.state is None:
        raise InputRequired(state="begun")
    return CallToolResult(meta={"principal": context.principal})


async def run(asking: Asking, principal: str | None, state: str | None = None) -> Result:
    return await asking.run(request(principal, state), {}, counting)


async def first_state(asking: Asking, principal: str | None) -> str:
    result = await run(asking, principal)
    assert isinstance(result, InputRequiredResult)
    assert isinstance(result.request_state, str)
    return result.request_state


@pytest.mark.parametrize(("owner", "other"), [("ann", "bob"), ("ann", None), (None, "ann"), ("", None)])
@in_loop
async def test_a_state_belongs_to_who_was_asked(owner: str | None, other: str | None) -> None:
    """MRTR-10: to the principal that the transport has verified, and to no other."""
    asking = Asking(HmacSeal([KEY]), ttl=600)
    state = await first_state(asking, owner)
    assert {"principal": owner} == (await run(asking, owner, state)).meta
    with pytest.raises(Refusal, match=BAD_STATE):
        await run(asking, other, state)


@pytest.mark.parametrize("payload", [b"", b"{}", b"[]", b"[5]", b"[null,{},[5]]"])
@in_loop
async def test_a_state_of_another_layout_is_refused_like_any_other(payload: bytes) -> None:
    """MRTR-09: versions that share their keys during an upgrade may seal other things, which is no internal error."""
    bound: list[bytes] = []

    class Spy(HmacSeal):
        def open(self, token: str, bound_to: bytes) -> bytes | None:
            bound.append(bound_to)
            return super().open(token, bound_to)

    asking, seal = Asking(Spy([KEY]), ttl=600), HmacSeal([KEY])
    await run(asking, None, await first_state(asking, None))
    with pytest.raises(Refusal, match=BAD_STATE):
        await run(asking, None, seal.seal(payload, bound[0]))


@in_loop
async def test_a_state_can_be_answered_for_its_time() -> None:
    """MRTR-10: and not a moment longer; each round begins anew."""
    now = 1000.0
    asking = Asking(HmacSeal([KEY], clock=lambda: now), ttl=600)
    state = await first_state(asking, "ann")
    now = 1599.9
    assert {"principal": "ann"} == (await run(asking, "ann", state)).meta
    now = 1600.0
    with pytest.raises(Refusal, match=BAD_STATE):
        await run(asking, "ann", state)


@in_loop
async def test_a_server_says_for_how_long_its_questions_can_be_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """MRTR-10: state_ttl, in seconds."""
    now = 1000.0
    monkeypatch.setattr("goldfish.server.HmacSeal", functools.partial(HmacSeal, clock=lambda: now))
    server = Server("test", "1", state_ttl=5)

    @server.tool
    async def counts(ctx: Context) -> str:
        raise InputRequired(state=1)

    client = Client(server.app)
    asked = await client.tool("counts")
    now = 1004.9
    assert "requestState" in (await client.tool("counts", after=asked)).result
    now = 1005.0
    assert REFUSED == (await client.tool("counts", after=asked)).error


@in_loop
async def test_a_handler_may_change_what_it_was_given() -> None:
    """MRTR-10: the state belongs to the arguments as the client sent them, and so its retry opens it."""
    server = Server("s", "1")

    @server.tool
    async def consumes(names: list[str], ctx: Context) -> str:
        ctx.state = "begun"
        names.clear()
        return str((await ctx.elicit("go", "Go?", {"type": "object", "properties": {}})) == {})

    @server.tool(input_schema={"type": "object"})
    async def pops(arguments: dict[str, object], ctx: Context) -> str:
        ctx.state = "begun"
        given = arguments["names"]
        assert isinstance(given, dict)
        given.clear()
        return str((await ctx.elicit("go", "Go?", {"type": "object", "properties": {}})) == {})

    client = Client(server.app, {"elicitation": {}})
    for name, arguments in (("consumes", {"names": ["a"]}), ("pops", {"names": {"a": 1}})):
        asked = await client.tool(name, arguments)
        assert "True" == (await client.tool(name, arguments, after=asked, answers={"go": accept()})).text
