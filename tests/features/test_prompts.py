"""Prompts: their list, their arguments, their messages, and what is refused."""

import logging
import threading
from typing import Annotated, Any

import pytest

from goldfish import (
    AudioContent,
    BlobResourceContents,
    ContentBlock,
    Context,
    Declined,
    EmbeddedResource,
    Icon,
    ImageContent,
    Param,
    PromptMessage,
    ResourceLink,
    Server,
    TextContent,
    TextResourceContents,
)
from tests.support.inprocess import CANCEL, DECLINE, FORM, PREFIX, Answer, Client, accept, in_loop

FIELD = {"type": "object", "properties": {"tone": {"type": "string"}}, "required": ["tone"]}


@pytest.fixture
def server() -> Server:
    server = Server("test", "1")

    @server.prompt(title="Greeting", icons=[Icon(src="https://example.com/i.svg")], meta={"example.com/x": 1})
    async def greet(
        name: Annotated[str, Param(title="Name", description="Who is greeted.")], mood: str = "happy"
    ) -> str:
        """Greets.

        Warmly.
        """
        return f"{name} is {mood}"

    @server.prompt(description="Breaks.")
    async def breaks() -> str:
        raise RuntimeError("secret path /etc/x")

    @server.prompt
    async def toned(ctx: Context) -> str:
        return str((await ctx.elicit("tone", "Which tone?", FIELD))["tone"])

    return server


async def returned(value: Any) -> Answer:
    """What becomes of a value that a prompt returns."""
    server = Server("test", "1")

    @server.prompt
    async def prompt() -> Any:
        return value

    return await Client(server.app).prompt("prompt")


@in_loop
async def test_the_list_shows_what_the_function_and_its_author_say(server: Server) -> None:
    """PRM-02, ENV-20: names, titles, descriptions, icons, arguments; what is not there is left out."""
    greet, breaks, toned = (await Client(server.app).call("prompts/list")).result["prompts"]
    expected = {
        "name": "greet",
        "title": "Greeting",
        "description": "Greets.\n\nWarmly.",
        "arguments": [
            {"name": "name", "title": "Name", "description": "Who is greeted.", "required": True},
            {"name": "mood", "required": False},
        ],
        "icons": [{"src": "https://example.com/i.svg"}],
        "_meta": {"example.com/x": 1},
    }
    assert expected == greet
    assert {"name": "breaks", "description": "Breaks."} == breaks
    assert {"name": "toned"} == toned


@in_loop
async def test_getting_a_prompt_does_not_change_the_list(server: Server) -> None:
    """PRM-02: no list varies by what was asked before."""
    client = Client(server.app)
    before = await client.call("prompts/list")
    await client.prompt("greet", {"name": "Ann"})
    assert before.body == (await client.call("prompts/list")).body


@in_loop
async def test_a_text_is_one_message_of_the_user(server: Server) -> None:
    """PRM-06: and the description comes along."""
    result = (await Client(server.app).prompt("greet", {"name": "Ann", "mood": "glad"})).result
    assert [{"role": "user", "content": {"type": "text", "text": "Ann is glad"}}] == result["messages"]
    assert ("complete", "Greets.\n\nWarmly.") == (result["resultType"], result["description"])


@in_loop
async def test_an_argument_with_a_default_may_be_left_out(server: Server) -> None:
    """PRM-03: only what is required is missed."""
    result = (await Client(server.app).prompt("greet", {"name": "Ann"})).result
    assert "Ann is happy" == result["messages"][0]["content"]["text"]


@in_loop
async def test_an_unknown_prompt_is_refused(server: Server) -> None:
    """PRM-03: -32602, and the message names it."""
    answer = await Client(server.app).prompt("nothing")
    assert (400, -32602) == answer.refusal
    assert "Unknown prompt: 'nothing'" == answer.error["message"]


@in_loop
async def test_a_missing_argument_is_named(server: Server) -> None:
    """PRM-03: -32602 before the function runs."""
    answer = await Client(server.app).prompt("greet", {"mood": "sad"})
    assert (400, -32602) == answer.refusal
    assert "Missing required argument of prompt greet: name" == answer.error["message"]


@pytest.mark.parametrize("value", [5, True, None, ["x"], {"x": "y"}])
@in_loop
async def test_an_argument_that_is_no_text_is_refused(server: Server, value: Any) -> None:
    """PRM-04: prompt arguments are strings alone."""
    assert (400, -32602) == (await Client(server.app).prompt("greet", {"name": value})).refusal


@in_loop
async def test_an_argument_that_nobody_declared_is_ignored(server: Server) -> None:
    """PRM-05: it does not reach the function, and is no error."""
    answer = await Client(server.app).prompt("greet", {"name": "Ann", "ctx": "x", "other": "y"})
    assert "Ann is happy" == answer.result["messages"][0]["content"]["text"]


@in_loop
async def test_arguments_may_be_left_out_and_may_not_be_something_else(server: Server) -> None:
    """PRM-04: absent is the same as none; an array or null is refused."""
    client = Client(server.app, FORM)
    assert 200 == (await client.call("prompts/get", {"name": "toned"})).status
    for wrong in (["x"], None, "x"):
        assert (400, -32602) == (await client.call("prompts/get", {"name": "toned", "arguments": wrong})).refusal


