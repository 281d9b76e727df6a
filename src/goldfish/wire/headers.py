"""Mirrored headers: how a value travels in a header, which parameters are mirrored, and when the two agree.

Knows streamable-http "Request Metadata": the sentinel encoding, the walk of `x-mcp-header`, the comparison rules. Pure
functions over bytes and JSON values. Knows no request and no error code; what breaks a rule raises HeaderError.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Final, Literal

KEYWORD: Final = "x-mcp-header"
_PREFIX: Final = "=?base64?"
_SUFFIX: Final = "?="
_TOKEN: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+\Z")  # RFC 9110 5.6.2
_VISIBLE: Final = re.compile(rb"[\x20-\x7e\t]*\Z")
_DECIMAL: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?\Z")  # HDR-26: no exponent, no plus sign, no hex


class HeaderError(ValueError):
    """A header, or an annotation, that breaks a rule: one short sentence that names both."""


def plain_value(raw: bytes) -> str:
    """A field value as text, blanks around it gone (HDR-09). Never decoded (HDR-11)."""
    value = raw.strip(b" \t")
    if not _VISIBLE.match(value):
        raise HeaderError("the value has characters that no header may carry")  # HDR-16
    return value.decode("ascii")


def decode_value(raw: bytes) -> str:
    """A field value with the base64 form undone (HDR-10). Without both markers it is literal text (HDR-13)."""
    value = plain_value(raw)
    if not (value.startswith(_PREFIX) and value.endswith(_SUFFIX) and len(value) >= len(_PREFIX) + len(_SUFFIX)):
        return value
    encoded = value[len(_PREFIX) : -len(_SUFFIX)].encode()
    try:
        payload = base64.b64decode(encoded, validate=True)
        if base64.b64encode(payload) != encoded:  # HDR-14: one spelling only
            raise HeaderError("the base64 form is not canonical")
        return payload.decode()
    except (binascii.Error, UnicodeDecodeError):
        raise HeaderError("the base64 form does not decode to UTF-8") from None  # HDR-12


def encode_value(text: str) -> str:
    """How a client sends `text`: as it is where that is safe, in the base64 form otherwise (HDR-10, HDR-15)."""
    looks_encoded = text.startswith(_PREFIX) and text.endswith(_SUFFIX)
    if text == text.strip(" \t") and not looks_encoded and all(" " <= sign <= "~" for sign in text):
        return text
    return f"{_PREFIX}{base64.b64encode(text.encode()).decode()}{_SUFFIX}"


@dataclass(frozen=True, slots=True)
class ParamHeader:
    """A mirrored parameter: the name as annotated, the lower-case field name, where its value stands, its type."""

    name: str
    header: bytes
    path: tuple[str, ...]
    type: Literal["string", "integer", "boolean"]


# Where JSON Schema 2020-12 holds subschemas, besides `properties`: one, a list, or a mapping of them.
_ONE: Final = (
    "items", "additionalItems", "contains", "additionalProperties", "propertyNames", "unevaluatedItems",
    "unevaluatedProperties", "not", "if", "then", "else", "contentSchema",
)  # fmt: skip
_MANY: Final = ("items", "prefixItems", "allOf", "anyOf", "oneOf")
_NAMED: Final = ("patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions")


def param_headers(schema: Mapping[str, Any]) -> tuple[ParamHeader, ...]:
    """Every mirrored parameter of an input schema, in its order (HDR-17); raises HeaderError (HDR-18 to HDR-20)."""
    found: list[ParamHeader] = []
    names: set[str] = set()
    for pointer, path, node in _subschemas(schema):
        if KEYWORD not in node:
            continue
        header = _annotated(pointer, path, node)
        if header.name.lower() in names:
            raise HeaderError(f"{pointer}: {KEYWORD} {header.name!r} is used twice; names differ in more than case")
        names.add(header.name.lower())
        found.append(header)
    return tuple(found)


def _annotated(pointer: str, path: tuple[str, ...] | None, node: Mapping[str, Any]) -> ParamHeader:
    name, kind = node[KEYWORD], node.get("type")
    if not path:
        raise HeaderError(f"{pointer}: {KEYWORD} is for properties reached from the root through properties alone")
    if not isinstance(name, str) or not _TOKEN.match(name):
        raise HeaderError(f"{pointer}: {KEYWORD} must be a header name (RFC 9110 token), not {name!r}")
    if kind not in ("string", "integer", "boolean"):
        raise HeaderError(f"{pointer}: {KEYWORD} needs the type string, integer or boolean, not {kind!r}")
    return ParamHeader(name, b"mcp-param-" + name.lower().encode(), path, kind)


def _subschemas(root: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...] | None, Mapping[str, Any]]]:
    """Each subschema with its JSON pointer and its property path, None off the chain of `properties` (HDR-20).

    Data is not entered: what stands in default, const, enum or examples annotates nothing.
    """
    stack: list[tuple[str, tuple[str, ...] | None, Any]] = [("#", (), root)]
    while stack:
        pointer, path, node = stack.pop()
        if not isinstance(node, Mapping):
            continue
        yield pointer, path, node
        inner: list[tuple[str, tuple[str, ...] | None, Any]] = []
        properties = node.get("properties")
        if isinstance(properties, Mapping):
            for name, child in properties.items():
                inner.append((f"{pointer}/properties/{name}", None if path is None else (*path, name), child))
        for keyword in _ONE:
            if isinstance(node.get(keyword), Mapping):
                inner.append((f"{pointer}/{keyword}", None, node[keyword]))
        for keyword in _MANY:
            if isinstance(node.get(keyword), list):
                inner += [(f"{pointer}/{keyword}/{at}", None, child) for at, child in enumerate(node[keyword])]
        for keyword in _NAMED:
            if isinstance(node.get(keyword), Mapping):
                inner += [(f"{pointer}/{keyword}/{name}", None, child) for name, child in node[keyword].items()]
        stack += reversed(inner)


def match_param(header: ParamHeader, raw: bytes | None, arguments: Mapping[str, Any]) -> None:
    """Raises HeaderError unless the header and the argument agree (HDR-21 to HDR-28)."""
    label = f"Mcp-Param-{header.name}"
    value = _at(header.path, arguments)
    if value is None:
        if raw is not None:  # a gateway has routed by it
            raise HeaderError(f"{label} was sent, but the argument {'.'.join(header.path)} is absent or null")
        return
    if raw is None:
        raise HeaderError(f"{label} is missing, the argument {'.'.join(header.path)} has a value")
    try:
        text = decode_value(raw)
    except HeaderError as error:
        raise HeaderError(f"{label}: {error}") from None
    if not _agree(header.type, text, value):
        raise HeaderError(f"{label} is {text[:80]!r}, which is not the argument {'.'.join(header.path)}")


def _at(path: tuple[str, ...], arguments: Mapping[str, Any]) -> Any:
    """The value at a path; None also where something on the way is no object (EC-52)."""
    value: Any = arguments
    for name in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def _agree(kind: str, text: str, value: Any) -> bool:
    """A value of another type than the annotated one is compared by its own text: the schema judges it (EC-51)."""
    if isinstance(value, bool):
        return text == ("true" if value else "false")  # HDR-24
    if isinstance(value, str):
        return text == value
    if isinstance(value, int | float) and _DECIMAL.match(text):
        try:
            # HDR-25, HDR-27: as numbers, and exactly; text and value keep every digit.
            return Decimal(text) == (Decimal(value) if isinstance(value, int) else Decimal(repr(value)))
        except InvalidOperation:
            return False
    return False
