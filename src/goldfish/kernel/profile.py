"""The ways in which one endpoint may be more lenient than the specification, as data.

Knows the settings and their defaults, which are strict. Knows nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Profile:
    """How one endpoint judges requests.

    version_header_required   whether a request without MCP-Protocol-Version is refused (HDR-01), or its `_meta` decides
    """

    version_header_required: bool = True


STRICT: Final = Profile()
RELAXED: Final = Profile(version_header_required=False)
