"""Every transcript is replayed in the process, over HTTP and over stdio, and compared message by message."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from goldfish import __version__
from goldfish.everything.resources.logo import LOGO_BASE64
from tests.transcripts import book
from tests.transcripts.book import Exchange, Received, Transcript
from tests.transcripts.placeholders import Names
from tests.transcripts.ways import WAYS, InProcess, Way, ask

LISTS = {"tools/list": ("tools", "name"), "resources/list": ("resources", "uri"), "prompts/list": ("prompts", "name")}
LISTS["resources/templates/list"] = ("resourceTemplates", "uriTemplate")


@pytest.fixture(scope="session", params=WAYS)
def way(request: pytest.FixtureRequest) -> Iterator[Way]:
    """Each is begun once; the servers that two of them need, not before."""
    chosen = WAYS[request.param](lambda: request.getfixturevalue("reference"))
    yield chosen
    chosen.close()


@pytest.fixture(scope="module")
def here() -> Iterator[InProcess]:
    chosen = InProcess()
    yield chosen
    chosen.close()


def names() -> Names:
    """With the two that README.md promises to be known."""
    return Names({"<version>": __version__, "<logo>": LOGO_BASE64})


def problems(way: Way, transcript: Transcript) -> list[str]:
    """What differs, an exchange a line."""
    known, found = names(), []
    for exchange in transcript.exchanges:
        if exchange.http and not way.has_headers:
            continue
        expected = exchange.receive
        received = ask(way, known.fill(exchange.send), len(expected.messages))
        problem = known.difference(expected.messages, received.messages)
        if way.has_headers and expected.head != received.head:
            problem = f"expected {expected.head}, got {received.head}"
        if problem is not None:
            found.append(f"{exchange.title}: {problem}")
    return found


def updated(way: InProcess, transcript: Transcript) -> Transcript:
    """With the answers of today; sentences, requests and, where they still fit, names stay."""
    known, exchanges = names(), []
    for exchange in transcript.exchanges:
        before = exchange.receive.messages
        received = ask(way, known.fill(exchange.send), len(before))
        messages = known.name(before, received.messages)
        exchanges.append(replace(exchange, receive=Received(received.head, messages)))
    return replace(transcript, exchanges=tuple(exchanges))


def update(way: InProcess, path: Path) -> None:
    path.write_text(str(updated(way, book.parse(path.read_text(encoding="utf-8")))), encoding="utf-8")


@pytest.mark.parametrize("path", book.files(), ids=lambda path: path.stem)
def test_a_transcript_holds(path: Path, way: Way, request: pytest.FixtureRequest) -> None:
    """With --update its answers are written anew first, from the process of the tests."""
    if request.config.getoption("--update") and isinstance(way, InProcess):
        update(way, path)
    assert [] == problems(way, book.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", book.files(), ids=lambda path: path.stem)
def test_each_exchange_says_where_the_specification_says_so(path: Path) -> None:
    transcript = book.parse(path.read_text(encoding="utf-8"))
    assert [] == [exchange.title for exchange in transcript.exchanges if not exchange.cites]


def test_every_feature_is_used_in_a_transcript(here: InProcess) -> None:
    """Each tool, resource, template and prompt that the reference server lists."""
    transcripts = [book.parse(path.read_text(encoding="utf-8")) for path in book.files()]
    requests = [sent for every in transcripts for exchange in every.exchanges for sent in exchange.requests]
    targets = [sent.get("params", {}) for sent in requests]
    targets += [params["ref"] for params in targets if "ref" in params]
    used = {target.get("name", target.get("uri")) for target in targets}
    for method, (member, key) in LISTS.items():
        (answer,) = here.exchange({"method": method}).messages
        assert [] == [entry[key] for entry in answer["result"][member] if entry[key] not in used]


def edited(name: str, before: str, after: str) -> Transcript:
    text = (book.FOLDER / f"{name}.md").read_text(encoding="utf-8")
    assert before in text
    return book.parse(text.replace(before, after))


@pytest.mark.parametrize(
    ("name", "before", "after", "problem"),
    [
        ("echo", "echo: hi", "echo: ho", "expected 'echo: ho', got 'echo: hi'"),
        ("echo", '"isError": true', '"isError": 1', "expected 1, got True"),
        ("versions", "HTTP 404", "HTTP 400", "expected HTTP 400, application/json, got HTTP 404"),
        ("long-task", '"progress": 1,', '"progress": 2,', "expected 2, got 1"),
        (
            "run-task",
            '"lastUpdatedAt": "<updated>"',
            '"lastUpdatedAt": "<created>"',
            "lastUpdatedAt: expected '<created>'",
        ),
        ("discover", '"completions": {}', '"completions": {}, "more": {}', "capabilities: expected"),
    ],
)
def test_a_transcript_that_says_something_else_does_not_hold(
    here: InProcess, name: str, before: str, after: str, problem: str
) -> None:
    assert problem in " ".join(problems(here, edited(name, before, after)))


def test_messages_in_another_order_do_not_hold(here: InProcess) -> None:
    first, *rest = book.parse((book.FOLDER / "long-task.md").read_text(encoding="utf-8")).exchanges
    turned = replace(first, receive=replace(first.receive, messages=first.receive.messages[::-1]))
    assert problems(here, Transcript("", (turned, *rest)))


def test_what_is_written_anew_holds_and_keeps_its_words(here: InProcess, tmp_path: Path) -> None:
    path = tmp_path / "confirm-launch.md"
    path.write_text(str(edited("confirm-launch", '"launched": true', '"launched": 5')), encoding="utf-8")
    assert problems(here, book.parse(path.read_text(encoding="utf-8")))
    update(here, path)
    assert [] == problems(here, book.parse(path.read_text(encoding="utf-8")))
    assert (book.FOLDER / path.name).read_text(encoding="utf-8") == path.read_text(encoding="utf-8")


def test_an_exchange_without_an_answer_gets_one_with_names(here: InProcess) -> None:
    call = {"name": "never-satisfied", "arguments": {}}
    sent = {"method": "tools/call", "params": call, "capabilities": {"elicitation": {"form": {}}}}
    blank = Exchange("Round 1", "Why.", False, sent, Received(None, [{}]))
    (filled,) = updated(here, Transcript("", (blank,))).exchanges
    assert "HTTP 200, application/json" == filled.receive.head
    assert "<state>" == filled.receive.messages[0]["result"]["requestState"]


@pytest.mark.parametrize("path", book.files(), ids=lambda path: path.stem)
def test_a_transcript_is_laid_out_as_update_would_lay_it_out(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text == str(book.parse(text))


def test_a_section_that_is_not_in_the_format_is_not_passed_over() -> None:
    with pytest.raises(ValueError, match="## Something: not a sentence"):
        book.parse("# Title\n\n## Something\n\nWhy.\n\nSent:\n\n```json\n{}\n```\n")


def test_a_name_stands_for_one_value() -> None:
    known = Names()
    assert known.difference({"a": "<x>", "b": "n <y>!"}, {"a": "1", "b": "n 2!"}) is None
    assert {"c": ["1-2"]} == known.fill({"c": ["<x>-<y>"]})
    assert known.difference("<x>", "1") is None
    assert known.difference("<x>", "2")
    with pytest.raises(ValueError, match="<z> is sent before"):
        known.fill("<z>")


def test_new_names_tell_values_apart() -> None:
    """What lasts is known again; a state is another each time, whatever it is."""
    now = [{"taskId": "t"}, {"taskId": "u"}, {"taskId": "t"}, {"requestState": "s"}, {"requestState": "s"}]
    expected = [{"taskId": "<task>"}, {"taskId": "<task-2>"}, {"taskId": "<task>"}]
    assert [*expected, {"requestState": "<state>"}, {"requestState": "<state-2>"}] == Names().name(None, now)
