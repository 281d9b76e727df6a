"""What a handler sees of its request, and what it may send ahead of its answer: log messages and progress."""

import asyncio
from typing import Any

import pytest

from goldfish import Context, LogLevel, Server
from tests.support.inprocess import BOTH, PREFIX, Client, Json, in_loop, in_no_time

LEVEL = PREFIX + "logLevel"
LEVELS: tuple[LogLevel, ...] = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


@pytest.fixture
def server() -> Server:
    server = Server("test", "1")

    @server.tool
    async def every_level(ctx: Context) -> str:
        for level in LEVELS:
            await ctx.log(level, level)
        return "logged"

    @server.tool
    async def steps(ctx: Context, count: int = 3, pause: float = 0) -> str:
        for step in range(1, count + 1):
            await ctx.progress(step, count, f"step {step}")
            await asyncio.sleep(pause)
        return f"{count} steps"

    return server


def params(messages: list[Json], method: str) -> list[Json]:
    return [message["params"] for message in messages if message["method"] == method]


@in_loop
async def test_no_log_message_without_a_level(server: Server) -> None:
    """LOG-01: a request that names none gets none, and plain JSON for an answer."""
    answer = await Client(server.app).tool("every_level")
    assert ("application/json", "logged") == (answer.media, answer.text)


@pytest.mark.parametrize("level", LEVELS)
@in_loop
async def test_log_messages_reach_the_level_or_stay_away(server: Server, level: LogLevel) -> None:
    """LOG-02: the order is that of RFC 5424."""
    answer = await Client(server.app).tool("every_level", meta={LEVEL: level})
    logged = params(answer.notifications, "notifications/message")
    assert list(LEVELS[LEVELS.index(level) :]) == [message["level"] for message in logged]


@in_loop
async def test_a_log_message_has_its_level_its_data_and_perhaps_a_logger(server: Server) -> None:
    """LOG-03, LOG-06, ENV-11: any JSON is data; the messages stand before the answer, without a subscription."""

    @server.tool
    async def logs(ctx: Context) -> str:
        await ctx.log("info", None)
        await ctx.log("error", {"why": [1, "\u2028"]}, logger="db")
        return "logged"

    answer = await Client(server.app).tool("logs", meta={LEVEL: "debug"})
    expected = [
        {"level": "info", "data": None},
        {"level": "error", "data": {"why": [1, "\u2028"]}, "logger": "db"},
    ]
    assert expected == params(answer.notifications, "notifications/message")
    assert "\u2028".encode() not in answer.body
    assert "result" in answer.message


@pytest.mark.parametrize("level", ["loud", "ERROR", "Info", "", 3, None, ["info"]])
@in_loop
async def test_a_level_that_does_not_exist_is_refused(server: Server, level: Any) -> None:
    """LOG-05, LOG-07: -32602, whatever the method; names are lower case."""
    client = Client(server.app)
    assert (400, -32602) == (await client.tool("every_level", meta={LEVEL: level})).refusal
    assert (400, -32602) == (await client.call("tools/list", meta={LEVEL: level})).refusal


@in_loop
async def test_a_level_is_legal_on_any_method(server: Server) -> None:
    """LOG-07: where there is nothing to log it makes no difference."""
    client = Client(server.app)
    assert (await client.call("tools/list")).body == (await client.call("tools/list", meta={LEVEL: "debug"})).body


@in_loop
async def test_a_handler_cannot_log_at_a_level_that_does_not_exist(server: Server) -> None:
    """LOG-06: an author's mistake shows at once, also for clients that want no log."""

    @server.tool
    async def loud(ctx: Context) -> str:
        await ctx.log("loud", "x")  # type: ignore[arg-type]
        return "never"

    answer = await Client(server.app).tool("loud")
    assert answer.result["isError"]
    assert "log level must be one of debug, info" in answer.text


@in_loop
async def test_a_server_that_does_not_log_sends_no_log_message() -> None:
    """LOG-04: what is not declared is not sent."""
    server = Server("test", "1", logging=False)

    @server.tool
    async def logs(ctx: Context) -> str:
        await ctx.log("emergency", "x")
        return "done"

    assert "application/json" == (await Client(server.app).tool("logs", meta={LEVEL: "debug"})).media


