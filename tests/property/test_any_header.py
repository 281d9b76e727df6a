"""Whatever headers are sent, the answer keeps the rules of rules.py, and what runs is what they say."""

from hypothesis import example, given
from hypothesis import strategies as st

from .driver import RULES, Headers
from .probe import body, call, headers
from .rules import Site, post
from .strategies import LINES, REQUESTS, USUAL, VALUES, Valid, bent

VERBS = st.sampled_from(["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "post", "FOO"])

GUARDED = st.sampled_from([b"Host", b"Origin", b"Accept", b"Content-Type", b"Content-Encoding", b"Content-Length"])
#: What hosts, origins and media ranges are made of, in any order.
PIECES = [
    *"[]:@/?#%.,;a 0é\u2105\x00\t",
    *("http://", "https://", "localhost", "127.0.0.1", "[::1]", "80", "65536"),
    *("application/json", "text/event-stream", "*/*", "text/*", "q=", "0.5", "1e9", "nan"),
]
FIELD_TEXT = st.lists(st.sampled_from(PIECES), max_size=6).map(lambda pieces: "".join(pieces).encode())


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
@given(GUARDED, FIELD_TEXT | VALUES)
@example(b"Origin", b"http://[")
@example(b"Host", b"[")
def test_any_value_of_a_guarded_header(where: Site, name: bytes, value: bytes) -> None:
    """HTTP-03, HTTP-04, HTTP-05, HTTP-08, HTTP-09: allowed or turned away, whatever it looks like."""
    fields = [(each, old) for each, old in USUAL if each != name]
    post(where, body(call("probe")), [*fields, (name, value)])


@RULES
@given(VERBS, LINES)
def test_any_other_verb(where: Site, verb: str, fields: Headers) -> None:
    """HTTP-02: never executed, whatever its headers and its body say."""
    answer = post(where, body(call("probe")), fields, verb=verb)
    assert answer is not None
    assert answer.status in (403, 405, 421)
