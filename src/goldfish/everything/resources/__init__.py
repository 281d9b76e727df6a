"""The resources, in the order in which they are listed."""

from goldfish.everything.feature import Feature
from goldfish.everything.resources import counter, files, logo, server_card, vault

MODULES: tuple[Feature, ...] = (server_card, logo, counter, files, vault)
