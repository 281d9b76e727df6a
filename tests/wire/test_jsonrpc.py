"""Bytes to messages, and replies, errors and notifications to bytes (basic/index "Messages")."""

import json
from typing import Any

import pytest
from msgspec import UNSET

from goldfish.wire import jsonrpc
from goldfish.wire.errors import INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, Refusal
from goldfish.wire.jsonrpc import BadMessage, decode


def refusal(body: bytes) -> BadMessage:
    with pytest.raises(BadMessage) as caught:
        decode(body)
    return caught.value


def message(**members: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "m", **members}).encode()


# ---------------------------------------------------------------- what is a message


def test_a_request_is_read_and_its_params_stay_raw() -> None:
    """RPC-12: the envelope is typed; params are for whoever knows their type."""
    read = decode(b'{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"cursor": "x"}}')
    assert ("2.0", "a", "tools/list") == (read.jsonrpc, read.id, read.method)
    assert b'{"cursor": "x"}' == bytes(read.params)


def test_params_that_are_left_out_are_an_empty_object() -> None:
    """JSON-RPC 2.0, 4: the member may be left out."""
    assert b"{}" == bytes(decode(b'{"jsonrpc":"2.0","id":1,"method":"m"}').params)


def test_a_message_without_an_id_is_a_notification() -> None:
    """RPC-07: the presence of the member decides."""
    assert UNSET is decode(b'{"jsonrpc":"2.0","method":"notifications/foo"}').id


@pytest.mark.parametrize(
    "request_id", ["", "s", 0, -7, 2**53 + 1, 1152921504606846977, -(2**70), "\U0001f420", "a\nb\x00", "x" * 10_000]
)
def test_a_string_or_an_integer_is_an_id_and_comes_back_unchanged(request_id: int | str) -> None:
    """RPC-02, RPC-03: falsy, negative, very large and very long ids are ids like any other."""
    read = decode(message(id=request_id))
    assert request_id == read.id
    assert not isinstance(read.id, type(UNSET))
    assert request_id == json.loads(jsonrpc.encode_result(read.id, {}))["id"]


def test_an_id_of_as_many_digits_as_python_reads_comes_back_unchanged() -> None:
    """RPC-02: no bound but that of the interpreter."""
    digits = b"9" * 4300
    read = decode(b'{"jsonrpc":"2.0","method":"m","id":%b}' % digits)
    assert isinstance(read.id, int)
    assert b'{"jsonrpc":"2.0","id":%b,"result":{}}' % digits == jsonrpc.encode_result(read.id, {})


def test_unknown_members_of_the_envelope_are_ignored() -> None:
    """RPC-15: objects are open."""
    assert 1 == decode(message(foo=[1, {"id": 5}], trace=None)).id


def test_a_method_may_be_any_string() -> None:
    """RPC-17: which methods exist is another rung's question; control characters are text too."""
    assert "a\n\x00b" == decode(message(method="a\n\x00b")).method
    assert "" == decode(message(method="")).method


def test_the_last_of_two_equal_members_counts() -> None:
    """RPC-24: one value for every reader behind this one."""
    read = decode(b'{"jsonrpc":"2.0","id":1,"id":2,"method":"a","method":"b","params":{"x":1},"params":{"x":2}}')
    assert (2, "b", b'{"x":2}') == (read.id, read.method, bytes(read.params))


def test_text_beyond_ascii_is_read() -> None:
    """RPC-10: messages are UTF-8."""
    assert "größe \U0001f420" == decode('{"jsonrpc":"2.0","id":1,"method":"größe \U0001f420"}'.encode()).method


# ---------------------------------------------------------------- what is not JSON


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"  \n",
        b"{",
        b'"abc',
        b"nul",
        b"{'a':1}",
        b'{"jsonrpc":"2.0","id":1,"method":"m"} {}',
        b'{"jsonrpc":"2.0","id":1,"method":"m"}\x00',
        b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"m"}',
        b'{"jsonrpc":"2.0","id":1,"method":"m",}',
        b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":[1,]}}',
        b'{"jsonrpc":"2.0","id":01,"method":"m"}',
        b"[1,",
        b"[{]",
    ],
)
def test_what_is_not_json_is_a_parse_error_without_an_id(body: bytes) -> None:
    """RPC-04, RPC-08, RPC-09: nothing behind the value, nothing left open, no byte order mark."""
    bad = refusal(body)
    assert (PARSE_ERROR, UNSET) == (bad.code, bad.request_id)
    assert bad.message.startswith("Parse error: ")


