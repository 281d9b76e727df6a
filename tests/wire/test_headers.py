"""Mirrored headers: their encoding, and whether they agree with the body (streamable-http "Request Metadata")."""

import time
from base64 import b64encode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldfish.wire.headers import HeaderError, ParamHeader, decode_value, encode_value, match_param, plain_value


def sentinel(payload: bytes) -> bytes:
    return b"=?base64?" + b64encode(payload) + b"?="


@pytest.mark.parametrize("read", [plain_value, decode_value])
@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"", ""),
        (b" \t ", ""),
        (b"echo", "echo"),
        (b"  \techo\t ", "echo"),
        (b"two  words", "two  words"),
        (b"a\tb", "a\tb"),
        (b"!~", "!~"),
        (b"file:///a%20b?c#d", "file:///a%20b?c#d"),
    ],
)
def test_a_value_is_read_without_the_blanks_around_it(read: Any, raw: bytes, text: str) -> None:
    """HDR-08, HDR-09: blanks inside and letter case stay."""
    assert text == read(raw)


@pytest.mark.parametrize("read", [plain_value, decode_value])
@pytest.mark.parametrize("byte", [0x00, 0x01, 0x0A, 0x0B, 0x0D, 0x1F, 0x7F, 0x80, 0xA0, 0xC3, 0xFF])
def test_control_characters_and_other_bytes_than_ascii_are_refused(read: Any, byte: int) -> None:
    """HDR-16: wherever they stand, also where Unicode would call them blanks."""
    for raw in (bytes([byte]), b"a" + bytes([byte]), bytes([byte]) + b"a", sentinel(b"x") + bytes([byte])):
        with pytest.raises(HeaderError, match="printable ASCII"):
            read(raw)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"=?base64?SGVsbG8sIOS4lueVjA==?=", "Hello, \u4e16\u754c"),
        (b"=?base64?IHBhZGRlZCA=?=", " padded "),
        (b"=?base64?bGluZTEKbGluZTI=?=", "line1\nline2"),
        (b"=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", "=?base64?literal?="),
        (b"=?base64?ZWNobw==?=", "echo"),
        (b"=?base64??=", ""),
        (b"\t =?base64?ZWNobw==?= ", "echo"),
    ],
)
def test_the_base64_form_is_decoded(raw: bytes, text: str) -> None:
    """HDR-10, HDR-15, HDR-28: also of what could have come plainly; once only."""
    assert text == decode_value(raw)


@pytest.mark.parametrize(
    "payload",
    [
        b"SGVsbG8",
        b"SGVsbG8==",
        b"SGVs!!!bG8=",
        b"SGVsbG8=\t",
        b"SGVs bG8=",
        b"=",
        b"SGVsbG8=SGVsbG8=",
        b"-_-_",
        b"ZWNobx==",
        b"SGVsbG9=",
        b64encode(b"\xff"),
        b64encode(b"\xed\xa0\x80"),
        b64encode(b"\xc0\x80"),
    ],
)
def test_base64_that_is_not_canonical_or_not_utf8_is_refused(payload: bytes) -> None:
    """HDR-12, HDR-14: alphabet, padding, spare bits, and the text's own encoding."""
    with pytest.raises(HeaderError, match="canonical base64 of UTF-8"):
        decode_value(b"=?base64?" + payload + b"?=")


@pytest.mark.parametrize(
    "raw",
    [
        b"=?base64?SGVsbG8=",
        b"SGVsbG8=?=",
        b"=?BASE64?SGVsbG8=?=",
        b"=?Base64?SGVsbG8=?=",
        b"=?base64?=",
        b"=?base32?SGVsbG8=?=",
        b"x=?base64?SGVsbG8=?=",
        b"=?base64?SGVsbG8=?=x",
    ],
)
def test_without_both_exact_markers_a_value_is_literal(raw: bytes) -> None:
    """HDR-13."""
    assert raw.decode() == decode_value(raw)


def test_a_header_without_an_encoding_is_never_decoded() -> None:
    """HDR-11."""
    assert "=?base64?ZWNobw==?=" == plain_value(b"=?base64?ZWNobw==?=")


@pytest.mark.parametrize("text", ["us-west1", "", "two words", "=?base64?", "?=", "=?Base64?x?=", "a=?base64?x?="])
def test_what_is_safe_is_sent_as_it_is(text: str) -> None:
    """HDR-10, HDR-28."""
    assert text == encode_value(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Hello, \u4e16\u754c", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ("=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="),
        ("a\tb", "=?base64?YQli?="),
        ("\x7f", "=?base64?fw==?="),
        (" ", "=?base64?IA==?="),
        ("a\n", "=?base64?YQo=?="),
    ],
)
def test_what_is_not_safe_is_sent_in_the_base64_form(text: str, value: str) -> None:
    """HDR-15, HDR-16: the examples of "Value Encoding" among them."""
    assert value == encode_value(text)


