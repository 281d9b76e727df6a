"""The tasks extension through the endpoint: derived and executed tasks, and their methods."""

import asyncio

import pytest

from goldfish import Caps, Server
from goldfish.backends.hmac_seal import HmacSeal
from goldfish.kernel.profile import RELAXED
from tests.support.inprocess import Client, Json, accept, in_loop
from tests.tasks.support import EXTENSION, Gate, asking, begun, built, client, reached, state, update


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


@pytest.mark.parametrize("payload", [b"", b"{}", b"[]", b'["derived",null,1,2,"x","y","z"]'])
@in_loop
async def test_an_id_of_another_layout_is_unknown_like_any_other(payload: bytes) -> None:
    """TASK-21: versions that share their keys during an upgrade may seal other things, which is no internal error."""
    key = b"a key that versions share"
    user = client(built(state_keys=[key]))
    task_id = HmacSeal([key]).seal(payload, b'["task",null]')
    assert "Task not found" == (await user.call("tasks/get", {"taskId": task_id})).error["message"]
    listening = await user.call("subscriptions/listen", {"notifications": {"taskIds": [task_id]}})
    assert {} == listening.messages[0]["params"]["notifications"]


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
async def test_a_task_of_a_forgotten_time_is_lost_and_nothing_else(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A store that began anew knows no cancellation: no task of before may work again, derived ones included."""
    key = b"a key that both have"
    stores = [f"sqlite:{tmp_path_factory.mktemp('store')}/store.db" for _ in range(2)]
    servers = [built(state_keys=[key], store=store) for store in stores]
    before, after = (client(server) for server in servers)
    for name in ("derived", "fails"):
        task_id = await begun(before, name)
        lost = await state(after, task_id)
        assert "failed" == lost["status"]
        assert "lost" in lost["statusMessage"]
        assert "complete" == (await after.call("tasks/cancel", {"taskId": task_id})).result["resultType"]
    for server in servers:
        await server.close(0.1)


@in_loop
async def test_without_a_shared_store_a_derived_task_is_what_its_id_says_on_any_instance() -> None:
    """EC-97: created here, polled there; only what was run here is unknown there."""
    key = b"a key that both have"
    here, there = client(built(state_keys=[key])), client(built(state_keys=[key]))
    assert "input_required" == (await state(there, await begun(here, "derived")))["status"]
    assert "failed" == (await state(there, await begun(here, "fails")))["status"]


@in_loop
async def test_answers_too_large_to_keep_are_refused() -> None:
    """A store keeps them until the task expires."""
    user = client(built())
    task_id = await begun(user, "derived")
    answer = await update(user, task_id, go=accept(name="x" * 70_000))
    assert (400, -32602) == answer.refusal
    assert "65536 bytes" in answer.error["message"]


@in_loop
async def test_the_number_of_tasks_is_capped() -> None:
    """Per caller and in all; the next one is refused in words, and a new place is free when one expires."""
    user = client(built(Gate(), task_caps=Caps(per_owner=2, total=10)))
    for _ in range(2):
        await begun(user, "slow")
    answer = await user.tool("slow")
    assert -32603 == answer.error["code"]
    assert "Too many tasks" in answer.error["message"]


@pytest.mark.parametrize("method", ["tasks/result", "tasks/list"])
@in_loop
async def test_the_removed_methods_do_not_exist(method: str) -> None:
    """TASK-33."""
    assert (404, -32601) == (await client(built()).call(method, {"taskId": "x"}, headers={"mcp-name": "x"})).refusal


@in_loop
async def test_a_legacy_wish_for_a_task_is_ignored() -> None:
    """TASK-34: the server alone decides (TASK-07)."""
    server = built()
    server.tool(name="plain")(lambda: "plain")
    answer = await client(server).call("tools/call", {"name": "plain", "task": {"ttl": 1000}})
    assert ("complete", "plain") == (answer.result["resultType"], answer.text)


@in_loop
async def test_reading_a_task_changes_nothing() -> None:
    """TASK-39."""
    user = client(built())
    task_id = await begun(user, "derived")
    assert await state(user, task_id) == await state(user, task_id)
