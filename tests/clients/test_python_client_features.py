"""The official Python client at both endpoints: lists, resources, prompts, completion, progress, log, subscriptions."""

import asyncio
from collections.abc import Mapping
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, MCPError
from mcp.client.subscriptions import (
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
)

import goldfish
from tests.clients.person import CANCEL, DECLINE, VERSION, Person, accept, client, play, text

pytestmark = pytest.mark.parametrize("path", ["/mcp", "/strict/mcp"])

OPEN_VAULT: Mapping[str, types.ElicitResult] = {"passphrase": accept(passphrase="mcp")}
#: What each resource that is listed begins with; a blob is told by its media type.
RESOURCES = {
    "demo://server-card": "# Goldfish",
    "demo://logo": "image/png",
    "demo://counter": '{"count":',
    "demo://files/readme.md": "# Files",
    "demo://files/spec.md": "# Specification",
    "demo://files/notes.txt": "Remember the milk.",
    "demo://vault": "The vault is empty",
}
#: The arguments of each prompt, and how its message begins.
PROMPTS = {
    "code-review": ({"language": "python", "code": "x=1"}, "Review this python code."),
    "personalized-greeting": ({}, "Greet me in a pirate tone."),
}


def read(result: types.ReadResourceResult) -> str:
    """The text of the one entry, or the media type of its bytes."""
    (contents,) = result.contents
    return contents.text if isinstance(contents, types.TextResourceContents) else str(contents.mime_type)


def said(result: types.GetPromptResult) -> str:
    (message,) = result.messages
    assert "user" == message.role
    assert isinstance(message.content, types.TextContent)
    return message.content.text


def test_the_client_finds_out_whom_it_talks_to(reference: str, path: str) -> None:
    """DIS-02, DIS-03, DIS-04, TASK-01: left to itself the client asks server/discover, and no handshake follows."""

    async def scenario(connected: Client) -> None:
        assert VERSION == connected.protocol_version
        assert connected.server_info is not None
        assert ("goldfish", goldfish.__version__) == (connected.server_info.name, connected.server_info.version)
        assert "echo" in (connected.instructions or "")
        declared = connected.server_capabilities.model_dump(by_alias=True, exclude_none=True)
        expected = {
            "tools": {"listChanged": True},
            "prompts": {"listChanged": True},
            "resources": {"subscribe": True, "listChanged": True},
            "completions": {},
            "logging": {},
            "extensions": {"io.modelcontextprotocol/tasks": {}},
        }
        assert expected == declared

    play(client(reference + path, mode="auto"), scenario)


def test_every_list_is_listed(reference: str, path: str) -> None:
    """TOOL-01, RES-01, PRM-01, CAC-01: with titles and descriptions, and to be kept for five minutes by anybody."""

    async def scenario(connected: Client) -> None:
        tools, prompts = await connected.list_tools(), await connected.list_prompts()
        resources, templates = await connected.list_resources(), await connected.list_resource_templates()
        listed: list[Any] = [*tools.tools, *prompts.prompts, *resources.resources, *templates.resource_templates]
        assert [] == [entry.name for entry in listed if not (entry.title and entry.description)]
        hints = [(answer.ttl_ms, answer.cache_scope) for answer in (tools, prompts, resources, templates)]
        assert [(300_000, "public")] * 4 == hints
        assert ["demo://files/{name}"] == [template.uri_template for template in templates.resource_templates]

    play(client(reference + path), scenario)


def test_every_resource_is_read(reference: str, path: str) -> None:
    """RES-06, RES-09, RES-10: the vault after its question; whoever adds a resource adds what it begins with."""
    person = Person(OPEN_VAULT)

    async def scenario(connected: Client) -> dict[str, str]:
        listed = await connected.list_resources()
        return {str(entry.uri): read(await connected.read_resource(str(entry.uri))) for entry in listed.resources}

    contents = play(client(reference + path, person), scenario)
    assert RESOURCES == {uri: text[: len(RESOURCES.get(uri, ""))] for uri, text in contents.items()}
    assert ["passphrase"] == person.questions


def test_a_resource_may_ask_until_it_likes_the_answer(reference: str, path: str) -> None:
    """RES-09, MRTR-12."""
    person = Person(lambda key, before: accept(passphrase="mcp" if before else "sesame"))
    result = play(client(reference + path, person), lambda connected: connected.read_resource("demo://vault"))
    assert "The vault is empty" in read(result)
    assert [False, True] == [params.message.startswith("That is not") for _, params in person.asked]


@pytest.mark.parametrize("refusal", [DECLINE, CANCEL], ids=["decline", "cancel"])
def test_a_resource_whose_question_is_refused_is_not_read(
    reference: str, path: str, refusal: types.ElicitResult
) -> None:
    """MRTR-20."""
    person = Person({"passphrase": refusal})
    with pytest.raises(MCPError) as refused:
        play(client(reference + path, person), lambda connected: connected.read_resource("demo://vault"))
    assert -32602 == refused.value.code
    assert refusal.action in refused.value.message


def test_a_file_that_is_not_there_is_named(reference: str, path: str) -> None:
    """RES-03."""
    uri = "demo://files/none.md"
    with pytest.raises(MCPError) as refused:
        play(client(reference + path), lambda connected: connected.read_resource(uri))
    assert (-32602, {"uri": uri}) == (refused.value.code, refused.value.data)


def test_what_may_not_be_kept_is_read_anew(reference: str, path: str) -> None:
    """CAC-01: the client keeps answers as their hints allow, and those of the counter allow nothing."""

    async def scenario(connected: Client) -> tuple[str, str]:
        first = read(await connected.read_resource("demo://counter"))
        async with asyncio.timeout(5):
            while first == (second := read(await connected.read_resource("demo://counter"))):
                pass
        return first, second

    first, second = play(client(reference + path), scenario)
    assert first < second


