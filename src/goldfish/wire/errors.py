"""The error codes of the protocol, the one HTTP status each has, and the exception that carries one.

Knows the numbers and their shapes. Knows no request, no transport and no feature: whoever refuses a request raises a
`Refusal`, and whoever answers it encodes the `Refusal` and looks the status up here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
HEADER_MISMATCH: Final = -32020
MISSING_CLIENT_CAPABILITY: Final = -32021
UNSUPPORTED_VERSION: Final = -32022
#: What drafts of the tasks extension said for MISSING_CLIENT_CAPABILITY; only a relaxed profile still says it (X-01).
DRAFT_MISSING_CAPABILITY: Final = -32003

#: basic/index "Error Codes" and streamable-http fix 400 and 404; the rest of the table is the project's choice.
#: A code that is not listed travels in a 200: an application's error is no transport failure (HTTP-14).
HTTP_STATUS: Final[Mapping[int, int]] = MappingProxyType(
    {
        PARSE_ERROR: 400,
        INVALID_REQUEST: 400,
        INVALID_PARAMS: 400,
        METHOD_NOT_FOUND: 404,
        INTERNAL_ERROR: 200,
        HEADER_MISMATCH: 400,
        MISSING_CLIENT_CAPABILITY: 400,
        UNSUPPORTED_VERSION: 400,
        DRAFT_MISSING_CAPABILITY: 400,
    }
)


class Refusal(Exception):
    """A request answered with a JSON-RPC error. Any handler may raise one.

    `code` is an integer of the table above or one of the application's own, which must lie outside -32768..-32000
    (basic/index "Error Codes"); `message` is one short sentence that the client sees; `data`, when not None, is any
    JSON value.
    """

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    @property
    def http_status(self) -> int:
        return HTTP_STATUS.get(self.code, 200)


def invalid_params(message: str, data: Any = None) -> Refusal:
    return Refusal(INVALID_PARAMS, message, data)


def header_mismatch(message: str) -> Refusal:
    """HDR-01..05, HDR-19: one code for a mirrored header that is missing, malformed or unequal."""
    return Refusal(HEADER_MISMATCH, f"Header mismatch: {message}")


def unsupported_version(requested: str, supported: list[str]) -> Refusal:
    """VER-01: the data lists every served version and echoes the one that was asked for, up to a length none has."""
    requested = requested[:256]
    message = f"Unsupported protocol version: {requested[:64]!r}; this server serves {', '.join(supported)}"
    return Refusal(UNSUPPORTED_VERSION, message, {"supported": supported, "requested": requested})


def missing_capability(required: Mapping[str, Any], code: int = MISSING_CLIENT_CAPABILITY) -> Refusal:
    """MRTR-06: `data.requiredCapabilities` is a ClientCapabilities object, not a list."""
    names = ", ".join(_paths(required))
    message = f"Missing required client capability: {names}"
    return Refusal(code, message, {"requiredCapabilities": required})


def _paths(tree: Mapping[str, Any], prefix: str = "") -> list[str]:
    paths: list[str] = []
    for name, inner in tree.items():
        paths += _paths(inner, f"{prefix}{name}.") if inner else [prefix + name]
    return paths
