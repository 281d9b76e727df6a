"""docs/requirements.md is whole, honest and up to date; and each of these can fail."""

from pathlib import Path

import pytest

from tests.support.requirements import (
    DOCUMENT,
    FAMILIES,
    Rule,
    Witness,
    problems,
    read_rules,
    read_tests,
    render,
    showing,
)

MUST = Rule("ENV-01", "M", "Every request is greeted.", None)
EXCUSED = Rule("ENV-02", "M", "Every request is thanked.", "comes with manners")
SHOULD = Rule("ENV-03", "S", "Every request is praised.", None)
SHOWN = Witness("test_a.py", "test_a_request_is_greeted", ("ENV-01",))


def test_every_must_has_a_test_or_a_reason_and_every_id_is_a_rule() -> None:
    assert [] == problems(read_rules(), read_tests())


def test_the_document_is_up_to_date() -> None:
    """Behind: run `make docs`."""
    assert render(read_rules(), read_tests()) == DOCUMENT.read_text(encoding="utf-8")


def test_every_family_has_rules_that_stand_together() -> None:
    families = [rule.family for rule in read_rules()]
    assert list(FAMILIES) == list(dict.fromkeys(families))
    assert families == sorted(families, key=list(FAMILIES).index)


def test_a_table_in_order_has_no_problem() -> None:
    """What is only a should may be without a test and without a reason."""
    assert [] == problems([MUST, EXCUSED, SHOULD], [SHOWN])


def test_a_must_without_test_and_reason_is_found() -> None:
    assert ["ENV-01 is a must, and has neither a test nor a reason why it has none"] == problems([MUST, EXCUSED], [])


def test_a_reason_that_a_test_overtook_is_found() -> None:
    overtaking = Witness("test_a.py", "test_it_is_thanked", ("ENV-02",))
    expected = ["ENV-02 has a test and a reason why it has none: test_it_is_thanked"]
    assert expected == problems([EXCUSED], [overtaking])


def test_an_id_that_is_no_rule_is_found() -> None:
    wrong = Witness("test_a.py", "test_b", ("ENV-01", "ENV-99"))
    assert ["test_a.py: test_b names ENV-99, which is no rule"] == problems([MUST], [wrong])


def test_ids_are_read_from_the_docstrings_of_tests_alone(tmp_path: Path) -> None:
    folder = tmp_path / "deep"
    folder.mkdir()
    (folder / "test_a.py").write_text(
        '"""RPC-01."""\n'
        "def test_one():\n    '''ENV-01, ENV-02 and ENV-01 again; not UTF-8.'''\n    # ENV-03\n"
        "async def test_two():\n    '''(HTTP-10).'''\n"
        "def helper():\n    '''ENV-04.'''\n"
        "class TestThree:\n    def test_four(self):\n        '''SUBS-02'''\n"
    )
    (folder / "support.py").write_text("def test_five():\n    '''ENV-05'''\n")
    expected = {"test_one": ("ENV-01", "ENV-02"), "test_two": ("HTTP-10",), "test_four": ("SUBS-02",)}
    assert expected == {test.name: test.ids for test in read_tests(tmp_path)}


def test_the_document_shows_tests_as_sentences_and_reasons_as_they_are() -> None:
    text = render([MUST, EXCUSED, SHOULD], [SHOWN])
    assert "| ENV-01 | M | Every request is greeted. | [a request is greeted](../tests/test_a.py) |\n" in text
    assert "| ENV-02 | M | Every request is thanked. | *comes with manners* |\n" in text
    assert "| ENV-03 | S | Every request is praised. | - |\n" in text
    assert "| must | 2 | 1 | 1 | 0 |\n| should | 1 | 0 | 0 | 1 |\n" in text


@pytest.mark.parametrize(
    "data",
    [
        'rules.ENV-01 = ["X", "a level that does not exist"]\n[without-a-test]\n',
        'rules.ENV-01 = ["M"]\n[without-a-test]\n',
        'rules.NOPE-01 = ["M", "a family that does not exist"]\n[without-a-test]\n',
        '[rules]\n[without-a-test]\nENV-01 = "a reason without a rule"\n',
    ],
)
def test_data_of_a_wrong_shape_is_refused(tmp_path: Path, data: str) -> None:
    path = tmp_path / "requirements.toml"
    path.write_text(data)
    with pytest.raises(ValueError, match=r"a row is|do not exist"):
        read_rules(path)


def test_every_test_that_names_a_rule_is_found_once_under_it() -> None:
    named = showing([SHOWN, Witness("test_b.py", "test_c", ("ENV-01", "ENV-02"))])
    assert {"ENV-01": 2, "ENV-02": 1} == {id: len(tests) for id, tests in named.items()}
