"""Requests of several rounds: questions that end a round, answers that come back with the next (patterns/mrtr)."""

import asyncio
import gc
from typing import Any

import pytest

from goldfish import (
    Context,
    InputRequired,
    NotAccepted,
    Server,
    form,
    roots_list,
    sampling,
    visit,
)
from goldfish.features.context import Round
from tests.support.inprocess import CANCEL, CONSENT, DECLINE, FORM, Answer, Client, Json, accept, in_loop

KEY = b"a key that several servers share"
ALL: Json = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}
PARIS: Json = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Paris"}}
HOME: Json = {"roots": [{"uri": "file:///home", "name": "Home"}]}


def text_form(name: str) -> Json:
    return {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}


def asking_server(ran: list[str] | None = None) -> Server:
    """Tools that ask in every way; `ran` notes each run of a handler."""
    server = Server("test", "1", state_keys=[KEY])
    runs = [] if ran is None else ran

    @server.tool
    async def once(ctx: Context, greeting: str = "Hello") -> str:
        runs.append("once")
        return f"{greeting}, {(await ctx.elicit('name', 'Who?', text_form('name')))['name']}"

    @server.tool
    async def thrice(ctx: Context, other: str = "") -> Json:
        runs.append("thrice")
        first = await ctx.elicit("a", "First?", text_form("a"))
        second = await ctx.elicit("b", f"After {first['a']}?", text_form("b"))
        third = await ctx.elicit("c", f"After {second['b']}?", text_form("c"))
        return {**first, **second, **third, "sent": sorted(ctx.responses)}

    @server.tool
    async def several(ctx: Context) -> Json:
        answers = await ctx.ask(
            name=form("Who?", text_form("name")),
            capital=sampling("The capital of France?", 10),
            roots=roots_list(),
            visit=visit("Open", "https://example.com"),
        )
        return {key: str(answer) for key, answer in answers.items()}

    @server.tool
    async def decides(ctx: Context) -> str:
        try:
            return str(await ctx.elicit("name", "Who?", text_form("name")))
        except NotAccepted as refused:
            return f"{refused.key}: {refused.action}"

    @server.tool
    async def counts(ctx: Context) -> str:
        rounds = (ctx.state or 0) + 1
        if rounds > 3:
            return f"{rounds} rounds"
        raise InputRequired(state=rounds)

    @server.tool
    async def never_asks() -> str:
        return "done"

    return server


async def to_the_end(client: Client, name: str, answers: dict[str, Json]) -> tuple[Answer, list[list[str]]]:
    """Answers whatever `name` asks until it is done; returns the last answer, and the keys asked in each round."""
    answer = await client.tool(name)
    rounds: list[list[str]] = []
    while answer.result["resultType"] == "input_required":
        keys = list(answer.result.get("inputRequests", {}))
        rounds.append(keys)
        answer = await client.tool(name, after=answer, answers={key: answers[key] for key in keys})
    return answer, rounds


@in_loop
async def test_a_question_is_a_result_of_its_own_type() -> None:
    """MRTR-01, MRTR-02, MRTR-03, MRTR-22: questions, no content, no isError, no hints; no id and no jsonrpc inside."""
    asked = await Client(asking_server().app, FORM).tool("once")
    assert 200 == asked.status
    assert {"resultType", "_meta", "inputRequests"} == set(asked.result)
    params = {"mode": "form", "message": "Who?", "requestedSchema": text_form("name")}
    assert {"name": {"method": "elicitation/create", "params": params}} == asked.asked


@in_loop
async def test_a_single_question_needs_no_state() -> None:
    """MRTR-07, MRTR-08, MRTR-17: the answer comes with a request of its own, under any id, the same one included."""
    client = Client(asking_server().app, FORM)
    asked = await client.tool("once", id=1)
    assert "requestState" not in asked.result
    for id in (1, 2):
        assert "Hello, Ann" == (await client.tool("once", answers={"name": accept(name="Ann")}, id=id)).text


