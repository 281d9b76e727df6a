"""Every line that the catalog, the breakage table and the endpoints show is pasted into a shell here."""

import json
import re
import subprocess

import pytest

from goldfish.everything import breakage, catalog, curl, endpoints
from goldfish.everything.breakage import Row
from goldfish.everything.catalog import Entry
from goldfish.everything.endpoints import Difference


def paste(lines: str, base: str) -> str:
    """What the lines print, errors included, against a server at `base`."""
    shell = ["bash", "-c", lines.replace(curl.BASE, base)]
    done = subprocess.run(shell, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=10, text=True, check=False)
    return done.stdout


def assert_in_order(snippets: tuple[str, ...], output: str) -> None:
    rest = output
    for snippet in snippets:
        assert snippet in rest, f"{snippet!r} is not in what is left of the output: {rest!r}"
        rest = rest.partition(snippet)[2]


def split(output: str) -> tuple[int, str]:
    """Status and body of the last request, which printed its status behind its body."""
    found = re.search(r"(?:.*\n)?(?P<body>.*)\nHTTP (?P<status>\d{3})\n\Z", output, re.DOTALL)
    assert found, output
    return int(found["status"]), found["body"]


@pytest.mark.parametrize("entry", catalog.entries(), ids=lambda entry: entry.name)
def test_the_lines_of_an_entry_print_what_it_expects(entry: Entry, reference: str) -> None:
    """The snippets in backquotes appear in the output, in their order."""
    assert_in_order(entry.snippets, paste(entry.lines, reference))


@pytest.mark.parametrize(
    ("row", "line"),
    [pytest.param(row, line, id=f"{row.what}-{way}") for row in breakage.ROWS for way, line in enumerate(row.lines)],
)
def test_every_way_to_break_something_is_answered_as_its_row_says(row: Row, line: str, reference: str) -> None:
    """HTTP status, JSON-RPC code and a part of the body."""
    status, body = split(paste(line, reference))
    assert row.status == status
    assert row.snippet in body
    assert row.code == (json.loads(body).get("error", {}).get("code") if body else None)


@pytest.mark.parametrize("row", endpoints.DIFFERENCES, ids=lambda row: row.topic)
def test_the_endpoints_differ_as_they_say(row: Difference, reference: str) -> None:
    """The same request at both."""
    for (status, snippet), line in ((row.relaxed, row.relaxed_line), (row.strict, row.strict_line)):
        answer, body = split(paste(line, reference))
        assert status == answer
        assert snippet in body
