"""What the reference server's resources and prompts do, beyond what the lines of the catalog show."""

import base64
import json
import struct
import zlib

import pytest

from goldfish.everything.catalog import entries
from tests.support.inprocess import CANCEL, DECLINE, FORM, accept
from tests.support.wire import Client

FILES = ["readme.md", "spec.md", "notes.txt"]


def test_resources_and_templates_are_listed_as_the_catalog_has_them(client: Client) -> None:
    """The files behind the template are listed one by one; everything has a title and a description."""
    listed = client.request("resources/list").result["resources"]
    templates = client.request("resources/templates/list").result["resourceTemplates"]
    catalog = [(entry.name, entry.title) for entry in entries() if entry.kind == "resource"]
    fixed = [(each["uri"], each["title"]) for each in listed if not each["uri"].startswith("demo://files/")]
    assert [each for each in catalog if "{" not in each[0]] == fixed
    assert [each for each in catalog if "{" in each[0]] == [(each["uriTemplate"], each["title"]) for each in templates]
    files = [each["uri"] for each in listed if each["uri"].startswith("demo://files/")]
    assert [f"demo://files/{name}" for name in FILES] == files
    assert all(each["description"] for each in [*listed, *templates])


def test_the_sizes_that_are_listed_are_those_of_what_is_read(client: Client) -> None:
    """Bytes, before any base64 (RES-16)."""
    for entry in client.request("resources/list").result["resources"]:
        if "size" in entry:
            (content,) = client.read(entry["uri"]).result["contents"]
            data = base64.b64decode(content["blob"]) if "blob" in content else content["text"].encode()
            assert entry["size"] == len(data)
            assert entry["mimeType"] == content["mimeType"]


@pytest.mark.parametrize(
    ("uri", "hints"),
    [
        ("demo://server-card", (300_000, "public")),
        ("demo://logo", (60_000, "private")),
        ("demo://counter", (0, "private")),
        ("demo://files/notes.txt", (60_000, "private")),
    ],
)
def test_a_read_has_the_resources_own_hints_or_else_the_servers(
    client: Client, uri: str, hints: tuple[int, str]
) -> None:
    """CAC-01."""
    result = client.read(uri).result
    assert hints == (result["ttlMs"], result["cacheScope"])


def test_the_counter_grows(client: Client) -> None:
    """JSON with a count of milliseconds."""
    counts = [json.loads(client.read("demo://counter").result["contents"][0]["text"])["count"] for _ in range(2)]
    assert counts == sorted(counts)
    assert all(isinstance(count, int) for count in counts)


def test_the_logo_is_a_whole_png(client: Client) -> None:
    """64 by 64 pixels; every chunk's checksum holds, and the pixels unpack to their full number."""
    data = base64.b64decode(client.read("demo://logo").result["contents"][0]["blob"])
    assert b"\x89PNG\r\n\x1a\n" == data[:8]
    chunks, rest = [], data[8:]
    while rest:
        (size,) = struct.unpack(">I", rest[:4])
        kind, body = rest[4:8], rest[8 : 8 + size]
        assert zlib.crc32(kind + body) == struct.unpack(">I", rest[8 + size : 12 + size])[0]
        chunks.append((kind, body))
        rest = rest[12 + size :]
    assert [b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"] == [kind for kind, _ in chunks]
    assert (64, 64, 4) == struct.unpack(">IIB", chunks[0][1][:9])
    assert 64 * (1 + 64 // 2) == len(zlib.decompress(chunks[3][1]))


@pytest.mark.parametrize("name", ["does-not-exist.md", "..%2Freadme.md", "README.md", "readme.md%00"])
def test_a_file_that_is_not_there_is_not_found(client: Client, name: str) -> None:
    """-32602 with the URI that was asked for (RES-03, RES-11)."""
    answer = client.read(f"demo://files/{name}")
    assert (400, -32602) == (answer.status, answer.error["code"])
    assert f"demo://files/{name}" == answer.error["data"]["uri"]


def test_the_vault_asks_again_after_a_wrong_passphrase(client: Client) -> None:
    """Under the same key; the right one then opens it, and that answer is not to be kept (CAC-04)."""
    wrong = client.read("demo://vault", capabilities=FORM, answers={"passphrase": accept(passphrase="sesame")})
    assert "not the passphrase" in wrong.asked["passphrase"]["params"]["message"]
    opened = client.read(
        "demo://vault",
        capabilities=FORM,
        state=wrong.result.get("requestState"),
        answers={"passphrase": accept(passphrase="mcp")},
    )
    assert "demo://vault" == opened.result["contents"][0]["uri"]
    assert (0, "private") == (opened.result["ttlMs"], opened.result["cacheScope"])


@pytest.mark.parametrize("answer", [DECLINE, CANCEL], ids=lambda answer: answer["action"])
def test_the_vault_stays_shut_for_those_who_do_not_answer(client: Client, answer: dict[str, object]) -> None:
    """-32602, and the message says why (MRTR-20)."""
    refused = client.read("demo://vault", capabilities=FORM, answers={"passphrase": answer})
    assert (400, -32602) == (refused.status, refused.error["code"])
    assert str(answer["action"]) in refused.error["message"]


def test_prompts_are_listed_as_the_catalog_has_them(client: Client) -> None:
    """Names and titles; every one is described."""
    listed = client.request("prompts/list").result["prompts"]
    assert [(e.name, e.title) for e in entries() if e.kind == "prompt"] == [(p["name"], p["title"]) for p in listed]
    assert all(prompt["description"] for prompt in listed)


def test_every_language_is_offered_in_its_order(client: Client) -> None:
    """CMP-07."""
    params = {"ref": {"type": "ref/prompt", "name": "code-review"}, "argument": {"name": "language", "value": ""}}
    values = client.request("completion/complete", params).result["completion"]["values"]
    assert ["typescript", "python", "rust", "go", "swift", "kotlin"] == values


@pytest.mark.parametrize("missing", ["language", "code"])
def test_code_review_needs_both_arguments(client: Client, missing: str) -> None:
    """PRM-03."""
    arguments = {"language": "go", "code": "x"}
    del arguments[missing]
    answer = client.prompt("code-review", arguments)
    assert -32602 == answer.error["code"]
    assert missing in answer.error["message"]


@pytest.mark.parametrize("tone", ["formal", "friendly", "pirate"])
def test_the_greeting_has_the_tone_that_was_chosen(client: Client, tone: str) -> None:
    """PRM-08."""
    answer = client.prompt("personalized-greeting", capabilities=FORM, answers={"tone": accept(tone=tone)})
    assert tone in answer.result["messages"][0]["content"]["text"]


def test_a_tone_that_is_none_of_the_three_is_asked_again(client: Client) -> None:
    """ELI-10."""
    answer = client.prompt("personalized-greeting", capabilities=FORM, answers={"tone": accept(tone="rude")})
    schema = answer.asked["tone"]["params"]["requestedSchema"]
    assert ["formal", "friendly", "pirate"] == schema["properties"]["tone"]["enum"]


@pytest.mark.parametrize("answer", [DECLINE, CANCEL], ids=lambda answer: answer["action"])
def test_whoever_chooses_no_tone_gets_the_greeting_without_one(client: Client, answer: dict[str, object]) -> None:
    """MRTR-20."""
    result = client.prompt("personalized-greeting", capabilities=FORM, answers={"tone": answer}).result
    assert "Greet me." == result["messages"][0]["content"]["text"]
