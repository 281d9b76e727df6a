"""URI templates of RFC 6570, level 1: `{variable}` and nothing more.

Knows templates and URIs as text. Knows no resource. Matching is strict about what comes out: a value is one segment,
percent-decoded, and never a path that climbs (RES-10, RES-11).
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote, unquote_to_bytes

_VARIABLE: Final = re.compile(r"[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*\Z")
_PARTS: Final = re.compile(r"\{([^{}]*)\}")
_BAD_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")


class Template:
    """A template; raises ValueError with the reason where it is not one of level 1."""

    def __init__(self, template: str) -> None:
        literals = _PARTS.split(template)[::2]
        names = _PARTS.findall(template)
        if any("{" in literal or "}" in literal for literal in literals):
            raise ValueError(f"template {template!r}: the braces do not match")
        for name in names:
            if not _VARIABLE.match(name):
                raise ValueError(f"template {template!r}: {{{name}}} is not a plain variable (RFC 6570, level 1)")
        if len(set(names)) < len(names):
            raise ValueError(f"template {template!r}: a variable stands twice")
        if any(not literal for literal in literals[1:-1]):
            raise ValueError(f"template {template!r}: two variables touch, so their values could not be told apart")
        self.template = template
        self.variables: tuple[str, ...] = tuple(names)
        pattern = re.escape(literals[0]) + "".join(f"([^/?#]+?){re.escape(literal)}" for literal in literals[1:])
        self._pattern = re.compile(pattern)

    def match(self, uri: str) -> dict[str, str] | None:
        """The variables of a URI, decoded; None where it is not of this template."""
        found = self._pattern.fullmatch(uri)
        if found is None:
            return None
        values = [_decoded(raw) for raw in found.groups()]
        if any(value is None for value in values):
            return None
        return {name: value for name, value in zip(self.variables, values, strict=True) if value is not None}

    def expand(self, **values: str) -> str:
        """The URI for these values, everything but unreserved characters percent-encoded."""
        return _PARTS.sub(lambda found: quote(values[found[1]], safe="-._~"), self.template)


def _decoded(raw: str) -> str | None:
    if _BAD_ESCAPE.search(raw):
        return None
    try:
        value = unquote_to_bytes(raw).decode()
    except UnicodeDecodeError:
        return None
    segments = value.replace("\\", "/").split("/")
    return None if "\0" in value or "." in segments or ".." in segments else value
