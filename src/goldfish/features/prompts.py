"""Prompts: registration, prompts/list and prompts/get (server/prompts).

Knows prompts and nothing of other features. An unknown prompt, a missing argument and an argument that is no string are
-32602 (PRM-03, PRM-04); arguments that no prompt declared are ignored (PRM-05).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET, Raw, field

from goldfish.features.authoring import name_of, parameters, registering, summary, with_context
from goldfish.features.caching import Hints
from goldfish.features.calling import Handler, as_async
from goldfish.features.context import Context
from goldfish.features.inputs import Asking
from goldfish.features.listing import Pager
from goldfish.kernel.context import Request
from goldfish.kernel.method import Method
from goldfish.wire import jsonrpc
from goldfish.wire.content import CONTENT_TYPES, Icon, PromptMessage, Shape, TextContent
from goldfish.wire.errors import invalid_params
from goldfish.wire.methods import GetPromptParams, GetPromptResult, ListParams, ListPromptsResult, Result


class PromptArgument(Shape, frozen=True):
    name: str
    title: str | None = None
    description: str | None = None
    required: bool | None = None


class PromptEntry(Shape, frozen=True):
    """One line of prompts/list."""

    name: str
    title: str | None = None
    description: str | None = None
    arguments: Sequence[PromptArgument] | None = None
    icons: Sequence[Icon] | None = None
    meta: Mapping[str, Any] | None = field(name="_meta", default=None)


@dataclass(frozen=True, slots=True)
class Prompt:
    listing: Raw
    description: str | None
    names: frozenset[str]
    required: tuple[str, ...]
    call: Handler
    context_parameter: str | None


class Prompts:
    """The prompts of one server, in the order of registration."""

    def __init__(self, asking: Asking, pager: Pager, hints: Hints) -> None:
        self._asking = asking
        self._pager = pager
        self._hints = hints
        self._prompts: dict[str, Prompt] = {}

    def __bool__(self) -> bool:
        return bool(self._prompts)

    def arguments(self, name: str) -> frozenset[str] | None:
        """The arguments of a prompt; None where there is no such prompt."""
        prompt = self._prompts.get(name)
        return None if prompt is None else prompt.names

    def add(
        self,
        function: Callable[..., Any],
        *,
        name: str | None,
        title: str | None,
        description: str | None,
        icons: Sequence[Icon],
        meta: Mapping[str, Any] | None,
    ) -> str:
        """Registers `function` and returns the prompt's name; raises ValueError that names the prompt and the rule."""
        name = name or name_of(function)
        with registering(f"prompt {name!r}"):
            if name in self._prompts:
                raise ValueError("it is registered twice")
            found, context_parameter = parameters(function)
        description = description if description is not None else summary(function)
        arguments = [
            PromptArgument(name=each.name, title=each.title, description=each.description, required=each.required)
            for each in found
        ]
        entry = PromptEntry(
            name=name,
            title=title,
            description=description,
            arguments=arguments or None,
            icons=tuple(icons) or None,
            meta=meta,
        )
        self._prompts[name] = Prompt(
            listing=Raw(jsonrpc.encode(entry)),
            description=description,
            names=frozenset(each.name for each in found),
            required=tuple(each.name for each in found if each.required),
            call=as_async(function),
            context_parameter=context_parameter,
        )
        return name

    def methods(self) -> list[Method]:
        there = self.__bool__
        return [
            Method("prompts/list", ListParams, self._list, available=there),
            Method("prompts/get", GetPromptParams, self._get, "name", self._check, available=there, streams="may"),
        ]

    async def _list(self, request: Request[ListParams]) -> Result:
        entries = ((name, prompt.listing) for name, prompt in self._prompts.items())
        prompts, cursor = self._pager.page(request, entries)
        return self._hints.on(ListPromptsResult(prompts=prompts, next_cursor=cursor))

    def _check(self, request: Request[GetPromptParams]) -> None:
        prompt = self._prompts.get(request.params.name)
        if prompt is None:
            raise invalid_params(f"Unknown prompt: {request.params.name[:80]!r}")
        for name in prompt.required:
            if name not in request.params.arguments:
                raise invalid_params(f"Missing required argument of prompt {request.params.name}: {name}")

    async def _get(self, request: Request[GetPromptParams]) -> Result:
        prompt = self._prompts[request.params.name]
        given = {name: value for name, value in request.params.arguments.items() if name in prompt.names}

        async def handler(context: Context) -> Result:
            value = await prompt.call(**with_context(given, prompt.context_parameter, context))
            description = UNSET if prompt.description is None else prompt.description
            return GetPromptResult(messages=_messages(value), description=description)

        return await self._asking.run(request, request.params.arguments, handler)


def _messages(value: Any) -> Sequence[PromptMessage]:
    """What a prompt returned, as messages: see `Server.prompt` for the shapes."""
    if isinstance(value, list | tuple):
        return [_message(each) for each in value]
    return [_message(value)]


def _message(value: Any) -> PromptMessage:
    if isinstance(value, PromptMessage):
        return value
    if isinstance(value, str):
        return PromptMessage(role="user", content=TextContent(text=value))
    if isinstance(value, CONTENT_TYPES):
        return PromptMessage(role="user", content=value)
    raise TypeError(f"a prompt returns text, content or messages, not {type(value).__name__}")
