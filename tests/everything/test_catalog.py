"""The catalog: what it reads out of a module's docstring, and that every feature has one it can read."""

import re

import pytest

from goldfish.everything import catalog, curl
from goldfish.everything.catalog import Entry, entries, parse

DOCSTRING = """thing: A title.

    A note
    on two lines.

    Feature: what it
        shows
    Spec: server/tools#tool; basic/index#icons
    Try:
        curl one \\
          two
        curl three
    Expect: first `a`,
        then `b c`
    """

TOOLS = [
    "echo",
    "execute-sql",
    "get-weather",
    "long-task",
    "fail",
    "ask-name",
    "confirm-launch",
    "open-dashboard",
    "summarize",
    "list-client-roots",
    "never-satisfied",
    "trigger-notifications",
    "run-task",
]
RESOURCES = ["demo://server-card", "demo://logo", "demo://counter", "demo://files/{name}", "demo://vault"]
PROMPTS = ["code-review", "personalized-greeting"]


def test_an_entry_is_read_from_a_docstring() -> None:
    """Prose is joined to one line; the lines to paste keep their breaks and lose their indentation."""
    expected = Entry(
        kind="tool",
        name="thing",
        title="A title",
        note="A note on two lines.",
        feature="what it shows",
        spec=("server/tools#tool", "basic/index#icons"),
        lines="curl one \\\n  two\ncurl three",
        expect="first `a`, then `b c`",
    )
    assert expected == parse("tool", DOCSTRING)


def test_snippets_are_what_stands_in_backquotes() -> None:
    """The order is that of the text, which is the order in which the output shows them."""
    assert ("a", "b c") == parse("tool", DOCSTRING).snippets


def test_a_note_may_be_missing() -> None:
    """The fields may follow the first line at once."""
    without = re.sub(r" +A note\n.*\n\n", "", DOCSTRING)
    assert "" == parse("tool", without).note


@pytest.mark.parametrize("field", catalog.FIELDS)
def test_a_docstring_without_a_field_is_refused_by_name(field: str) -> None:
    """The message names the entry and the rule."""
    with pytest.raises(ValueError, match="thing: the fields must be Feature, Spec, Try, Expect"):
        parse("tool", DOCSTRING.replace(f"{field}:", "Other:"))


@pytest.mark.parametrize("docstring", ["", "No name and title", "name: no full stop"])
def test_a_docstring_without_name_and_title_is_refused(docstring: str) -> None:
    """A module without a docstring, as under `python -OO`, is refused too."""
    with pytest.raises(ValueError, match="the first line must be"):
        parse("tool", docstring)


def test_the_catalog_has_every_feature_in_the_order_of_the_feature_map() -> None:
    """The order is fixed: tools, resources, prompts."""
    assert [*TOOLS, *RESOURCES, *PROMPTS] == [entry.name for entry in entries()]


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_every_entry_is_whole(entry: Entry) -> None:
    """It links to the specification, has lines to paste at the default address, and says what they print."""
    assert all(re.fullmatch(r"[a-z/-]+#[a-z0-9-]+", page) for page in entry.spec)
    assert curl.BASE + "/mcp" in entry.lines
    assert entry.snippets
    assert not entry.expect.endswith(".")


def test_the_feature_map_as_markdown_has_a_row_and_a_fold_for_every_entry() -> None:
    """One table for each kind, with links to the specification."""
    text = catalog.markdown()
    assert 3 == text.count("|---|---|---|")
    for entry in entries():
        assert 1 == text.count(f"\n| `{entry.name}` | ")
        assert 1 == text.count(f"<details><summary><code>{entry.name}</code>: {entry.title}</summary>")
        assert entry.lines in text
        assert f"]({catalog.SPECIFICATION}{entry.spec[0]})" in text


def test_a_bar_in_a_table_cell_is_escaped() -> None:
    """A bare bar would begin another cell."""
    assert r"a \| b" == catalog.cell("a | b")
