"""The ladder of checks that every request climbs before its handler runs, in one order.

Knows the envelope, the mirrored headers, the versions and the method table. Pure: a message and its headers in, typed
params or a Refusal out; nothing is sent, awaited or remembered. The rungs: envelope (ENV-01), headers against the body
(HDR-01..05), version (VER-01), method (RPC-17), params. With `headers=None` the header rung is skipped (STD-04).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, NoReturn, Protocol

import msgspec
from msgspec import Raw

from goldfish.kernel.call import Call
from goldfish.kernel.method import Method
from goldfish.kernel.profile import Profile
from goldfish.wire.errors import (
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    Refusal,
    header_mismatch,
    invalid_params,
    unsupported_version,
)
from goldfish.wire.headers import HeaderError, decode_value, plain_value
from goldfish.wire.jsonrpc import Message
from goldfish.wire.meta import PROTOCOL_VERSION, SUPPORTED_VERSIONS, RequestMeta
from goldfish.wire.methods import Params

SERVED: Final = list(SUPPORTED_VERSIONS)
VERSION_HEADER: Final = b"mcp-protocol-version"
METHOD_HEADER: Final = b"mcp-method"
NAME_HEADER: Final = b"mcp-name"

INITIALIZE: Final = "initialize"
_BEGIN: Final = "begin with server/discover"
#: What took the place of the methods that this revision removed, said in the error (VER-06, VER-07).
REMOVED: Final[Mapping[str, str]] = MappingProxyType(
    {
        INITIALIZE: f"{SERVED[0]} has no handshake, {_BEGIN}",
        "ping": "this revision removed it",
        "logging/setLevel": "send io.modelcontextprotocol/logLevel in _meta instead",
        "resources/subscribe": "send subscriptions/listen instead",
        "resources/unsubscribe": "close the subscriptions/listen stream instead",
    }
)


async def _no_handler(request: Any) -> NoReturn:
    raise AssertionError("an unknown method is refused before it is handled")


@dataclass(frozen=True, slots=True)
class Rung:
    """A method's row, with what admitting it needs made ready."""

    method: Method
    decoder: msgspec.json.Decoder[Params]
    name_attribute: str | None


def rung(method: Method) -> Rung:
    attribute = None
    if method.name_field is not None:
        wire_names = method.params.__struct_encode_fields__
        attribute = method.params.__struct_fields__[wire_names.index(method.name_field)]
    return Rung(method, msgspec.json.Decoder(method.params), attribute)


UNKNOWN: Final = rung(Method("", Params, _no_handler, available=lambda: False))
Table = Mapping[str, Rung]


def build_table(methods: Sequence[Method]) -> Table:
    """One rung per method; raises ValueError when two rows claim the same name."""
    table: dict[str, Rung] = {}
    for method in methods:
        if method.name in table:
            raise ValueError(f"two rows for the method {method.name!r}")
        table[method.name] = rung(method)
    return MappingProxyType(table)


def admit(table: Table, profile: Profile, message: Message, call: Call) -> tuple[Method, Params, str | None]:
    """The row, the typed params and the mirrored name of a request; raises Refusal."""
    step = table.get(message.method, UNKNOWN)
    params: Params | None = None
    flaw: Refusal | None = None
    try:
        params = step.decoder.decode(message.params)
    except (msgspec.DecodeError, RecursionError) as error:
        meta, name, flaw = _salvage(step, profile, message, call, error)
    else:
        meta = params.meta
        name = None if step.name_attribute is None else getattr(params, step.name_attribute)
    if call.headers is not None:
        _check_headers(profile, message.method, meta.protocol_version, name, call)
    if meta.protocol_version not in SUPPORTED_VERSIONS:
        raise unsupported_version(meta.protocol_version, SERVED)
    if not step.method.available():
        raise _not_found(message.method)
    if params is None:
        raise flaw or AssertionError("params that could not be read have a flaw")
    return step.method, params, name


def _check_headers(profile: Profile, method: str, version: str, name: str | None, call: Call) -> None:
    raw = mirrored(call, VERSION_HEADER, "MCP-Protocol-Version")
    if raw is None:
        if profile.version_header_required:
            raise _version_header_missing()
    else:
        _compare("MCP-Protocol-Version", plain_value, raw, version)
    raw = mirrored(call, METHOD_HEADER, "Mcp-Method")
    if raw is None:
        raise header_mismatch(f"Mcp-Method is missing, the body's method is {_shown(method)}")
    _compare("Mcp-Method", plain_value, raw, method)  # HDR-11: never decoded
    if name is not None:
        raw = mirrored(call, NAME_HEADER, "Mcp-Name")
        if raw is None:
            raise header_mismatch(f"Mcp-Name is missing, the body names {_shown(name)}")
        _compare("Mcp-Name", decode_value, raw, name)