@in_loop
async def test_answers_of_earlier_rounds_are_carried_along() -> None:
    """MRTR-04, MRTR-16: the client sends each answer once, to the key that was asked; the handler sees them all."""
    answers = {"a": accept(a="1"), "b": accept(b="2"), "c": accept(c="3")}
    done, rounds = await to_the_end(Client(asking_server().app, FORM), "thrice", answers)
    assert [["a"], ["b"], ["c"]] == rounds
    assert {"a": "1", "b": "2", "c": "3", "sent": ["c"]} == done.result["structuredContent"]


@in_loop
async def test_any_process_with_the_same_key_can_serve_the_next_round() -> None:
    """ENV-06, ENV-07, MRTR-07: what there is to remember is in the request."""
    asked = await Client(asking_server().app, FORM).tool("thrice")
    for key in "abc":
        asked = await Client(asking_server().app, FORM).tool("thrice", after=asked, answers={key: accept(**{key: key})})
    assert {"a": "a", "b": "b", "c": "c", "sent": ["c"]} == asked.result["structuredContent"]


@in_loop
async def test_several_questions_are_asked_and_answered_at_once() -> None:
    """MRTR-03, MRTR-23: of every kind."""
    client = Client(asking_server().app, ALL)
    asked = await client.tool("several")
    expected = {
        "name": "elicitation/create",
        "capital": "sampling/createMessage",
        "roots": "roots/list",
        "visit": "elicitation/create",
    }
    assert expected == {key: question["method"] for key, question in asked.asked.items()}
    answers = {"name": accept(name="Ann"), "capital": PARIS, "roots": HOME, "visit": CONSENT}
    result = (await client.tool("several", after=asked, answers=answers)).result["structuredContent"]
    assert ["name", "capital", "roots", "visit"] == list(result)
    assert "Paris" in result["capital"]


@in_loop
async def test_what_is_missing_is_asked_again_and_what_is_there_is_kept() -> None:
    """MRTR-12, MRTR-14: one answer, then two of which one is none, then the rest; each counts once given."""
    client = Client(asking_server().app, ALL)
    asked = await client.tool("several")
    asked = await client.tool("several", after=asked, answers={"capital": PARIS})
    assert ["name", "roots", "visit"] == list(asked.asked)
    asked = await client.tool("several", after=asked, answers={"roots": HOME, "name": accept(name=12345)})
    assert ["name", "visit"] == list(asked.asked)
    done = await client.tool("several", after=asked, answers={"name": accept(name="Ann"), "visit": DECLINE})
    assert ["name", "capital", "roots", "visit"] == list(done.result["structuredContent"])
    assert "decline" in done.result["structuredContent"]["visit"]


@in_loop
async def test_a_client_may_bring_all_answers_again() -> None:
    """MRTR-13: without the state the first question's keys count, as at first."""
    client = Client(asking_server().app, ALL)
    await client.tool("several", answers={"capital": PARIS})
    answers = {"name": accept(name="Ann"), "capital": PARIS, "roots": HOME, "visit": CONSENT, "more": {"x": [1]}}
    assert "isError" not in (await client.tool("several", answers=answers)).result


@in_loop
async def test_answers_that_were_never_asked_for_do_not_count() -> None:
    """MRTR-13, MRTR-18: without a state only the first question's keys, with one only the keys that it asked for."""
    client = Client(asking_server().app, FORM)
    everything = {"a": accept(a="1"), "b": accept(b="2"), "c": accept(c="3")}
    second = await client.tool("thrice", answers=everything)
    assert ["b"] == list(second.asked)
    again = await client.tool("thrice", answers={"b": accept(b="2"), "c": accept(c="3")})
    assert ["a"] == list(again.asked)
    third = await client.tool("thrice", after=second, answers={"a": accept(a="9"), **everything})
    assert ["c"] == list(third.asked)
    done = await client.tool("thrice", after=third, answers={**everything, "b": accept(b="9"), "a": accept(a="9")})
    assert {"a": "1", "b": "2", "c": "3"} == {key: done.result["structuredContent"][key] for key in "abc"}


