"""Whatever headers are sent, the answer keeps the rules of rules.py, and what runs is what they say."""

from hypothesis import given
from hypothesis import strategies as st

from .driver import RULES, Headers
from .probe import body, call, headers
from .rules import Site, post
from .strategies import LINES, REQUESTS, Valid, bent

VERBS = st.sampled_from(["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "post", "FOO"])


@RULES
@given(REQUESTS, LINES, st.booleans())
def test_any_headers(where: Site, valid: Valid, fields: Headers, relaxed: bool) -> None:
    """HDR-08, HDR-16, HDR-30, HTTP-08, HTTP-09: in any case, with any value, as often as they like."""
    post(where, body(valid[0]), fields, relaxed=relaxed)


@RULES
@given(REQUESTS.flatmap(lambda valid: st.tuples(st.just(valid[0]), bent(headers(valid[0], *valid[1])))), st.booleans())
def test_any_headers_among_the_right_ones(where: Site, parts: tuple[object, Headers], relaxed: bool) -> None:
    """HDR-02, HDR-03, HDR-04, HDR-10, HDR-12, HDR-21, HDR-29, HDR-30: replaced, repeated, lost, and strangers."""
    message, fields = parts
    post(where, body(message), fields, relaxed=relaxed)


@RULES
@given(VERBS, LINES)
def test_any_other_verb(where: Site, verb: str, fields: Headers) -> None:
    """HTTP-02: never executed, whatever its headers and its body say."""
    answer = post(where, body(call("probe")), fields, verb=verb)
    assert answer is not None
    assert answer.status in (403, 405, 421)