def test_text_that_has_no_utf8_form_cannot_be_sent() -> None:
    """HDR-12."""
    with pytest.raises(HeaderError, match="surrogate"):
        encode_value("\ud800")


@given(st.text(st.characters(codec="utf-8")))
def test_every_text_comes_back_as_it_was(text: str) -> None:
    """HDR-10, HDR-12 to HDR-16."""
    assert text == decode_value(encode_value(text).encode("ascii"))


@given(st.one_of(st.binary(), st.binary().map(lambda raw: b"=?base64?" + raw + b"?=")))
def test_whatever_bytes_arrive_are_read_or_refused(raw: bytes) -> None:
    """HDR-12, HDR-16: there is no third outcome."""
    try:
        text = decode_value(raw)
    except HeaderError:
        return
    assert raw.isascii()
    assert text == decode_value(encode_value(text).encode("ascii"))


REGION = ParamHeader("Region", b"mcp-param-region", ("region",), "string")
COUNT = ParamHeader("Count", b"mcp-param-count", ("count",), "integer")
DRY = ParamHeader("Dry", b"mcp-param-dry", ("dry",), "boolean")
NESTED = ParamHeader("Zone", b"mcp-param-zone", ("place", "zone"), "string")


@pytest.mark.parametrize(
    ("header", "raw", "arguments"),
    [
        (REGION, b"us-west1", {"region": "us-west1"}),
        (REGION, b" us-west1\t", {"region": "us-west1"}),
        (REGION, b"=?base64?dXMtd2VzdDE=?=", {"region": "us-west1"}),
        (REGION, b"=?base64?Z3LDtsOfZQ==?=", {"region": "größe"}),
        (REGION, b"", {"region": ""}),
        (REGION, b"=?base64??=", {"region": ""}),
        (REGION, b"=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", {"region": "=?base64?literal?="}),
        (DRY, b"true", {"dry": True}),
        (DRY, b"false", {"dry": False}),
        (NESTED, b"a", {"place": {"zone": "a"}}),
        # A value of another type than the annotated one: the schema judges it later.
        (COUNT, b"abc", {"count": "abc"}),
        (COUNT, b"42", {"count": "42"}),
        (COUNT, b"true", {"count": True}),
        (REGION, b"7", {"region": 7}),
        (COUNT, b"1.5", {"count": 1.5}),
        (COUNT, b"0.0000001", {"count": 1e-07}),
    ],
)
def test_header_and_argument_agree(header: ParamHeader, raw: bytes, arguments: dict[str, Any]) -> None:
    """HDR-09, HDR-10, HDR-15, HDR-20, HDR-21, HDR-24, HDR-28."""
    match_param(header, raw, arguments)


@pytest.mark.parametrize(
    ("header", "raw", "arguments"),
    [
        (REGION, b"us-east1", {"region": "us-west1"}),
        (REGION, b"US-WEST1", {"region": "us-west1"}),
        (REGION, b"", {"region": "us-west1"}),
        (REGION, b"us-west1", {"region": ""}),
        (REGION, b"=?base64?ZWNobw==?=", {"region": "=?base64?ZWNobw==?="}),
        (REGION, b"42.0", {"region": "42"}),
        (DRY, b"True", {"dry": True}),
        (DRY, b"1", {"dry": True}),
        (DRY, b"0", {"dry": False}),
        (DRY, b"", {"dry": False}),
        (NESTED, b"b", {"place": {"zone": "a"}}),
        (COUNT, b"1", {"count": True}),
        (COUNT, b"1.6", {"count": 1.5}),
        (COUNT, b"nan", {"count": float("nan")}),
        (COUNT, b"[]", {"count": []}),
        (COUNT, b"{}", {"count": {}}),
        (COUNT, b"", {"count": {}}),
    ],
)
def test_header_and_argument_disagree(header: ParamHeader, raw: bytes, arguments: dict[str, Any]) -> None:
    """HDR-08, HDR-15, HDR-21, HDR-24: what has no header form, arrays and objects, agrees with nothing."""
    with pytest.raises(HeaderError, match=f"Mcp-Param-{header.name} is "):
        match_param(header, raw, arguments)


@pytest.mark.parametrize(
    ("number", "raws"),
    [
        (42, ["42", "42.0", "42.000", "042", "00042.0"]),
        (42.0, ["42", "42.0", "042"]),
        (-7, ["-7", "-7.0", "-07"]),
        (0, ["0", "-0", "0.0", "-0.0", "000"]),
        (-0.0, ["0", "-0"]),
        (10, ["10"]),
        (100.0, ["100"]),
        (9007199254740993, ["9007199254740993", "9007199254740993.0"]),
        (-9007199254740991, ["-9007199254740991"]),
        (10**30, ["1" + "0" * 30]),
    ],
)
def test_numbers_are_equal_by_their_value(number: float, raws: list[str]) -> None:
    """HDR-25, HDR-26, HDR-27: however many zeros they are written with, on either side."""
    for raw in raws:
        match_param(COUNT, raw.encode(), {"count": number})