@in_loop
async def test_a_state_lets_nobody_answer_what_it_did_not_ask() -> None:
    """MRTR-13: not even the first question of the round that it comes back to."""
    server = Server("test", "1")

    @server.tool
    async def later(ctx: Context) -> str:
        if ctx.state is None:
            raise InputRequired({"go": form("Go on?", text_form("go"))}, state="begun")
        return str((await ctx.elicit("name", "Who?", text_form("name")))["name"])

    client = Client(server.app, FORM)
    begun = await client.tool("later")
    both = {"go": accept(go="yes"), "name": accept(name="Mallory")}
    asked = await client.tool("later", after=begun, answers=both)
    assert ["name"] == list(asked.asked)
    assert "Ann" == (await client.tool("later", after=asked, answers={"name": accept(name="Ann")})).text


@in_loop
async def test_a_question_that_is_asked_again_takes_the_new_answer() -> None:
    """MRTR-12, MRTR-14: the one before is forgotten, and what else was answered is kept."""
    server = Server("test", "1")

    @server.tool
    async def opens(ctx: Context) -> str:
        name = (await ctx.elicit("name", "Who?", text_form("name")))["name"]
        word = (await ctx.elicit("word", "The word?", text_form("word")))["word"]
        if word != "please":
            raise InputRequired({"word": form("That is not the word", text_form("word"))})
        return f"open for {name}"

    client = Client(server.app, FORM)
    asked = await client.tool("opens", answers={"name": accept(name="Ann")})
    for _ in range(2):
        asked = await client.tool("opens", after=asked, answers={"word": accept(word="wrong")})
        assert "That is not the word" == asked.asked["word"]["params"]["message"]
    assert "open for Ann" == (await client.tool("opens", after=asked, answers={"word": accept(word="please")})).text


BAD_ANSWERS: list[Any] = [None, 5, "x", [], {}, {"action": "maybe"}, accept(name=12345), accept(), {"action": "accept"}]


@pytest.mark.parametrize("bad", BAD_ANSWERS)
@in_loop
async def test_what_is_no_answer_is_asked_again(bad: Any) -> None:
    """MRTR-12, MRTR-14, ELI-10: never silently accepted."""
    asked = await Client(asking_server().app, FORM).tool("once", answers={"name": bad})
    assert ["name"] == list(asked.asked)


@pytest.mark.parametrize("bad", [None, [], "x", 5, True])
@in_loop
async def test_answers_that_are_no_object_are_refused(bad: Any) -> None:
    """MRTR-12: -32602 for anything but a map."""
    answer = await Client(asking_server().app, FORM).call("tools/call", {"name": "once", "inputResponses": bad})
    assert (400, -32602) == answer.refusal


@pytest.mark.parametrize("answer", [DECLINE, CANCEL, {"action": "decline", "content": {"name": "Mallory"}}])
@in_loop
async def test_a_refusal_ends_a_tool_that_does_not_handle_it(answer: Json) -> None:
    """MRTR-20, ELI-10: as a failure that says so; what came with it is never used."""
    done = await Client(asking_server().app, FORM).tool("once", answers={"name": answer})
    assert (200, True) == (done.status, done.result["isError"])
    assert f"The user did not answer: name: {answer['action']}" == done.text


@pytest.mark.parametrize("answer", [DECLINE, CANCEL, {"action": "cancel", "content": {"name": "Mallory"}}])
@in_loop
async def test_a_tool_may_handle_a_refusal(answer: Json) -> None:
    """MRTR-20, ELI-10: it is told the question and the action."""
    done = await Client(asking_server().app, FORM).tool("decides", answers={"name": answer})
    assert (f"name: {answer['action']}", False) == (done.text, done.result.get("isError", False))


@in_loop
async def test_a_refusal_is_carried_like_any_other_answer() -> None:
    """MRTR-16, MRTR-20: with its content gone."""
    server = Server("test", "1")

    @server.tool
    async def two(ctx: Context) -> Json:
        first = (await ctx.ask(a=form("A?", text_form("a"))))["a"]
        await ctx.elicit("b", "B?", text_form("b"))
        return {"action": getattr(first, "action", None), "content": getattr(first, "content", "gone")}

    client = Client(server.app, FORM)
    asked = await client.tool("two", answers={"a": {"action": "decline", "content": {"a": "leak"}}})
    done = await client.tool("two", after=asked, answers={"b": accept(b="x")})
    assert {"action": "decline", "content": None} == done.result["structuredContent"]


