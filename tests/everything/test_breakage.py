"""The table of things to break: that it is whole, and how it is shown."""

from goldfish.everything import breakage
from goldfish.everything.breakage import ROWS

ANSWERS = [
    (400, -32020),
    (400, -32020),
    (400, -32020),
    (400, -32020),
    (400, -32022),
    (404, -32601),
    (405, None),
    (400, -32021),
    (400, -32602),
    (400, -32602),
    (400, -32602),
    (400, -32020),
    (200, None),
    (400, -32003),
    (200, None),
    (400, -32602),
]


def test_the_rows_are_those_of_the_feature_map() -> None:
    """Status and JSON-RPC code of each, in its order."""
    assert ANSWERS == [(row.status, row.code) for row in ROWS]


def test_every_row_says_something_of_its_own() -> None:
    """No row is a copy of another."""
    assert len(ROWS) == len({row.what for row in ROWS}) == len({row.lines for row in ROWS})


def test_the_rows_as_markdown_are_a_table_and_a_fold_for_each() -> None:
    """The lines stand as they are, in a block of shell."""
    text = breakage.markdown()
    for row in ROWS:
        assert f"| {row.what} | {row.answer} | " in text
        assert f"<details><summary>{row.what}</summary>" in text
        assert all(f"```sh\n{line}\n```" in text for line in row.lines)