class Headed(Protocol):
    """Whatever carries the headers of one request."""

    @property
    def headers(self) -> Mapping[bytes, bytes] | None: ...

    @property
    def repeated(self) -> Collection[bytes]: ...


def mirrored(request: Headed, header: bytes, label: str) -> bytes | None:
    """The raw value of a mirrored header; one that came twice has no single value and is refused (HDR-30)."""
    if request.headers is None:
        return None
    if header in request.repeated:
        raise header_mismatch(f"{label} was sent more than once")
    return request.headers.get(header)


def _compare(label: str, read: Any, raw: bytes, expected: str) -> None:
    try:
        value: str = read(raw)
    except HeaderError as error:
        raise header_mismatch(f"{label}: {error}") from None
    if value != expected:
        raise header_mismatch(f"{label} is {_shown(value)}, the body says {_shown(expected)}")


def _shown(value: str) -> str:
    return repr(_cut(value, 80))


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit] + "..."


def _version_header_missing() -> Refusal:
    return header_mismatch(f"MCP-Protocol-Version is missing; this server serves {', '.join(SERVED)}")


def _not_found(method: str) -> Refusal:
    hint = f" ({REMOVED[method]})" if method in REMOVED else ""
    return Refusal(METHOD_NOT_FOUND, f"Method not found: {_shown(method)}{hint}")


def _salvage(
    step: Rung, profile: Profile, message: Message, call: Call, error: Exception
) -> tuple[RequestMeta, str | None, Refusal]:
    """The envelope and the mirrored name of params that could not be read whole, and the reason why they could not.

    Runs only for requests that end in a refusal. Raises when the envelope itself is at fault, since nothing further can
    be judged without it.
    """
    try:
        members = msgspec.json.decode(message.params, type=dict[str, Raw])
    except msgspec.ValidationError:
        raise invalid_params("Invalid params: params must be an object with _meta") from None  # RPC-16
    except (msgspec.DecodeError, RecursionError) as broken:
        raise Refusal(PARSE_ERROR, f"Parse error: params: {_reason(broken)}") from None
    envelope = members.get("_meta")
    if message.method == INITIALIZE and not _names_version(envelope):
        raise _legacy_initialize(members, call)
    if envelope is None:
        raise _no_envelope(profile, call)
    try:
        meta = msgspec.json.decode(envelope, type=RequestMeta)
    except (msgspec.DecodeError, RecursionError) as flaw:  # ENV-01, ENV-02, ENV-04, LOG-05, PRG-04
        raise invalid_params(f"Invalid params: _meta: {_reason(flaw)}") from None
    field = step.method.name_field
    raw_name = None if field is None else members.get(field)
    return meta, _text(raw_name), invalid_params(f"Invalid params: {_reason(error)}")


def _reason(error: Exception) -> str:
    """What a decoder found wrong. It may quote what was sent, so the length is bounded."""
    return "nested too deeply" if isinstance(error, RecursionError) else _cut(str(error), 200)


def _text(raw: bytes | Raw | None) -> str | None:
    """A JSON string, or None: a name that is no string is the params' flaw, not the header's (TOOL-14)."""
    if raw is None:
        return None
    try:
        return msgspec.json.decode(raw, type=str)
    except msgspec.DecodeError:
        return None


def _names_version(envelope: bytes | Raw | None) -> bool:
    if envelope is None:
        return False
    try:
        return PROTOCOL_VERSION in msgspec.json.decode(envelope, type=dict[str, Raw])
    except (msgspec.DecodeError, RecursionError):
        return False


def _header_version(call: Call) -> str | None:
    raw = None if call.headers is None else call.headers.get(VERSION_HEADER)
    try:
        return None if raw is None else plain_value(raw)
    except HeaderError:
        return None


def _legacy_initialize(members: Mapping[str, Raw], call: Call) -> Refusal:
    """VER-06: the handshake of an older client gets an error that names the served versions."""
    refusal = unsupported_version(_text(members.get("protocolVersion")) or _header_version(call) or "", SERVED)
    return Refusal(refusal.code, f"{refusal.message}, which has no {INITIALIZE}: {_BEGIN}", refusal.data)


def _no_envelope(profile: Profile, call: Call) -> Refusal:
    """X-33: without `_meta` the header says of which era the request is, and so which rule it broke."""
    if call.headers is not None:
        version = _header_version(call)
        if version is None and profile.version_header_required:
            return _version_header_missing()
        if version is not None and version not in SUPPORTED_VERSIONS:
            return header_mismatch(
                f"MCP-Protocol-Version is {_shown(version)}, the body has no _meta; this server serves {SERVED[0]}"
            )
    return invalid_params("Invalid params: _meta is missing; it carries the protocol version and client capabilities")
