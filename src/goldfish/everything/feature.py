"""What a feature's module offers. Knows the server it registers with; knows no feature."""

from typing import Protocol

from goldfish import Server


class Feature(Protocol):
    """A module with a docstring for the catalog and one tool, resource or prompt to register."""

    __doc__: str | None

    def register(self, server: Server) -> None:
        """Adds the feature to a server."""
