"""Listening to tasks, and what becomes of them when a worker or the server ends."""

import asyncio
from typing import Any

import pytest

from goldfish import Context, Moment, Phase
from goldfish.tasks import runner, watch
from tests.support.inprocess import accept, in_loop
from tests.tasks.support import Gate, begun, built, client, reached, state, update


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
async def test_a_task_that_cannot_be_read_does_not_silence_the_others(caplog: pytest.LogCaptureFixture) -> None:
    """TASK-30: it is the only one of which nothing is told, and the log says why."""
    server = built()

    def breaks_later(moment: Moment) -> Phase:
        if broken:
            raise LookupError("no such scenario")
        return Phase("working", since=moment.created)

    broken: list[str] = []
    kind = server.derived_task("brittle", breaks_later, {})

    @server.tool
    async def brittle(ctx: Context) -> Any:
        return await kind.create(ctx, None)

    user = client(server)
    ids = [await begun(user, name) for name in ("brittle", "derived")]
    broken.append("now")
    stream = user.open("subscriptions/listen", {"notifications": {"taskIds": ids}})
    assert {"taskIds": ids} == (await stream.frame())["params"]["notifications"]
    assert ids[1] == (await stream.frame())["params"]["taskId"]
    assert "no such scenario" in caplog.text
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
