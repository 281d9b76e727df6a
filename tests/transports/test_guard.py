"""What an endpoint turns away before it reads a body: foreign hosts and origins, other verbs, other media types."""

from collections.abc import Mapping

import pytest

from goldfish.transports.guard import (
    MAX_VALUE,
    Guard,
    Turned,
    accepts,
    host_allowed,
    is_json,
    origin_allowed,
    turn_away,
)

PLAIN = Guard()
GOOD: Mapping[bytes, bytes] = {
    b"host": b"127.0.0.1:8787",
    b"content-type": b"application/json",
    b"accept": b"application/json, text/event-stream",
}


def judged(headers: Mapping[str, str], guard: Guard = PLAIN, verb: str = "POST", repeated: str = "") -> int | None:
    """The status of the refusal, None where the request may pass."""
    added = {name.encode(): value.encode() for name, value in headers.items()}
    turned = turn_away(guard, verb, {**GOOD, **added}, [repeated.encode()] if repeated else ())
    return None if turned is None else turned.status


def test_a_request_in_due_form_passes() -> None:
    """HTTP-01: POST with JSON that accepts both forms of an answer is for the endpoint."""
    assert judged({}) is None


@pytest.mark.parametrize("verb", ["GET", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS", "post"])
def test_any_other_verb_is_not_allowed_and_told_what_is(verb: str) -> None:
    """HTTP-02, HTTP-27: 405 with `Allow: POST` and no body; there is no stream to GET and no session to DELETE."""
    assert Turned(405, "", ((b"allow", b"POST"),)) == turn_away(Guard(), verb, GOOD, ())


@pytest.mark.parametrize(
    "host",
    ["localhost", "localhost:1", "LOCALHOST:8787", "127.0.0.1", "127.0.0.1:8787", "127.8.8.8", "[::1]", "[::1]:8787"],
)
def test_a_loopback_host_is_served_on_any_port(host: str) -> None:
    """HTTP-05: no name of this machine can be rebound, so that none of them is a way in."""
    assert judged({"host": host}) is None


@pytest.mark.parametrize(
    "host",
    [
        "evil.example.com",
        "localhost.evil.com",
        "127.0.0.1.evil.com",
        "0.0.0.0",
        "10.0.0.1",
        "[::2]",
        "::1",
        "127.0.0.1:x",
    ],
)
def test_a_foreign_host_is_misdirected(host: str) -> None:
    """HTTP-05: 421, also for names that only look like ours."""
    assert 421 == judged({"host": host})


@pytest.mark.parametrize("host", ["", " ", "user@localhost", "localhost/x", "localhost, evil.com", ":8787", "[::1"])
def test_a_host_that_is_none_is_misdirected(host: str) -> None:
    """HTTP-05: what cannot be read as a name and a port is nobody's."""
    assert 421 == judged({"host": host})


def test_a_request_without_a_host_passes() -> None:
    """HTTP-26: HTTP/1.0 has none, and no browser leaves it out."""
    assert turn_away(Guard(), "POST", {name: GOOD[name] for name in GOOD if name != b"host"}, ()) is None


def test_two_hosts_are_misdirected() -> None:
    """HTTP-05: which of them would count?"""
    assert 421 == judged({}, repeated="host")


@pytest.mark.parametrize(
    ("entry", "host", "expected"),
    [
        ("mcp.example.com", "mcp.example.com", True),
        ("mcp.example.com", "MCP.Example.com:8443", True),
        ("mcp.example.com:8443", "mcp.example.com:8443", True),
        ("mcp.example.com:8443", "mcp.example.com", False),
        ("mcp.example.com", "example.com", False),
        ("mcp.example.com", "evil-mcp.example.com", False),
        ("*", "anything.example", True),
        ("*", "not a host", False),
    ],
)
def test_the_list_of_hosts_names_them_with_or_without_a_port(entry: str, host: str, expected: bool) -> None:
    """HTTP-05: a deployment adds its public names."""
    assert expected is host_allowed(host.encode(), (entry,))


@pytest.mark.parametrize(
    "origin",
    ["http://localhost", "http://localhost:5173", "https://127.0.0.1:9", "http://[::1]:3000", "HTTP://LOCALHOST"],
)
def test_an_origin_of_this_machine_is_allowed(origin: str) -> None:
    """HTTP-03: pages of the same machine may call, on any port."""
    assert judged({"origin": origin}) is None


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "http://evil.example.com",
        "http://localhost.evil.com",
        "http://127.0.0.1.evil.com",
        "http://localhost@evil.com",
        "http://evil@localhost",
        "http://localhost/",
        "http://localhost/path",
        "file://localhost",
        "localhost",
        "http://localhost:x",
        "http://[::1",
        "http://",
    ],
)
def test_a_foreign_origin_is_forbidden(origin: str) -> None:
    """HTTP-03, HTTP-04: 403 for null, for look-alikes, and for what is no origin at all."""
    assert 403 == judged({"origin": origin})


def test_two_origins_are_forbidden() -> None:
    """HTTP-03: which of them would count?"""
    assert 403 == judged({"origin": "http://localhost"}, repeated="origin")


def test_a_request_without_an_origin_is_no_browser_s() -> None:
    """HTTP-04: absent is fine."""
    assert judged({}) is None


