"""The tasks extension through the endpoint: derived and executed tasks, their methods, and listening to them."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from goldfish import AsTask, Caps, Context, DerivedTask, Moment, Phase, Refusal, Server, ToolError, ToolResult, form
from goldfish.kernel.profile import RELAXED
from goldfish.tasks import runner, watch
from tests.support.inprocess import Answer, Client, Json, accept, in_loop

EXTENSION = "io.modelcontextprotocol/tasks"
DECLARED: Json = {"extensions": {EXTENSION: {}}, "elicitation": {}}
NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


class Gate:
    """What a handler waits for, so that a test decides when it goes on."""

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.reached = asyncio.Event()

    async def wait(self) -> None:
        self.reached.set()
        await self.open.wait()


def built(gate: Gate | None = None, **how: Any) -> Server:
    server = Server("tasks", "1", **how)

    @server.tool(task="optional")
    async def slow(ctx: Context) -> str:
        await ctx.progress(1, 2, "half way")
        if gate is not None:
            await gate.wait()
        return "done"

    @server.tool(task="required")
    async def fails() -> str:
        raise ToolError("the tool failed")

    @server.tool(task="required")
    async def breaks() -> str:
        raise Refusal(-32603, "the protocol failed", {"why": "on purpose"})

    @server.tool(task="required")
    async def asks_twice(ctx: Context) -> str:
        first = await ctx.elicit("name", "First?", NAME)
        second = await ctx.elicit("other", "Second?", NAME)
        return f"{first['name']} and {second['name']}"

    @server.tool(task="required")
    async def asks_both(ctx: Context) -> str:
        await ctx.ask(a=form("A?", NAME), b=form("B?", NAME))
        return "both"

    @server.tool(task=AsTask("required", asks_first=True))
    async def asks_before(ctx: Context) -> str:
        name = (await ctx.elicit("name", "Who?", NAME))["name"]
        await ctx.detach()
        return f"{name}, from the task"

    kind: DerivedTask

    def derive(moment: Moment) -> Phase:
        if moment.cancelled is not None:
            return Phase("cancelled", since=moment.cancelled)
        if "go" in moment.answers:
            return Phase("completed", since=moment.answers["go"].at, result=ToolResult(structured={"went": True}))
        return Phase("input_required", since=moment.created, asks={"go": form("Go?", NAME)})

    kind = server.derived_task("derived", derive, {"go": form("Go?", NAME)})

    @server.tool
    async def derived(ctx: Context, ttl: int = 600_000) -> Any:
        return await kind.create(ctx, None, ttl_ms=ttl)

    return server


def client(server: Server, capabilities: Json = DECLARED) -> Client:
    return Client(server.app, capabilities)


async def begun(user: Client, name: str, arguments: Json | None = None) -> str:
    made = (await user.tool(name, arguments)).result
    assert "task" == made["resultType"]
    task_id: str = made["taskId"]
    return task_id


async def state(user: Client, task_id: str) -> Json:
    return (await user.call("tasks/get", {"taskId": task_id})).result


async def until(user: Client, task_id: str, holds: Callable[[Json], bool]) -> Json:
    """The task as soon as this holds of it; the test's own limit ends a wait in vain."""
    while True:
        now = await state(user, task_id)
        if holds(now):
            return now


async def reached(user: Client, task_id: str, status: str) -> Json:
    return await until(user, task_id, lambda now: bool(now["status"] == status))


async def asking(user: Client, task_id: str, key: str) -> Json:
    return await until(user, task_id, lambda now: key in now.get("inputRequests", {}))


async def update(user: Client, task_id: str, **answers: Json) -> Answer:
    return await user.call("tasks/update", {"taskId": task_id, "inputResponses": answers})


@in_loop
async def test_the_extension_is_advertised_where_a_tool_makes_tasks() -> None:
    """TASK-01, ENV-18: and no legacy capability of that name."""
    capabilities = (await client(built()).call("server/discover")).result["capabilities"]
    assert {EXTENSION: {}} == capabilities["extensions"]
    assert "tasks" not in capabilities


