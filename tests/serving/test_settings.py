"""The table of settings: what each flag and each variable takes, which of them wins, and how a bad value is told."""

from dataclasses import fields
from typing import Any

import pytest

from goldfish import settings

DEFAULTS: dict[str, Any] = {
    "host": "127.0.0.1",
    "port": 8787,
    "allowed_hosts": (),
    "allowed_origins": (),
    "log_level": "info",
    "quiet": False,
    "workers": 1,
    "store": "",
    "production": False,
    "state_keys": (),
    "stdio": False,
}


def read(*arguments: str, **variables: str) -> dict[str, Any]:
    chosen = settings.read(arguments, variables).settings
    assert chosen is not None
    return {field.name: getattr(chosen, field.name) for field in fields(chosen)}


def refused(*arguments: str, **variables: str) -> str:
    with pytest.raises(settings.Usage) as caught:
        settings.read(arguments, variables)
    return str(caught.value)


def test_the_table_sets_everything_there_is_to_set() -> None:
    assert [field.name for field in fields(settings.Settings)] == [row.field for row in settings.ROWS]


def test_without_flags_and_variables_the_defaults_count() -> None:
    assert DEFAULTS == read()


#: field -> (what a flag or a variable says, what it means, another value)
VALUES: dict[str, tuple[str, Any, str]] = {
    "host": ("::1", "::1", "localhost"),
    "port": ("0", 0, "65535"),
    "allowed_hosts": ("example.com:8443", ("example.com:8443",), "*"),
    "allowed_origins": ("https://example.com:*", ("https://example.com:*",), "*"),
    "log_level": ("WARNING", "warning", "debug"),
    "quiet": ("1", True, "0"),
    "workers": ("4", 4, "2"),
    "store": ("sqlite:a b.db", "sqlite:a b.db", "redis://localhost:6379/0"),
    "production": ("1", True, "0"),
    "state_keys": ("sixteen letters!", ("sixteen letters!",), "seventeen letters"),
    "stdio": ("1", True, "0"),
}
#: What a setting cannot do without.
NEEDED = {"production": {"GOLDFISH_STATE_KEYS": "sixteen letters!"}}
WITH_FLAG = [row for row in settings.ROWS if row.flag]


def flag(row: settings.Row, value: str) -> list[str]:
    return [row.flag] if row.switch else [row.flag, value]


@pytest.mark.parametrize("row", WITH_FLAG, ids=lambda row: row.flag)
def test_a_flag_sets_its_field_alone(row: settings.Row) -> None:
    said, meant, _ = VALUES[row.field]
    needed = NEEDED.get(row.field, {})
    assert read(**needed) | {row.field: meant} == read(*flag(row, said), **needed)


@pytest.mark.parametrize("row", settings.ROWS, ids=lambda row: row.variable)
def test_a_variable_sets_its_field_alone(row: settings.Row) -> None:
    said, meant, _ = VALUES[row.field]
    needed = NEEDED.get(row.field, {})
    assert read(**needed) | {row.field: meant} == read(**{row.variable: said}, **needed)


@pytest.mark.parametrize("row", WITH_FLAG, ids=lambda row: row.flag)
def test_a_flag_wins_over_its_variable(row: settings.Row) -> None:
    said, meant, other = VALUES[row.field]
    assert meant == read(*flag(row, said), **{row.variable: other}, **NEEDED.get(row.field, {}))[row.field]


@pytest.mark.parametrize("row", settings.ROWS, ids=lambda row: row.variable)
def test_an_empty_variable_counts_as_unset(row: settings.Row) -> None:
    """Compose files pass variables on that nobody has set."""
    assert DEFAULTS == read(**{row.variable: ""})


def test_lists_come_from_repeated_flags_or_from_commas() -> None:
    expected = ("example.com", "[fd00::1]:80")
    assert expected == read("--allowed-host", "example.com", "--allowed-host", "[fd00::1]:80")["allowed_hosts"]
    assert expected == read(GOLDFISH_ALLOWED_HOST="example.com, [fd00::1]:80,")["allowed_hosts"]


SWITCH = [("1", True), ("true", True), ("True", True), ("0", False), ("false", False)]


@pytest.mark.parametrize(("said", "meant"), SWITCH)
def test_the_variable_for_quiet_is_a_switch(said: str, meant: bool) -> None:
    assert meant is read(GOLDFISH_QUIET=said)["quiet"]


