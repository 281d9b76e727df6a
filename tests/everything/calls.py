"""Calls the reference server as a client would, at its strict endpoint. Knows HTTP and JSON; knows no feature."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

from goldfish.everything import curl

FORM: Mapping[str, Any] = {"elicitation": {"form": {}}}
URL: Mapping[str, Any] = {"elicitation": {"url": {}}}


@dataclass(frozen=True)
class Answer:
    """The HTTP status and every JSON-RPC message, the response last."""

    status: int
    messages: list[dict[str, Any]]

    @property
    def result(self) -> dict[str, Any]:
        result: dict[str, Any] = self.messages[-1]["result"]
        return result

    @property
    def error(self) -> dict[str, Any]:
        error: dict[str, Any] = self.messages[-1]["error"]
        return error

    @property
    def text(self) -> str:
        """The text of the only content block."""
        (block,) = self.result["content"]
        text: str = block["text"]
        return text

    @property
    def asked(self) -> dict[str, Any]:
        """The questions of a result that needs input."""
        assert "input_required" == self.result["resultType"]
        questions: dict[str, Any] = self.result["inputRequests"]
        return questions


class Client:
    """Sends one request on a connection of its own."""

    def __init__(self, base: str) -> None:
        self._address = urlsplit(base).netloc

    def send(self, method: str, params: Mapping[str, Any], meta: Mapping[str, Any]) -> Answer:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": curl.VERSION,
            **curl.headers(method, params),
        }
        connection = HTTPConnection(self._address, timeout=5)
        try:
            connection.request("POST", "/strict/mcp", json.dumps(body), headers)
            response = connection.getresponse()
            text = response.read().decode()
        finally:
            connection.close()
        if response.headers.get_content_type() != "text/event-stream":
            return Answer(response.status, [json.loads(text)])
        lines = [line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:")]
        return Answer(response.status, [json.loads(line) for line in lines])

    def ask(
        self,
        method: str,
        params: Mapping[str, Any],
        capabilities: Mapping[str, Any] | None = None,
        after: Answer | None = None,
        answers: Mapping[str, Any] | None = None,
        **meta: Any,
    ) -> Answer:
        """A request; with `after` a retry that echoes that answer's state; with `answers` one that brings them."""
        retry: dict[str, Any] = {} if answers is None else {"inputResponses": answers}
        if after is not None and "requestState" in after.result:
            retry["requestState"] = after.result["requestState"]
        return self.send(method, {**params, **retry}, curl.envelope(capabilities, **meta))

    def call(self, name: str, arguments: Mapping[str, Any] | None = None, *rest: Any, **more: Any) -> Answer:
        return self.ask("tools/call", {"name": name, "arguments": arguments or {}}, *rest, **more)

    def read(self, uri: str, *rest: Any, **more: Any) -> Answer:
        return self.ask("resources/read", {"uri": uri}, *rest, **more)

    def prompt(self, name: str, arguments: Mapping[str, str] | None = None, *rest: Any, **more: Any) -> Answer:
        return self.ask("prompts/get", {"name": name, "arguments": arguments or {}}, *rest, **more)


def accept(**content: Any) -> dict[str, Any]:
    """The answer of a user who filled in a form."""
    return {"action": "accept", "content": content}


DECLINE: Mapping[str, Any] = {"action": "decline"}
CANCEL: Mapping[str, Any] = {"action": "cancel"}
