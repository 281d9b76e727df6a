"""Tools: what may be registered, how it is listed, what reaches the function, and which error is whose."""

import functools
import threading
import warnings
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest

from goldfish import Context, Header, Icon, Param, Server, ToolAnnotations, ToolError
from tests.support.inprocess import PREFIX, Client, Json, in_loop

EVERYTHING: Json = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "a": {"$ref": "#/$defs/short"},
        "b": {"oneOf": [{"type": "null"}, {"const": "x"}], "x-of-ours": {"any": ["thing", None]}},
    },
    "$defs": {"short": {"$anchor": "short", "type": "string", "maxLength": 3}},
    "allOf": [{"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": True}],
    "additionalProperties": {"not": {"type": "array"}},
}


@pytest.fixture
def server() -> Server:
    server = Server("test", "1")

    @server.tool(title="Adder", icons=[Icon(src="data:image/png;base64,AA==")], meta={"example.com/x": True})
    async def add(
        first: Annotated[int, Param(ge=0, description="One of the two.")],
        second: int = 1,
        mode: Literal["sum", "text"] = "sum",
        note: str | None = None,
    ) -> str:
        """Adds.

        Two numbers.
        """
        return f"{first + second} {mode} {note}"

    @server.tool(annotations=ToolAnnotations(title="Reads", read_only_hint=True, destructive_hint=False))
    async def nothing() -> str:
        return "nothing"

    @server.tool(input_schema=EVERYTHING, output_schema={"type": "array"}, description="Raw.")
    async def raw(arguments: dict[str, Any], ctx: Context) -> list[Any]:
        return sorted(arguments)

    return server


async def listed(server: Server) -> list[Json]:
    tools: list[Json] = (await Client(server.app).call("tools/list")).result["tools"]
    return tools


@in_loop
async def test_a_signature_becomes_the_input_schema(server: Server) -> None:
    """TOOL-06, TOOL-08, ENV-20: an object at the root; a tool without parameters takes nothing else."""
    add, nothing, _ = await listed(server)
    assert {"add", "Adder", "Adds.\n\nTwo numbers."} == {add["name"], add["title"], add["description"]}
    assert [{"src": "data:image/png;base64,AA=="}] == add["icons"]
    assert {"example.com/x": True} == add["_meta"]
    schema = add["inputSchema"]
    assert ("object", ["first"], False) == (schema["type"], schema["required"], schema["additionalProperties"])
    assert {"type": "integer", "minimum": 0, "description": "One of the two."} == schema["properties"]["first"]
    assert ["first", "second", "mode", "note"] == list(schema["properties"])
    assert {"type": "object", "additionalProperties": False} == nothing["inputSchema"]


@in_loop
async def test_the_hints_about_behaviour_are_listed(server: Server) -> None:
    """TOOL-28, TOOL-34: and there is no `execution`, which this revision does not have."""
    nothing = (await listed(server))[1]
    assert {"title": "Reads", "readOnlyHint": True, "destructiveHint": False} == nothing["annotations"]
    assert {"name", "inputSchema", "annotations"} == set(nothing)


@in_loop
async def test_schemas_of_the_author_s_are_listed_as_they_are(server: Server) -> None:
    """TOOL-07, TOOL-23: every keyword of 2020-12 and every x-; an output schema has any root."""
    raw = (await listed(server))[2]
    assert EVERYTHING == raw["inputSchema"]
    assert {"type": "array"} == raw["outputSchema"]


@in_loop
async def test_the_list_has_one_order_and_calls_do_not_change_it(server: Server) -> None:
    """TOOL-02, TOOL-03: byte by byte, for every client, before and after a call."""
    first = await Client(server.app).call("tools/list")
    await Client(server.app, {"roots": {}}).tool("nothing")
    assert first.body == (await Client(server.app, {"roots": {}}).call("tools/list")).body
    assert ["add", "nothing", "raw"] == [tool["name"] for tool in first.result["tools"]]


