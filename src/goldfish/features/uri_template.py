"""URI templates of RFC 6570, level 1: literal text and `{variable}`, nothing more.

Knows templates and URIs as text. Knows no resource. Matching is strict about what comes out: a value is part of one
segment, percent-decoded once, and never a path that climbs (RES-10, RES-11).
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote, unquote_to_bytes

#: RFC 6570, 2.3, without percent-encoded names.
_NAME: Final = re.compile(r"[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*")
_EXPRESSION: Final = re.compile(r"\{([^{}]*)\}")
#: RFC 3986, 2: what a URI is written with.
_LITERAL: Final = re.compile(r"(?:[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*")
_BAD_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_DELIMITER: Final = re.compile(r"[/?#]")
_SEPARATOR: Final = re.compile(r"[/\\]")


class Template:
    """A URI template. Raises ValueError with the reason where `template` is not one of level 1.

    template   as written
    variables  the names, in order
    """

    __slots__ = ("_literals", "template", "variables")

    def __init__(self, template: str) -> None:
        pieces = _EXPRESSION.split(template)
        self.template = template
        self.variables: tuple[str, ...] = tuple(pieces[1::2])
        self._literals: tuple[str, ...] = tuple(pieces[::2])
        reason = _flaw(self.variables, self._literals)
        if reason is not None:
            raise ValueError(f"template {template!r}: {reason}")

    def match(self, uri: str) -> dict[str, str] | None:
        """The variables' values in `uri`, percent-decoded; None where it is not of this template.

        A value has at least one character and no raw `/`, `?` or `#`; where several readings are possible, the earlier
        variables are the shorter ones. None as well for an escape that is not one, for bytes that are not UTF-8, for
        NUL, and for a value with `.` or `..` between slashes or backslashes (RES-11). Takes time linear in the URI: a
        literal is looked for once, and no choice is ever taken back. The earliest place is never the wrong one, since
        whatever a value then takes over from its neighbour could only make the neighbour shorter.
        """
        first, last = self._literals[0], self._literals[-1]
        if not self.variables:
            return {} if uri == first else None
        if not (uri.startswith(first) and uri.endswith(last)):
            return None
        values: dict[str, str] = {}
        start, end = len(first), len(uri) - len(last)
        for name, literal in zip(self.variables, self._literals[1:-1], strict=False):
            stop = uri.find(literal, start + 1, end)
            value = _value(uri[start:stop]) if stop > 0 else None
            if value is None:
                return None
            values[name] = value
            start = stop + len(literal)
        value = _value(uri[start:end]) if start < end else None
        if value is None:
            return None
        values[self.variables[-1]] = value
        return values

    def expand(self, **values: str) -> str:
        """The URI with these values, all but RFC 3986's unreserved characters percent-encoded.

        Raises ValueError where `match` would not give the same values back: one is missing, empty or refused there, or
        two run into each other.
        """
        encoded = [quote(values.get(name, ""), safe="", errors="replace") for name in self.variables]
        uri = self._literals[0] + "".join(
            value + literal for value, literal in zip(encoded, self._literals[1:], strict=True)
        )
        if self.match(uri) != values:
            raise ValueError(f"template {self.template!r}: these values cannot be read back out of the URI")
        return uri


def _flaw(variables: tuple[str, ...], literals: tuple[str, ...]) -> str | None:
    for literal in literals:
        if "{" in literal or "}" in literal:
            return "the braces do not match"
        if not _LITERAL.fullmatch(literal):
            return "the text around the variables has characters that no URI has"
    for name in variables:
        if not _NAME.fullmatch(name):
            return f"{{{name}}} is not a plain variable: level 1 has one name of letters, digits and underscores"
    if len(set(variables)) < len(variables):
        return "a variable stands twice"
    if not all(literals[1:-1]):
        return "two variables touch, so that nothing tells their values apart"
    return None


def _value(raw: str) -> str | None:
    """A decoded value; None where RES-11 or the decoding refuses it."""
    if _DELIMITER.search(raw) or _BAD_ESCAPE.search(raw):
        return None
    try:
        value = unquote_to_bytes(raw).decode("utf-8")
    except UnicodeError:
        return None
    if "\0" in value or not {".", ".."}.isdisjoint(_SEPARATOR.split(value)):
        return None
    return value
