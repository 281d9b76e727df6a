"""What changes and is told: the events of the three lists and of single resources, and their topics for listen.

Knows notifications by name and the filter's members for them. Knows no feature but by whether it has anything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from goldfish.features.listen import Topic, flag_topic, list_topic
from goldfish.ports import Event
from goldfish.wire import jsonrpc

TOOLS_CHANGED: Final = Event("tools", "notifications/tools/list_changed")
PROMPTS_CHANGED: Final = Event("prompts", "notifications/prompts/list_changed")
RESOURCES_CHANGED: Final = Event("resources", "notifications/resources/list_changed")


def resource_updated(uri: str) -> Event:
    return Event(f"resource:{uri}", "notifications/resources/updated", jsonrpc.encode({"uri": uri}))


def topics(
    has_tools: Callable[[], bool], has_prompts: Callable[[], bool], has_resources: Callable[[], bool]
) -> list[Topic]:
    """One for each member of the specification's filter (patterns/subscriptions "Notification Filter")."""
    return [
        flag_topic("toolsListChanged", has_tools, TOOLS_CHANGED),
        flag_topic("promptsListChanged", has_prompts, PROMPTS_CHANGED),
        flag_topic("resourcesListChanged", has_resources, RESOURCES_CHANGED),
        list_topic("resourceSubscriptions", has_resources, resource_updated),
    ]
