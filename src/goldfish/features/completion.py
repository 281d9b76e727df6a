"""Completion of prompt arguments and template variables (server/utilities/completion).

Knows completers by what they complete. Knows prompts and templates only by the two questions it is given the answers
to: whether there is such a thing, and which arguments it has.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from typing import Final, Literal

from goldfish.features.calling import Handler, as_async
from goldfish.kernel.context import Request
from goldfish.kernel.method import Method
from goldfish.wire.errors import invalid_params
from goldfish.wire.methods import CompleteParams, CompleteResult, Completion, PromptReference, Result

#: Values to choose from, which are matched by their beginning, or a function of what is typed so far and the other
#: arguments, which returns the values in order of relevance.
Completer = Sequence[str] | Callable[[str, Mapping[str, str]], Iterable[str] | Awaitable[Iterable[str]]]
Kind = Literal["prompt", "resource"]

MAX_VALUES: Final = 100  # CMP-03


class Completions:
    """`arguments_of(kind, name)` gives the arguments that a prompt or template has, None where there is none."""

    def __init__(self, arguments_of: Callable[[Kind, str], Collection[str] | None]) -> None:
        self._arguments_of = arguments_of
        self._completers: dict[tuple[Kind, str, str], Sequence[str] | Handler] = {}

    def __bool__(self) -> bool:
        return bool(self._completers)

    def add(self, kind: Kind, name: str, completers: Mapping[str, Completer]) -> None:
        known = self._arguments_of(kind, name) or ()
        for argument, completer in completers.items():
            if argument not in known:
                raise ValueError(f"{kind} {name!r} has no argument {argument!r} to complete")
            if isinstance(completer, str) or not (callable(completer) or isinstance(completer, Sequence)):
                raise ValueError(f"{kind} {name!r}: the completer of {argument!r} is neither a sequence nor a function")
            self._completers[kind, name, argument] = as_async(completer) if callable(completer) else completer

    def methods(self) -> list[Method]:
        return [Method("completion/complete", CompleteParams, self._complete, available=self.__bool__)]

    async def _complete(self, request: Request[CompleteParams]) -> Result:
        params = request.params
        kind: Kind
        if isinstance(params.ref, PromptReference):
            kind, name = "prompt", params.ref.name
        else:
            kind, name = "resource", params.ref.uri
        arguments = self._arguments_of(kind, name)
        if arguments is None:
            raise invalid_params(f"Unknown {kind} to complete: {name[:80]!r}")  # CMP-04
        argument = params.argument.name
        if argument not in arguments:
            raise invalid_params(f"{kind} {name} has no argument {argument[:80]!r}")
        completer = self._completers.get((kind, name, argument), ())  # CMP-05: nothing to offer is no error
        values = await _values(completer, params.argument.value, params.context.arguments)
        return CompleteResult(completion=_capped(values))


async def _values(completer: Sequence[str] | Handler, typed: str, others: Mapping[str, str]) -> list[str]:
    if callable(completer):
        return list(await completer(typed, others))
    return [value for value in completer if value.startswith(typed)]


def _capped(values: list[str]) -> Completion:
    if len(values) <= MAX_VALUES:
        return Completion(values, total=len(values), has_more=False)
    return Completion(values[:MAX_VALUES], total=len(values), has_more=True)
