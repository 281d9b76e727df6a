"""Lists and their pages: every entry once, in the order of registration, whatever changes meanwhile."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest

from goldfish import Hints, ResourceEntry, Server
from goldfish.backends.hmac_seal import HmacSeal
from goldfish.features.listing import Pager
from goldfish.kernel.call import Call
from goldfish.kernel.context import Request
from goldfish.wire.errors import Refusal
from goldfish.wire.methods import ListParams
from tests.support.inprocess import PREFIX, VERSION, Client, Json, in_loop

KEY = b"a key that several servers share"
LISTS = [
    ("tools/list", "tools", "name"),
    ("prompts/list", "prompts", "name"),
    ("resources/list", "resources", "uri"),
    ("resources/templates/list", "resourceTemplates", "uriTemplate"),
]


def add(server: Server, number: int) -> None:
    """One more entry for each of the four lists."""

    @server.tool(name=f"name{number}")
    async def tool() -> str:
        return ""

    @server.prompt(name=f"name{number}")
    async def prompt() -> str:
        return ""

    @server.resource(f"test://{number}")
    async def resource() -> str:
        return ""

    @server.resource(f"test://{number}/{{variable}}")
    async def template(variable: str) -> str:
        return variable


def filled(count: int, page_size: int | None = 2) -> Server:
    server = Server("test", "1", page_size=page_size, state_keys=[KEY], list_hints=Hints(60_000, "public"))
    for number in range(count):
        add(server, number)
    return server


async def walk(client: Client, method: str, between: Callable[[], None] = lambda: None) -> list[Json]:
    """The results of all pages; `between` happens at each turn."""
    pages = [(await client.call(method)).result]
    while "nextCursor" in pages[-1]:
        between()
        pages.append((await client.call(method, {"cursor": pages[-1]["nextCursor"]})).result)
    return pages


def entries(pages: Sequence[Json], member: str, key: str) -> list[list[str]]:
    return [[entry[key] for entry in page[member]] for page in pages]


@pytest.mark.parametrize(("method", "member", "key"), LISTS)
@in_loop
async def test_a_walk_over_the_pages_meets_each_entry_once(method: str, member: str, key: str) -> None:
    """PAG-01, PAG-07, TOOL-03: in the order of registration; a cursor is there where there is more, and never null."""
    pages = await walk(Client(filled(5).app), method)
    names = {"name": "name{}", "uri": "test://{}", "uriTemplate": "test://{}/{{variable}}"}[key]
    expected = [[names.format(number) for number in numbers] for numbers in ((0, 1), (2, 3), (4,))]
    assert expected == entries(pages, member, key)
    assert "nextCursor" not in pages[-1]


@pytest.mark.parametrize(("method", "member", "key"), LISTS)
@in_loop
async def test_a_list_without_a_page_size_comes_whole(method: str, member: str, key: str) -> None:
    """PAG-01: pages are the server's choice."""
    (page,) = await walk(Client(filled(5, page_size=None).app), method)
    assert 5 == len(page[member])


@in_loop
async def test_a_page_that_ends_the_list_has_no_cursor() -> None:
    """PAG-01: also where it is full."""
    assert [2, 2] == [len(page["tools"]) for page in await walk(Client(filled(4).app), "tools/list")]


@pytest.mark.parametrize(("method", "member", "key"), LISTS)
@in_loop
async def test_all_pages_have_the_same_scope(method: str, member: str, key: str) -> None:
    """PAG-06: no page is kept by more clients than the others."""
    pages = await walk(Client(filled(5).app), method)
    assert [("public", 60_000)] * 3 == [(page["cacheScope"], page["ttlMs"]) for page in pages]


@pytest.mark.parametrize("cursor", ["", "garbage", "MA", "0", None, 1, True, ["a"], {"a": 1}])
@pytest.mark.parametrize("page_size", [2, None])
@in_loop
async def test_a_cursor_that_was_never_given_is_refused(cursor: Any, page_size: int | None) -> None:
    """PAG-02, PAG-03, PAG-04: -32602, and never the first page again."""
    client = Client(filled(5, page_size).app)
    for method, _, _ in LISTS:
        assert (400, -32602) == (await client.call(method, {"cursor": cursor})).refusal


@in_loop
async def test_a_cursor_of_another_list_is_refused() -> None:
    """PAG-03: a cursor belongs to the list that gave it."""
    client = Client(filled(5).app)
    cursors = {method: (await client.call(method)).result["nextCursor"] for method, _, _ in LISTS}
    for method, _, _ in LISTS:
        for other, cursor in cursors.items():
            expected = 200 if other == method else 400
            assert expected == (await client.call(method, {"cursor": cursor})).status


@pytest.mark.parametrize("payload", [b"", b"{}", b"[]", b'["a",1]'])
@in_loop
async def test_a_cursor_of_another_layout_is_refused_like_any_other(payload: bytes) -> None:
    """PAG-03: versions that share their keys during an upgrade may seal other things, which is no internal error."""
    cursor = HmacSeal([KEY]).seal(payload, b"cursor tools/list")
    assert (400, -32602) == (await Client(filled(3).app).call("tools/list", {"cursor": cursor})).refusal


