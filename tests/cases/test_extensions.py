"""What the core's rules say about an extension's methods, shown with the tasks extension."""

import pytest

from tests.serving.processes import wait_until
from tests.support.inprocess import Json
from tests.support.wire import Client, sealed

TASKS = "io.modelcontextprotocol/tasks"
DECLARED: Json = {"extensions": {TASKS: {}}}


def create(client: Client, delay: int, id: int = 1) -> str:
    """A task that completes after so many milliseconds."""
    result = client.tool("run-task", {"delayMs": delay}, capabilities=DECLARED, id=id).result
    assert "task" == result["resultType"]
    task: str = result["taskId"]
    return task


def test_extensions_are_advertised_by_an_id_with_a_prefix(client: Client) -> None:
    """ENV-18: and their settings are an object."""
    extensions = client.request("server/discover").result["capabilities"]["extensions"]
    assert TASKS in extensions
    assert all("/" in id and isinstance(settings, dict) for id, settings in extensions.items())


def test_a_client_without_the_extension_is_told_which_one(strict: Client) -> None:
    """ENV-19, MRTR-06: the tool cannot be served without it; everything else is."""
    answer = strict.tool("run-task")
    assert (400, -32021) == answer.refusal
    assert DECLARED == answer.error["data"]["requiredCapabilities"]
    assert "echo: x" == strict.tool("echo", {"message": "x"}).text


@pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel"])
@pytest.mark.parametrize("value", ["other", None])
def test_the_mirrored_name_of_a_task_is_its_id(client: Client, method: str, value: str | None) -> None:
    """HDR-05, HDR-06: another one is refused, and so is none."""
    params = {"taskId": create(client, 0), "inputResponses": {}}
    answer = client.request(method, params, capabilities=DECLARED, headers={"Mcp-Name": value})
    assert (400, -32020) == answer.refusal


def test_the_mirrored_id_may_come_in_the_base64_form(client: Client) -> None:
    """HDR-10."""
    task = create(client, 0)
    headers = {"Mcp-Name": sealed(task)}
    answer = client.request("tasks/get", {"taskId": task}, capabilities=DECLARED, headers=headers)
    assert (200, "complete") == answer.served


def test_a_posted_cancellation_never_cancels_a_task(client: Client) -> None:
    """CAN-06: neither by the id of the call that created it, nor by its own."""
    task = create(client, 100, id=77)
    for id in (77, task):
        message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}
        assert 202 == client.post(message).status

    def status() -> str:
        result = client.request("tasks/get", {"taskId": task}, capabilities=DECLARED).result
        word: str = result["status"]
        return word

    wait_until(lambda: status() != "working")
    assert "completed" == status()