@in_loop
async def test_without_a_tool_that_makes_tasks_there_is_no_extension() -> None:
    """TASK-36: tasks/* is then an unknown method, and the capability is missing."""
    plain = Server("plain", "1")
    plain.tool(name="t")(lambda: "x")
    assert "extensions" not in (await client(plain).call("server/discover")).result["capabilities"]
    assert (404, -32601) == (await client(plain).call("tasks/get", {"taskId": "x"})).refusal


@pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel"])
@in_loop
async def test_a_client_that_did_not_declare_the_extension_is_told_which(method: str) -> None:
    """TASK-04, TASK-06: for every method, and before the id is looked at; the legacy capability does not count."""
    user = client(built(), {"tasks": {}})
    answer = await user.call(method, {"taskId": "x", "inputResponses": {}})
    assert (400, -32021) == answer.refusal
    assert {"requiredCapabilities": {"extensions": {EXTENSION: {}}}} == answer.error["data"]


@in_loop
async def test_a_relaxed_endpoint_says_the_code_of_the_draft() -> None:
    """X-01: as the feature map of the reference server has it."""
    user = Client(built().endpoint(RELAXED))
    assert (400, -32003) == (await user.call("tasks/get", {"taskId": "x"})).refusal


@in_loop
async def test_a_tool_that_must_be_a_task_refuses_who_cannot_take_one() -> None:
    """TASK-02, TASK-03, ENV-19."""
    assert (400, -32021) == (await client(built(), {}).tool("fails")).refusal


@in_loop
async def test_a_tool_that_may_be_a_task_answers_others_plainly() -> None:
    """TASK-02, TASK-07, ENV-19."""
    assert "done" == (await client(built(), {}).tool("slow")).text


@in_loop
async def test_a_task_can_be_read_as_soon_as_it_is_known() -> None:
    """TASK-10; its progress is the status message (TASK-31), and its result what the tool would have answered."""
    gate = Gate()
    user = client(built(gate))
    task_id = await begun(user, "slow")
    await gate.reached.wait()
    now = await state(user, task_id)
    assert ("working", "half way") == (now["status"], now["statusMessage"])
    gate.open.set()
    ended = await reached(user, task_id, "completed")
    assert [{"type": "text", "text": "done"}] == ended["result"]["content"]


@in_loop
async def test_a_tools_failure_completes_its_task_and_the_protocols_fails_it() -> None:
    """TASK-14, TASK-15, TASK-16."""
    user = client(built())
    completed = await reached(user, await begun(user, "fails"), "completed")
    assert completed["result"]["isError"]
    failed = await reached(user, await begun(user, "breaks"), "failed")
    assert {"code": -32603, "message": "the protocol failed", "data": {"why": "on purpose"}} == failed["error"]
    assert "result" not in failed


@in_loop
async def test_a_task_asks_and_goes_on_with_the_answer() -> None:
    """TASK-23: the handler is run again from the top, and what was answered returns at once."""
    user = client(built())
    task_id = await begun(user, "asks_twice")
    first = await reached(user, task_id, "input_required")
    assert ["name"] == list(first["inputRequests"])
    acknowledged = (await update(user, task_id, name=accept(name="Ada"))).result
    assert {"resultType", "_meta"} == set(acknowledged)
    await asking(user, task_id, "other")
    await update(user, task_id, other=accept(name="Bob"))
    ended = await reached(user, task_id, "completed")
    assert "Ada and Bob" == ended["result"]["content"][0]["text"]


@in_loop
async def test_a_partial_answer_leaves_the_rest_outstanding() -> None:
    """TASK-25: right after the acknowledgement."""
    user = client(built())
    task_id = await begun(user, "asks_both")
    await reached(user, task_id, "input_required")
    await update(user, task_id, a=accept(name="Ada"), z=accept(name="Eve"))
    now = await state(user, task_id)
    assert ("input_required", ["b"]) == (now["status"], list(now["inputRequests"]))


@in_loop
async def test_a_task_that_asks_what_its_client_lacks_fails() -> None:
    """TASK-28: the creating request's capabilities count."""
    user = client(built(), {"extensions": {EXTENSION: {}}})
    failed = await reached(user, await begun(user, "asks_twice"), "failed")
    assert -32021 == failed["error"]["code"]


