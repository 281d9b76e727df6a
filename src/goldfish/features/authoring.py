"""What is read off a function that a server's author registers.

Knows functions, their parameters and docstrings. Knows no feature and no request.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import msgspec

from goldfish.features.context import Context


@contextmanager
def registering(what: str) -> Iterator[None]:
    """Puts in front of every broken rule what it is that breaks it."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from None


def summary(function: Callable[..., Any]) -> str | None:
    """The docstring as a description: cleaned of its indentation, None where there is none."""
    return inspect.getdoc(function) or None


def name_of(function: Callable[..., Any]) -> str:
    name = getattr(function, "__name__", None)
    if not isinstance(name, str) or name == "<lambda>":
        raise ValueError(f"{function!r} has no name of its own: pass name=")
    return name


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter that is not the context. `description` and `title` come from `Annotated[..., Param(...)]`."""

    name: str
    required: bool
    title: str | None
    description: str | None


def parameters(function: Callable[..., Any]) -> tuple[list[Parameter], str | None]:
    """The function's parameters, and the name of the one annotated `Context` (None without)."""
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except NameError as error:
        raise ValueError(f"an annotation cannot be resolved: {error}") from None
    found: list[Parameter] = []
    context: str | None = None
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise ValueError(f"parameter {parameter.name!r} must be a plain named one")
        hint = hints.get(parameter.name)
        if hint is Context:
            context = parameter.name
            continue
        meta = next((m for m in getattr(hint, "__metadata__", ()) if isinstance(m, msgspec.Meta)), msgspec.Meta())
        required = parameter.default is parameter.empty
        found.append(Parameter(parameter.name, required, meta.title, meta.description))
    return found, context


def raw_binding(function: Callable[..., Any]) -> tuple[Callable[[dict[str, Any]], dict[str, Any]], str | None]:
    """How a function with a schema of its author's takes the arguments: whole, as its one parameter."""
    found, context = parameters(function)
    if len(found) != 1:
        raise ValueError("with input_schema= the function takes the arguments as one parameter")
    name = found[0].name
    return lambda arguments: {name: arguments}, context


def check_variables(function: Callable[..., Any], variables: typing.Sequence[str]) -> str | None:
    """That `function` takes exactly `variables`; returns the name of its context parameter."""
    found, context = parameters(function)
    names = {parameter.name for parameter in found}
    required = {parameter.name for parameter in found if parameter.required}
    if not required <= set(variables) <= names:
        raise ValueError(f"the variables are {list(variables)}, but the function takes {sorted(names)}")
    return context


def with_context(arguments: Mapping[str, Any], name: str | None, context: Context) -> dict[str, Any]:
    return {**arguments, name: context} if name is not None else dict(arguments)
