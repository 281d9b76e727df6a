"""The Context: what the handler of a tool, a resource or a prompt sees of its request.

Knows the request and this round's answers. Knows neither how state is sealed nor how a question becomes a result.
Asking works by replay: a handler is run again from the top with every retry, and what was answered returns at once.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, cast

import msgspec
from msgspec import UNSET, Raw

from goldfish.features.questions import (
    Cancelled,
    Declined,
    InputRequired,
    form,
    roots_list,
    sampling,
    settle,
    visit,
)
from goldfish.kernel.profile import Profile
from goldfish.wire.content import SamplingMessage
from goldfish.wire.inputs import Answer, CreateMessageResult, ElicitResult, InputRequest, ListRootsResult, Root
from goldfish.wire.meta import CAPABILITIES, LogLevel, RequestMeta, supports

_NOTHING: Mapping[str, Raw] = {}


class Round:
    """The answers a request brings along.

    sent      inputResponses as they came
    carried   answers of earlier rounds, out of the requestState
    asked     the keys the requestState asked for; None without a requestState
    own       the handler's own state
    settled   what this run has found answered, to be carried into the next round
    begun     whether this run has asked anything yet
    """

    __slots__ = ("asked", "begun", "carried", "own", "sent", "settled")

    def __init__(
        self,
        sent: Mapping[str, Raw] = _NOTHING,
        carried: Mapping[str, Raw] = _NOTHING,
        asked: frozenset[str] | None = None,
        own: Any = UNSET,
    ) -> None:
        self.sent = sent
        self.carried = carried
        self.asked = asked
        self.own = own
        self.settled: dict[str, Raw] = {}
        self.begun = False

    def answer(self, key: str, first: bool) -> Raw | None:
        """What the client answered to `key`, if that may count.

        With a requestState only the keys it asked for count; without one only those of the handler's first question, so
        that no client can answer what it was never asked.
        """
        if key in self.carried:
            return self.carried[key]
        counts = first if self.asked is None else key in self.asked
        return self.sent.get(key) if counts else None


class Detached(BaseException):
    """The handler wants to go on after the request has been answered; see `Context.detach`."""


class Scene(Protocol):
    """Where a handler runs: within a request, or after it, as a task."""

    @property
    def meta(self) -> RequestMeta: ...

    @property
    def profile(self) -> Profile: ...

    @property
    def principal(self) -> str | None: ...

    def require(self, extension: str) -> None: ...

    async def progress(self, progress: float, total: float | None, message: str | None) -> None: ...

    async def log(self, level: LogLevel, data: Any, logger: str | None) -> None: ...


class Context:
    """One request, as its handler sees it."""

    __slots__ = ("attached", "round", "scene")

    def __init__(self, scene: Scene, round: Round) -> None:
        self.scene = scene
        self.round = round
        #: Whether `detach` still has to answer the request.
        self.attached = False

    @property
    def meta(self) -> RequestMeta:
        """The request's `_meta`: protocol version, client info and capabilities, log level, progress token."""
        return self.scene.meta

    @property
    def principal(self) -> str | None:
        """Who the transport says the caller is; None when it does not know."""
        return self.scene.principal

    @property
    def responses(self) -> Mapping[str, Any]:
        """This round's inputResponses as the client sent them, unchecked; what Python cannot hold is left out."""
        parsed: dict[str, Any] = {}
        for key, raw in self.round.sent.items():
            with contextlib.suppress(msgspec.DecodeError, RecursionError):  # 1e999, for one
                parsed[key] = msgspec.json.decode(raw)
        return parsed

    @property
    def state(self) -> Any:
        """What an earlier round of this request stored here; None at first. Any JSON value.

        It travels through the client inside requestState: signed, so the client cannot change it, but readable.
        """
        return None if self.round.own is UNSET else self.round.own

    @state.setter
    def state(self, value: Any) -> None:
        self.round.own = value

    def supports(self, capability: str) -> bool:
        """Whether the client declared `capability` for this request: a key of goldfish.wire.meta.CAPABILITIES.

        Those are "elicitation.form", "elicitation.url", "sampling", "sampling.tools", "sampling.context" and "roots".
        """
        if capability not in CAPABILITIES:
            raise ValueError(f"capability must be one of {', '.join(CAPABILITIES)}, not {capability!r}")
        return supports(self.meta.client_capabilities, capability)

    async def detach(self) -> None:
        """Answers the request with a task that goes on from here, in a tool with `task=` and `asks_first=True`.

        What was asked before is asked within the request; what follows runs as a task. Elsewhere it does nothing.
        """
        if self.attached:
            raise Detached

    def require(self, extension: str) -> None:
        """Ends the request with -32021 unless the client declared `extension`, such as "com.example/thing"."""
        self.scene.require(extension)

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Tells the client how far this request has come, if it asked (patterns/progress)."""
        await self.scene.progress(progress, total, message)

    async def log(self, level: LogLevel, data: Any, logger: str | None = None) -> None:
        """Sends a log message to the client, if it asked for this level (server/utilities/logging)."""
        await self.scene.log(level, data, logger)

    async def ask(self, **requests: InputRequest) -> dict[str, Answer]:
        """Asks several things at once; returns when all are answered, refusals included.

        An elicitation's answer has `action` ("accept", "decline", "cancel") and `content`, which is there only after an
        accepted form and then fits its schema. A client that lacks a needed capability gets -32021 (MRTR-06).
        """
        round = self.round
        first = not round.begun
        round.begun = True
        answers: dict[str, Answer] = {}
        missing: dict[str, InputRequest] = {}
        for key, request in requests.items():
            raw = round.answer(key, first)
            answer = None if raw is None else settle(request, raw)
            if answer is None:
                missing[key] = request  # MRTR-14: asked again, not an error
            else:
                answers[key] = answer
                round.settled[key] = Raw(msgspec.json.encode(answer))
        if missing:
            raise InputRequired(missing)
        return answers

    async def elicit(self, key: str, message: str, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Asks the user to fill in a form; returns its content, valid by `schema` (client/elicitation).

        Raises Declined or Cancelled when the user did; left alone, they end a tool with isError and the rest with
        -32602.
        """
        answer = await self._elicited(key, form(message, schema))
        return dict(answer.content or {})

    async def elicit_url(self, key: str, message: str, url: str) -> None:
        """Asks the user to open `url`; returns when the user agreed to, which says nothing of the outcome (ELI-09)."""
        await self._elicited(key, visit(message, url))

    async def _elicited(self, key: str, request: InputRequest) -> ElicitResult:
        answer = cast(ElicitResult, (await self.ask(**{key: request}))[key])
        if answer.action == "accept":
            return answer
        raise Declined(key) if answer.action == "decline" else Cancelled(key)

    async def sample(
        self, key: str, messages: str | Sequence[SamplingMessage], *, max_tokens: int, **options: Any
    ) -> CreateMessageResult:
        """Asks the client's model; `options` are those of `goldfish.sampling`. The answer's `text` is its text."""
        question = sampling(messages, max_tokens, **options)
        return cast(CreateMessageResult, (await self.ask(**{key: question}))[key])

    async def roots(self, key: str = "roots") -> list[Root]:
        """Asks for the client's roots: file:// URIs with a name or None. They grant no access (ROO-02)."""
        return cast(ListRootsResult, (await self.ask(**{key: roots_list()}))[key]).roots
