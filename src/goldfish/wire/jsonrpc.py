"""One JSON-RPC message: bytes to its envelope, and a reply, an error or a notification to bytes.

Knows JSON-RPC 2.0 as the protocol narrows it (basic/index "Messages"): one message a body, no batch, an id that is a
string or an integer. Knows no method, no `_meta` and no transport; `params` stay raw bytes for whoever knows their
type.
"""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, Raw, UnsetType

from goldfish.wire.errors import INVALID_REQUEST, PARSE_ERROR, Refusal

NO_PARAMS: Final = Raw(b"{}")


class Message(msgspec.Struct, frozen=True, gc=False):
    """A request, or a notification where `id` is UNSET. Unknown members are ignored (RPC-15)."""

    jsonrpc: Literal["2.0"]
    method: str
    id: int | str | UnsetType = UNSET
    params: Raw = NO_PARAMS


_decoder = msgspec.json.Decoder(Message)
_encoder = msgspec.json.Encoder()

# Clients that split a stream into lines on these characters would cut a message in two; JSON may always escape them.
_LINE_BREAKS: Final = ((b"\xe2\x80\xa8", b"\\u2028"), (b"\xe2\x80\xa9", b"\\u2029"), (b"\xc2\x85", b"\\u0085"))


def decode(body: bytes) -> Message:
    """Reads one message; raises Refusal -32700 when the body is not JSON, -32600 when it is JSON but no message."""
    try:
        if not body.isascii():
            body.decode()  # RPC-10: msgspec does not look at the text it skips or keeps raw
        return _decoder.decode(body)
    except (msgspec.ValidationError, UnicodeDecodeError, msgspec.DecodeError, RecursionError):
        raise explain(body) from None


def explain(body: bytes) -> Refusal:
    """Why `decode` refuses this body. Slow and careful, since it only runs for what is refused.

    The Refusal carries the id in `request_id` where one could be read (RPC-03), and UNSET otherwise (RPC-04).
    """
    members: dict[str, Raw] = {}
    try:
        body.decode()
        first = bytes(msgspec.json.decode(body, type=Raw)).lstrip()[:1]
        if first == b"{":
            # Raw members, so that a number too large for Python elsewhere in the body does not hide the id.
            members = msgspec.json.decode(body, type=dict[str, Raw])
    except UnicodeDecodeError:
        return BadMessage(PARSE_ERROR, "Parse error: the body is not valid UTF-8")
    except RecursionError:
        return BadMessage(PARSE_ERROR, "Parse error: the body is nested too deeply")
    except msgspec.DecodeError as error:
        return BadMessage(PARSE_ERROR, f"Parse error: {error}")
    if first == b"[":
        return BadMessage(INVALID_REQUEST, "Invalid request: batches do not exist, send one message per body")
    if first != b"{":
        return BadMessage(INVALID_REQUEST, "Invalid request: the body must be a JSON object")
    return BadMessage(INVALID_REQUEST, f"Invalid request: {_flaw(members)}", _read(members.get("id"), int | str))


def _flaw(members: dict[str, Raw]) -> str:
    if _read(members.get("jsonrpc"), str) != "2.0":
        return 'jsonrpc must be "2.0"'
    if "method" not in members and ("result" in members or "error" in members):
        return "a client sends requests and notifications, never responses"
    if _read(members.get("method"), str) is UNSET:
        return "method must be a string"
    if "id" in members and _read(members["id"], int | str) is UNSET:
        digits = bytes(members["id"]).lstrip(b"-").isdigit()
        return "id has too many digits" if digits else "id must be a string or an integer"
    return "a member was sent twice with different types"  # RPC-24


def _read(raw: Raw | None, type: Any) -> Any:
    """A member's value, UNSET where it is absent or of another type."""
    try:
        return UNSET if raw is None else msgspec.json.decode(raw, type=type)
    except msgspec.ValidationError:
        return UNSET


class BadMessage(Refusal):
    """A body that is no message, with the id that its answer can carry."""

    def __init__(self, code: int, message: str, request_id: int | str | UnsetType = UNSET) -> None:
        super().__init__(code, message)
        self.request_id = request_id


class _Reply(msgspec.Struct):
    jsonrpc: str
    id: int | str
    result: Any


class _Error(msgspec.Struct):
    code: int
    message: str
    data: Any = UNSET


class _Failure(msgspec.Struct):
    jsonrpc: str
    id: int | str | UnsetType  # RPC-04: the member is absent, never null, when the id could not be read
    error: _Error


class _Notification(msgspec.Struct):
    jsonrpc: str
    method: str
    params: Any


def encode(value: Any) -> bytes:
    """JSON that no reader of lines can cut: U+2028, U+2029 and U+0085 are escaped."""
    data = _encoder.encode(value)
    if not data.isascii():
        for raw, escaped in _LINE_BREAKS:
            if raw in data:
                data = data.replace(raw, escaped)
    return data


def encode_result(request_id: int | str, result: Any) -> bytes:
    return encode(_Reply("2.0", request_id, result))


def encode_error(request_id: int | str | UnsetType, refusal: Refusal) -> bytes:
    data = UNSET if refusal.data is None else refusal.data
    return encode(_Failure("2.0", request_id, _Error(refusal.code, refusal.message, data)))


def encode_notification(method: str, params: Any) -> bytes:
    return encode(_Notification("2.0", method, params))