@in_loop
async def test_questions_before_a_task_are_asked_before_it_exists() -> None:
    """TASK-11: by multi round-trip, and the task goes on with the answer."""
    user = client(built())
    asked = await user.tool("asks_before")
    assert ["name"] == list(asked.asked)
    made = await user.tool("asks_before", after=asked, answers={"name": accept(name="Ada")})
    assert "task" == made.result["resultType"]
    ended = await reached(user, made.result["taskId"], "completed")
    assert "Ada, from the task" == ended["result"]["content"][0]["text"]


@in_loop
async def test_a_cancelled_task_stops_and_stays_cancelled() -> None:
    """TASK-29: acknowledged twice, stopped once."""
    gate = Gate()
    user = client(built(gate))
    task_id = await begun(user, "slow")
    await gate.reached.wait()
    for _ in range(2):
        assert "complete" == (await user.call("tasks/cancel", {"taskId": task_id})).result["resultType"]
    gate.open.set()
    await asyncio.sleep(0)
    assert "cancelled" == (await state(user, task_id))["status"]


@pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel"])
@in_loop
async def test_a_made_up_id_is_not_found(method: str) -> None:
    """TASK-20, TASK-21, TASK-22: whatever is wrong with it."""
    user = client(built())
    real = await begun(user, "derived")
    for task_id in ("made-up", real[:-2] + ("AA" if real[-2:] != "AA" else "BB"), ""):
        answer = await user.call(method, {"taskId": task_id, "inputResponses": {}})
        assert (400, -32602, "Task not found") == (*answer.refusal, answer.error["message"])


@in_loop
async def test_an_expired_task_says_so() -> None:
    """TASK-19."""
    user = client(built())
    answer = await user.call("tasks/get", {"taskId": await begun(user, "derived", {"ttl": 0})})
    assert (-32602, "Task has expired") == (answer.error["code"], answer.error["message"])


@pytest.mark.parametrize("params", [{}, {"inputResponses": None}, {"inputResponses": [1]}])
@in_loop
async def test_an_update_needs_an_object_of_responses(params: Json) -> None:
    """TASK-37."""
    user = client(built())
    task_id = await begun(user, "derived")
    assert (400, -32602) == (await user.call("tasks/update", {"taskId": task_id, **params})).refusal


@pytest.mark.parametrize("name", [None, "other"])
@in_loop
async def test_the_header_must_carry_the_task_id(name: str | None) -> None:
    """HDR-05, HDR-06, TASK-32."""
    user = client(built())
    task_id = await begun(user, "derived")
    assert (400, -32020) == (await user.call("tasks/get", {"taskId": task_id}, headers={"mcp-name": name})).refusal


@in_loop
async def test_a_derived_task_takes_the_first_answer() -> None:
    """TASK-24: what comes later is acknowledged and ignored."""
    user = client(built())
    task_id = await begun(user, "derived")
    assert "input_required" == (await state(user, task_id))["status"]
    await update(user, task_id, go=accept(name="Ada"))
    await user.call("tasks/cancel", {"taskId": task_id})
    now = await state(user, task_id)
    assert ("completed", {"went": True}) == (now["status"], now["result"]["structuredContent"])


@in_loop
async def test_two_who_answer_at_once_are_both_acknowledged_and_one_is_heard() -> None:
    user = client(built())
    task_id = await begun(user, "asks_twice")
    await reached(user, task_id, "input_required")
    both = await asyncio.gather(
        update(user, task_id, name=accept(name="Ada")), update(user, task_id, name=accept(name="Eve"))
    )
    assert ["complete", "complete"] == [answer.result["resultType"] for answer in both]
    await asking(user, task_id, "other")
    await update(user, task_id, other=accept(name="Bob"))
    ended = await reached(user, task_id, "completed")
    assert ended["result"]["content"][0]["text"] in ("Ada and Bob", "Eve and Bob")


