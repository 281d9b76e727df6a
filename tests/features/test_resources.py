"""Resources and templates: their lists, what a read gives, and what is not found."""

import asyncio
import logging
import threading
from collections.abc import Callable
from typing import Any

import pytest

from goldfish import (
    Annotations,
    BlobResourceContents,
    Context,
    Icon,
    NotFound,
    ResourceEntry,
    Server,
    TextResourceContents,
)
from tests.support.inprocess import CANCEL, DECLINE, FORM, PREFIX, Answer, Client, Json, accept, in_loop

WORD: Json = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
FILES = {"a.txt": "alpha", "b/c.txt": "deep", "ü 1.txt": "umlaut"}


@pytest.fixture
def server() -> Server:
    server = Server("test", "1")

    @server.resource(
        "test://manual",
        title="Manual",
        mime_type="text/markdown",
        size=6,
        icons=[Icon(src="https://example.com/i.svg", mime_type="image/svg+xml", sizes=["any"], theme="light")],
        annotations=Annotations(audience=["user"], priority=1.0, last_modified="2026-07-28T00:00:00Z"),
        meta={"example.com/x": 1},
    )
    async def manual() -> str:
        """How to."""
        return "# Help"

    @server.resource("test://files/{name}", name="files", description="Files.", mime_type="text/plain")
    async def files(name: str) -> str:
        if name not in FILES:
            raise NotFound
        return FILES[name]

    @server.resource("test://gate/{door}")
    async def gate(door: str, ctx: Context) -> str:
        word = (await ctx.elicit("word", f"The word for {door}?", WORD))["word"]
        return f"{door}: {word}"

    @server.resource("test://breaks")
    async def breaks() -> str:
        raise RuntimeError("secret path /etc/x")

    return server


async def returned(value: Any, mime_type: str | None = None) -> Answer:
    """What becomes of a value that a resource returns."""
    server = Server("test", "1")

    @server.resource("test://value", mime_type=mime_type)
    async def resource() -> Any:
        return value

    return await Client(server.app).read("test://value")


@in_loop
async def test_the_list_shows_what_the_function_and_its_author_say(server: Server) -> None:
    """RES-16, ENV-20: everything of a Resource under its own name; what is not there is left out."""
    manual, breaks = (await Client(server.app).call("resources/list")).result["resources"]
    expected = {
        "uri": "test://manual",
        "name": "manual",
        "title": "Manual",
        "description": "How to.",
        "mimeType": "text/markdown",
        "size": 6,
        "icons": [
            {"src": "https://example.com/i.svg", "mimeType": "image/svg+xml", "sizes": ["any"], "theme": "light"}
        ],
        "annotations": {"audience": ["user"], "priority": 1.0, "lastModified": "2026-07-28T00:00:00Z"},
        "_meta": {"example.com/x": 1},
    }
    assert expected == manual
    assert {"uri": "test://breaks", "name": "breaks"} == breaks


@in_loop
async def test_templates_have_a_list_of_their_own(server: Server) -> None:
    """RES-10, RES-16: and stand not among the resources."""
    files, gate = (await Client(server.app).call("resources/templates/list")).result["resourceTemplates"]
    expected = {
        "uriTemplate": "test://files/{name}",
        "name": "files",
        "description": "Files.",
        "mimeType": "text/plain",
    }
    assert expected == files
    assert {"uriTemplate": "test://gate/{door}", "name": "gate"} == gate


@in_loop
async def test_a_template_may_list_what_is_behind_it() -> None:
    """RES-02, RES-16: in its place between the others; an entry says of itself what it wants."""
    server = Server("test", "1")

    @server.resource("test://first")
    async def first() -> str:
        return ""

    entries = [ResourceEntry(uri="test://t/b", name="b", size=0), ResourceEntry(uri="test://t/a", name="a")]

    @server.resource("test://t/{name}", entries=lambda: iter(entries))
    async def template(name: str) -> str:
        return name

    @server.resource("test://last")
    async def last() -> str:
        return ""

    listed = (await Client(server.app).call("resources/list")).result["resources"]
    assert ["test://first", "test://t/b", "test://t/a", "test://last"] == [entry["uri"] for entry in listed]
    assert {"uri": "test://t/b", "name": "b", "size": 0} == listed[1]


@in_loop
async def test_reading_does_not_change_the_lists(server: Server) -> None:
    """RES-02: no list varies by what was asked before."""
    client = Client(server.app)
    before = [(await client.call(method)).body for method in ("resources/list", "resources/templates/list")]
    await client.read("test://manual")
    assert before == [(await client.call(method)).body for method in ("resources/list", "resources/templates/list")]


@in_loop
async def test_a_text_is_read_with_its_uri_and_media_type(server: Server) -> None:
    """RES-06, RES-08: one item, with text and no blob."""
    result = (await Client(server.app).read("test://manual")).result
    assert [{"uri": "test://manual", "text": "# Help", "mimeType": "text/markdown"}] == result["contents"]
    assert ("complete", 0, "private") == (result["resultType"], result["ttlMs"], result["cacheScope"])


