"""What goes wrong between processes: one that is killed, a store that goes away or forgets, a file that is locked."""

import contextlib
import os
import signal
import socket
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from goldfish.tasks.runner import LEASE
from tests.backends.redis_server import RedisServer
from tests.serving.processes import Program, goldfish, wait_until
from tests.support.channel import Stream
from tests.support.inprocess import Json, accept
from tests.support.wire import Client
from tests.workers.conftest import KEYS
from tests.workers.test_sharing import TASKS

LISTEN: Json = {"notifications": {"toolsListChanged": True, "resourceSubscriptions": ["demo://counter"]}}


def client(program: Program, path: str = "/strict/mcp") -> Client:
    host, port = program.address
    return Client(f"http://{host}:{port}{path}")


def workers(program: Program) -> list[int]:
    """The process ids of the workers."""
    parent = program.process.pid
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text()
    return [int(child) for child in children.split()]


def begin(user: Client, name: str, **arguments: object) -> str:
    answer = user.tool(name, arguments, capabilities=TASKS)
    assert (200, "task") == answer.served, answer.message
    task_id: str = answer.result["taskId"]
    return task_id


def state(user: Client, task_id: str) -> Json:
    return user.request("tasks/get", {"taskId": task_id}, capabilities=TASKS).result


def until(holds: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def refuses_connections(address: tuple[str, int]) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(address, timeout=0.5):
        return False
    return True


@pytest.mark.timeout(60)
def test_a_task_whose_worker_was_killed_is_found_failed() -> None:
    """When its lease ends, and until then it works; new workers take the place of the dead."""
    with goldfish("--quiet", "--workers", "2") as program:
        user = client(program, "/conformance/mcp")
        task_id = begin(user, "slow_compute", seconds=600, label="x")
        for worker in workers(program):
            os.kill(worker, signal.SIGKILL)
        until(lambda: not refuses_connections(program.address) and len(workers(program)) == 2, 10)
        until(lambda: state(user, task_id)["status"] != "working", LEASE + 10)
        lost = state(user, task_id)
        assert ("failed", -32603) == (lost["status"], lost["error"]["code"])
        assert "worker lost" in lost["statusMessage"]
        assert 0 == program.stop().status


def test_killing_the_parent_leaves_no_worker_on_the_port() -> None:
    with goldfish("--quiet", "--workers", "3") as program:
        address = program.address
        held = workers(program)
        program.process.kill()
        until(lambda: refuses_connections(address), 5)
        until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in held), 5)


def test_a_signal_ends_all_workers_and_their_streams_with_their_result() -> None:
    """SUBS-11: each stream gets the result that says so, whichever worker it is on."""
    with goldfish("--quiet", "--workers", "3") as program:
        user = client(program)
        streams = [user.open("subscriptions/listen", LISTEN, id=number) for number in range(9)]
        for stream in streams:
            stream.next_frame()
        ending = program.stop()
        results = [stream.rest().result for stream in streams]
    assert 0 == ending.status
    assert 3.0 > ending.seconds
    assert [*range(9)] == [result["_meta"]["io.modelcontextprotocol/subscriptionId"] for result in results]


def test_workers_that_cannot_serve_are_given_up() -> None:
    """No endless restarts: a line that says so, and exit status 1."""
    code = "import sys; from goldfish.workers import supervise; sys.exit(supervise(2, lambda ready: 3, lambda: None))"
    with Program(["-c", code]) as program:
        assert 1 == program.end().status
        assert program.logged("ended with status 3 at once")