def test_a_host_may_stand_in_brackets() -> None:
    assert "::1" == read("--host", "[::1]")["host"]


BAD = {
    "host": ["http://127.0.0.1", "127.0.0.1/8", "a b", "::1]"],
    "port": ["abc", "-1", "65536", "80.5", "\u0663", "0x50"],
    "allowed_hosts": ["https://example.com", "example.com/mcp", "*.example.com", "::1", ","],
    "allowed_origins": ["example.com", "https://example.com/mcp", "ftp://example.com", "null"],
    "log_level": ["loud", "20"],
    "quiet": ["maybe"],
    "workers": ["0", "65", "two", "1.5", "-1"],
    "store": ["memory", "sqlite:", "postgres://x", "redis:"],
    "production": ["maybe"],
    "state_keys": ["short", "fifteen letters"],
    "stdio": ["maybe"],
}


@pytest.mark.parametrize(
    ("row", "value"), [pytest.param(row, value, id=row.variable) for row in settings.ROWS for value in BAD[row.field]]
)
def test_a_bad_value_names_its_source_and_what_is_allowed(row: settings.Row, value: str) -> None:
    shown = f", not {value!r}" if row.flag else ""
    assert f"{row.variable} must be {row.allowed}{shown}" == refused(**{row.variable: value})
    if row.flag and not row.switch:
        assert f"{row.flag} must be {row.allowed}{shown}" == refused(f"{row.flag}={value}")


def test_a_bad_secret_is_not_shown() -> None:
    assert "hush" not in refused(GOLDFISH_STATE_KEYS="hush")


def test_an_empty_flag_is_a_bad_value() -> None:
    assert "--port must be a whole number from 0 to 65535, not ''" == refused("--port", "")


def test_a_long_bad_value_is_cut() -> None:
    assert len(refused("--port", "9" * 10_000)) < 150


@pytest.mark.parametrize("arguments", [["--nope"], ["serve"], ["--por", "1"], ["--port"], ["--quiet=1"]])
def test_what_is_no_flag_is_refused_with_a_way_on(arguments: list[str]) -> None:
    assert refused(*arguments).endswith("; goldfish --help lists what there is")


PUBLIC = ["0.0.0.0", "::", "192.168.1.5", "fe80::1%eth0", "example.com", "127.1", "localhost.example.com", "0"]
LOOPBACK = ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1", "localhost", "LOCALHOST"]


@pytest.mark.parametrize("host", PUBLIC)
def test_a_public_address_needs_a_list_of_hosts(host: str) -> None:
    """An address that only might be public counts as public."""
    told = refused("--host", host)
    assert told.startswith(f"--host {host} can be reached from other machines: ")
    assert "--allowed-host" in told
    assert refused(GOLDFISH_HOST=host).startswith(f"GOLDFISH_HOST {host} can be reached")
    assert host == read("--host", host, "--allowed-host", "example.com")["host"]
    assert host == read("--host", host, GOLDFISH_ALLOWED_HOST="*")["host"]


@pytest.mark.parametrize("host", LOOPBACK)
def test_a_loopback_address_needs_no_list(host: str) -> None:
    assert host == read("--host", host)["host"]


@pytest.mark.parametrize("row", settings.ROWS, ids=lambda row: row.variable)
def test_help_and_the_table_tell_every_flag_with_its_variable_and_default(row: settings.Row) -> None:
    title = f"\n  {row.flag or row.variable} {row.metavar}".rstrip() + "\n"
    lines = settings.help_text().partition(title)[2].partition("\n  -")[0]
    assert row.help in lines
    assert f"{row.variable}, default: {row.default_text}" in lines
    assert f"`{row.variable}` | {row.default_text} |" in settings.markdown()


def test_help_shows_examples_that_can_be_read() -> None:
    examples = settings.help_text().partition("examples:\n")[2].split("\n")
    lines = [line.split() for line in examples if line]
    assert 2 == len(lines)
    for command, *arguments in lines:
        assert "goldfish" == command
        assert settings.read(arguments, {}).settings is not None


@pytest.mark.parametrize(("argument", "shown"), [("--help", "help"), ("-h", "help"), ("--version", "version")])
def test_help_and_version_come_before_everything_else(argument: str, shown: str) -> None:
    assert settings.Command(shown, None) == settings.read([argument, "--port", "abc"], {"GOLDFISH_HOST": "::"})