@pytest.mark.parametrize(
    ("entry", "origin", "expected"),
    [
        ("https://app.example.com", "https://app.example.com", True),
        ("https://app.example.com/", "https://app.example.com", True),
        ("https://app.example.com", "http://app.example.com", False),
        ("https://app.example.com", "https://app.example.com:8443", False),
        ("https://app.example.com:8443", "https://app.example.com:8443", True),
        ("https://app.example.com:*", "https://app.example.com:1", True),
        ("https://app.example.com:*", "https://app.example.com", True),
        ("https://app.example.com:*", "https://app.example.com.evil.com", False),
        ("*", "null", True),
    ],
)
def test_the_list_of_origins_names_scheme_name_and_port(entry: str, origin: str, expected: bool) -> None:
    """HTTP-03: a deployment adds the pages that may call."""
    assert expected is origin_allowed(origin.encode(), (entry,))


def test_the_refusal_names_what_was_sent_and_the_list_to_mend() -> None:
    """HTTP-05: whoever runs the server reads in the answer what to change; the text is bounded."""
    foreign = turn_away(Guard(), "POST", {**GOOD, b"host": b"mcp.example.com"}, ())
    assert Turned(421, "Host 'mcp.example.com' is not served here; allow it in the list of hosts\n") == foreign
    endless = turn_away(Guard(), "POST", {**GOOD, b"origin": b"http://" + b"x" * 9999}, ())
    assert endless is not None
    assert 200 > len(endless.text)


@pytest.mark.parametrize(
    "media",
    ["application/json", "Application/JSON; charset=utf-8", "application/json;charset=UTF-8", " application/json "],
)
def test_json_is_json_in_any_case_and_with_parameters(media: str) -> None:
    """HTTP-09: media types compare without case, and parameters make no difference."""
    assert judged({"content-type": media}) is None


@pytest.mark.parametrize(
    "media", ["", "text/plain", "application/jsonx", "text/json", "application/x-www-form-urlencoded"]
)
def test_any_other_body_is_unsupported(media: str) -> None:
    """HTTP-09: 415, so that no page can post a form without a preflight."""
    assert 415 == judged({"content-type": media})


@pytest.mark.parametrize(("coding", "expected"), [("gzip", 415), ("br", 415), ("identity", None), (" Identity ", None)])
def test_an_encoded_body_is_unsupported(coding: str, expected: int | None) -> None:
    """HTTP-09: nothing here decompresses, so that nothing can be blown up."""
    assert expected == judged({"content-encoding": coding})


@pytest.mark.parametrize(
    ("accept", "json", "stream"),
    [
        ("application/json, text/event-stream", True, True),
        ("text/event-stream,application/json", True, True),
        ("*/*", True, True),
        ("application/*, text/*", True, True),
        ("Application/JSON, Text/Event-Stream;q=0.5", True, True),
        ("application/json;charset=utf-8, text/event-stream; q=0.1", True, True),
        ("application/json", True, False),
        ("text/event-stream", False, True),
        ("application/json, */*;q=0", True, False),
        ("*/*, text/event-stream;q=0", True, False),
        ("*/*, application/json;q=0.0", False, True),
        ("text/*;q=0, text/event-stream", False, True),
        ("application/json;q=nonsense", False, False),
        ("text/html, application/xml", False, False),
        ("*/*;q=0", False, False),
        ("application/json;q=0, application/json", True, False),
        ("", False, False),
    ],
)
def test_the_most_specific_range_of_accept_decides(accept: str, json: bool, stream: bool) -> None:
    """HTTP-08: wildcards and parameters are honoured, and q=0 forbids (RFC 9110, 12.5.1)."""
    assert (json, stream) == (accepts(accept.encode()).json, accepts(accept.encode()).stream)


def test_a_client_that_takes_neither_form_gets_nothing() -> None:
    """HTTP-08: 406 when there is no form in which to answer."""
    assert 406 == judged({"accept": "text/html"})
    assert judged({"accept": "text/event-stream"}) is None


def test_a_client_without_accept_takes_anything() -> None:
    """HTTP-08: RFC 9110 says that an absent Accept allows everything."""
    assert turn_away(Guard(), "POST", {name: GOOD[name] for name in GOOD if name != b"accept"}, ()) is None


@pytest.mark.parametrize(("length", "expected"), [("100", None), ("101", 413), ("9" * 5000, 413), ("0", None)])
def test_a_body_announced_too_large_is_not_read(length: str, expected: int | None) -> None:
    """HTTP-26: 413 by Content-Length alone, for numbers of any size."""
    assert expected == judged({"content-length": length}, Guard(max_body=100))


def test_host_and_origin_are_judged_before_anything_else() -> None:
    """HTTP-03: a foreign page learns nothing about what this endpoint is, not even its verb."""
    assert 421 == judged({"host": "evil.example.com", "origin": "http://evil.example.com"}, verb="GET")
    assert 403 == judged({"origin": "http://evil.example.com", "content-type": "text/plain"}, verb="GET")


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("host", "{}.example.com", 421),
        ("origin", "https://{}.example.com", 403),
        ("content-type", "application/json; a={}", 415),
        ("accept", "application/json, text/event-stream, a/{}", 406),
    ],
)
def test_a_value_without_measure_is_refused_and_not_remembered(header: str, value: str, status: int) -> None:
    """Ours: judgements are remembered by the value, so that long ones would stay in memory, a header block each."""
    everything = Guard(allowed_hosts=("*",), allowed_origins=("*",))
    memories = (host_allowed, origin_allowed, is_json, accepts)
    short, long = value.format(""), value.format("x" * MAX_VALUE)
    assert judged({header: short}, everything) is None
    before = [memory.cache_info().currsize for memory in memories]
    assert status == judged({header: long}, everything)
    kept = [memory.cache_info().currsize - size for memory, size in zip(memories, before, strict=True)]
    assert 0 == kept[("host", "origin", "content-type", "accept").index(header)]
