"""The error codes, their HTTP statuses, and what a refusal says (basic/index "Error Codes")."""

from typing import Any

import pytest

from goldfish.wire import errors
from goldfish.wire.errors import Refusal


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, -32700),
        (400, -32600),
        (404, -32601),
        (400, -32602),
        (200, -32603),
        (400, -32020),
        (400, -32021),
        (400, -32022),
        (200, 1),
        (200, -1),
        (200, -31999),
    ],
)
def test_each_code_has_one_http_status(status: int, code: int) -> None:
    """HTTP-12, HTTP-13, HTTP-14: an application's own code travels in a 200."""
    assert status == Refusal(code, "No.").http_status


def test_there_are_no_other_codes() -> None:
    """RPC-18, RPC-19, RPC-20: none that is retired, reserved or, but for the draft's that a relaxed endpoint still
    says of an extension, of the old implementation range."""
    known = {-32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022, errors.DRAFT_MISSING_CAPABILITY}
    assert known == set(errors.HTTP_STATUS)
    assert known == {value for name, value in vars(errors).items() if name.isupper() and isinstance(value, int)}


def test_the_table_of_statuses_cannot_be_changed() -> None:
    """One table for every endpoint of the process."""
    with pytest.raises(TypeError):
        errors.HTTP_STATUS[-32700] = 500  # type: ignore[index]


def test_a_refusal_is_an_exception_with_a_code_a_message_and_data() -> None:
    """RPC-05: any handler may raise one."""
    refusal = Refusal(7, "Not today.", {"until": "tomorrow"})
    assert (7, "Not today.", {"until": "tomorrow"}) == (refusal.code, refusal.message, refusal.data)
    assert "Not today." == str(refusal)
    assert None is Refusal(7, "Not today.").data


def test_invalid_params_may_carry_data() -> None:
    """RES-03: the URI of a resource that is not there."""
    refusal = errors.invalid_params("Resource not found", {"uri": "x://"})
    assert (-32602, "Resource not found", {"uri": "x://"}) == (refusal.code, refusal.message, refusal.data)


def test_a_header_mismatch_says_so_first() -> None:
    """HDR-01: one code for a mirrored header that is missing, malformed or unequal."""
    refusal = errors.header_mismatch("Mcp-Name is missing")
    assert (-32020, "Header mismatch: Mcp-Name is missing") == (refusal.code, refusal.message)


def test_an_unsupported_version_names_what_is_served_and_what_was_asked() -> None:
    """VER-01: both in the data."""
    refusal = errors.unsupported_version("v999", ["2026-07-28", "2027-01-01"])
    assert -32022 == refusal.code
    assert "Unsupported protocol version: 'v999'; this server serves 2026-07-28, 2027-01-01" == refusal.message
    assert {"supported": ["2026-07-28", "2027-01-01"], "requested": "v999"} == refusal.data


def test_an_endless_version_is_not_echoed_whole() -> None:
    """VER-01: no version is this long, so what comes back is cut."""
    refusal = errors.unsupported_version("9" * 1_000_000, ["2026-07-28"])
    assert "9" * 256 == refusal.data["requested"]
    assert len(refusal.message) < 200


def test_a_version_that_does_not_print_is_escaped_in_the_message() -> None:
    """VER-01: the data echoes it as it is."""
    refusal = errors.unsupported_version("1\n2\x00", ["2026-07-28"])
    assert refusal.message.isprintable()
    assert "1\n2\x00" == refusal.data["requested"]


def test_a_missing_capability_is_named_by_its_path_and_shown_as_an_object() -> None:
    """MRTR-06: requiredCapabilities is a ClientCapabilities object, not a list."""
    required: dict[str, Any] = {"elicitation": {"form": {}, "url": {}}, "roots": {}}
    refusal = errors.missing_capability(required)
    assert (-32021, {"requiredCapabilities": required}) == (refusal.code, refusal.data)
    assert "Missing required client capability: elicitation.form, elicitation.url, roots" == refusal.message
