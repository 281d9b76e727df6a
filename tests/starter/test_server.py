"""The starter server: what its contract says, and what was decided where the contract is silent."""

from __future__ import annotations

import ast
import doctest
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from .support import EXAMPLE, STARTER, verify

module: Any = verify.load(STARTER)
Handler = Callable[[Any, Any], Any]


def server(handler: Handler = lambda arguments, answers: "done", schema: Any = None) -> Any:
    """A server with one tool, `t`."""
    made = module.MCPServer()
    made.register_tool("t", "A tool.", {} if schema is None else schema, handler)
    return made


def request(method: Any = "tools/call", **members: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, **members}


def call(made: Any, **params: Any) -> Any:
    """The result of calling `t`."""
    return made.handle_request(request(params={"name": "t", **params}))["result"]


def text(value: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": value}]}


def failed(value: str) -> dict[str, Any]:
    return {"isError": True, **text(value)}


def code(made: Any, sent: Any) -> Any:
    return made.handle_request(sent).get("error", {}).get("code")


def test_the_module_imports_the_standard_library_alone() -> None:
    """Starter contract: one module, standard library only, imports nothing of the package."""
    tree = ast.parse(STARTER.read_text(encoding="utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert set() == {name.split(".")[0] for name in names} - sys.stdlib_module_names


@pytest.mark.parametrize("sent", [0, -1, "", "0", 2**70, 1.5, None, False, [1], {"a": 1}])
def test_the_id_comes_back_as_it_was_sent(sent: Any) -> None:
    """Starter contract: the request's id is preserved; ours: whatever it is, also in an error."""
    assert sent is server().handle_request({**request(), "id": sent})["id"]
    assert sent is server().handle_request({"id": sent})["id"]


def test_a_request_without_an_id_is_answered_with_null() -> None:
    """Ours: a function that promises a dict returns one, where JSON-RPC would keep silent."""
    answer = server().handle_request({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert ("2.0", None, -32601) == (answer["jsonrpc"], answer["id"], answer["error"]["code"])


@pytest.mark.parametrize("sent", [None, [], "tools/list", 5, [request()]])
def test_what_is_not_a_dict_is_an_invalid_request_with_id_null(sent: Any) -> None:
    """Starter contract: -32600; ours: there is no id to preserve, and a list is no batch."""
    answer = server().handle_request(sent)
    assert (-32600, None) == (answer["error"]["code"], answer["id"])


def test_an_empty_method_is_a_string_and_thus_unknown() -> None:
    """Starter contract: -32600 is for a method that is absent or no string."""
    assert -32601 == code(server(), request(""))
    assert -32600 == code(server(), request([]))


@pytest.mark.parametrize("method", ["initialize", "nope", "tools/list", "tools/call"])
def test_a_wrong_version_is_refused_before_the_method_is_looked_at(method: str) -> None:
    """Ours: the order is frame, version, method, tool, arguments."""
    assert -32600 == code(server(), request(method, _meta={"protocolVersion": "1"}))
    assert -32600 == code(server(), request(method, params={"_meta": {"protocolVersion": "1"}}))


@pytest.mark.parametrize("version", [None, "", 0, False, [], {}])
def test_any_protocol_version_that_is_carried_has_to_be_right(version: Any) -> None:
    """Starter contract: other than "2026-07-28" is -32600; ours: a null is carried too."""
    assert -32600 == code(server(), request("tools/list", _meta={"protocolVersion": version}))


@pytest.mark.parametrize("meta", [None, [], "2025-11-25", 5, True])
def test_a_meta_that_is_no_object_carries_no_version(meta: Any) -> None:
    """Ours: the causes of -32600 are a closed list."""
    assert {"jsonrpc": "2.0", "id": 1, "result": text("done")} == server().handle_request(
        request(_meta=meta, params={"name": "t", "_meta": meta})
    )


@pytest.mark.parametrize("params", [None, [], ["t"], "t", 0, True])
def test_params_that_are_no_object_count_as_absent(params: Any) -> None:
    """Ours: a list needs none, and a call then names no tool."""
    assert ["t"] == [
        tool["name"] for tool in server().handle_request(request("tools/list", params=params))["result"]["tools"]
    ]
    assert failed("Tool not found") == server().handle_request(request(params=params))["result"]


@pytest.mark.parametrize("name", [None, 0, True, [], ["t"], {"t": 1}, "T", "t "])
def test_a_name_that_names_no_tool_is_an_unknown_tool(name: Any) -> None:
    """Starter contract: Tool not found; ours: also where the name is no string, or not hashable."""
    assert failed("Tool not found") == call(server(), name=name)


def test_absent_and_null_arguments_are_an_empty_dict_and_absent_answers_none() -> None:
    """Ours: what a handler's author expects to be given."""
    seen: list[Any] = []
    made = server(lambda *given: seen.append(given))
    call(made)
    call(made, arguments=None, inputResponses=None)
    assert [({}, None), ({}, None)] == seen


@pytest.mark.parametrize("arguments", [[], ["a"], "a", "", 0, 5, True, False])
def test_arguments_that_are_no_object_do_not_reach_the_tool(arguments: Any) -> None:
    """Ours: a required argument is missing from them; where none is required they are refused all the same."""
    seen: list[Any] = []
    assert failed("Missing required argument: a") == call(server(schema={"required": ["a"]}), arguments=arguments)
    assert failed("Error: arguments must be an object") == call(
        server(lambda *given: seen.append(given)), arguments=arguments
    )
    assert [] == seen


def test_the_first_missing_argument_in_the_order_of_required_is_named() -> None:
    """Ours: the schema's order, not that of the names or of the arguments."""
    made = server(schema={"required": ["b", "a"]})
    assert failed("Missing required argument: b") == call(made, arguments={})
    assert failed("Missing required argument: a") == call(made, arguments={"b": None})
    assert text("done") == call(made, arguments={"a": 0, "b": ""})


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"required": None},
        {"required": "a"},
        {"required": {"a": 1}},
        {"required": [1, [], None]},
        None,
        [],
        "schema",
        5,
    ],
)
def test_a_schema_without_a_list_of_names_requires_nothing(schema: Any) -> None:
    """Ours: checking schemas is not the starter's subject, yet none may break a call or the list."""
    made = module.MCPServer()
    made.register_tool("t", "A tool.", schema, lambda arguments, answers: "done")
    assert text("done") == call(made, arguments={})
    assert [schema] == [tool["inputSchema"] for tool in made.handle_request(request("tools/list"))["result"]["tools"]]


@pytest.mark.parametrize("answers", [{}, {"a": 1}, [], ["a"], "a", 0, False])
def test_answers_reach_the_tool_as_they_were_sent(answers: Any) -> None:
    """Starter contract: handler(arguments, inputResponses); ours: whatever their type."""
    seen: list[Any] = []
    call(server(lambda *given: seen.append(given)), inputResponses=answers)
    assert [({}, answers)] == seen


@pytest.mark.parametrize("output", [None, 0, "", " a\n", {"b": "a"}, [1, None], 1.0, b"x", {"content": []}])
def test_the_text_of_a_success_is_the_outputs_str(output: Any) -> None:
    """Starter contract: str(output); ours: None, too."""
    assert text(str(output)) == call(server(lambda arguments, answers: output))


@pytest.mark.parametrize("requests", [{}, {"a": {"b": 1}}, [1], "a", None, 0])
def test_a_question_carries_its_requests_unchanged(requests: Any) -> None:
    """Starter contract: input_required; ours: the very object, and a subclass asks as well."""

    class Own(module.InputRequired):  # type: ignore[misc]
        pass

    for kind in (module.InputRequired, Own):
        answer = call(server(raising(kind(requests))))
        assert requests is answer["requests"]
        assert ("input_required", {"resultType", "requests", "content"}) == (answer["resultType"], set(answer))


def raising(error: BaseException) -> Handler:
    def handler(arguments: Any, answers: Any) -> Any:
        raise error

    return handler


class Mute(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


class Weird(BaseException):
    pass


class Blind(module.InputRequired):  # type: ignore[misc]
    """A question that never got its requests."""

    def __init__(self) -> None:
        pass


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("no"), "no"),
        (KeyError("k"), "'k'"),
        (ValueError(), ""),
        (SystemExit(3), "3"),
        (SystemExit(), ""),
        (Weird("odd"), "odd"),
        (GeneratorExit("end"), "end"),
        (Mute(), "Mute"),
        (StopIteration(1), "1"),
    ],
)
def test_whatever_a_handler_raises_becomes_a_failed_result(error: BaseException, said: str) -> None:
    """Starter contract: Error: {e}, and nothing escapes; ours: nor does SystemExit, a mute error gives its class."""
    assert failed(f"Error: {said}") == call(server(raising(error)))


