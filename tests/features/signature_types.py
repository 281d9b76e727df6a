"""Types for the tests of signatures, at the top of a module, where annotations in quotes can find them."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, Required, TypedDict

import msgspec


class Context:
    """Stands for what a handler is given beside its arguments."""


@dataclass(frozen=True)
class Header:
    name: str


class Size(enum.Enum):
    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"


class Level(enum.IntEnum):
    LOW = 2
    HIGH = 1


@dataclass
class Point:
    x: int
    y: int = 0
    size: Size = Size.LARGE
    label: str | None = None
    tags: tuple[str, ...] = ()


class Tree(msgspec.Struct):
    value: int
    children: list[Tree] = []


class Options(TypedDict, total=False):
    depth: Required[int]
    where: Point


class Pair(NamedTuple):
    left: int
    right: str


class Circle(msgspec.Struct, tag=True):
    radius: float


class Square(msgspec.Struct, tag=True):
    side: float


@dataclass
class Routed:
    region: Annotated[str, Header("Region")]


@dataclass
class Positive:
    value: int

    def __post_init__(self) -> None:
        if self.value <= 0:
            raise ValueError("value must be positive")


@dataclass
class Unfinished:
    value: Missing  # type: ignore[name-defined]  # noqa: F821


def taking(hint: Any, *default: Any) -> Callable[..., None]:
    """A function with one parameter `a` of this type."""

    def one(a: Any) -> None:
        raise AssertionError("it is only looked at")

    one.__annotations__ = {"a": hint}
    one.__defaults__ = default or None
    return one


async def quoted(
    ctx: Context, point: Point, size: Annotated[Size | None, Header("Size")] = None, *, deep: bool = False
) -> Missing:  # type: ignore[name-defined]  # noqa: F821
    """Annotations of a module whose annotations are all text, one of which nobody needs."""
