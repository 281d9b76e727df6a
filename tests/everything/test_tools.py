"""What the reference server's tools do, beyond what the lines of the catalog show."""

import pytest

from goldfish.everything.app import create_server
from goldfish.everything.catalog import entries
from tests.support.inprocess import CANCEL, DECLINE, FORM, URL, accept, in_loop
from tests.support.inprocess import Client as InProcess
from tests.support.wire import LOG_LEVEL, Client


def test_tools_are_listed_as_the_catalog_has_them(client: Client) -> None:
    """Names and titles, in the catalog's order; every one is described (TOOL-03)."""
    listed = client.request("tools/list").result["tools"]
    assert [(e.name, e.title) for e in entries() if e.kind == "tool"] == [(t["name"], t["title"]) for t in listed]
    assert all(tool["description"] for tool in listed)


def test_discover_and_every_list_may_be_kept_and_shared(client: Client) -> None:
    """The server's hint: five minutes, public (CAC-01)."""
    methods = ("server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list")
    hints = [client.request(method).result for method in methods]
    assert [(300_000, "public")] * len(methods) == [(hint["ttlMs"], hint["cacheScope"]) for hint in hints]


def test_discover_tells_what_the_server_is(client: Client) -> None:
    """Identity and instructions (DIS-05)."""
    result = client.request("server/discover").result
    identity = result["_meta"]["io.modelcontextprotocol/serverInfo"]
    assert ("goldfish", "Goldfish reference server") == (identity["name"], identity["title"])
    assert "echo" in result["instructions"]


def test_echo_logs_nothing_to_a_client_that_asked_for_errors_only(client: Client) -> None:
    """Its line is at info (LOG-02)."""
    assert 1 == len(client.tool("echo", {"message": "hi"}, meta={LOG_LEVEL: "error"}).messages)
    assert 2 == len(client.tool("echo", {"message": "hi"}, meta={LOG_LEVEL: "info"}).messages)


def test_echo_declares_that_it_changes_nothing(client: Client) -> None:
    """readOnlyHint (TOOL-28)."""
    assert {"readOnlyHint": True} == client.request("tools/list").result["tools"][0]["annotations"]


def test_the_weather_of_a_city_is_the_same_however_it_is_spelt(client: Client) -> None:
    """And the name comes back as it was sent."""
    one, other = (client.tool("get-weather", {"city": city}).result["structuredContent"] for city in ("Oslo", "OSLO"))
    assert one | {"city": "OSLO"} == other
    assert -10 <= one["temperatureC"] < 35


def test_cities_differ(client: Client) -> None:
    """All three kinds of sky occur."""
    cities = ("Paris", "Oslo", "Rome", "Lima", "Cairo", "Quito", "Seoul", "Delhi", "Accra", "Perth")
    reports = [client.tool("get-weather", {"city": city}).result["structuredContent"] for city in cities]
    assert {"sunny", "cloudy", "rainy"} == {report["conditions"] for report in reports}


def test_long_task_logs_and_then_reports_each_step(client: Client) -> None:
    """The order within a step: log, then progress (PRG-02)."""
    answer = client.tool("long-task", {"steps": 2, "delayMs": 0}, meta={"progressToken": 7, LOG_LEVEL: "info"})
    methods = [message.get("method") for message in answer.messages]
    assert ["notifications/message", "notifications/progress"] * 2 + [None] == methods
    progress = [message["params"] for message in answer.messages if message.get("method") == "notifications/progress"]
    assert [(7, 1, 2), (7, 2, 2)] == [(p["progressToken"], p["progress"], p["total"]) for p in progress]
    assert "completed 2 steps" == answer.text


@pytest.mark.parametrize("arguments", [{"steps": 0}, {"steps": 11}, {"delayMs": -1}, {"delayMs": 2001}])
def test_long_task_keeps_to_its_bounds(client: Client, arguments: dict[str, int]) -> None:
    """A result that tells the model, not an error (TOOL-15)."""
    answer = client.tool("long-task", arguments)
    assert answer.result["isError"] is True
    assert next(iter(arguments)) in answer.text


@in_loop
async def test_long_task_stops_when_its_client_leaves() -> None:
    """Closing the stream cancels the call, which needs no line of code in the tool (CAN-01)."""
    arguments = {"steps": 10, "delayMs": 50}
    params = {"name": "long-task", "arguments": arguments}
    exchange = InProcess(create_server().app).open("tools/call", params, meta={"progressToken": 1})
    assert 1 == (await exchange.frame())["params"]["progress"]
    await exchange.gone()
    assert ([], False) == (exchange.late, exchange.complete)


@pytest.mark.parametrize("answer", [DECLINE, CANCEL], ids=lambda answer: answer["action"])
def test_ask_name_ignores_what_comes_with_a_refusal(client: Client, answer: dict[str, object]) -> None:
    """The action is the whole answer, whatever content came along (MRTR-20, ELI-10)."""
    refused = client.tool("ask-name", capabilities=FORM, answers={"name": {**answer, "content": {"name": "Ada"}}})
    assert answer["action"] == refused.text
    assert "structuredContent" not in refused.result


def test_ask_name_asks_again_when_the_answer_does_not_fit(client: Client) -> None:
    """An accepted answer is held against the form's schema (ELI-10, MRTR-14)."""
    assert "name" in client.tool("ask-name", capabilities=FORM, answers={"name": accept(name=5)}).asked