def test_the_operators_interrupt_is_the_one_thing_that_escapes() -> None:
    """Ours: Ctrl-C is not the tool's failure, and a server has to stop for it."""
    with pytest.raises(KeyboardInterrupt):
        call(server(raising(KeyboardInterrupt())))


def test_an_output_or_a_question_that_fails_on_its_way_out_is_a_failed_result() -> None:
    """Ours: both are the tool's doing, so both are answered like an exception it raised."""
    assert failed("Error: no words") == call(server(lambda arguments, answers: Mute()))
    assert call(server(raising(Blind())))["isError"] is True


def test_a_handler_that_cannot_be_called_so_is_a_failed_result() -> None:
    """Ours: found at the call, and told to the client like any other failure."""
    handlers: list[Any] = [lambda: "none", lambda a, b, c: "three", None, "text"]
    for handler in handlers:
        answer = call(server(handler))
        assert (True, "Error: ") == (answer["isError"], answer["content"][0]["text"][:7])


def test_a_request_that_breaks_the_server_itself_is_an_internal_error() -> None:
    """Ours: the last net; only a dict that is none gets this far."""

    class Trap(dict[str, Any]):
        def get(self, key: str, default: Any = None) -> Any:
            raise ValueError("trap")

    answer = server().handle_request(Trap(request()))
    assert {"jsonrpc": "2.0", "id": None, "error": {"code": -32603, "message": "Internal error"}} == answer


