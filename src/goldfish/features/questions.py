"""What a handler can ask the client, and what counts as an answer.

Knows elicitation, sampling and roots (client/*) and the rules a server must keep when it asks. Knows no request and no
state. A question that breaks a rule is the author's mistake and raises ValueError where it is made; an answer that
breaks one counts as none, so that the question is asked again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET, Raw

from goldfish.features.forms import check_form
from goldfish.features.schema import Validator
from goldfish.wire.content import SamplingMessage, TextContent, ToolResultContent, ToolUseContent
from goldfish.wire.inputs import ELICIT, ROOTS, SAMPLE, Answer, ElicitResult, InputRequest, read_answer

_VISIBLE: Final = re.compile(r"[!-~]+\Z")  # RFC 3986, 2: everything else is percent-encoded


class InputRequired(BaseException):
    """Ends this round of a request with questions to the client (patterns/mrtr).

    `requests` maps keys of the server's choice to questions; `state`, any JSON value, comes back as `ctx.state` with
    the retry. One of the two must be there (MRTR-02). It is no Exception, like asyncio.CancelledError, so that a
    handler's own `except Exception` does not swallow the question.
    """

    def __init__(self, requests: Mapping[str, InputRequest] | None = None, state: Any = UNSET) -> None:
        super().__init__("the client must be asked")
        self.requests = dict(requests or {})
        self.state = state


class NotAccepted(Exception):
    """The user did not accept the question `key`. `action` is "decline" or "cancel" (client/elicitation)."""

    action: Literal["decline", "cancel"]

    def __init__(self, key: str) -> None:
        super().__init__(f"{key}: {self.action}")
        self.key = key


class Declined(NotAccepted):
    """The user said no."""

    action = "decline"


class Cancelled(NotAccepted):
    """The user closed the question without an answer."""

    action = "cancel"


def form(message: str, schema: Mapping[str, Any]) -> InputRequest:
    """A form for the user. `schema` is the flat subset of JSON Schema of client/elicitation "Requested Schema"."""
    _form_validator(msgspec.json.encode(schema))
    return InputRequest(
        ELICIT, {"mode": "form", "message": message, "requestedSchema": schema}, needs=("elicitation.form",)
    )


def visit(message: str, url: str) -> InputRequest:
    """A page for the user to open. Accepting is consent to open it, not the outcome (ELI-09).

    `url` is http or https and must carry no secret and no personal data (ELI-08).
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or not _VISIBLE.match(url):
        raise ValueError(f"url must be an http or https URL, not {url!r}")
    if "@" in parts.netloc:
        raise ValueError("url must carry no user name and no password")  # ELI-08
    return InputRequest(ELICIT, {"mode": "url", "message": message, "url": url}, needs=("elicitation.url",))


def sampling(
    messages: str | Sequence[SamplingMessage],
    max_tokens: int,
    *,
    system_prompt: str | None = None,
    temperature: float | None = None,
    stop_sequences: Sequence[str] | None = None,
    model_preferences: Mapping[str, Any] | None = None,
    include_context: Literal["none", "thisServer", "allServers"] | None = None,
    tools: Sequence[Mapping[str, Any]] | None = None,
    tool_choice: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> InputRequest:
    """A completion by the client's model (client/sampling). A plain string is one message of the user."""
    if isinstance(messages, str):
        messages = [SamplingMessage(role="user", content=TextContent(text=messages))]
    _check_history(messages)
    optional = {
        "systemPrompt": system_prompt,
        "temperature": temperature,
        "stopSequences": stop_sequences,
        "modelPreferences": model_preferences,
        "includeContext": include_context,
        "tools": tools,
        "toolChoice": tool_choice,
        "metadata": metadata,
    }
    params = {"messages": messages, "maxTokens": max_tokens}
    params.update({key: value for key, value in optional.items() if value is not None})
    needs = ["sampling"]
    if tools is not None or tool_choice is not None:
        needs.append("sampling.tools")  # SAM-01
    if include_context in ("thisServer", "allServers"):
        needs.append("sampling.context")
    return InputRequest(SAMPLE, params, tuple(needs))


def roots_list() -> InputRequest:
    """The folders the client is willing to name (client/roots)."""
    return InputRequest(ROOTS, {}, needs=("roots",))


def settle(request: InputRequest, raw: bytes | Raw) -> Answer | None:
    """The answer to `request`, or None where it has not the right shape or breaks the form's schema (ELI-10)."""
    answer = read_answer(request, raw)
    if isinstance(answer, ElicitResult) and answer.action == "accept":
        if request.params["mode"] == "url":
            return ElicitResult("accept")  # ELI-11: consent has no content
        content = answer.content or {}
        if _form_validator(msgspec.json.encode(request.params["requestedSchema"])).problems(content):
            return None
        return ElicitResult("accept", content)
    return answer


@lru_cache(maxsize=256)
def _form_validator(schema: bytes) -> Validator:
    parsed = msgspec.json.decode(schema)
    check_form(parsed)
    return Validator(parsed)


def _check_history(messages: Sequence[SamplingMessage]) -> None:
    """SAM-03: tool results stand alone, and every tool use is answered by the very next message."""
    open_uses: set[str] = set()
    for message in messages:
        blocks = message.content if isinstance(message.content, Sequence) else [message.content]
        results = {block.tool_use_id for block in blocks if isinstance(block, ToolResultContent)}
        if results and (message.role != "user" or not all(isinstance(block, ToolResultContent) for block in blocks)):
            raise ValueError("a message with a tool_result must be the user's and hold nothing but tool_results")
        if results != open_uses:
            raise ValueError("every tool_use must be answered by a tool_result in the very next message")
        open_uses = {block.id for block in blocks if isinstance(block, ToolUseContent)}
    if open_uses:
        raise ValueError("the last message leaves a tool_use without its tool_result")
