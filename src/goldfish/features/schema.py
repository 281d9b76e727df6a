"""JSON Schema: what may be registered, and whether a value fits (basic/index "JSON Schema Usage").

Knows schemas and the validator library. Nothing is ever fetched: a reference that leaves the schema is refused when it
is registered (TOOL-10). Dialects: 2020-12, the default, and 2019-09, draft-07, draft-06 and draft-04 where `$schema`
names them (TOOL-09).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NoReturn

import jsonschema_rs

DIALECTS: Final = frozenset(
    {
        "https://json-schema.org/draft/2020-12/schema",
        "https://json-schema.org/draft/2019-09/schema",
        "http://json-schema.org/draft-07/schema",
        "http://json-schema.org/draft-06/schema",
        "http://json-schema.org/draft-04/schema",
    }
)
MAX_DEPTH: Final = 64
MAX_NODES: Final = 10_000
MAX_TEXT: Final = 200


class SchemaError(ValueError):
    """A schema that cannot be registered: where, and the rule."""


def _never(uri: str) -> NoReturn:
    raise SchemaError(f"{uri}: references to other documents are never fetched")


def check_schema(schema: Any, *, root_object: bool, where: str) -> None:
    """Raises SchemaError unless `schema` can be used as it is (TOOL-06, TOOL-09 to TOOL-11)."""
    if not isinstance(schema, dict):
        raise SchemaError(f"{where}: must be an object, not {type(schema).__name__}")
    if root_object and schema.get("type") != "object":
        raise SchemaError(f'{where}: the root must have "type": "object"')
    dialect = schema.get("$schema", "https://json-schema.org/draft/2020-12/schema")
    if not isinstance(dialect, str) or dialect.rstrip("#") not in DIALECTS:
        raise SchemaError(f"{where}: the dialect {dialect!r} is not supported, use 2020-12")
    for pointer, node in _nodes(schema, where):
        for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
            reference = node.get(keyword)
            if isinstance(reference, str) and not reference.startswith("#"):
                raise SchemaError(f"{pointer}: {keyword} {reference[:MAX_TEXT]!r} leaves the schema; use $defs")
        if pointer != f"{where}#" and isinstance(node.get("$id"), str):
            raise SchemaError(f"{pointer}: an $id below the root is not supported")
        if isinstance(node.get("$schema"), str) and pointer != f"{where}#":
            raise SchemaError(f"{pointer}: $schema belongs to the root")
    try:
        _compile(schema)
    except SchemaError:
        raise
    except Exception as error:
        raise SchemaError(f"{where}: {_short(str(error))}") from None


def _nodes(schema: Any, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    stack: list[tuple[str, Any, int]] = [(f"{where}#", schema, 0)]
    seen = 0
    while stack:
        pointer, node, depth = stack.pop()
        seen += 1
        if depth > MAX_DEPTH:
            raise SchemaError(f"{where}: nested deeper than {MAX_DEPTH}")
        if seen > MAX_NODES:
            raise SchemaError(f"{where}: more than {MAX_NODES} values")
        if isinstance(node, dict):
            yield pointer, node
            stack += [
                (f"{pointer}/{name}", child, depth + 1)
                for name, child in node.items()
                if name not in ("const", "enum", "default", "examples")
            ]
        elif isinstance(node, list):
            stack += [(f"{pointer}/{at}", child, depth + 1) for at, child in enumerate(node)]


def _compile(schema: Mapping[str, Any]) -> Any:
    plain = {key: value for key, value in schema.items() if key != "$id"}
    return jsonschema_rs.validator_for(plain, retriever=_never, validate_formats=True)


class Validator:
    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._compiled = _compile(schema)

    def problems(self, instance: Any, limit: int = 5) -> list[str]:
        """Where `instance` breaks the schema, and by which rule; [] when it fits."""
        if self._compiled.is_valid(instance):
            return []
        found: list[str] = []
        for error in self._compiled.iter_errors(instance):
            path = ".".join(map(str, error.instance_path)) or "(root)"
            found.append(f"{path[:MAX_TEXT]}: {_short(error.message)}")
            if len(found) == limit:
                break
        return found


def _short(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + "..."
