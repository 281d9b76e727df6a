"""A stateless tool server in one file: a JSON-RPC request goes in as a dict, a response comes out as a dict.

Knows: the frame, the version, `tools/list`, `tools/call`, and how a tool asks the client for more.
Must not know: any transport, any session, anything about an earlier request. A tool's question and the client's
answer are two unrelated calls, and the second may well reach another process.

Where the contract leaves a choice open, the comment beginning with "Open:" says what was chosen and why.
"""

from __future__ import annotations

import contextlib
import copy
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

VERSION = "2026-07-28"
INVALID_REQUEST, METHOD_NOT_FOUND, INTERNAL_ERROR = -32600, -32601, -32603

Object = dict[str, Any]


class InputRequired(Exception):
    """Raised by a handler that cannot finish yet; `requests` reaches the client exactly as given."""

    def __init__(self, requests: Any) -> None:
        super().__init__(requests)
        self.requests = requests


class Tool(NamedTuple):
    """What was registered. Frozen, so that no call can change what the next call sees."""

    name: str
    description: str
    schema: Object
    required: tuple[str, ...]
    handler: Callable[[Any, Any], Any]


class MCPServer:
    """Register tools, then give it requests. The tools are all it remembers; any number of threads may use it."""

    def __init__(self) -> None:
        self._tools: dict[str, Tool] = {}
        self._lock = threading.Lock()
        # One table instead of a chain of ifs: what is not a row here is an unknown method.
        self._methods: dict[str, Callable[[Object], Object]] = {
            "initialize": self._initialize,
            "tools/list": self._list_tools,
            "tools/call": self._call_tool,
        }

    def register_tool(self, name: str, description: str, schema: dict[str, Any], handler: Callable[..., Any]) -> None:
        """Offer a tool. `handler(arguments, inputResponses)` is called once per `tools/call`.

        Open: registering a name again replaces the tool and keeps its place in the list.
        Raises TypeError when `name` is not a string, since no request could name such a tool.
        """
        if not isinstance(name, str):
            raise TypeError("name must be a string")
        # A copy: a schema edited after registration must not change what requests are checked against.
        tool = Tool(name, description, copy.deepcopy(schema), _required(schema), handler)
        with self._lock:
            self._tools[name] = tool

    def handle_request(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer one request; never raises (KeyboardInterrupt aside, see `_call_tool`).

        Open: the id is whatever was sent, 0 and null included; null when there is none, because the caller of a
        function wants a return value even where JSON-RPC would keep silent.
        """
        request_id = None
        try:
            if isinstance(request, dict):
                request_id = request.get("id")
            outcome = self._answer(request)
        except Exception:
            # The last net. Nothing known leads here, and a caller is owed a response all the same.
            outcome = _error(INTERNAL_ERROR, "Internal error")
        return {"jsonrpc": "2.0", "id": request_id, **outcome}

    def _answer(self, request: Any) -> Object:
        # Open: the order of the checks is outside in: frame, version, method, tool, arguments. Each needs the one
        # before it: what a method means depends on the version, and a version can only be read out of a sound frame.
        if not isinstance(request, dict):
            return _error(INVALID_REQUEST, "Invalid request: it must be an object")
        if request.get("jsonrpc") != "2.0":
            return _error(INVALID_REQUEST, 'Invalid request: jsonrpc must be "2.0"')
        method = request.get("method")
        if not isinstance(method, str):
            return _error(INVALID_REQUEST, "Invalid request: method must be a string")
        # Open: params that are not an object hold nothing, as if absent; the list of -32600 causes is closed.
        params = request.get("params")
        if not isinstance(params, dict):
            params = {}
        for meta in (request.get("_meta"), params.get("_meta")):
            # Every request names its version because no handshake settled one. Open: either place can refuse, also
            # when the other is right; an explicit null is a version other than ours; a _meta that is not an object
            # carries no version.
            if isinstance(meta, dict) and meta.get("protocolVersion", VERSION) != VERSION:
                return _error(INVALID_REQUEST, f"Invalid request: _meta.protocolVersion must be {VERSION}")
        answer = self._methods.get(method)
        if answer is None:
            return _error(METHOD_NOT_FOUND, f"Method not found: {method}")
        return answer(params)

    def _initialize(self, params: Object) -> Object:
        # Unknown like any other method, yet worth a sentence: this is the first thing an older client sends.
        return _error(METHOD_NOT_FOUND, f"Method not found: the stateless {VERSION} specification removed initialize")

    def _list_tools(self, params: Object) -> Object:
        # A snapshot, for another thread may register a tool while we walk the list.
        with self._lock:
            tools = list(self._tools.values())
        return _result(
            tools=[
                {"name": tool.name, "description": tool.description, "inputSchema": copy.deepcopy(tool.schema)}
                for tool in tools
            ]
        )

    def _call_tool(self, params: Object) -> Object:
        # Open: a name that is missing or not a string (it may be unhashable) is a tool nobody registered.
        name = params.get("name")
        tool = self._tools.get(name) if isinstance(name, str) else None
        if tool is None:
            return _failure("Tool not found")
        # Open: null arguments are no arguments. Any other non-object names none, so a required one is missing; where
        # none is required it is refused all the same: a tool should not run on input it was not sent.
        arguments = params.get("arguments")
        if arguments is None:
            arguments = {}
        given = arguments if isinstance(arguments, dict) else {}
        for argument in tool.required:
            # Open: null is a value, as in JSON Schema; only an absent key is missing.
            if argument not in given:
                return _failure(f"Missing required argument: {argument}")
        if not isinstance(arguments, dict):
            return _failure("Error: arguments must be an object")
        try:
            # No lock is held here: a slow tool delays nobody, and a tool may use its own server.
            # Open: inputResponses are passed as sent, whatever their type, and None when absent.
            return _run(tool, arguments, params.get("inputResponses"))
        except BaseException as error:
            # Open: also SystemExit, for a tool that calls sys.exit() must not end the server. Only KeyboardInterrupt
            # escapes: it is the operator's wish to stop, not the tool's failure.
            if isinstance(error, KeyboardInterrupt):
                raise
            return _failure(f"Error: {_message(error)}")


def _run(tool: Tool, arguments: Object, responses: Any) -> Object:
    try:
        # Open: str() of anything, so a handler that returns None answers "None". An output whose __str__ raises
        # fails like a handler that raises.
        return _result(content=_text(str(tool.handler(arguments, responses))))
    except InputRequired as question:
        # Not an error: the client repeats the call with its answers in params.inputResponses. Nothing is kept here
        # in the meantime, so a client that never comes back costs nothing.
        return _result(
            resultType="input_required",
            requests=question.requests,
            content=_text("Additional client input is required before this tool can finish."),
        )


def _required(schema: Any) -> tuple[str, ...]:
    # Open: the schema's own order decides which missing argument is named. A schema without a list of names there
    # requires nothing: checking schemas is not this lesson's subject.
    names = schema.get("required") if isinstance(schema, dict) else None
    return tuple(name for name in names if isinstance(name, str)) if isinstance(names, (list, tuple)) else ()


def _message(error: BaseException) -> str:
    with contextlib.suppress(Exception):
        return f"{error}"
    # Open: an exception that cannot even say its message is named by its class.
    return type(error).__name__


def _text(text: str) -> list[Object]:
    return [{"type": "text", "text": text}]


def _failure(text: str) -> Object:
    """A failed tool is a result, so that the model reads the text and can try again."""
    return _result(isError=True, content=_text(text))


def _result(**members: Any) -> Object:
    return {"result": members}


def _error(code: int, message: str) -> Object:
    """A request nobody could act on is a JSON-RPC error, for the program that sent it."""
    return {"error": {"code": code, "message": message}}
