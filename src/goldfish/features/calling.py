"""Calling what a server's author wrote: sync or async functions alike.

Knows functions. A sync function runs in a thread, so that it never stops the event loop.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any

Handler = Callable[..., Awaitable[Any]]


def as_async(function: Callable[..., Any]) -> Handler:
    """An async function of the same parameters."""
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None)):  # noqa: B004
        handler: Handler = function
        return handler

    async def in_thread(*arguments: Any, **named: Any) -> Any:
        value = await asyncio.to_thread(_call, function, arguments, named)
        return await value if inspect.isawaitable(value) else value  # a plain wrapper around an async function

    return in_thread


def _call(function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    try:
        return function(*arguments, **named)
    except StopIteration as error:  # which no future can carry: whoever waits for it would wait for ever
        raise RuntimeError("the function raised StopIteration") from error
