"""The ways in which one endpoint may be more lenient than the specification, as data.

Knows the settings and their defaults, which are strict. Knows nothing of what they decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from goldfish.wire.errors import DRAFT_MISSING_CAPABILITY, MISSING_CLIENT_CAPABILITY


@dataclass(frozen=True, slots=True)
class Profile:
    """How one endpoint judges requests.

    version_header_required   whether a request without MCP-Protocol-Version is refused (HDR-01), or its `_meta` decides
    missing_extension         the error code for a client that did not declare the extension it uses (TASK-03, TASK-04)
    ask_undeclared            whether a task may be made that will ask what its client did not declare (TASK-28)
    """

    version_header_required: bool = True
    missing_extension: int = MISSING_CLIENT_CAPABILITY
    ask_undeclared: bool = False


STRICT: Final = Profile()
RELAXED: Final = Profile(version_header_required=False, missing_extension=DRAFT_MISSING_CAPABILITY, ask_undeclared=True)