@in_loop
async def test_prompts_and_resources_log_as_well() -> None:
    """LOG-03: on the stream of their own request."""
    server = Server("test", "1")

    @server.prompt
    async def prompt(ctx: Context) -> str:
        await ctx.log("info", "prompt")
        return ""

    @server.resource("test://resource")
    async def resource(ctx: Context) -> str:
        await ctx.log("info", "resource")
        return ""

    client = Client(server.app)
    for answer in (
        await client.prompt("prompt", meta={LEVEL: "info"}),
        await client.read("test://resource", meta={LEVEL: "info"}),
    ):
        assert ["notifications/message"] == [message["method"] for message in answer.notifications]


@in_loop
async def test_no_progress_without_a_token(server: Server) -> None:
    """PRG-01: a request opts in by its token."""
    answer = await Client(server.app).tool("steps")
    assert ("application/json", "3 steps") == (answer.media, answer.text)


@pytest.mark.parametrize("token", ["t", "", 0, 7, -1, 2**60, "7"])
@in_loop
async def test_progress_comes_with_the_token_as_it_was_sent(server: Server, token: int | str) -> None:
    """PRG-01, PRG-02, ENV-11: with its JSON type; total and message are there where the handler gives them."""
    answer = await Client(server.app).tool("steps", {"count": 2}, meta={"progressToken": token})
    expected = [
        {"progressToken": token, "progress": 1, "total": 2, "message": "step 1"},
        {"progressToken": token, "progress": 2, "total": 2, "message": "step 2"},
    ]
    told = params(answer.notifications, "notifications/progress")
    assert expected == told
    assert {type(token)} == {type(each["progressToken"]) for each in told}


@in_loop
async def test_progress_only_rises(server: Server) -> None:
    """PRG-02: a value that does not rise is not sent; halves are values; total and message are optional."""

    @server.tool
    async def wavers(ctx: Context) -> str:
        for value in (0, 0.5, 0.5, 0.25, 1, float("nan"), float("inf"), 1.5, 1):
            await ctx.progress(value)
        return "done"

    answer = await Client(server.app).tool("wavers", meta={"progressToken": "t"})
    expected = [{"progressToken": "t", "progress": value} for value in (0, 0.5, 1, 1.5)]
    assert expected == params(answer.notifications, "notifications/progress")


@pytest.mark.parametrize("token", [1.5, True, None, [], {}])
@in_loop
async def test_a_token_of_another_type_is_refused(server: Server, token: Any) -> None:
    """PRG-04: -32602."""
    assert (400, -32602) == (await Client(server.app).tool("steps", meta={"progressToken": token})).refusal


@in_loop
async def test_progress_stops_at_the_answer(server: Server) -> None:
    """PRG-03: a task that the handler left behind is heard no more, in a stream as little as after plain JSON."""
    left: list[asyncio.Task[None]] = []
    let_go = asyncio.Event()

    @server.tool
    async def leaves(ctx: Context, first: bool) -> str:
        async def later() -> None:
            await let_go.wait()
            await ctx.progress(99)

        if first:
            await ctx.progress(1)
        left.append(asyncio.ensure_future(later()))
        return "done"

    client = Client(server.app)
    streamed = client.open("tools/call", {"name": "leaves", "arguments": {"first": True}}, meta={"progressToken": 1})
    plain = client.open("tools/call", {"name": "leaves", "arguments": {"first": False}}, meta={"progressToken": 1})
    assert 2 == len((await streamed.answer()).messages)
    assert 1 == len((await plain.answer()).messages)
    let_go.set()
    await asyncio.gather(*left)
    assert (2, 1) == (len((await streamed.answer()).messages), len((await plain.answer()).messages))


@in_loop
async def test_frames_arrive_while_the_handler_runs(server: Server) -> None:
    """PRG-01, HTTP-15: progress is of no use when it comes with the answer."""
    go_on = asyncio.Event()

    @server.tool
    async def waits(ctx: Context) -> str:
        await ctx.progress(1)
        await go_on.wait()
        return "done"

    exchange = Client(server.app).open("tools/call", {"name": "waits"}, meta={"progressToken": "t"})
    assert 1 == (await exchange.frame())["params"]["progress"]
    assert not exchange.task.done()
    go_on.set()
    assert "done" == (await exchange.answer()).text