@pytest.mark.parametrize(
    ("declared", "tool", "required"),
    [
        ({}, "once", {"elicitation": {"form": {}}}),
        ({"elicitation": {"url": {}}}, "once", {"elicitation": {"form": {}}}),
        ({"sampling": {}}, "once", {"elicitation": {"form": {}}}),
        ({"elicitation": {}}, "several", {"sampling": {}, "roots": {}, "elicitation": {"url": {}}}),
        ({**ALL, "roots": None}, "several", None),
    ],
)
@in_loop
async def test_nothing_is_asked_that_the_client_did_not_declare(
    declared: Json, tool: str, required: Json | None
) -> None:
    """MRTR-05, MRTR-06, ELI-01, SAM-01, ROO-01: -32021, 400, and the capabilities that would help as an object."""
    answer = await Client(asking_server().app, declared).tool(tool)
    if required is None:  # a null is no capability, and no envelope either
        assert (400, -32602) == answer.refusal
        return
    assert (400, -32021) == answer.refusal
    assert {"requiredCapabilities": required} == answer.error["data"]


@in_loop
async def test_capabilities_are_those_of_this_request() -> None:
    """ENV-05: what an earlier request declared is forgotten."""
    client = Client(asking_server().app)
    assert "name" in (await client.tool("once", capabilities=FORM)).asked
    assert (400, -32021) == (await client.tool("once")).refusal


@in_loop
async def test_an_answered_question_needs_no_capability() -> None:
    """MRTR-05: only what is asked now."""
    assert "Hello, Ann" == (await Client(asking_server().app).tool("once", answers={"name": accept(name="Ann")})).text


@in_loop
async def test_a_state_without_questions_may_come_back_at_once() -> None:
    """MRTR-02, MRTR-15, MRTR-16: as many rounds as the handler wants, each of which makes progress."""
    done, rounds = await to_the_end(Client(asking_server().app), "counts", {})
    assert ("4 rounds", [[], [], []]) == (done.text, rounds)


@in_loop
async def test_a_question_with_neither_requests_nor_state_is_an_author_s_mistake() -> None:
    """MRTR-02: it never reaches the client."""
    server = Server("test", "1")

    @server.tool
    async def empty(ctx: Context) -> str:
        raise InputRequired()

    assert (200, -32603) == (await Client(server.app).tool("empty")).refusal


@in_loop
async def test_answers_to_what_asks_nothing_are_ignored() -> None:
    """MRTR-18: a tool that needs none does not look at them."""
    assert "done" == (await Client(asking_server().app).tool("never_asks", answers={"name": {"x": [1]}})).text


@pytest.mark.parametrize("method", ["server/discover", "tools/list"])
@in_loop
async def test_other_methods_ask_nothing_and_ignore_answers(method: str) -> None:
    """MRTR-01, MRTR-19: the members mean something in three methods alone."""
    answer = await Client(asking_server().app, ALL).call(method, {"inputResponses": 5, "requestState": 5})
    assert (200, "complete") == (answer.status, answer.result["resultType"])


@in_loop
async def test_a_client_that_never_comes_back_leaves_nothing_behind() -> None:
    """MRTR-17, SAM-06: a question costs the server no memory."""
    client = Client(asking_server().app, FORM)
    await asyncio.gather(*(client.tool("thrice", answers={"a": accept(a="1")}) for _ in range(50)))
    gc.collect()
    assert [] == [each for each in gc.get_objects() if isinstance(each, Round)]


@in_loop
async def test_a_handler_runs_once_a_round() -> None:
    """MRTR-07: from the top, with what is answered returned at once."""
    ran: list[str] = []
    answers = {"a": accept(a="1"), "b": accept(b="2"), "c": accept(c="3")}
    await to_the_end(Client(asking_server(ran).app, FORM), "thrice", answers)
    assert ["thrice"] * 4 == ran