def test_confirm_launch_binds_its_rounds_from_the_first(client: Client) -> None:
    """Both rounds name the same launch, which is in the state before anything was answered."""
    first = client.tool("confirm-launch", capabilities=FORM)
    second = client.tool(
        "confirm-launch",
        capabilities=FORM,
        state=first.result.get("requestState"),
        answers={"confirm": accept(confirm=True)},
    )
    texts = {
        client.tool(
            "confirm-launch",
            capabilities=FORM,
            state=second.result.get("requestState"),
            answers={"code": accept(code=code)},
        ).text.split(":")[0]
        for code in ("0000", "1234")
    }
    assert 1 == len(texts)


def test_confirm_launch_notices_an_answer_that_is_sent_again(client: Client) -> None:
    """A client sends what a round asked for, and nothing of an earlier one (MRTR-16)."""
    first = client.tool("confirm-launch", capabilities=FORM)
    second = client.tool(
        "confirm-launch",
        capabilities=FORM,
        state=first.result.get("requestState"),
        answers={"confirm": accept(confirm=True)},
    )
    both = {"confirm": accept(confirm=True), "code": accept(code="0000")}
    third = client.tool("confirm-launch", capabilities=FORM, state=second.result.get("requestState"), answers=both)
    assert {"launched": True, "roundTwoResponseLeakedIntoRoundThree": True} == third.result["structuredContent"]


@pytest.mark.parametrize("answer", [accept(confirm=False), DECLINE, CANCEL])
def test_confirm_launch_asks_no_code_of_those_who_do_not_confirm(client: Client, answer: dict[str, object]) -> None:
    """It completes, and nothing is launched."""
    first = client.tool("confirm-launch", capabilities=FORM)
    done = client.tool(
        "confirm-launch", capabilities=FORM, state=first.result.get("requestState"), answers={"confirm": answer}
    )
    assert {"launched": False, "roundTwoResponseLeakedIntoRoundThree": False} == done.result["structuredContent"]


@pytest.mark.parametrize("answer", [accept(code="1234"), DECLINE, CANCEL])
def test_confirm_launch_needs_the_right_code(client: Client, answer: dict[str, object]) -> None:
    """A wrong one is not asked again."""
    first = client.tool("confirm-launch", capabilities=FORM)
    second = client.tool(
        "confirm-launch",
        capabilities=FORM,
        state=first.result.get("requestState"),
        answers={"confirm": accept(confirm=True)},
    )
    done = client.tool(
        "confirm-launch", capabilities=FORM, state=second.result.get("requestState"), answers={"code": answer}
    )
    assert done.result["structuredContent"]["launched"] is False


def test_open_dashboard_keeps_its_nonce_out_of_the_url(client: Client) -> None:
    """The URL carries no secret (ELI-08); the nonce is the same in both rounds' outcome."""
    first = client.tool("open-dashboard", capabilities=URL)
    outcomes = [
        client.tool(
            "open-dashboard",
            capabilities=URL,
            state=first.result.get("requestState"),
            answers={"visit": {"action": action}},
        ).result
        for action in ("accept", "decline", "cancel")
    ]
    structured = [outcome["structuredContent"] for outcome in outcomes]
    assert ["accept", "decline", "cancel"] == [outcome["action"] for outcome in structured]
    assert 1 == len({outcome["nonce"] for outcome in structured})
    assert structured[0]["nonce"] not in first.asked["visit"]["params"]["url"]
    other = client.tool("open-dashboard", capabilities=URL)
    assert first.asked["visit"]["params"]["url"] == other.asked["visit"]["params"]["url"]


def test_never_satisfied_asks_the_same_round_again_without_an_answer(client: Client) -> None:
    """Only an answer leads on (MRTR-14)."""
    first = client.tool("never-satisfied", capabilities=FORM)
    again = client.tool("never-satisfied", capabilities=FORM, state=first.result.get("requestState"), answers={})
    assert first.asked == again.asked


@pytest.mark.parametrize("answer", [accept(anything="x"), DECLINE, CANCEL])
def test_never_satisfied_goes_on_after_any_answer(client: Client, answer: dict[str, object]) -> None:
    """The count is in the state; a first answer needs none."""
    second = client.tool("never-satisfied", capabilities=FORM, answers={"more": answer})
    assert second.asked["more"]["params"]["message"].startswith("Round 2:")
    third = client.tool(
        "never-satisfied", capabilities=FORM, state=second.result.get("requestState"), answers={"more": answer}
    )
    assert third.asked["more"]["params"]["message"].startswith("Round 3:")


@pytest.mark.parametrize("event", ["tools", "prompts", "resources", "resource-updated"])
def test_trigger_notifications_says_what_it_published(client: Client, event: str) -> None:
    """A uri counts for resource-updated alone, and is demo://counter when none is given."""
    text = client.tool("trigger-notifications", {"event": event}).text
    assert text.startswith("published: ")
    assert ("demo://counter" in text) is (event == "resource-updated")


def test_trigger_notifications_refuses_an_event_it_does_not_know(client: Client) -> None:
    """The arguments fail the schema (TOOL-15)."""
    assert client.tool("trigger-notifications", {"event": "weather"}).result["isError"] is True
