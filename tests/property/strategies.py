"""What is sent: JSON of every kind, valid requests bent in every way, header lines of every sort."""

import copy
from typing import Any

from hypothesis import strategies as st

from .driver import Headers
from .probe import VALID, VERSION, body, call, headers

Valid = tuple[dict[str, Any], list[tuple[bytes, bytes]]]

#: Halves of surrogate pairs included, which json.dumps escapes.
TEXT = st.text(st.characters(codec=None), max_size=20)
HUGE = st.sampled_from(
    [2**53 + 1, -(2**63) - 1, 2**64, 10**400, -(10**4299), 1e308, 5e-324, float("inf"), float("nan")]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXT | HUGE
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=8,
)
ENVELOPES = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | JSON,
        "id": JSON,
        "method": TEXT | JSON,
        "params": JSON,
        "result": JSON,
        "error": JSON,
    },
)
REQUESTS = st.sampled_from(VALID)
#: The headers of a request, for bodies that have none of their own.
USUAL = headers(call("probe"))

MEMBERS = st.sampled_from(["jsonrpc", "id", "method", "params", "_meta", "name", "uri", "arguments"])
SCRAPS = st.sampled_from([b"\x00", b"\xff", b'"', b"\\ud800", b"{", b"]", b",", b"9" * 5000])


def fields_for(message: Any) -> Headers:
    """The headers that go with a message where it still has what they mirror, those of a probe otherwise."""
    try:
        return headers(message)
    except (KeyError, TypeError, AttributeError, UnicodeEncodeError):
        return USUAL


@st.composite
def torn(draw: st.DrawFn) -> tuple[bytes, Headers]:
    """A valid request of which some bytes were changed, lost, doubled or added."""
    message, more = draw(REQUESTS)
    sent = bytearray(body(message))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(sent)))
        match draw(st.sampled_from(["change", "lose", "double", "add"])):
            case "change":
                sent[at : at + 1] = draw(st.binary(min_size=1, max_size=1))
            case "lose":
                del sent[at : at + draw(st.integers(1, 10))]
            case "double":
                sent[at:at] = sent[at : at + draw(st.integers(1, 60))]
            case _:
                sent[at:at] = draw(SCRAPS)
    return bytes(sent), headers(message, *more)


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value inside `value`, itself included."""
    found = [path]
    inner: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        found += paths(each, (*path, key))
    return found


@st.composite
def altered(draw: st.DrawFn) -> tuple[Any, Headers]:
    """A valid request in which some values were replaced, removed or added, under its own headers or matching ones."""
    message, more = copy.deepcopy(draw(REQUESTS))
    own = headers(message, *more)
    for _ in range(draw(st.integers(1, 3))):
        *to, last = draw(st.sampled_from(paths(message)[1:]))
        place = message
        for key in to:
            place = place[key]
        match draw(st.sampled_from(["replace", "remove", "add"])):
            case "replace":
                place[last] = draw(JSON)
            case "remove" if len(message) > 1:
                del place[last]
            case _ if isinstance(place, dict):
                place[draw(TEXT)] = draw(JSON)
            case _:
                place.append(draw(JSON))
    return message, own if draw(st.booleans()) else [*fields_for(message), *more]


NAMES = st.binary(min_size=1, max_size=12) | st.sampled_from(
    [
        b"Host",
        b"Origin",
        b"Accept",
        b"Content-Type",
        b"Content-Length",
        b"Content-Encoding",
        b"MCP-Protocol-Version",
        b"mcp-protocol-version",
        b"Mcp-Method",
        b"MCP-METHOD",
        b"Mcp-Name",
        b"mcp-name",
        b"Mcp-Param-Region",
        b"mcp-param-region",
        b"Mcp-Param-Size",
        b"Mcp-Param-Dry",
        b"Mcp-Param-Other",
        b"Mcp-Session-Id",
        b"Last-Event-ID",
        b"Authorization",
    ]
)
_VALUES = (
    ("", " ", VERSION, " \t2026-07-28 ", "2026-07-28,2026-07-28", "1900-01-01"),
    ("tools/call", "TOOLS/CALL", "probe", "routed", "=?base64?cHJvYmU=?=", "=?base64?cHJvYmU?=", "=?base64??="),
    ("=?base64?", "?=", "größe", "\x00", "a\r\nb", "eu west", "42", "42.0", "4.2e1", "true", "9" * 30, "-1"),
    ("localhost", "http://localhost", "null", "[::1]:80", "[", "http://[", "http://localhost:99999", "http://a@b"),
    ("application/json", "text/event-stream", "*/*", "application/json;q=0", "text/*;q=nan", "gzip", ";", ",,"),
)
VALUES = (
    st.sampled_from([value.encode() for line in _VALUES for value in line])
    | st.binary(max_size=30)
    | st.integers().map(lambda number: b"%d" % number)
)
LINES = st.lists(st.tuples(NAMES, VALUES), max_size=12)


@st.composite
def bent(draw: st.DrawFn, fields: Headers) -> Headers:
    """Right headers of which some were replaced, repeated, lost or written otherwise, and strange ones among them."""
    lines = list(fields)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(lines) - 1))
        name, value = lines[at]
        match draw(st.sampled_from(["replace", "repeat", "lose", "add", "case"])):
            case "replace":
                lines[at] = (name, draw(VALUES))
            case "repeat":
                lines.append((draw(st.sampled_from([name, name.upper()])), draw(VALUES | st.just(value))))
            case "lose" if len(lines) > 1:
                del lines[at]
            case "case":
                lines[at] = (name.swapcase(), value)
            case _:
                lines.insert(at, (draw(NAMES), draw(VALUES)))
    return lines