@in_loop
async def test_a_changed_cursor_and_one_of_another_server_are_refused() -> None:
    """PAG-03: cursors are sealed."""
    client = Client(filled(5).app)
    cursor = (await client.call("tools/list")).result["nextCursor"]
    changed = cursor[:10] + ("A" if cursor[10] != "A" else "B") + cursor[11:]
    stranger = Server("test", "1", page_size=2)
    for number in range(5):
        add(stranger, number)
    foreign = (await Client(stranger.app).call("tools/list")).result["nextCursor"]
    for bad in (changed, foreign):
        answer = await client.call("tools/list", {"cursor": bad})
        assert {"code": -32602, "message": "Invalid or expired cursor"} == answer.error


@in_loop
async def test_the_next_page_may_come_from_another_process() -> None:
    """PAG-05, ENV-06: the cursor holds all there is to know, for whoever has the key."""
    cursor = (await Client(filled(5).app).call("tools/list")).result["nextCursor"]
    page = (await Client(filled(5).app).call("tools/list", {"cursor": cursor})).result
    assert ["name2", "name3"] == [tool["name"] for tool in page["tools"]]
    rest = (await Client(filled(5, page_size=None).app).call("tools/list", {"cursor": cursor})).result
    assert ["name2", "name3", "name4"] == [tool["name"] for tool in rest["tools"]]


@pytest.mark.parametrize(("method", "member", "key"), LISTS)
@in_loop
async def test_what_is_added_between_two_pages_is_met_at_the_end(method: str, member: str, key: str) -> None:
    """PAG-05: the walk goes on where it was."""
    server = filled(3)
    new = [3, 4]

    def grow() -> None:
        while new:
            add(server, new.pop(0))

    pages = await walk(Client(server.app), method, grow)
    assert 5 == len({entry for page in entries(pages, member, key) for entry in page})
    assert [2, 2, 1] == [len(page[member]) for page in pages]


def listing(names: list[str]) -> Server:
    """A template whose members are `names` at the moment of asking, behind one resource and before another."""
    server = Server("test", "1", page_size=2)

    @server.resource("test://first")
    async def first() -> str:
        return ""

    @server.resource(
        "test://{name}", entries=lambda: [ResourceEntry(uri=f"test://{each}", name=each) for each in names]
    )
    async def template(name: str) -> str:
        return name

    @server.resource("test://last")
    async def last() -> str:
        return ""

    return server


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (["b", "c", "d"], ["b", "c", "d", "last"]),  # a, which ended the first page, is gone
        (["0", "a", "b", "c", "d"], ["b", "c", "d", "last"]),  # one more stands before it
        (["c", "b", "a", "d"], ["d", "last"]),  # another order
        (["a"], ["last"]),
        ([], ["last"]),
    ],
)
@in_loop
async def test_members_of_a_template_may_come_and_go_between_two_pages(after: list[str], expected: list[str]) -> None:
    """PAG-05: a cursor names the entry that it stands behind, so that no other is met twice or missed."""
    names = ["a", "b", "c", "d"]
    client = Client(listing(names).app)
    first = (await client.call("resources/list")).result
    assert ["test://first", "test://a"] == [entry["uri"] for entry in first["resources"]]
    names[:] = after
    uris: list[str] = []
    cursor: str | None = first["nextCursor"]
    while cursor is not None:
        page = (await client.call("resources/list", {"cursor": cursor})).result
        uris += [entry["uri"] for entry in page["resources"]]
        cursor = page.get("nextCursor")
    assert [f"test://{name}" for name in expected] == uris


def request(cursor: str | None = None) -> Request[ListParams]:
    meta = {PREFIX + "protocolVersion": VERSION, PREFIX + "clientCapabilities": {}}
    body = {"_meta": meta} if cursor is None else {"_meta": meta, "cursor": cursor}
    params = msgspec.convert(body, ListParams)

    async def emit(frame: bytes) -> None:
        raise AssertionError("a list emits nothing")

    return Request("tools/list", 1, params, None, Call(b""), emit, logging=False)


def turn(pager: Pager, names: str, cursor: str | None = None) -> tuple[str, str | None]:
    page, following = pager.page(request(cursor), [(name, name) for name in names])
    return "".join(page), following if isinstance(following, str) else None


def test_an_entry_that_stands_in_a_list_twice_does_not_turn_the_walk_into_a_circle() -> None:
    """PAG-01: the cursor remembers the place as well as the name."""
    pager = Pager(HmacSeal(), 2)
    cursor: str | None = None
    pages: list[str] = []
    while len(pages) < 5:
        page, cursor = turn(pager, "abcab", cursor)
        pages.append(page)
        if cursor is None:
            break
    assert ["ab", "ca", "b"] == pages


def test_a_list_that_shrank_ends() -> None:
    """PAG-05: where nothing is left behind the cursor the page is empty, and the last."""
    pager = Pager(HmacSeal(), 2)
    _, cursor = turn(pager, "abcd")
    assert ("", None) == turn(pager, "x", cursor)


def test_a_cursor_for_one_list_is_bad_at_a_pager_of_other_keys() -> None:
    """PAG-03: only who sealed it can open it."""
    _, cursor = turn(Pager(HmacSeal(), 1), "ab")
    with pytest.raises(Refusal, match="Invalid or expired cursor"):
        turn(Pager(HmacSeal(), 1), "ab", cursor)


@pytest.mark.parametrize("size", [0, -1])
def test_a_page_holds_at_least_one_entry(size: int) -> None:
    """PAG-01: else the walk would never end."""
    with pytest.raises(ValueError, match="page_size must be at least 1"):
        Server("test", "1", page_size=size)