VALUES: list[tuple[Any, Json]] = [
    ("", {"text": "", "mimeType": "text/plain"}),
    (b"", {"blob": "", "mimeType": "application/octet-stream"}),
    (b"\xff\x00\x01\xfb", {"blob": "/wAB+w==", "mimeType": "application/octet-stream"}),
    ({"a": None}, {"text": '{"a":null}', "mimeType": "application/json"}),
    ([1, 2], {"text": "[1,2]", "mimeType": "application/json"}),
    (None, {"text": "null", "mimeType": "application/json"}),
    (0, {"text": "0", "mimeType": "application/json"}),
]


@pytest.mark.parametrize(("value", "expected"), VALUES)
@in_loop
async def test_text_bytes_and_json_become_contents(value: Any, expected: Json) -> None:
    """RES-06, EC-72: an empty file is one empty text; bytes travel in standard base64."""
    assert [{"uri": "test://value", **expected}] == (await returned(value)).result["contents"]


@pytest.mark.parametrize("value", ["x", b"x", [1]])
@in_loop
async def test_the_media_type_of_the_author_counts(value: Any) -> None:
    """RES-06: over what the value would suggest."""
    (item,) = (await returned(value, "application/x-own")).result["contents"]
    assert "application/x-own" == item["mimeType"]


@in_loop
async def test_contents_are_sent_as_they_are() -> None:
    """RES-05, RES-06, RES-07: with the URIs of sub-resources; several, or none where there is something empty."""
    text = TextResourceContents(uri="test://value/a", text="a", meta={"example.com/k": 1})
    blob = BlobResourceContents(uri="test://value/b", blob=b"b", mime_type="x/y")
    expected: list[Json] = [
        {"uri": "test://value/a", "text": "a", "_meta": {"example.com/k": 1}},
        {"uri": "test://value/b", "blob": "Yg==", "mimeType": "x/y"},
    ]
    assert expected[:1] == (await returned(text)).result["contents"]
    assert expected == (await returned([text, blob])).result["contents"]
    assert [] == (await returned([])).result["contents"]


@pytest.mark.parametrize(
    "uri", ["test://nothing", "test://files/none.txt", "test://MANUAL", "test://manual ", "manual"]
)
@in_loop
async def test_what_is_not_there_is_refused_with_its_uri(server: Server, uri: str) -> None:
    """RES-03, RES-04, RES-17: -32602 with data.uri, never empty contents; URIs compare as they are written."""
    answer = await Client(server.app).read(uri)
    assert (400, {"code": -32602, "message": "Resource not found", "data": {"uri": uri}}) == (
        answer.status,
        answer.error,
    )


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("test://files/a.txt", "alpha"),
        ("test://files/a%2Etxt", "alpha"),
        ("test://files/b%2Fc.txt", "deep"),
        ("test://files/%C3%BC%201.txt", "umlaut"),
        ("test://files/ü%201.txt", "umlaut"),
    ],
)
@in_loop
async def test_a_template_reads_what_matches_it(server: Server, uri: str, expected: str) -> None:
    """RES-10, RES-17: variables arrive decoded, and the answer has the URI that was asked for."""
    (item,) = (await Client(server.app).read(uri)).result["contents"]
    assert {"uri": uri, "text": expected, "mimeType": "text/plain"} == item


@pytest.mark.parametrize(
    "name",
    [
        "../etc/passwd",
        "..",
        ".",
        "%2e%2e",
        "%2E%2E%2Fetc",
        "..%2f..%2fetc",
        "a%2F..%2Fb",
        "..%5Cx",
        "%00",
        "%zz",
        "%ff",
        "",
    ],
)
@in_loop
async def test_no_variable_climbs_out_of_its_place(name: str) -> None:
    """RES-11: what would, matches no template; the function never sees it."""
    seen: list[str] = []
    server = Server("test", "1")

    @server.resource("file:///data/{name}")
    async def files(name: str) -> str:
        seen.append(name)
        return "leaked"

    answer = await Client(server.app).read(f"file:///data/{name}")
    assert (400, -32602) == answer.refusal
    assert [] == seen


@in_loop
async def test_a_fixed_resource_goes_before_a_template_that_would_match(server: Server) -> None:
    """RES-10, ours: the more special one is read."""

    @server.resource("test://files/special")
    async def special() -> str:
        return "special"

    (item,) = (await Client(server.app).read("test://files/special")).result["contents"]
    assert "special" == item["text"]


@pytest.mark.parametrize("params", [{}, {"uri": 5}, {"uri": None}, {"uri": ["test://manual"]}])
@in_loop
async def test_params_that_are_no_read_are_refused(server: Server, params: Json) -> None:
    """RES-11: -32602 for anything but a text."""
    assert (400, -32602) == (await Client(server.app).call("resources/read", params)).refusal