BLOCKS: list[tuple[ContentBlock, dict[str, Any]]] = [
    (TextContent(text="t"), {"type": "text", "text": "t"}),
    (ImageContent(data=b"\xff\x00", mime_type="image/png"), {"type": "image", "data": "/wA=", "mimeType": "image/png"}),
    (AudioContent(data=b"\xfb", mime_type="audio/wav"), {"type": "audio", "data": "+w==", "mimeType": "audio/wav"}),
    (ResourceLink(uri="a://b", name="n"), {"type": "resource_link", "uri": "a://b", "name": "n"}),
    (
        EmbeddedResource(resource=TextResourceContents(uri="a://b", text="t", mime_type="text/plain")),
        {"type": "resource", "resource": {"uri": "a://b", "text": "t", "mimeType": "text/plain"}},
    ),
    (
        EmbeddedResource(resource=BlobResourceContents(uri="a://b", blob=b"b", mime_type="x/y")),
        {"type": "resource", "resource": {"uri": "a://b", "blob": "Yg==", "mimeType": "x/y"}},
    ),
]


@pytest.mark.parametrize(("block", "expected"), BLOCKS)
@in_loop
async def test_a_message_has_one_block_of_any_of_the_five_kinds(block: ContentBlock, expected: dict[str, Any]) -> None:
    """PRM-06, PRM-07: binary data in standard base64 with its media type, embedded resources with their URI."""
    alone = (await returned(block)).result["messages"]
    assert [{"role": "user", "content": expected}] == alone
    spoken = (await returned(PromptMessage(role="assistant", content=block))).result["messages"]
    assert [{"role": "assistant", "content": expected}] == spoken


@in_loop
async def test_a_list_is_a_conversation() -> None:
    """PRM-06: messages, blocks and texts, in their order; none at all is one too."""
    value = ["Hi", PromptMessage(role="assistant", content=TextContent(text="Hello")), TextContent(text="Bye")]
    messages = (await returned(value)).result["messages"]
    expected = [("user", "Hi"), ("assistant", "Hello"), ("user", "Bye")]
    assert expected == [(message["role"], message["content"]["text"]) for message in messages]
    assert [] == (await returned([])).result["messages"]


@pytest.mark.parametrize("value", [None, 5, {"role": "user"}, [None], b"x"])
@in_loop
async def test_what_is_no_message_never_leaves(value: Any, caplog: pytest.LogCaptureFixture) -> None:
    """PRM-06, RPC-21: the author's mistake is an internal error, and the log says which."""
    assert (200, -32603) == (await returned(value)).refusal
    assert "a prompt returns text, content or messages" in caplog.text


@in_loop
async def test_a_crash_says_nothing_to_the_client(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    """RPC-21: -32603 without internals, which go to the log."""
    with caplog.at_level(logging.ERROR, logger="goldfish"):
        answer = await Client(server.app).prompt("breaks")
    assert (200, {"code": -32603, "message": "Internal error"}) == (answer.status, answer.error)
    assert "secret path" in caplog.text


@in_loop
async def test_a_prompt_may_ask_before_it_renders(server: Server) -> None:
    """PRM-08, MRTR-01: prompts/get is one of the three methods that may."""
    client = Client(server.app, FORM)
    asked = await client.prompt("toned")
    assert ["tone"] == list(asked.asked)
    done = await client.prompt("toned", after=asked, answers={"tone": accept(tone="dry")})
    assert "dry" == done.result["messages"][0]["content"]["text"]


@pytest.mark.parametrize(("answer", "word"), [(DECLINE, "decline"), (CANCEL, "cancel")])
@in_loop
async def test_a_prompt_whose_user_says_no_is_refused(server: Server, answer: dict[str, Any], word: str) -> None:
    """MRTR-20, ELI-10: a prompt has no isError, so that a refusal which it does not handle is -32602."""
    done = await Client(server.app, FORM).prompt("toned", answers={"tone": answer})
    assert (400, -32602) == done.refusal
    assert f"The user did not answer: tone: {word}" == done.error["message"]


@in_loop
async def test_a_prompt_may_handle_a_no() -> None:
    """MRTR-20: the refusal is an exception like any other."""
    server = Server("test", "1")

    @server.prompt
    async def toned(ctx: Context) -> str:
        try:
            return str((await ctx.elicit("tone", "Which tone?", FIELD))["tone"])
        except Declined:
            return "plain"

    done = await Client(server.app, FORM).prompt("toned", answers={"tone": DECLINE})
    assert "plain" == done.result["messages"][0]["content"]["text"]


@in_loop
async def test_a_change_is_told_to_those_who_listen(server: Server) -> None:
    """PRM-09: notifications/prompts/list_changed."""
    stream = Client(server.app).open("subscriptions/listen", {"notifications": {"promptsListChanged": True}}, id="p")
    await stream.frame()
    await server.prompts_changed()
    frame = await stream.frame()
    assert "notifications/prompts/list_changed" == frame["method"]
    assert {"_meta": {PREFIX + "subscriptionId": "p"}} == frame["params"]
    await server.close()


@in_loop
async def test_a_plain_function_runs_beside_the_loop() -> None:
    """Ours: what blocks must not stop the others."""
    server = Server("test", "1")

    @server.prompt
    def prompt() -> str:
        return threading.current_thread().name

    result = (await Client(server.app).prompt("prompt")).result
    assert threading.main_thread().name != result["messages"][0]["content"]["text"]


def test_a_name_is_taken_once() -> None:
    """Ours: the error names the prompt and the rule."""
    server = Server("test", "1")

    @server.prompt(name="twice")
    async def one() -> str:
        return ""

    with pytest.raises(ValueError, match="prompt 'twice': it is registered twice"):
        server.prompt(name="twice")(one)


def test_a_prompt_takes_named_arguments_only() -> None:
    """PRM-03: what cannot be filled by name is refused when it is registered."""
    server = Server("test", "1")

    async def prompt(*words: str) -> str:
        return ""

    with pytest.raises(ValueError, match="prompt 'prompt': parameter 'words' must be a plain named one"):
        server.prompt(prompt)
    with pytest.raises(ValueError, match="has no name of its own: pass name="):
        server.prompt(lambda: "")
