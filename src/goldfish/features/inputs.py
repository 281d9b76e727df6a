"""Multi round-trip requests: how a handler's question becomes a result, and how its answers come back (patterns/mrtr).

Knows the sealed requestState that carries earlier answers from round to round. Knows no tool, resource or prompt: they
run their handlers through `Asking.run`. Nothing is remembered here between two requests (MRTR-17).
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import msgspec
from msgspec import UNSET, Raw

from goldfish.features.context import Context, Round
from goldfish.features.questions import InputRequired, NotAccepted
from goldfish.kernel.context import Request
from goldfish.ports import Seal
from goldfish.wire.errors import invalid_params, missing_capability
from goldfish.wire.inputs import InputRequest
from goldfish.wire.meta import ClientCapabilities, required_capabilities, supports
from goldfish.wire.methods import InputRequiredResult, Result, RetryableParams

#: One message for every reason, so that a forger learns nothing (MRTR-09).
BAD_STATE: Final = "Invalid or expired requestState"
MAX_STATE: Final = 64 * 1024


class _State(msgspec.Struct, array_like=True, frozen=True):
    """What requestState carries: the handler's own state, the answers so far, and the keys asked last."""

    own: Any
    answers: dict[str, Raw]
    asked: list[str]


class Asking:
    """Runs handlers that may ask. `ttl` is how many seconds a requestState can be answered."""

    def __init__(self, seal: Seal, ttl: float) -> None:
        self._seal = seal
        self._ttl = ttl

    async def run(
        self,
        request: Request[Any],
        arguments: Mapping[str, Any],
        handler: Callable[[Context], Awaitable[Result]],
    ) -> Result:
        """The handler's result, or its question. `arguments` are the params that a retry must repeat."""
        bound: bytes | None = None
        if request.params.is_retry or any(isinstance(value, dict | list) for value in arguments.values()):
            bound = _bound(request, arguments)  # before the handler, which may change what it is given
        round = self._round(request.params, bound)
        try:
            return await handler(Context(request, round))
        except InputRequired as question:
            return self._question(request, bound or _bound(request, arguments), round, question)
        except NotAccepted as refused:
            raise invalid_params(f"The user did not answer: {refused}") from None

    def _round(self, params: RetryableParams, bound: bytes | None) -> Round:
        if not params.is_retry or bound is None:
            return Round()
        sent: Mapping[str, Raw] = {} if params.input_responses is UNSET else params.input_responses
        if params.request_state is UNSET:
            return Round(sent)
        payload = self._seal.open(params.request_state, bound)
        if payload is None:
            raise invalid_params(BAD_STATE)
        try:
            state = msgspec.json.decode(payload, type=_State)
        except msgspec.DecodeError:  # sealed by another version that shares the keys
            raise invalid_params(BAD_STATE) from None
        own = UNSET if state.own is None else state.own
        return Round(sent, state.answers, frozenset(state.asked), own)

    def _question(
        self, request: Request[Any], bound: bytes, round: Round, question: InputRequired
    ) -> InputRequiredResult:
        _check_capabilities(request.meta.client_capabilities, question.requests.values())
        own = round.own if question.state is UNSET else question.state
        answers = {**round.carried, **round.settled}
        for key in question.requests:
            answers.pop(key, None)
        result = InputRequiredResult()
        if question.requests:
            result.input_requests = {key: asked.as_json() for key, asked in question.requests.items()}
        if answers or (own is not UNSET and own is not None):
            state = _State(None if own is UNSET else own, answers, list(question.requests))
            result.request_state = self._sealed(state, bound)
        elif not question.requests:
            raise ValueError("InputRequired needs requests or a state")  # MRTR-02
        return result

    def _sealed(self, state: _State, bound: bytes) -> str:
        payload = msgspec.json.encode(state)
        if len(payload) > MAX_STATE:
            raise ValueError(f"requestState would carry {len(payload)} bytes, the limit is {MAX_STATE}")
        return self._seal.seal(payload, bound, self._ttl)


def _bound(request: Request[Any], arguments: Mapping[str, Any]) -> bytes:
    """MRTR-10: the state belongs to this method, target, caller and these arguments, and to nothing else."""
    digest = hashlib.sha256(msgspec.json.encode(arguments, order="sorted")).hexdigest()
    return msgspec.json.encode(["requestState", request.method, request.name, request.principal, digest])


def _check_capabilities(declared: ClientCapabilities, requests: Any) -> None:
    """MRTR-05, ELI-01, SAM-01, ROO-01: nothing is asked that the client did not declare for this request."""
    needed: list[InputRequest] = list(requests)
    missing = [name for asked in needed for name in asked.needs if not supports(declared, name)]
    if missing:
        raise missing_capability(required_capabilities(missing))