@in_loop
async def test_the_header_names_the_uri_as_it_is_written(server: Server) -> None:
    """RES-17, HDR-04: a decoded spelling is another text."""
    client = Client(server.app)
    decoded: dict[str, str | bytes | None] = {"mcp-name": "test://files/a.txt"}
    refused = await client.call("resources/read", {"uri": "test://files/a%2Etxt"}, headers=decoded)
    assert (400, -32020) == refused.refusal


@in_loop
async def test_a_crash_says_nothing_to_the_client(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    """RES-14, RPC-21: -32603 without internals, which go to the log."""
    with caplog.at_level(logging.ERROR, logger="goldfish"):
        answer = await Client(server.app).read("test://breaks")
    assert {"code": -32603, "message": "Internal error"} == answer.error
    assert "secret path" in caplog.text


@in_loop
async def test_a_value_that_json_does_not_know_is_an_internal_error(caplog: pytest.LogCaptureFixture) -> None:
    """RES-14: what is no JSON never leaves."""
    assert (200, -32603) == (await returned(object())).refusal


@in_loop
async def test_a_read_may_ask_and_is_bound_to_its_uri(server: Server) -> None:
    """RES-09, MRTR-01: resources/read is one of the three methods that may."""
    client = Client(server.app, FORM)
    asked = await client.read("test://gate/front")
    assert "The word for front?" == asked.asked["word"]["params"]["message"]
    done = await client.read("test://gate/front", after=asked, answers={"word": accept(word="please")})
    assert "front: please" == done.result["contents"][0]["text"]


@pytest.mark.parametrize("answer", [DECLINE, CANCEL])
@in_loop
async def test_a_read_whose_user_says_no_is_refused(server: Server, answer: Json) -> None:
    """MRTR-20: -32602, since a read has no isError."""
    assert (400, -32602) == (await Client(server.app, FORM).read("test://gate/front", answers={"word": answer})).refusal


@in_loop
async def test_changes_are_told_to_those_who_listen(server: Server) -> None:
    """RES-15: of the list, and of single resources by their URI, which may be a sub-resource's."""
    wanted = {"resourcesListChanged": True, "resourceSubscriptions": ["test://files/ü.txt"]}
    stream = Client(server.app).open("subscriptions/listen", {"notifications": wanted}, id="r")
    await stream.frame()
    await server.resources_changed()
    await server.resource_updated("test://files/ü.txt")
    meta = {"_meta": {PREFIX + "subscriptionId": "r"}}
    changed, updated = await stream.frame(), await stream.frame()
    assert ("notifications/resources/list_changed", meta) == (changed["method"], changed["params"])
    expected = {**meta, "uri": "test://files/ü.txt"}
    assert ("notifications/resources/updated", expected) == (updated["method"], updated["params"])
    await server.close()


@in_loop
async def test_a_plain_function_runs_beside_the_loop(server: Server) -> None:
    """Ours: what blocks must not stop the others."""
    release = threading.Event()

    @server.resource("test://blocking")
    def blocking() -> str:
        assert release.wait(4)
        return threading.current_thread().name

    client = Client(server.app)
    waiting = asyncio.ensure_future(client.read("test://blocking"))
    assert 200 == (await client.read("test://manual")).status
    release.set()
    assert threading.main_thread().name != (await waiting).result["contents"][0]["text"]


async def nothing() -> str:
    return ""


async def named(name: str) -> str:
    return name


@pytest.mark.parametrize(
    ("uri", "function", "how", "rule"),
    [
        ("no-scheme", nothing, {}, "needs a scheme"),
        ("1://x", nothing, {}, "needs a scheme"),
        ("my_scheme://x", nothing, {}, "needs a scheme"),
        ("test://two words", nothing, {}, "no blanks"),
        ("test:", nothing, {}, "needs a scheme"),
        ("test://{name", named, {}, "braces do not match"),
        ("test://{+name}", named, {}, "not a plain variable"),
        ("test://{a}/{a}", named, {}, "stands twice"),
        ("test://{other}", named, {}, r"the variables are \['other'\], but the function takes \['name'\]"),
        ("test://{name}", nothing, {}, "but the function takes"),
        ("test://fixed", named, {}, "but the function takes"),
        ("test://fixed", nothing, {"entries": list}, "entries= is for templates"),
        ("test://{name}", named, {"complete": {"other": ["x"]}}, "has no argument 'other'"),
    ],
)
def test_a_resource_that_breaks_a_rule_is_refused_when_it_is_registered(
    uri: str, function: Callable[..., Any], how: Json, rule: str
) -> None:
    """RES-10, RES-13: the error names the URI and the rule."""
    with pytest.raises(ValueError, match=rule) as refused:
        Server("test", "1").resource(uri, **how)(function)
    assert str(refused.value).startswith(f"resource {uri!r}")


def test_a_uri_is_taken_once() -> None:
    """RES-13: one reader for one URI."""
    server = Server("test", "1")
    server.resource("test://x")(nothing)
    with pytest.raises(ValueError, match="resource 'test://x': it is registered twice"):
        server.resource("test://x")(nothing)
