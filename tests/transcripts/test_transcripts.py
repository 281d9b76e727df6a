"""Every transcript is replayed in the process, over HTTP and over stdio, and compared message by message."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.inprocess import Json
from tests.transcripts import book
from tests.transcripts.book import Exchange
from tests.transcripts.ways import InProcess, OverHttp, OverStdio, Way

PATIENCE = 10.0


@pytest.fixture(scope="module", params=["in process", "over HTTP", "over stdio"])
def way(request: pytest.FixtureRequest) -> Iterator[Way]:
    name: str = request.param
    chosen: Way
    if name == "in process":
        chosen = InProcess()
    elif name == "over HTTP":
        chosen = OverHttp(request.getfixturevalue("reference"))
    else:
        chosen = OverStdio()
    yield chosen
    chosen.close()


def ask(way: Way, exchange: Exchange, names: dict[str, Any]) -> list[Json]:
    send = book.filled(exchange.send, names)
    if "meanwhile" in send:
        return [book.shown(message) for message in way.listen(send, max(len(exchange.receive), 1))]
    return [book.shown(message) for message in way.exchange(send)]


def replay(way: Way, exchanges: list[Exchange]) -> list[str]:
    """What differs, an exchange a line. One that polls may take its time to become as expected."""
    names: dict[str, Any] = {}
    problems = []
    for number, exchange in enumerate(exchanges, 1):
        if exchange.http and not way.has_headers:
            continue
        deadline = time.monotonic() + (PATIENCE if exchange.send.get("poll") else 0.0)
        while True:
            problem = book.difference(exchange.receive, ask(way, exchange, names), names)
            if problem is None or time.monotonic() >= deadline:
                break
        if problem is not None:
            problems.append(f"exchange {number}, {exchange.send['method']}: {problem}")
    return problems


@pytest.mark.parametrize("path", book.files(), ids=lambda path: path.stem)
def test_a_transcript_holds(path: Path, way: Way, request: pytest.FixtureRequest) -> None:
    """With --update the answers are written anew first, from the process of the tests."""
    if request.config.getoption("--update") and isinstance(way, InProcess):
        update(way, path)
    assert [] == replay(way, book.read(path))


def update(way: Way, path: Path) -> None:
    names: dict[str, Any] = {}
    received = []
    for exchange in book.read(path):
        answer = ask(way, exchange, names)
        while exchange.send.get("poll") and answer[-1]["result"]["status"] != exchange.send["poll"]:
            answer = ask(way, exchange, names)
        received.append(answer)
        book.difference(book.named(exchange.receive, answer), answer, names)
    path.write_text(book.rewritten(path.read_text(encoding="utf-8"), received), encoding="utf-8")


def test_every_feature_stands_in_a_transcript() -> None:
    """Each tool, resource and prompt that the reference server lists."""
    way = InProcess()
    told = "".join(path.read_text(encoding="utf-8") for path in book.files())
    members = {
        "tools/list": ("tools", "name"),
        "resources/list": ("resources", "uri"),
        "prompts/list": ("prompts", "name"),
    }
    for method, (member, key) in members.items():
        entries = way.exchange({"method": method})[-1]["result"][member]
        assert [] == [entry[key] for entry in entries if f'"{entry[key]}"' not in told]
    way.close()


def test_a_transcript_that_says_something_else_does_not_hold(tmp_path: Path) -> None:
    """And is as it should be once it is written anew, its sentences left alone."""
    way = InProcess()
    path = tmp_path / "echo.md"
    text = (book.FOLDER / "echo.md").read_text(encoding="utf-8")
    path.write_text(text.replace("echo: hi", "echo: ho"), encoding="utf-8")
    assert "expected 'echo: ho', got 'echo: hi'" in replay(way, book.read(path))[0]
    update(way, path)
    assert [] == replay(way, book.read(path))
    assert text == path.read_text(encoding="utf-8")
    way.close()


def test_names_stand_for_what_is_new_each_time() -> None:
    names: dict[str, Any] = {}
    assert book.difference({"requestState": "<state>"}, {"requestState": "abc"}, names) is None
    assert {"requestState": "abc"} == book.filled({"requestState": "<state>"}, names)
    assert {"taskId": "<task>", "x": 1} == book.named(None, {"taskId": "t", "x": 1})
    assert book.difference({"a": 1}, {"a": 1, "b": 2}, names)
    assert book.difference([1], [True], names)
    assert json.dumps(book.named("<any>", "what came")) == '"<any>"'