@pytest.mark.parametrize("name", ["a", "A-b_c.9", "x" * 128])
def test_a_good_name_goes_without_a_word(name: str) -> None:
    """TOOL-04: 1 to 128 letters, digits, underscores, hyphens and dots."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Server("test", "1").tool(name=name)(noop)


@pytest.mark.parametrize("name", ["größe", "two words", "a/b", "a,b", "x" * 129, "new\nline"])
def test_a_bad_name_is_warned_about(name: str) -> None:
    """TOOL-04: it works, yet clients may have their trouble with it."""
    with pytest.warns(UserWarning, match="TOOL-04"):
        Server("test", "1").tool(name=name)(noop)


@pytest.mark.parametrize("name", ["größe", "two words", " padded ", "=?base64?YQ==?="])
@in_loop
async def test_a_tool_of_any_name_can_be_called(name: str) -> None:
    """TOOL-05, HDR-10, HDR-15: the header has it in its base64 form."""
    server = Server("test", "1")
    with pytest.warns(UserWarning):
        server.tool(name=name)(noop)
    assert "noop" == (await Client(server.app).tool(name)).text


async def noop() -> str:
    return "noop"


async def takes(value: Any) -> str:
    return "taken"


async def mirrored(amount: Annotated[float, Header("Amount")]) -> str:
    return "never"


async def unresolved(value: "Missing") -> str:  # type: ignore[name-defined]  # noqa: F821
    return "never"


def registering(function: Callable[..., Any], **how: Any) -> Callable[[], object]:
    return lambda: Server("test", "1").tool(name="broken", **how)(function)


def on(node: Any, **more: Any) -> Json:
    return {"type": "object", "properties": {"value": node}, **more}


REFUSED: list[tuple[Callable[[], object], str]] = [
    (registering(takes, input_schema={"type": "array"}), "inputSchema"),
    (registering(takes, input_schema={}), "inputSchema"),
    (registering(takes, input_schema=on({"type": 5})), "inputSchema"),
    (
        registering(takes, input_schema=on({"$ref": "https://example.com/x.json"})),
        r"\$ref 'https://example.com/x.json'",
    ),
    (registering(takes, input_schema=on({"$ref": "other.json"})), "leaves the schema"),
    (registering(takes, input_schema=on({}, **{"$schema": "https://example.com/mine"})), "dialect"),
    (registering(takes, output_schema={"$ref": "file:///etc/passwd"}), "outputSchema"),
    (registering(takes, output_schema={"type": "nonsense"}), "outputSchema"),
    (registering(takes, input_schema=on({"type": "number", "x-mcp-header": "A"})), "/properties/value"),
    (registering(takes, input_schema=on({"type": "string", "x-mcp-header": ""})), "/properties/value"),
    (registering(takes, input_schema=on({"type": "string", "x-mcp-header": "a b"})), "RFC 9110"),
    (registering(takes, input_schema=on({"items": {"type": "string", "x-mcp-header": "A"}})), "/items"),
    (registering(mirrored), "x-mcp-header"),
    (registering(noop, input_schema={"type": "object"}), "takes the arguments as one parameter"),
    (registering(lambda a, b: "", input_schema={"type": "object"}), "takes the arguments as one parameter"),
    (registering(lambda value: ""), "parameter 'value' has no annotation"),
    (registering(unresolved), "annotation cannot be resolved"),
]


@pytest.mark.parametrize(("register", "rule"), REFUSED)
def test_a_tool_that_breaks_a_rule_is_refused_when_it_is_registered(register: Callable[[], object], rule: str) -> None:
    """TOOL-06, TOOL-09, TOOL-10, HDR-18, HDR-19, HDR-20: the error names the tool, the place and the rule."""
    with pytest.raises(ValueError, match=rule) as refused:
        register()
    assert str(refused.value).startswith("tool 'broken': ")


def test_a_name_is_taken_once() -> None:
    """TOOL-04: names are unique, and differ in case."""
    server = Server("test", "1")
    server.tool(name="twice")(noop)
    server.tool(name="Twice")(noop)
    with pytest.raises(ValueError, match="tool 'twice': it is registered twice"):
        server.tool(name="twice")(noop)


def test_a_function_without_a_name_needs_one() -> None:
    """Ours: nothing is called `<lambda>`, or like the class of a callable."""
    for nameless in (lambda: "", functools.partial(noop)):
        with pytest.raises(ValueError, match="has no name of its own: pass name="):
            Server("test", "1").tool(nameless)


@in_loop
async def test_arguments_reach_the_function_as_its_types_say(server: Server) -> None:
    """TOOL-12: defaults fill what is left out; 2.0 is the integer 2; null for an optional one is the same as absent."""
    client = Client(server.app)
    assert "3 sum None" == (await client.tool("add", {"first": 2})).text
    assert "4 text hi" == (await client.tool("add", {"first": 2.0, "second": 2, "mode": "text", "note": "hi"})).text
    assert "3 sum None" == (await client.tool("add", {"first": 2, "second": None, "note": None})).text


@in_loop
async def test_a_schema_of_the_author_s_judges_nulls_itself(server: Server) -> None:
    """TOOL-07: nothing is dropped there."""
    result = (await Client(server.app).tool("raw", {"b": None, "c": 1})).result
    assert ["b", "c"] == result["structuredContent"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "first"),
        ({"first": "2"}, "first"),
        ({"first": -1}, "first"),
        ({"first": 1.5}, "first"),
        ({"first": True}, "first"),
        ({"first": None}, "first"),
        ({"first": 1, "mode": "other"}, "mode"),
        ({"first": 1, "third": 1}, "third"),
        ({"first": 1, "ctx": "x"}, "ctx"),
    ],
)
@in_loop
async def test_arguments_that_do_not_fit_are_told_to_the_model(server: Server, arguments: Json, told: str) -> None:
    """TOOL-12, TOOL-15: a result with isError, whose text names the place, so that the model can correct itself."""
    answer = await Client(server.app).tool("add", arguments)
    assert (200, True) == (answer.status, answer.result["isError"])
    assert answer.text.startswith("Invalid arguments for add: ")
    assert told in answer.text


@in_loop
async def test_what_the_schema_cannot_judge_is_told_as_well() -> None:
    """TOOL-15: whether a text is base64, for one, is found when it becomes bytes."""
    server = Server("test", "1")

    @server.tool
    async def size(data: bytes) -> int:
        return len(data)

    client = Client(server.app)
    assert "2" == (await client.tool("size", {"data": "AAA="})).text
    answer = await client.tool("size", {"data": "!"})
    assert (200, True) == (answer.status, answer.result["isError"])
    assert answer.text.startswith("Invalid arguments for size: ")


@in_loop
async def test_arguments_may_be_left_out(server: Server) -> None:
    """TOOL-17: absent means {}."""
    assert "nothing" == (await Client(server.app).call("tools/call", {"name": "nothing"})).text


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"arguments": {}},
        {"name": 5},
        {"name": None},
        {"name": ["nothing"]},
        {"name": "nothing", "arguments": []},
        {"name": "nothing", "arguments": None},
        {"name": "nothing", "arguments": "x"},
    ],
)
@in_loop
async def test_params_that_are_no_call_are_refused(server: Server, params: Json) -> None:
    """TOOL-14: -32602, since that is no mistake of a model."""
    assert (400, -32602) == (await Client(server.app).call("tools/call", params)).refusal


@in_loop
async def test_an_unknown_tool_is_refused(server: Server) -> None:
    """TOOL-13: a JSON-RPC error and no result; names have a case."""
    for name in ("other", "Nothing"):
        answer = await Client(server.app).tool(name)
        assert (400, -32602) == answer.refusal
        assert f"Unknown tool: '{name}'" == answer.error["message"]


@in_loop
async def test_further_params_are_ignored(server: Server) -> None:
    """TOOL-32, TOOL-33: the `task` of an older revision among them."""
    answer = await Client(server.app).call("tools/call", {"name": "nothing", "task": {"ttl": 1}, "other": None})
    assert ("nothing", "complete") == (answer.text, answer.result["resultType"])


@in_loop
async def test_a_mirrored_argument_is_compared_before_anything_runs(server: Server) -> None:
    """HDR-17, HDR-21, TOOL-12: the header agrees, or the call does not begin."""
    region_of: list[str] = []

    @server.tool
    async def ask(region: Annotated[str, Header("Region")]) -> str:
        region_of.append(region)
        return region

    client = Client(server.app)
    assert "eu" == (await client.tool("ask", {"region": "eu"}, headers={"mcp-param-region": "eu"})).text
    assert (400, -32020) == (await client.tool("ask", {"region": "eu"})).refusal
    assert (400, -32020) == (await client.tool("ask", {"region": "eu"}, headers={"mcp-param-region": "us"})).refusal
    assert ["eu"] == region_of


@in_loop
async def test_a_failure_of_the_tool_is_a_result() -> None:
    """TOOL-16, TOOL-31: ToolError says what the model is told; any other exception its message, or its name."""
    server = Server("test", "1")
    failures: dict[str, BaseException] = {
        "told": ToolError("that handle has expired"),
        "crash": RuntimeError("no disk"),
        "mute": KeyError(),
        "exits": SystemExit(3),
        "stops": StopIteration(),
    }
    for name in failures:

        @server.tool(name=name)
        def fails(kind: str = name) -> str:
            raise failures[kind]

    client = Client(server.app)
    answers = {name: await client.tool(name) for name in failures}
    assert {(200, True)} == {(answer.status, answer.result["isError"]) for answer in answers.values()}
    told = {name: answer.text for name, answer in answers.items()}
    expected = {
        "told": "that handle has expired",
        "crash": "no disk",
        "mute": "KeyError",
        "exits": "3",
        "stops": "the function raised StopIteration",
    }
    assert expected == told


@in_loop
async def test_only_what_is_unexpected_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """TOOL-16, ours: a ToolError is an answer, a crash is a defect with a traceback."""
    server = Server("test", "1")

    @server.tool
    async def told() -> str:
        raise ToolError("told")

    @server.tool
    async def crash() -> str:
        raise RuntimeError("crashed")

    await Client(server.app).tool("told")
    assert [] == caplog.records
    await Client(server.app).tool("crash")
    (record,) = caplog.records
    assert "tool crash failed" == record.getMessage()
    assert record.exc_info is not None


@in_loop
async def test_a_plain_function_runs_beside_the_loop(server: Server) -> None:
    """Ours: what blocks must not stop the others."""

    @server.tool
    def blocking() -> str:
        return threading.current_thread().name

    assert threading.main_thread().name != (await Client(server.app).tool("blocking")).text


@in_loop
async def test_a_plain_wrapper_around_an_async_function_is_awaited(server: Server) -> None:
    """Ours: many decorators are written like that."""

    @server.tool
    @functools.wraps(noop)
    def wrapped() -> Any:
        return noop()

    assert "noop" == (await Client(server.app).tool("noop")).text


@in_loop
async def test_a_change_is_told_to_those_who_listen(server: Server) -> None:
    """TOOL-29, TOOL-02: what was registered meanwhile is in the next list."""
    stream = Client(server.app).open("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, id=0)
    await stream.frame()
    server.tool(noop)
    await server.tools_changed()
    frame = await stream.frame()
    assert "notifications/tools/list_changed" == frame["method"]
    assert {"_meta": {PREFIX + "subscriptionId": 0}} == frame["params"]
    assert "noop" == (await listed(server))[-1]["name"]
    await server.close()
