"""The prompts, in the order in which they are listed."""

from goldfish.everything.feature import Feature
from goldfish.everything.prompts import code_review, personalized_greeting

MODULES: tuple[Feature, ...] = (code_review, personalized_greeting)
