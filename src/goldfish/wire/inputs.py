"""Questions to the client and its answers: elicitation, sampling and roots, as they travel inside results and retries.

Knows the shapes of patterns/mrtr and of the three client features. Knows no request, no state and no handler. What
does not have the shape of an answer is no answer: `read_answer` gives None for it, and the question is asked again
(MRTR-12).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal

import msgspec
from msgspec import Raw, field

from goldfish.wire.content import Role, SamplingContent, TextContent

Action = Literal["accept", "decline", "cancel"]


@dataclass(frozen=True, slots=True)
class InputRequest:
    """One question: the method and params that the client sees, and the capabilities it must have declared.

    `needs` names keys of `goldfish.wire.meta.CAPABILITIES` (MRTR-05). Made by `form`, `visit`, `sampling` and
    `roots_list`.
    """

    method: str
    params: Mapping[str, Any]
    needs: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """MRTR-03: method and params, without id and jsonrpc."""
        return {"method": self.method, "params": self.params}


class ElicitResult(msgspec.Struct, frozen=True):
    """client/elicitation. `content` is None unless the user accepted a form: what came with a refusal is never used."""

    action: Action
    content: dict[str, str | int | float | bool | list[str]] | None = None


class CreateMessageResult(msgspec.Struct, frozen=True, rename="camel"):
    """client/sampling. The content is one block or a list of blocks (SAM-04)."""

    role: Role
    content: SamplingContent | list[SamplingContent]
    model: str
    stop_reason: str | None = None

    @property
    def blocks(self) -> Sequence[SamplingContent]:
        return self.content if isinstance(self.content, list) else (self.content,)

    @property
    def text(self) -> str:
        """The text blocks, joined by line breaks."""
        return "\n".join(block.text for block in self.blocks if isinstance(block, TextContent))


class Root(msgspec.Struct, frozen=True):
    uri: str
    name: str | None = None
    meta: dict[str, Any] | None = field(name="_meta", default=None)


class ListRootsResult(msgspec.Struct, frozen=True):
    """client/roots. An empty list is a valid answer (ROO-03)."""

    roots: list[Root]


Answer = ElicitResult | CreateMessageResult | ListRootsResult

ELICIT: Final = "elicitation/create"
SAMPLE: Final = "sampling/createMessage"
ROOTS: Final = "roots/list"

_DECODERS: Final[Mapping[str, msgspec.json.Decoder[Any]]] = MappingProxyType(
    {
        ELICIT: msgspec.json.Decoder(ElicitResult),
        SAMPLE: msgspec.json.Decoder(CreateMessageResult),
        ROOTS: msgspec.json.Decoder(ListRootsResult),
    }
)


class _Action(msgspec.Struct, frozen=True):
    """The one member of an ElicitResult that a refusal needs."""

    action: Action


_action: Final = msgspec.json.Decoder(_Action)


def read_answer(request: InputRequest, raw: bytes | Raw) -> Answer | None:
    """The client's answer to `request`, or None when it has not the shape of one."""
    try:
        if request.method == ELICIT and (action := _action.decode(raw).action) != "accept":
            return ElicitResult(action)  # ELI-10: what came with a refusal is dropped, and may be anything
        answer: Answer = _DECODERS[request.method].decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return None
    if isinstance(answer, ListRootsResult):
        # ROO-02: a root is a file:// URI, and anything else is ignored.
        return ListRootsResult([root for root in answer.roots if root.uri.startswith("file://")])
    return answer
