"""Goldfish: a Model Context Protocol server and library, revision 2026-07-28, the stateless one.

Everything public is a name of this module. A server is a `Server` with functions registered on it; `server.app` is an
ASGI application.
"""

from msgspec import Meta as Param

from goldfish.features.caching import Hints
from goldfish.features.completion import Completer
from goldfish.features.context import Context
from goldfish.features.questions import (
    Cancelled,
    Declined,
    InputRequired,
    NotAccepted,
    form,
    roots_list,
    sampling,
    visit,
)
from goldfish.features.resources import NotFound
from goldfish.features.tools import Header, ToolError, ToolResult
from goldfish.kernel.profile import RELAXED, STRICT, Profile
from goldfish.ports import Bus, Event
from goldfish.server import Server
from goldfish.transports.asgi import Endpoint, Report
from goldfish.transports.guard import Guard
from goldfish.version import __version__
from goldfish.wire.content import (
    Annotations,
    AudioContent,
    BlobResourceContents,
    ContentBlock,
    EmbeddedResource,
    Icon,
    ImageContent,
    PromptMessage,
    ResourceContents,
    ResourceEntry,
    ResourceLink,
    SamplingMessage,
    TextContent,
    TextResourceContents,
    ToolAnnotations,
    ToolResultContent,
    ToolUseContent,
)
from goldfish.wire.errors import Refusal
from goldfish.wire.inputs import Answer, CreateMessageResult, ElicitResult, InputRequest, ListRootsResult, Root
from goldfish.wire.meta import ClientCapabilities, ClientInfo, LogLevel, RequestMeta

__all__ = [
    "RELAXED",
    "STRICT",
    "Annotations",
    "Answer",
    "AudioContent",
    "BlobResourceContents",
    "Bus",
    "Cancelled",
    "ClientCapabilities",
    "ClientInfo",
    "Completer",
    "ContentBlock",
    "Context",
    "CreateMessageResult",
    "Declined",
    "ElicitResult",
    "EmbeddedResource",
    "Endpoint",
    "Event",
    "Guard",
    "Header",
    "Hints",
    "Icon",
    "ImageContent",
    "InputRequest",
    "InputRequired",
    "ListRootsResult",
    "LogLevel",
    "NotAccepted",
    "NotFound",
    "Param",
    "Profile",
    "PromptMessage",
    "Refusal",
    "Report",
    "RequestMeta",
    "ResourceContents",
    "ResourceEntry",
    "ResourceLink",
    "Root",
    "SamplingMessage",
    "Server",
    "TextContent",
    "TextResourceContents",
    "ToolAnnotations",
    "ToolError",
    "ToolResult",
    "ToolResultContent",
    "ToolUseContent",
    "__version__",
    "form",
    "roots_list",
    "sampling",
    "visit",
]