def test_every_prompt_is_got(reference: str, path: str) -> None:
    """PRM-06, PRM-08: one of them asks first; whoever adds a prompt adds how it begins."""
    person = Person({"tone": accept(tone="pirate")})

    async def scenario(connected: Client) -> dict[str, str]:
        listed = await connected.list_prompts()
        return {
            prompt.name: said(await connected.get_prompt(prompt.name, PROMPTS[prompt.name][0]))
            for prompt in listed.prompts
        }

    messages = play(client(reference + path, person), scenario)
    assert PROMPTS.keys() == messages.keys()
    assert [] == [name for name, (_, begin) in PROMPTS.items() if not messages[name].startswith(begin)]
    assert ["tone"] == person.questions


def test_a_prompt_whose_question_is_declined_does_without(reference: str, path: str) -> None:
    """MRTR-20."""
    person = Person({"tone": DECLINE})
    result = play(client(reference + path, person), lambda connected: connected.get_prompt("personalized-greeting"))
    assert "Greet me." == said(result)


def test_a_prompt_without_a_required_argument_is_refused(reference: str, path: str) -> None:
    """PRM-03."""
    with pytest.raises(MCPError) as refused:
        play(client(reference + path), lambda connected: connected.get_prompt("code-review", {"code": "x"}))
    assert -32602 == refused.value.code
    assert "language" in refused.value.message


def test_arguments_are_completed(reference: str, path: str) -> None:
    """CMP-02: of a prompt and of a template."""

    async def scenario(connected: Client) -> list[list[str]]:
        prompt = types.PromptReference(type="ref/prompt", name="code-review")
        template = types.ResourceTemplateReference(type="ref/resource", uri="demo://files/{name}")
        answers = [
            await connected.complete(prompt, {"name": "language", "value": "py"}),
            await connected.complete(prompt, {"name": "code", "value": "x"}),
            await connected.complete(template, {"name": "name", "value": ""}),
        ]
        return [answer.completion.values for answer in answers]

    expected = [["python"], [], ["readme.md", "spec.md", "notes.txt"]]
    assert expected == play(client(reference + path), scenario)


def test_progress_and_log_are_told_while_the_tool_works(reference: str, path: str) -> None:
    """PRG-02, LOG-01, LOG-03: to the callbacks of the client, step by step, before the result."""
    person = Person()

    async def scenario(connected: Client) -> str:
        arguments = {"steps": 3, "delayMs": 10}
        return text(await connected.call_tool("long-task", arguments, progress_callback=person.progress))

    assert "completed 3 steps" == play(client(reference + path, person, log_level="info"), scenario)
    assert [(float(step), 3.0, f"Step {step} of 3") for step in (1, 2, 3)] == person.steps
    lines = [(line.level, line.logger, line.data) for line in person.logged]
    assert [("info", "long-task", f"finished step {step} of 3") for step in (1, 2, 3)] == lines


def test_nothing_is_logged_below_the_level_that_was_asked_for(reference: str, path: str) -> None:
    """LOG-01, LOG-02."""
    for level in (None, "warning"):
        person = Person()
        chosen: types.LoggingLevel | None = "warning" if level else None
        opened = client(reference + path, person, log_level=chosen)
        play(opened, lambda connected: connected.call_tool("echo", {"message": "hi"}))
        assert [] == person.logged


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ("tools", ToolsListChanged()),
        ("prompts", PromptsListChanged()),
        ("resources", ResourcesListChanged()),
        ("resource-updated", ResourceUpdated("demo://counter")),
    ],
)
def test_a_change_is_told_to_a_client_that_listens(
    reference: str, path: str, event: str, expected: ServerEvent
) -> None:
    """SUBS-02, SUBS-04, SUBS-05, TOOL-29, PRM-09, RES-15."""

    async def scenario(connected: Client) -> tuple[types.SubscriptionFilter, ServerEvent]:
        listening = connected.listen(
            tools_list_changed=True,
            prompts_list_changed=True,
            resources_list_changed=True,
            resource_subscriptions=["demo://counter"],
        )
        async with listening as subscription:
            await connected.call_tool("trigger-notifications", {"event": event})
            return subscription.honored, await anext(subscription)

    honored, told = play(client(reference + path), scenario)
    assert expected == told
    assert (True, True, True) == (
        honored.tools_list_changed,
        honored.prompts_list_changed,
        honored.resources_list_changed,
    )
    assert ["demo://counter"] == honored.resource_subscriptions


def test_only_what_was_asked_for_is_told(reference: str, path: str) -> None:
    """SUBS-04: a stream for prompts stays silent about tools, though it was told of them first."""

    async def scenario(connected: Client) -> ServerEvent:
        async with connected.listen(prompts_list_changed=True) as subscription:
            for event in ("tools", "resources", "resource-updated", "prompts"):
                await connected.call_tool("trigger-notifications", {"event": event})
            return await anext(subscription)

    assert PromptsListChanged() == play(client(reference + path), scenario)


def test_a_client_that_gives_up_a_call_goes_on(reference: str, path: str) -> None:
    """CAN-01: the stream of the call is closed; the next one is answered."""
    person = Person()

    async def scenario(connected: Client) -> str:
        arguments = {"steps": 10, "delayMs": 20}
        begun = asyncio.Event()

        async def progress(progress: float, total: float | None, message: str | None) -> None:
            begun.set()

        call = asyncio.create_task(connected.call_tool("long-task", arguments, progress_callback=progress))
        await begun.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        return text(await connected.call_tool("echo", {"message": "next"}))

    assert "echo: next" == play(client(reference + path, person), scenario)
