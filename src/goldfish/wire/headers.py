"""Values mirrored into HTTP headers: their encoding, the `x-mcp-header` annotation, and whether both sides agree.

Knows "Request Metadata" of basic/transports/streamable-http. Pure functions over bytes, text and parsed JSON. Knows no
method, no HTTP message and no state.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Literal, cast

from goldfish.wire.subschemas import walk

KEYWORD: Final = "x-mcp-header"
PREFIX: Final = "Mcp-Param-"

_BLANKS: Final = b" \t"
#: RFC 9110, 5.5, as the specification narrows it: visible ASCII, space and tab (HDR-16).
_ALLOWED: Final = bytes([0x09, *range(0x20, 0x7F)])
_PLAIN: Final = re.compile(r"(?![ ])[\x20-\x7e]*(?<![ ])")
_OPEN: Final = "=?base64?"
_CLOSE: Final = "?="
_SHORTEST: Final = len(_OPEN) + len(_CLOSE)

#: RFC 9110, 5.6.2: what the name of a header consists of (HDR-18).
_TOKEN: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
#: HDR-26: the only way to write a number in a header. No exponent, no plus sign, no hexadecimal.
_DECIMAL: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
#: Far above the 53 bits an annotated integer may have (HDR-27), and below what Python refuses to write out.
_MAX_BITS: Final = 10_000
_SHOWN: Final = 80

_TYPES: Final = frozenset({"string", "integer", "boolean"})


class HeaderError(ValueError):
    """A mirrored header that breaks a rule; the text is one short sentence."""


def plain_value(raw: bytes) -> str:
    """A header's value without the blanks around it (HDR-09), for headers that have no encoding (HDR-11).

    Raises HeaderError for control characters and for bytes that are not ASCII (HDR-16); a tab inside is allowed.
    """
    value = raw.strip(_BLANKS)
    if value.translate(None, _ALLOWED):
        raise HeaderError("the value must be printable ASCII")
    return value.decode("ascii")


def decode_value(raw: bytes) -> str:
    """The text that `Mcp-Name` or `Mcp-Param-*` carries, plainly or as `=?base64?...?=` ("Value Encoding").

    Raises HeaderError as `plain_value` does, and for a payload that is not canonical base64 of UTF-8 text. Without
    exactly these markers the value is literal text (HDR-13).
    """
    text = plain_value(raw)
    if text.startswith(_OPEN) and text.endswith(_CLOSE) and len(text) >= _SHORTEST:
        return _decoded(text[len(_OPEN) : -len(_CLOSE)])
    return text


def _decoded(payload: str) -> str:
    """HDR-12, HDR-14: encoding again must give the same characters: alphabet, padding and spare bits are then right."""
    try:
        data = b64decode(payload)
        canonical = b64encode(data).decode("ascii") == payload
        text = data.decode("utf-8")
    except ValueError:
        canonical = False
    if not canonical:
        raise HeaderError("the base64 value is not canonical base64 of UTF-8 text")
    return text


def encode_value(text: str) -> str:
    """What a client sends for `text`: as it is where that is safe, else `=?base64?...?=` ("Value Encoding").

    A tab is encoded as well, since some intermediaries turn it into a space. Raises HeaderError for lone surrogates.
    """
    if _PLAIN.fullmatch(text) and not (text.startswith(_OPEN) and text.endswith(_CLOSE)):  # HDR-15
        return text
    try:
        return _OPEN + b64encode(text.encode("utf-8")).decode("ascii") + _CLOSE
    except UnicodeEncodeError:
        raise HeaderError("the text has a lone surrogate and so no UTF-8 form") from None


@dataclass(frozen=True, slots=True)
class ParamHeader:
    """A tool's parameter that is mirrored into a header (HDR-17).

    name    the annotation's value, as written
    header  the whole name, in lower case: b"mcp-param-region"
    path    the names that lead from the arguments to the value
    type    the annotated JSON type
    """

    name: str
    header: bytes
    path: tuple[str, ...]
    type: Literal["string", "integer", "boolean"]


def param_headers(schema: Mapping[str, Any]) -> tuple[ParamHeader, ...]:
    """The `x-mcp-header` annotations of an inputSchema ("Schema Extension"), in its order.

    Raises HeaderError with the JSON pointer of the first annotation for which a client would have to refuse the tool.
    The schema must be finite JSON.
    """
    found: dict[str, ParamHeader] = {}
    for place in walk(schema):
        if KEYWORD not in place.schema:
            continue
        where = f"{place.pointer}/{KEYWORD}"
        path = _property_path(place.steps)
        if path is None:  # HDR-20
            raise HeaderError(f"{where}: only a property reached through `properties` alone can be mirrored")
        name, type = place.schema[KEYWORD], place.schema.get("type")
        if not isinstance(name, str) or not _TOKEN.fullmatch(name):  # HDR-18
            raise HeaderError(f"{where}: must be a header name, an RFC 9110 token")
        if not isinstance(type, str) or type not in _TYPES:  # HDR-19
            raise HeaderError(f"{where}: the property's type must be string, integer or boolean, and only that")
        if name.lower() in found:  # HDR-18
            raise HeaderError(f"{where}: another property is mirrored into {PREFIX}{name} already")
        header = (PREFIX + name).lower().encode("ascii")
        found[name.lower()] = ParamHeader(name, header, path, cast(Literal["string", "integer", "boolean"], type))
    return tuple(found.values())


def _property_path(steps: tuple[str | int, ...]) -> tuple[str, ...] | None:
    """The names in a chain of `properties` alone; None for any other place, the root among them."""
    names = tuple(name for name in steps[1::2] if isinstance(name, str))
    keywords = ("properties",) * len(names)
    return names if names and len(steps) == 2 * len(names) and steps[::2] == keywords else None


def match_param(header: ParamHeader, raw: bytes | None, arguments: Mapping[str, Any]) -> None:
    """Checks a mirrored parameter against the arguments; `raw` is None where the header was not sent.

    Raises HeaderError when they disagree ("Server Behavior for Custom Headers"). A value counts as absent when it is
    null or when its path leads through something that is no object; then the header must be absent too (HDR-23). Text
    must be equal, booleans are `true` and `false` (HDR-24), numbers are compared exactly, as plain decimals (HDR-25).
    That goes by the value's own type, not the annotated one: whether the type is right is the schema's to say (HDR-21).
    Arrays and objects have no header form, so that nothing agrees with them.
    """
    value = _value_at(header.path, arguments)
    if value is None:
        if raw is not None:
            raise HeaderError(f"{PREFIX}{header.name} was sent, the arguments have no {_dotted(header)}")
        return
    if raw is None:  # HDR-21
        raise HeaderError(f"{PREFIX}{header.name} is missing, the arguments have {_dotted(header)}")
    try:
        text = decode_value(raw)
    except HeaderError as error:
        raise HeaderError(f"{PREFIX}{header.name}: {error}") from None
    if not _agree(text, value):
        raise HeaderError(f"{PREFIX}{header.name} is {_shown(text)}, the arguments say otherwise in {_dotted(header)}")


def _value_at(path: tuple[str, ...], arguments: Mapping[str, Any]) -> Any:
    """HDR-20, HDR-22: None where it is null, or nothing, or its path leads through something that is no object."""
    value = arguments.get(path[0])
    for name in path[1:]:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def _agree(text: str, value: Any) -> bool:
    if isinstance(value, str):
        return text == value
    if isinstance(value, bool):
        return text == ("true" if value else "false")
    if isinstance(value, int):
        if value.bit_length() > _MAX_BITS:
            return False
        written = str(value)
        return text == written or _equal_decimals(text, written)
    if isinstance(value, float):
        return _equal_decimals(text, format(Decimal(repr(value)), "f"))
    return False


def _equal_decimals(one: str, other: str) -> bool:
    """As text, so that no digit is rounded away and a header full of digits costs no more than reading it."""
    return all(map(_DECIMAL.fullmatch, (one, other))) and _normal(one) == _normal(other)


def _normal(decimal: str) -> tuple[bool, str, str]:
    """Sign, whole part and fraction without needless zeros; no sign for zero (HDR-26)."""
    whole, _, fraction = decimal.lstrip("-").partition(".")
    whole, fraction = whole.lstrip("0"), fraction.rstrip("0")
    return decimal.startswith("-") and (whole, fraction) != ("", ""), whole, fraction


def _dotted(header: ParamHeader) -> str:
    return _cut(".".join(header.path))


def _shown(text: str) -> str:
    return repr(_cut(text))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
