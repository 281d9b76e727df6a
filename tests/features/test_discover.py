"""server/discover: what a server says of itself, and that it is true."""

from collections.abc import Callable

import pytest

from goldfish import Hints, Icon, Server
from tests.support.inprocess import PREFIX, Client, Json, in_loop

INFO = PREFIX + "serverInfo"


def with_tool(server: Server) -> None:
    @server.tool
    async def tool() -> str:
        return ""


def with_prompt(server: Server) -> None:
    @server.prompt
    async def prompt() -> str:
        return ""


def with_resource(server: Server) -> None:
    @server.resource("test://resource")
    async def resource() -> str:
        return ""


def with_completion(server: Server) -> None:
    @server.prompt(complete={"argument": ["value"]})
    async def completed(argument: str) -> str:
        return argument


async def discovered(server: Server) -> Json:
    return (await Client(server.app).call("server/discover")).result


@in_loop
async def test_a_server_with_nothing_can_be_discovered() -> None:
    """DIS-01, DIS-02, CAC-01: discover is always there, with everything that its result must have."""
    answer = await Client(Server("test", "1", logging=False).app).call("server/discover")
    expected = {
        "resultType": "complete",
        "_meta": {INFO: {"name": "test", "version": "1"}},
        "ttlMs": 0,
        "cacheScope": "private",
        "supportedVersions": ["2026-07-28"],
        "capabilities": {},
    }
    assert 200 == answer.status
    assert expected == answer.result


@in_loop
async def test_instructions_are_told_where_there_are_some() -> None:
    """DIS-03: a text for the model."""
    assert "Ask twice." == (await discovered(Server("test", "1", instructions="Ask twice.")))["instructions"]
    assert "instructions" not in await discovered(Server("test", "1"))


@in_loop
async def test_the_identity_stands_in_the_metadata_of_every_result() -> None:
    """DIS-04, ENV-09, ENV-20: in `_meta`, whole, and nowhere else."""
    server = Server(
        "test",
        "1.2",
        title="A test",
        description="For tests.",
        website_url="https://example.com",
        icons=[Icon(src="https://example.com/i.png", mime_type="image/png", sizes=["48x48"], theme="dark")],
    )
    with_tool(server)
    expected = {
        "name": "test",
        "version": "1.2",
        "title": "A test",
        "description": "For tests.",
        "websiteUrl": "https://example.com",
        "icons": [{"src": "https://example.com/i.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}],
    }
    client = Client(server.app)
    result = await discovered(server)
    assert expected == result["_meta"][INFO]
    assert "serverInfo" not in result
    assert expected == (await client.call("tools/list")).result["_meta"][INFO]
    assert expected == (await client.tool("tool")).result["_meta"][INFO]


CAPABILITIES: list[tuple[Callable[[Server], None], Json]] = [
    (with_tool, {"tools": {"listChanged": True}}),
    (with_prompt, {"prompts": {"listChanged": True}}),
    (with_resource, {"resources": {"subscribe": True, "listChanged": True}}),
    (with_completion, {"prompts": {"listChanged": True}, "completions": {}}),
]


@pytest.mark.parametrize(("register", "expected"), CAPABILITIES)
@in_loop
async def test_the_capabilities_are_those_of_what_is_registered(
    register: Callable[[Server], None], expected: Json
) -> None:
    """DIS-05, DIS-06, TOOL-01, RES-01, PRM-01, CMP-01: each is declared when there is something behind it."""
    server = Server("test", "1", logging=False)
    assert {} == (await discovered(server))["capabilities"]
    register(server)
    assert expected == (await discovered(server))["capabilities"]


@in_loop
async def test_logging_is_declared_unless_it_is_turned_off() -> None:
    """DIS-06, LOG-04: declared where handlers may send log messages."""
    assert {"logging": {}} == (await discovered(Server("test", "1")))["capabilities"]


METHODS: list[tuple[Callable[[Server], None], str, Json]] = [
    (with_tool, "tools/list", {}),
    (with_tool, "tools/call", {"name": "tool"}),
    (with_prompt, "prompts/list", {}),
    (with_prompt, "prompts/get", {"name": "prompt"}),
    (with_resource, "resources/list", {}),
    (with_resource, "resources/templates/list", {}),
    (with_resource, "resources/read", {"uri": "test://resource"}),
    (
        with_completion,
        "completion/complete",
        {"ref": {"type": "ref/prompt", "name": "completed"}, "argument": {"name": "argument", "value": ""}},
    ),
]


@pytest.mark.parametrize(("register", "method", "params"), METHODS)
@in_loop
async def test_what_is_declared_answers_and_what_is_not_is_not_found(
    register: Callable[[Server], None], method: str, params: Json
) -> None:
    """DIS-05, HTTP-12, CMP-01: one predicate decides over the capability and over the method."""
    server = Server("test", "1")
    assert (404, -32601) == (await Client(server.app).call(method, params)).refusal
    register(server)
    answer = await Client(server.app).call(method, params)
    assert (200, "complete") == (answer.status, answer.result["resultType"])


@in_loop
async def test_listening_needs_something_to_listen_to() -> None:
    """DIS-05, SUBS-15: a server whose lists cannot change has no such method."""
    answer = await Client(Server("test", "1").app).call("subscriptions/listen", {"notifications": {}})
    assert (404, -32601) == answer.refusal


@in_loop
async def test_further_params_make_no_difference() -> None:
    """DIS-07: what discover does not know it ignores."""
    client = Client(Server("test", "1").app)
    assert (await client.call("server/discover")).body == (await client.call("server/discover", {"cursor": 5})).body


@in_loop
async def test_the_answer_is_the_same_for_every_client() -> None:
    """DIS-08, ENV-10: it depends neither on the connection nor on who the client says it is."""
    server = Server("test", "1", list_hints=Hints(5000, "public"))
    with_tool(server)
    one = await Client(server.app).call("server/discover", meta={PREFIX + "clientInfo": {"name": "a", "version": "1"}})
    other = await Client(server.app, {"roots": {}}).call("server/discover")
    assert one.body == other.body