@pytest.mark.parametrize(
    ("number", "raws"),
    [
        (42, ["42.5", "43", "-42", "4", "420", "4.2e1", "42e0", "+42", "0x2a", "4_2", "42.", "", "-", "--42", "4 2"]),
        (42, ["NaN", "Infinity", "42,0", "٤٢", "٤٢.0"]),
        (0, ["", ".0", "-", "0."]),
        (9007199254740993, ["9007199254740992", "9007199254740994", "9007199254740993.5"]),
        (10**30, ["1" + "0" * 29 + "1"]),
        (1e30, ["1e30", "1e+30"]),
    ],
)
def test_numbers_differ_by_their_value_or_are_not_plain_decimals(number: float, raws: list[str]) -> None:
    """HDR-25, HDR-26, HDR-27: no exponent, no plus sign, no hexadecimal, and nothing is rounded."""
    for raw in raws:
        with pytest.raises(HeaderError):
            match_param(COUNT, encode_value(raw).encode(), {"count": number})


@pytest.mark.parametrize("value", [7, 7.5, 10**3000, "x"], ids=["integer", "float", "long", "text"])
def test_a_header_full_of_digits_costs_no_time(value: Any) -> None:
    """HDR-27: Python refuses to read more than 4,300 digits as a number, and is slow with fewer."""
    started = time.perf_counter()
    with pytest.raises(HeaderError, match=r"Mcp-Param-Count is '9{80}\.\.\.'"):
        match_param(COUNT, b"9" * 1_000_000, {"count": value})
    assert time.perf_counter() - started < 0.5


def test_a_huge_number_agrees_with_no_header() -> None:
    """HDR-27: it is far beyond what may be mirrored."""
    with pytest.raises(HeaderError, match="Mcp-Param-Count is "):
        match_param(COUNT, b"1" + b"0" * 5000, {"count": 10**5000})


@given(st.integers(), st.integers(0, 5), st.integers(0, 5))
def test_every_integer_agrees_with_its_decimal(number: int, before: int, after: int) -> None:
    """HDR-25, HDR-26."""
    sign = "-" if number < 0 else ""
    raw = f"{sign}{'0' * before}{abs(number)}{'.' + '0' * after if after else ''}"
    match_param(COUNT, raw.encode(), {"count": number})
    with pytest.raises(HeaderError):
        match_param(COUNT, raw.encode(), {"count": number + 1})


@pytest.mark.parametrize(
    ("header", "arguments"),
    [
        (REGION, {}),
        (REGION, {"region": None}),
        (NESTED, {}),
        (NESTED, {"place": {}}),
        (NESTED, {"place": None}),
        (NESTED, {"place": {"zone": None}}),
        (NESTED, {"place": "zone"}),
        (NESTED, {"place": [{"zone": "a"}]}),
    ],
)
def test_an_absent_argument_and_its_header_are_absent_together(header: ParamHeader, arguments: dict[str, Any]) -> None:
    """HDR-20, HDR-22, HDR-23: null is absent, and so is what lies within something that is no object."""
    match_param(header, None, arguments)
    for raw in (b"", b"a", b"null"):
        with pytest.raises(HeaderError, match=f"Mcp-Param-{header.name} was sent, the arguments have no"):
            match_param(header, raw, arguments)


@pytest.mark.parametrize("value", ["us", "", 0, False, 1.5, [], {}])
def test_a_given_argument_needs_its_header(value: Any) -> None:
    """HDR-21: also where it is empty, zero or false."""
    with pytest.raises(HeaderError, match="Mcp-Param-Region is missing, the arguments have region"):
        match_param(REGION, None, {"region": value})


@pytest.mark.parametrize("raw", [b"us\x00", "größe".encode(), b"=?base64?dXM?=", b"=?base64?literal?="])
def test_a_malformed_header_is_refused_by_its_name(raw: bytes) -> None:
    """HDR-12, HDR-16."""
    with pytest.raises(HeaderError, match=r"^Mcp-Param-Region: the "):
        match_param(REGION, raw, {"region": "us"})


def test_a_refusal_names_the_nested_argument_and_echoes_little() -> None:
    """HDR-21."""
    with pytest.raises(HeaderError) as refused:
        match_param(NESTED, b"x" * 10_000, {"place": {"zone": "a"}})
    assert f"Mcp-Param-Zone is '{'x' * 80}...', the arguments say otherwise in place.zone" == str(refused.value)
