"""The `_meta` envelope: the key names the specification reserves, and the shape of a request's metadata.

Knows the table "Per-request protocol fields" of basic/index. Knows no method and no transport.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType, field

VERSION: Final = "2026-07-28"
SUPPORTED_VERSIONS: Final = (VERSION,)

PREFIX: Final = "io.modelcontextprotocol/"
PROTOCOL_VERSION: Final = PREFIX + "protocolVersion"
CLIENT_INFO: Final = PREFIX + "clientInfo"
CLIENT_CAPABILITIES: Final = PREFIX + "clientCapabilities"
LOG_LEVEL: Final = PREFIX + "logLevel"
SERVER_INFO: Final = PREFIX + "serverInfo"
SUBSCRIPTION_ID: Final = PREFIX + "subscriptionId"

LogLevel = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
#: LOG-02: from the least to the most severe.
LOG_LEVELS: Final[tuple[LogLevel, ...]] = (
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
)
SEVERITY: Final[Mapping[str, int]] = MappingProxyType({level: rank for rank, level in enumerate(LOG_LEVELS)})

JsonObject = dict[str, Any]


class ClientInfo(msgspec.Struct, frozen=True):
    """Who the client says it is. For display and logs only (ENV-10)."""

    name: str
    version: str
    title: str | None = None


class Elicitation(msgspec.Struct, frozen=True):
    form: JsonObject | UnsetType = UNSET
    url: JsonObject | UnsetType = UNSET


class Sampling(msgspec.Struct, frozen=True):
    context: JsonObject | UnsetType = UNSET
    tools: JsonObject | UnsetType = UNSET


class ClientCapabilities(msgspec.Struct, frozen=True):
    """What the client can do for this one request. An open set: unknown members are ignored (ENV-17)."""

    elicitation: Elicitation | UnsetType = UNSET
    sampling: Sampling | UnsetType = UNSET
    roots: JsonObject | UnsetType = UNSET
    extensions: dict[str, JsonObject] | UnsetType = UNSET
    experimental: dict[str, JsonObject] | UnsetType = UNSET


class RequestMeta(msgspec.Struct, frozen=True):
    """A request's `_meta` (ENV-01). Keys of others are accepted and make no difference (ENV-14)."""

    protocol_version: str = field(name=PROTOCOL_VERSION)
    client_capabilities: ClientCapabilities = field(name=CLIENT_CAPABILITIES)
    client_info: ClientInfo | UnsetType = field(name=CLIENT_INFO, default=UNSET)  # ENV-03: optional
    log_level: LogLevel | UnsetType = field(name=LOG_LEVEL, default=UNSET)
    progress_token: int | str | UnsetType = field(name="progressToken", default=UNSET)  # PRG-04
    # ENV-16: W3C Trace Context says that a malformed value is ignored, so any JSON is accepted here.
    traceparent: Any = UNSET
    tracestate: Any = UNSET
    baggage: Any = UNSET


def _forms(capabilities: ClientCapabilities) -> bool:
    """ELI-01: `elicitation: {}` declares form mode; once a mode is named, only the named ones count."""
    declared = capabilities.elicitation
    return declared is not UNSET and (declared.form is not UNSET or declared.url is UNSET)


#: The capabilities a server can need for a question: how each is declared, and how the error names it (MRTR-06).
CAPABILITIES: Final[Mapping[str, tuple[Callable[[ClientCapabilities], bool], JsonObject]]] = MappingProxyType(
    {
        "elicitation.form": (_forms, {"elicitation": {"form": {}}}),
        "elicitation.url": (
            lambda c: c.elicitation is not UNSET and c.elicitation.url is not UNSET,
            {"elicitation": {"url": {}}},
        ),
        "sampling": (lambda c: c.sampling is not UNSET, {"sampling": {}}),
        "sampling.tools": (
            lambda c: c.sampling is not UNSET and c.sampling.tools is not UNSET,
            {"sampling": {"tools": {}}},
        ),
        "sampling.context": (
            lambda c: c.sampling is not UNSET and c.sampling.context is not UNSET,
            {"sampling": {"context": {}}},
        ),
        "roots": (lambda c: c.roots is not UNSET, {"roots": {}}),
    }
)


def supports(capabilities: ClientCapabilities, name: str) -> bool:
    """Whether `name`, a key of CAPABILITIES, was declared for this request."""
    return CAPABILITIES[name][0](capabilities)


def required_capabilities(names: list[str]) -> JsonObject:
    """The ClientCapabilities object that declares all of `names`."""
    merged: JsonObject = {}
    for name in names:
        for member, inner in CAPABILITIES[name][1].items():
            merged.setdefault(member, {}).update(inner)
    return merged