@pytest.mark.parametrize("literal", [b"NaN", b"Infinity", b"-Infinity", b"+1", b"1.", b".5", b"0x1", b"1e"])
def test_numbers_that_json_does_not_have_are_a_parse_error_also_inside_params(literal: bytes) -> None:
    """RPC-11: also where the value is not looked at."""
    assert PARSE_ERROR == refusal(b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":%b}}' % literal).code
    assert PARSE_ERROR == refusal(b'{"jsonrpc":"2.0","id":1,"method":"m","foo":%b}' % literal).code


@pytest.mark.parametrize(
    "member", [b'"params":{"a":"\xff"}', b'"foo":"\xff"', b'"\xc3\x28":1', b'"foo":"\xed\xa0\x80"']
)
def test_bytes_that_are_not_utf_8_are_a_parse_error_wherever_they_stand(member: bytes) -> None:
    """RPC-10: in text that is skipped and in params that stay raw."""
    bad = refusal(b'{"jsonrpc":"2.0","id":1,"method":"m",%b}' % member)
    assert (PARSE_ERROR, "Parse error: the body is not valid UTF-8") == (bad.code, bad.message)


@pytest.mark.parametrize("escape", [rb"\ud800", rb"\udc00", rb"\ud800A", rb"\udc00\ud800", rb"\x", rb"\u12"])
@pytest.mark.parametrize("place", [b'"method":"%b"', b'"method":"m","params":{"a":"%b"}', b'"method":"m","%b":1'])
def test_half_a_surrogate_pair_or_a_bad_escape_is_a_parse_error(place: bytes, escape: bytes) -> None:
    """RPC-08, RPC-10: such text could not be sent on as UTF-8."""
    assert PARSE_ERROR == refusal(b'{"jsonrpc":"2.0","id":1,%b}' % (place % escape)).code


@pytest.mark.parametrize("depth", [2_000, 100_000])
@pytest.mark.parametrize("place", [b"%b", b'{"jsonrpc":"2.0","id":1,"method":"m","params":%b}', b'{"foo":%b}'])
def test_nesting_without_end_is_a_parse_error(place: bytes, depth: int) -> None:
    """RPC-08: refused, and the interpreter's stack stays whole."""
    bad = refusal(place % (b"[" * depth + b"]" * depth))
    assert (PARSE_ERROR, "Parse error: the body is nested too deeply") == (bad.code, bad.message)


# ---------------------------------------------------------------- JSON, but no message


@pytest.mark.parametrize("body", [b"[]", b'[{"jsonrpc":"2.0","id":1,"method":"m"}]', b" [ 1 ] "])
def test_a_batch_is_refused(body: bytes) -> None:
    """RPC-13: one message per body."""
    bad = refusal(body)
    assert (INVALID_REQUEST, UNSET) == (bad.code, bad.request_id)
    assert "Invalid request: batches do not exist, send one message per body" == bad.message


@pytest.mark.parametrize("body", [b"5", b"null", b"true", b'"x"', b"1e999", b"9" * 5000])
def test_a_scalar_is_no_message(body: bytes) -> None:
    """RPC-12: also one that no number type can hold."""
    bad = refusal(body)
    assert (INVALID_REQUEST, "Invalid request: the body must be a JSON object") == (bad.code, bad.message)
    assert UNSET is bad.request_id


@pytest.mark.parametrize(
    ("members", "rule"),
    [
        ({"jsonrpc": "1.0"}, 'jsonrpc must be "2.0"'),
        ({"jsonrpc": 2}, 'jsonrpc must be "2.0"'),
        ({"jsonrpc": None}, 'jsonrpc must be "2.0"'),
        ({"method": 5}, "method must be a string"),
        ({"method": None}, "method must be a string"),
    ],
)
def test_a_flaw_beside_the_id_is_answered_with_the_id(members: dict[str, Any], rule: str) -> None:
    """RPC-03, RPC-12: the id was readable, so the error carries it."""
    bad = refusal(message(id="a7", **members))
    assert (INVALID_REQUEST, f"Invalid request: {rule}", "a7") == (bad.code, bad.message, bad.request_id)


@pytest.mark.parametrize("body", [b"{}", b'{"id":1}', b'{"id":1,"method":"m"}', b'{"result":{}}'])
def test_a_message_without_a_jsonrpc_member_is_refused(body: bytes) -> None:
    """RPC-12: the member is required."""
    assert 'Invalid request: jsonrpc must be "2.0"' == refusal(body).message


def test_a_message_without_a_method_is_refused() -> None:
    """RPC-12: neither a request nor a notification."""
    bad = refusal(b'{"jsonrpc":"2.0","id":3}')
    assert ("Invalid request: method must be a string", 3) == (bad.message, bad.request_id)


@pytest.mark.parametrize("member", [b'"result":{}', b'"error":{"code":1,"message":"x"}'])
def test_a_posted_response_is_refused(member: bytes) -> None:
    """RPC-14: clients never send responses."""
    bad = refusal(b'{"jsonrpc":"2.0","id":1,%b}' % member)
    assert (INVALID_REQUEST, 1) == (bad.code, bad.request_id)
    assert "Invalid request: a client sends requests and notifications, never responses" == bad.message


@pytest.mark.parametrize("literal", [b"null", b"true", b"false", b"1.5", b"1.0", b"1e2", b"-0.0", b"{}", b"[]", b"[1]"])
def test_an_id_of_another_type_is_refused_and_not_echoed(literal: bytes) -> None:
    """RPC-01, RPC-02, RPC-07: null too is no id, and makes no notification."""
    bad = refusal(b'{"jsonrpc":"2.0","method":"m","id":%b}' % literal)
    assert (INVALID_REQUEST, UNSET) == (bad.code, bad.request_id)
    assert "Invalid request: id must be a string or an integer" == bad.message


@pytest.mark.parametrize("sign", [b"", b"-"])
def test_an_id_of_more_digits_than_python_reads_is_refused(sign: bytes) -> None:
    """RPC-04: it cannot be echoed, so the error has no id."""
    bad = refusal(b'{"jsonrpc":"2.0","method":"m","id":%b%b}' % (sign, b"9" * 5000))
    assert (INVALID_REQUEST, "Invalid request: id has too many digits", UNSET) == (
        bad.code,
        bad.message,
        bad.request_id,
    )


@pytest.mark.parametrize("number", [b"1e999", b"9" * 5000])
def test_a_number_out_of_range_elsewhere_does_not_hide_the_id(number: bytes) -> None:
    """RPC-03: the id is as readable as before."""
    bad = refusal(b'{"jsonrpc":"2.0","id":7,"method":5,"foo":%b}' % number)
    assert (INVALID_REQUEST, "Invalid request: method must be a string", 7) == (bad.code, bad.message, bad.request_id)


def test_a_member_sent_twice_with_different_types_is_refused() -> None:
    """RPC-24: the reader that takes the first and the one that takes the last disagree."""
    bad = refusal(b'{"jsonrpc":"2.0","id":1,"method":5,"method":"m"}')
    assert "Invalid request: a member was sent twice with different types" == bad.message
    assert 1 == bad.request_id
    bad = refusal(b'{"jsonrpc":"2.0","id":null,"id":4,"method":"m"}')
    assert (INVALID_REQUEST, 4) == (bad.code, bad.request_id)


# ---------------------------------------------------------------- encoding


def test_a_result_and_an_error_carry_the_id() -> None:
    """RPC-03: and never both members (JSON-RPC 2.0, 5)."""
    assert b'{"jsonrpc":"2.0","id":0,"result":{"a":1}}' == jsonrpc.encode_result(0, {"a": 1})
    error = Refusal(INVALID_PARAMS, "No.", {"uri": "x://"})
    assert (
        b'{"jsonrpc":"2.0","id":"","error":{"code":-32602,"message":"No.","data":{"uri":"x://"}}}'
    ) == jsonrpc.encode_error("", error)


def test_an_error_without_a_readable_id_has_no_id_member() -> None:
    """RPC-04: absent, never null."""
    assert b'{"jsonrpc":"2.0","error":{"code":-32700,"message":"No."}}' == jsonrpc.encode_error(
        UNSET, Refusal(PARSE_ERROR, "No.")
    )


@pytest.mark.parametrize("data", [0, False, "", [], {}])
def test_error_data_that_is_falsy_is_sent(data: Any) -> None:
    """RPC-05: data is any value; only None leaves it out."""
    assert data == json.loads(jsonrpc.encode_error(1, Refusal(INVALID_PARAMS, "No.", data)))["error"]["data"]


def test_a_notification_has_no_id() -> None:
    """RPC-22: what a server sends by itself is no request."""
    assert b'{"jsonrpc":"2.0","method":"notifications/x","params":{"a":null}}' == jsonrpc.encode_notification(
        "notifications/x", {"a": None}
    )


def test_line_breaks_beyond_ascii_are_escaped() -> None:
    """STD-01, HTTP-07: readers that take U+2028, U+2029 or U+0085 for a line end must not cut a message in two."""
    text = "a\u2028b\u2029c\u0085d\r\ne\\\u2028 größe \U0001f420"
    encoded = jsonrpc.encode({text: text})
    assert 1 == len(encoded.decode().splitlines())
    assert {text: text} == json.loads(encoded)


def test_numbers_that_json_does_not_have_become_null() -> None:
    """RPC-11: what leaves is JSON."""
    assert b"[null,null]" == jsonrpc.encode([float("nan"), float("inf")])


@pytest.mark.parametrize("value", ["\ud800", {"\udc00": 1}, object(), {1, object()}])
def test_what_is_no_json_is_an_error_of_whoever_encodes_it(value: Any) -> None:
    """RPC-21: it is raised here and answered by the kernel."""
    with pytest.raises((TypeError, UnicodeEncodeError)):
        jsonrpc.encode(value)