@pytest.mark.timeout(60)
def test_a_locked_file_holds_up_only_what_needs_it(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with goldfish("--quiet", "--store", f"sqlite:{path}") as program, ThreadPoolExecutor(1) as pool:
        user = client(program)
        task_id = begin(user, "run-task", scenario="needs-input", delayMs=0)
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            said = {"taskId": task_id, "inputResponses": {"name": accept(name="Ada")}}
            update = pool.submit(user.request, "tasks/update", said, capabilities=TASKS)
            begun = time.monotonic()
            served = 0
            while time.monotonic() - begun < 1.0:
                assert "echo: hi" == user.tool("echo", {"message": "hi"}).text
                served += 1
            assert not update.done()
            other.execute("ROLLBACK")
        assert 20 < served
        assert (200, "complete") == update.result().served
        assert "completed" == state(user, task_id)["status"]


@pytest.fixture(params=[True, False], ids=["persistent", "forgetful"])
def redis(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[RedisServer, bool]]:
    server = RedisServer(tmp_path, appendonly=request.param)
    server.start()
    yield server, request.param
    server.stop()


def ready(program: Program) -> int:
    return client(program, "/readyz").verb("GET").status


def heard(stream: Stream, method: str) -> Json:
    while (frame := stream.next_frame(timeout=15))["method"] != method:
        pass
    return frame


@pytest.mark.timeout(90)
def test_a_redis_server_that_dies_and_comes_back(redis: tuple[RedisServer, bool]) -> None:
    """TASK-35: calls that need it fail in words, others go on, streams stay; then all is as it was, or told lost."""
    server, persistent = redis
    with goldfish("--quiet", "--store", server.url, **KEYS) as program:
        user, fixtures = client(program), client(program, "/conformance/mcp")
        derived = begin(user, "run-task", scenario="complete", delayMs=60_000)
        cancelled = begin(user, "run-task", scenario="complete", delayMs=60_000)
        user.request("tasks/cancel", {"taskId": cancelled}, capabilities=TASKS)
        executed = begin(fixtures, "slow_compute", seconds=1, label="x")
        changes = user.open("subscriptions/listen", LISTEN, id=1)
        watching = user.open("subscriptions/listen", {"notifications": {"taskIds": [derived]}}, capabilities=TASKS)
        assert "working" == heard(watching, "notifications/tasks")["params"]["status"]
        server.kill()

        until(lambda: ready(program) == 503, 10)
        assert 200 == client(program, "/healthz").verb("GET").status
        refused = user.request("tasks/get", {"taskId": derived}, capabilities=TASKS)
        assert -32603 == refused.error["code"]
        assert "127.0.0.1" not in refused.error["message"]
        program.wait_for_log("tasks/get")
        assert "echo: hi" == user.tool("echo", {"message": "hi"}).text

        server.start()
        until(lambda: ready(program) == 200, 15)
        expected = "failed" if not persistent else "working"
        until(lambda: state(user, derived)["status"] == expected, 15)
        assert ("cancelled" if persistent else "failed") == state(user, cancelled)["status"]
        if persistent:
            until(lambda: state(fixtures, executed)["status"] == "completed", 15)
            user.request("tasks/cancel", {"taskId": derived}, capabilities=TASKS)
            assert "cancelled" == heard(watching, "notifications/tasks")["params"]["status"]
        else:
            assert "lost" in state(fixtures, executed)["statusMessage"]
            assert "lost" in heard(watching, "notifications/tasks")["params"]["statusMessage"]
            heard(changes, "notifications/tools/list_changed")  # told once, since something may have been missed
        user.tool("trigger-notifications", {"event": "resource-updated"})
        assert "demo://counter" == heard(changes, "notifications/resources/updated")["params"]["uri"]
        changes.close()
        watching.close()
        assert 0 == program.stop().status


def test_events_published_while_a_machine_was_cut_off_are_not_lost(tmp_path: Path) -> None:
    """It hears them when it is back, or is told that everything may have changed: it does not wait for ever."""
    server = RedisServer(tmp_path, appendonly=True)
    server.start()
    try:
        with (
            goldfish("--quiet", "--store", server.url, **KEYS) as here,
            goldfish("--quiet", "--store", server.url, **KEYS) as there,
        ):
            stream = client(there).open("subscriptions/listen", LISTEN, id=1)
            stream.next_frame()
            os.kill(there.process.pid, signal.SIGSTOP)
            client(here).tool("trigger-notifications", {"event": "tools"})
            os.kill(there.process.pid, signal.SIGCONT)
            heard(stream, "notifications/tools/list_changed")
            stream.close()
            wait_until(lambda: ready(here) == 200)
    finally:
        server.stop()