@in_no_time
async def test_parallel_calls_do_not_mix(server: Server) -> None:
    """HTTP-15, PRG-03: each stream has the frames of its own request alone."""
    client = Client(server.app)
    arguments = {"count": 5, "pause": 1.0}
    answers = await asyncio.gather(
        *(client.tool("steps", arguments, id=token, meta={"progressToken": token}) for token in range(10))
    )
    for token, answer in enumerate(answers):
        told = params(answer.notifications, "notifications/progress")
        assert [token] * 5 == [each["progressToken"] for each in told]
        assert [1, 2, 3, 4, 5] == [each["progress"] for each in told]
        assert token == answer.message["id"]


@in_no_time
async def test_the_same_token_twice_crosses_no_streams(server: Server) -> None:
    """PRG-06: a client's mistake, which is its own trouble."""
    client = Client(server.app)
    calls = [({"count": count, "pause": 1.0}, count) for count in (2, 4)]
    answers = await asyncio.gather(
        *(client.tool("steps", arguments, meta={"progressToken": "same"}) for arguments, _ in calls)
    )
    assert [3, 5] == [len(answer.messages) for answer in answers]


@in_loop
async def test_a_client_without_streams_gets_the_answer_alone(server: Server) -> None:
    """LOG-08: frames are dropped, which neither the handler nor the client notices."""
    client = Client(server.app, accept="application/json")
    answer = await client.tool("steps", meta={"progressToken": 1, LEVEL: "debug"})
    assert ("application/json", "3 steps") == (answer.media, answer.text)
    assert 4 == len((await Client(server.app, accept=BOTH).tool("steps", meta={"progressToken": 1})).messages)


@in_loop
async def test_the_context_knows_its_request(server: Server) -> None:
    """ENV-05: this request's metadata, and none of another's."""

    @server.tool
    async def knows(ctx: Context) -> Json:
        return {
            "version": ctx.meta.protocol_version,
            "client": ctx.meta.client_info.name if ctx.meta.client_info else None,
            "token": ctx.meta.progress_token if ctx.meta.progress_token else None,
            "principal": ctx.principal,
            "state": ctx.state,
            "responses": dict(ctx.responses),
        }

    client = Client(server.app)
    first = (await client.tool("knows", meta={"progressToken": "t"}, answers={"x": [1]})).result["structuredContent"]
    expected = {
        "version": "2026-07-28",
        "client": "test",
        "token": "t",
        "principal": None,
        "state": None,
        "responses": {"x": [1]},
    }
    assert expected == first
    second = (await client.tool("knows")).result["structuredContent"]
    assert {**expected, "token": None, "responses": {}} == second


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ({}, []),
        ({"elicitation": {}}, ["elicitation.form"]),
        ({"elicitation": {"form": {}}}, ["elicitation.form"]),
        ({"elicitation": {"url": {}}}, ["elicitation.url"]),
        ({"elicitation": {"form": {}, "url": {}}}, ["elicitation.form", "elicitation.url"]),
        ({"elicitation": {"later": {}}}, ["elicitation.form"]),
        ({"sampling": {}}, ["sampling"]),
        ({"sampling": {"tools": {}, "context": {}}}, ["sampling", "sampling.tools", "sampling.context"]),
        ({"roots": {}}, ["roots"]),
        ({"roots": {"listChanged": True}, "future": {"x": 1}}, ["roots"]),
    ],
)
@in_loop
async def test_a_handler_can_look_before_it_asks(server: Server, declared: Json, expected: list[str]) -> None:
    """ELI-01, ENV-05, ENV-17: an empty `elicitation` means forms; what nobody knows is ignored."""
    names = ["elicitation.form", "elicitation.url", "sampling", "sampling.tools", "sampling.context", "roots"]

    @server.tool
    async def looks(ctx: Context) -> list[str]:
        return [name for name in names if ctx.supports(name)]

    assert expected == (await Client(server.app, declared).tool("looks")).result["structuredContent"]


@in_loop
async def test_a_capability_that_does_not_exist_is_an_author_s_mistake(server: Server) -> None:
    """MRTR-05, ours: a slip of the pen must not read as a client without it."""

    @server.tool
    async def asks(ctx: Context) -> bool:
        return ctx.supports("elicitation")

    answer = await Client(server.app).tool("asks")
    assert answer.result["isError"]
    assert "capability must be one of elicitation.form" in answer.text
