"""resources: lists, templates, reads with their cache hints, and what is answered where there is nothing."""

import json

import pytest

from tests.support.wire import Client

RESOURCES = [
    "demo://server-card",
    "demo://logo",
    "demo://counter",
    "demo://vault",
    "demo://files/readme.md",
    "demo://files/spec.md",
    "demo://files/notes.txt",
]


def test_every_resource_is_listed_with_what_a_person_reads(client: Client) -> None:
    """RES-01, RES-13: the files behind the template too."""
    listed = {each["uri"]: each for each in client.request("resources/list").result["resources"]}
    assert set(RESOURCES) <= listed.keys()
    assert all(each["name"] and each["title"] and each["description"] for each in listed.values())
    assert "image/png" == listed["demo://logo"]["mimeType"]


def test_templates_are_listed_apart(client: Client) -> None:
    """RES-10."""
    templates = client.request("resources/templates/list").result["resourceTemplates"]
    assert ["demo://files/{name}"] == [each["uriTemplate"] for each in templates]


def test_the_lists_are_the_same_each_time(client: Client) -> None:
    """RES-02: and whatever was read in between."""
    before = client.request("resources/list").body
    client.read("demo://counter")
    assert before == client.request("resources/list").body


def test_text_is_read_as_text(client: Client) -> None:
    """RES-06, RES-08: with the resource's own hint."""
    result = client.read("demo://server-card").result
    (content,) = result["contents"]
    assert ("demo://server-card", "text/markdown") == (content["uri"], content["mimeType"])
    assert content["text"]
    assert "blob" not in content
    assert (300_000, "public") == (result["ttlMs"], result["cacheScope"])


def test_bytes_are_read_as_base64(client: Client) -> None:
    """RES-06, RES-08: with the server's hint."""
    result = client.read("demo://logo").result
    (content,) = result["contents"]
    assert ("demo://logo", "image/png") == (content["uri"], content["mimeType"])
    assert content["blob"].startswith("iVBOR")
    assert "text" not in content
    assert (60_000, "private") == (result["ttlMs"], result["cacheScope"])


def test_what_changes_all_the_time_is_not_to_be_kept(client: Client) -> None:
    """RES-08, CAC-06: a hint of 0 is a hint, and it is there."""
    result = client.read("demo://counter").result
    assert (0, "private") == (result["ttlMs"], result["cacheScope"])
    assert "application/json" == result["contents"][0]["mimeType"]
    assert json.loads(result["contents"][0]["text"])["count"] > 0


def test_a_template_serves_what_it_matches(client: Client) -> None:
    """RES-10."""
    (content,) = client.read("demo://files/readme.md").result["contents"]
    assert ("demo://files/readme.md", "text/markdown") == (content["uri"], content["mimeType"])


@pytest.mark.parametrize(
    "uri",
    [
        "demo://files/does-not-exist.md",
        "demo://files/",
        "demo://files/../vault",
        "demo://files/%2e%2e%2freadme.md",
        "demo://files/a/readme.md",
        "demo://nope",
        "DEMO://logo",
        "file:///etc/passwd",
        "http://127.0.0.1/",
        "no uri at all",
        "",
    ],
)
def test_what_is_not_there_is_not_found(client: Client, uri: str) -> None:
    """RES-03, RES-04, RES-11, RPC-19: never empty contents, never a retired code; the URI comes back as it was sent."""
    answer = client.read(uri)
    assert (400, -32602) == answer.refusal
    assert uri == answer.error["data"]["uri"]


@pytest.mark.parametrize("value", [5, None, ["demo://logo"]])
def test_a_uri_is_text(client: Client, value: object) -> None:
    """RES-03."""
    assert (400, -32602) == client.request("resources/read", {"uri": value}).refusal