@in_loop
async def test_a_task_of_a_forgotten_time_is_lost_and_nothing_else() -> None:
    """A store that began anew knows no cancellation: no task of before may work again, derived ones included."""
    key = b"a key that both have"
    before, after = client(built(state_keys=[key])), client(built(state_keys=[key]))
    for name in ("derived", "fails"):
        task_id = await begun(before, name)
        lost = await state(after, task_id)
        assert "failed" == lost["status"]
        assert "lost" in lost["statusMessage"]
        assert "complete" == (await after.call("tasks/cancel", {"taskId": task_id})).result["resultType"]


@in_loop
async def test_the_number_of_tasks_is_capped() -> None:
    """Per caller and in all; the next one is refused in words, and a new place is free when one expires."""
    user = client(built(Gate(), task_caps=Caps(per_owner=2, total=10)))
    for _ in range(2):
        await begun(user, "slow")
    answer = await user.tool("slow")
    assert -32603 == answer.error["code"]
    assert "Too many tasks" in answer.error["message"]


@in_loop
async def test_a_listener_is_told_of_each_status_with_the_whole_task() -> None:
    """TASK-30: unknown ids are left out of the acknowledgement; nothing but notifications/tasks comes (TASK-31)."""
    user = client(built())
    task_id = await begun(user, "asks_twice")
    await reached(user, task_id, "input_required")
    stream = user.open("subscriptions/listen", {"notifications": {"taskIds": [task_id, "unknown"]}}, id="s")
    acknowledged = await stream.frame()
    assert {"taskIds": [task_id]} == acknowledged["params"]["notifications"]
    told = await stream.frame()
    assert ("notifications/tasks", "input_required") == (told["method"], told["params"]["status"])
    assert "s" == told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"]
    await update(user, task_id, name=accept(name="Ada"))
    seen = [(await stream.frame())["params"]["status"]]
    while seen[-1] != "input_required":
        seen.append((await stream.frame())["params"]["status"])
    await update(user, task_id, other=accept(name="Bob"))
    last = await stream.frame()
    while last["params"]["status"] != "completed":
        last = await stream.frame()
    assert "Ada and Bob" == last["params"]["result"]["content"][0]["text"]
    assert "resultType" not in last["params"]
    await stream.gone()


@in_loop
async def test_listening_to_unknown_tasks_alone_ends_at_once() -> None:
    """SUBS-08: nothing could ever be told."""
    answer = await client(built()).call("subscriptions/listen", {"notifications": {"taskIds": ["unknown"]}})
    assert {} == answer.messages[0]["params"]["notifications"]
    assert "complete" == answer.result["resultType"]


@in_loop
async def test_listening_to_tasks_needs_the_extension() -> None:
    """TASK-05."""
    answer = await client(built(), {}).call("subscriptions/listen", {"notifications": {"taskIds": ["x"]}})
    assert (400, -32021) == answer.refusal


@in_loop
async def test_a_task_whose_worker_is_gone_is_found_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    """When its lease ends, by whoever reads it; it never works for ever."""
    monkeypatch.setattr(runner, "LEASE", 0.05)
    monkeypatch.setattr(runner, "RENEW", 3600.0)
    user = client(built(Gate()))
    lost = await reached(user, await begun(user, "slow"), "failed")
    assert "worker lost" in lost["statusMessage"]


@in_loop
async def test_a_lease_is_renewed_while_the_work_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "LEASE", 0.2)
    monkeypatch.setattr(runner, "RENEW", 0.02)
    gate = Gate()
    user = client(built(gate))
    task_id = await begun(user, "slow")
    due = asyncio.get_running_loop().time() + 0.5
    while asyncio.get_running_loop().time() < due:
        assert "working" == (await state(user, task_id))["status"]
        await asyncio.sleep(0)
    gate.open.set()
    await reached(user, task_id, "completed")


@in_loop
async def test_closing_the_server_ends_its_tasks() -> None:
    """A graceful end is found at once, not when a lease ends."""
    server = built(Gate())
    user = client(server)
    task_id = await begun(user, "slow")
    await server.close(0.01)
    assert "failed" == (await state(user, task_id))["status"]


def test_a_watched_task_is_read_again_in_any_case() -> None:
    """No client waits for ever for a word that was lost."""
    assert 0 < watch.CHECK <= 60
