"""The generated sections of the README: that they can be written, and that the real one is not behind."""

from pathlib import Path

import pytest

from goldfish.everything import catalog, readme

ROOT = Path(__file__).resolve().parents[2]


def marked(name: str, text: str = "old\n") -> str:
    return f"before\n<!-- generated: {name} -->\n{text}<!-- end -->\nafter\n"


@pytest.mark.parametrize("name", readme.SECTIONS)
def test_a_section_is_written_between_its_markers(name: str) -> None:
    """What stands around it stays, and a second time changes nothing."""
    written = readme.update(marked(name))
    assert marked(name, readme.section(name)) == written
    assert written == readme.update(written)


def test_two_sections_do_not_run_into_each_other() -> None:
    """Each ends at its own end marker."""
    text = marked("features") + "between\n" + marked("breakage")
    assert "after\nbetween\nbefore\n" in readme.update(text)


def test_a_section_nobody_generates_is_refused() -> None:
    """The message names the ones there are."""
    with pytest.raises(ValueError, match="section 'fetaures': the sections are features"):
        readme.update(marked("fetaures"))


def test_the_command_writes_the_file_and_then_finds_it_up_to_date(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Checking does not write; the exit status tells."""
    path = tmp_path / "README.md"
    path.write_text(marked("features"), encoding="utf-8")
    assert 1 == readme.main(["--check", str(path)])
    assert "generated sections are behind" in capsys.readouterr().err
    assert marked("features") == path.read_text(encoding="utf-8")
    assert 0 == readme.main([str(path)])
    assert 0 == readme.main(["--check", str(path)])
    assert catalog.markdown() in path.read_text(encoding="utf-8")


def test_the_readme_is_not_behind() -> None:
    """`make docs` writes it anew."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "<!-- generated: features -->" in text
    assert text == readme.update(text)