def test_registering_a_name_again_replaces_the_tool_in_its_place() -> None:
    """Ours: a dict's way, which is what a reader of `register` expects."""
    made = server()
    made.register_tool("u", "", {}, lambda arguments, answers: "u")
    made.register_tool("t", "Again.", {"type": "object"}, lambda arguments, answers: "again")
    tools = made.handle_request(request("tools/list"))["result"]["tools"]
    assert [("t", "Again."), ("u", "")] == [(tool["name"], tool["description"]) for tool in tools]
    assert text("again") == call(made)


@pytest.mark.parametrize("name", [None, 5, [], b"t"])
def test_a_tool_whose_name_is_no_string_is_refused_when_registered(name: Any) -> None:
    """Ours: no request could name it."""
    with pytest.raises(TypeError, match=r"^name must be a string$"):
        module.MCPServer().register_tool(name, "", {}, lambda arguments, answers: "")


def test_neither_the_registered_nor_the_listed_schema_reaches_into_the_server() -> None:
    """Ours: an edit outside changes nothing that a later request sees."""
    schema: dict[str, Any] = {"required": ["a"]}
    made = server(schema=schema)
    schema["required"].clear()
    made.handle_request(request("tools/list"))["result"]["tools"][0]["inputSchema"].clear()
    assert {"required": ["a"]} == made.handle_request(request("tools/list"))["result"]["tools"][0]["inputSchema"]
    assert failed("Missing required argument: a") == call(made)


def test_a_tool_may_use_its_own_server_while_it_runs() -> None:
    """Ours: no lock is held around a handler."""
    made = module.MCPServer()

    def handler(arguments: Any, answers: Any) -> Any:
        made.register_tool("late", "", {}, lambda arguments, answers: "late")
        return made.handle_request(request(id="inner", params={"name": "late"}))

    made.register_tool("t", "", {}, handler)
    assert text(str({"jsonrpc": "2.0", "id": "inner", "result": text("late")})) == call(made)


def test_a_slow_tool_delays_no_other_request() -> None:
    """Ours: requests of several threads run at once, each with its own id and answer."""
    all_in = threading.Barrier(4)  # passed only when four calls are inside their tool at the same time
    made = server(lambda arguments, answers: f"{arguments['n']} {all_in.wait(timeout=5)}"[:1])
    found: dict[int, Any] = {}

    def work(n: int) -> None:
        found[n] = made.handle_request({**request(params={"name": "t", "arguments": {"n": n}}), "id": n})

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=5)
    assert {n: {"jsonrpc": "2.0", "id": n, "result": text(str(n))} for n in range(4)} == found


def test_tools_may_be_registered_while_others_are_listed_and_called() -> None:
    """Ours: a list is a snapshot, whatever another thread registers meanwhile."""
    made = server()
    stop = threading.Event()
    wrong: list[Any] = []

    def read() -> None:
        while not stop.is_set():
            listed = made.handle_request(request("tools/list"))
            if "result" not in listed or text("done") != call(made):
                wrong.append(listed)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for thread in readers:
        thread.start()
    for n in range(300):
        made.register_tool(f"t{n}", "", {}, lambda arguments, answers: "")
    stop.set()
    for thread in readers:
        thread.join(timeout=5)
    assert [] == wrong
    assert 301 == len(made.handle_request(request("tools/list"))["result"]["tools"])


def test_the_example_in_the_readme_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: what the page shows is what happens."""
    monkeypatch.setitem(sys.modules, "mcp_server", module)
    failures, examples = doctest.testfile(str(EXAMPLE / "README.md"), module_relative=False)
    assert (0, True) == (failures, examples > 0)
