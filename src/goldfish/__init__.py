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
from goldfish.features.tool_results import ToolResult
from goldfish.features.tools import AsTask, Header, ToolError
from goldfish.kernel.profile import RELAXED, STRICT, Profile
from goldfish.ports import Backend, Caps, Unavailable
from goldfish.server import Server
from goldfish.tasks.derived import Answered, Derive, Moment, Phase
from goldfish.tasks.extension import DerivedTask
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
    "Answered",
    "AsTask",
    "AudioContent",
    "Backend",
    "BlobResourceContents",
    "Cancelled",
    "Caps",
    "ClientCapabilities",
    "ClientInfo",
    "Completer",
    "ContentBlock",
    "Context",
    "CreateMessageResult",
    "Declined",
    "Derive",
    "DerivedTask",
    "ElicitResult",
    "EmbeddedResource",
    "Endpoint",
    "Guard",
    "Header",
    "Hints",
    "Icon",
    "ImageContent",
    "InputRequest",
    "InputRequired",
    "ListRootsResult",
    "LogLevel",
    "Moment",
    "NotAccepted",
    "NotFound",
    "Param",
    "Phase",
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
    "Unavailable",
    "__version__",
    "form",
    "roots_list",
    "sampling",
    "visit",
]
