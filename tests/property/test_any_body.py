"""Whatever body is sent, its answer keeps the rules of rules.py, and the next valid request is served."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from .driver import RULES, Headers
from .probe import body, headers
from .rules import Site, post
from .strategies import ENVELOPES, JSON, MEMBERS, REQUESTS, USUAL, Valid, altered, torn


@RULES
@given(st.binary(max_size=200), st.booleans())
def test_any_bytes(where: Site, sent: bytes, relaxed: bool) -> None:
    """RPC-04, RPC-08, RPC-10: nothing that is no JSON does any harm."""
    post(where, sent, USUAL, relaxed=relaxed)


@RULES
@given(JSON, st.booleans())
def test_any_json(where: Site, value: Any, relaxed: bool) -> None:
    """RPC-11, RPC-12, RPC-13: nor does JSON that is no message."""
    post(where, body(value), USUAL, relaxed=relaxed)


@RULES
@given(ENVELOPES, st.booleans())
def test_any_envelope(where: Site, message: Any, relaxed: bool) -> None:
    """RPC-01, RPC-02, RPC-07, RPC-14: each member of any type, there or not."""
    post(where, body(message), USUAL, relaxed=relaxed)


@RULES
@given(torn(), st.booleans())
def test_any_torn_request(where: Site, parts: tuple[bytes, Headers], relaxed: bool) -> None:
    """RPC-09, RPC-24, HDR-02: what is executed is still what the headers say."""
    sent, fields = parts
    post(where, sent, fields, relaxed=relaxed)


@RULES
@given(altered(), st.booleans())
def test_any_altered_request(where: Site, parts: tuple[Any, Headers], relaxed: bool) -> None:
    """ENV-04, TOOL-14, PRM-04, PAG-04, CMP-02, SUBS-01, MRTR-12: each value of any type, there or not."""
    message, fields = parts
    post(where, body(message), fields, relaxed=relaxed)


@RULES
@given(REQUESTS, MEMBERS, JSON, st.booleans())
def test_any_member_sent_twice(where: Site, valid: Valid, member: str, value: Any, first: bool) -> None:
    """RPC-24: what the headers are compared with is what is executed, whichever of the two that is."""
    message, more = valid
    sent = body(message)
    name = b'"%b":' % member.encode()
    at = sent.find(name)
    if at >= 0:
        end = at if first else at + _length(sent[at:])
        strange = name + b" " + body(value)
        sent = sent[:end] + (strange + b", " if first else b", " + strange) + sent[end:]
        post(where, sent, headers(message, *more))


def _length(text: bytes) -> int:
    """How long the member is that a text of JSON begins with: its name, a colon, a blank and its value."""
    name, value = text.decode().split(": ", 1)
    return len(name) + 2 + json.JSONDecoder().raw_decode(value)[1]


@RULES
@given(REQUESTS, st.lists(st.integers(0, 400), max_size=6), st.booleans())
def test_any_cut_into_pieces(where: Site, valid: Valid, cuts: list[int], relaxed: bool) -> None:
    """HTTP-26: how the bytes arrive makes no difference."""
    message, more = valid
    whole = post(where, body(message), headers(message, *more), relaxed=relaxed)
    pieces = post(where, body(message), headers(message, *more), relaxed=relaxed, cuts=cuts)
    assert (whole is None) == (pieces is None)
    if whole is not None and pieces is not None:
        assert (whole.status, _timeless(whole.messages)) == (pieces.status, _timeless(pieces.messages))


def _timeless(messages: list[Any]) -> list[Any]:
    """The messages without the requestState, which says when it expires."""
    return [{**each, "result": {**each.get("result", {}), "requestState": None}} for each in messages]
