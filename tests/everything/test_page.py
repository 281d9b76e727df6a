"""The page and the application around it: what it shows, that nothing in it is unescaped, and which paths there are."""

import asyncio
import base64
import hashlib
import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from goldfish.everything import breakage, catalog, curl, page
from goldfish.everything.app import TITLE, build
from tests.support.inprocess import Answer, Exchange, scope


def get(path: str, verb: str = "GET", host: str = "127.0.0.1:9000") -> Answer:
    """One request to the application, without a socket."""

    async def answer() -> Answer:
        return await Exchange(build(), scope([(b"host", host.encode())], verb) | {"path": path}, []).answer()

    return asyncio.run(answer())


class Outline(HTMLParser):
    """Collects what the tests ask about; refuses tags that do not close in order."""

    VOID = ("meta", "link", "img")

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text: list[str] = []
        self.feed(html)
        self.close()
        assert [] == self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag == self.open.pop()

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def all(self, attribute: str) -> list[str]:
        return [attributes[attribute] for _, attributes in self.tags if attribute in attributes]


@pytest.fixture(scope="module")
def shown() -> Answer:
    return get("/")


@pytest.fixture(scope="module")
def outline(shown: Answer) -> Outline:
    return Outline(shown.body.decode())


def test_the_page_is_html(shown: Answer) -> None:
    """Served at `/` and complete in one answer."""
    assert 200 == shown.status
    assert "text/html; charset=utf-8" == shown.headers["content-type"]


def test_every_feature_and_every_row_is_on_the_page(outline: Outline) -> None:
    """With their lines to paste, at the address under which the reader reached the page."""
    text = "".join(outline.text)
    for entry in catalog.entries():
        assert entry.title in text
        assert entry.lines.replace(curl.BASE, "http://127.0.0.1:9000") in text
    for row in breakage.ROWS:
        assert row.what in text
        assert all(line.replace(curl.BASE, "http://127.0.0.1:9000") in text for line in row.lines)


def test_both_endpoints_are_named_with_the_readers_own_host(outline: Outline) -> None:
    """So that they can be copied."""
    assert {"http://127.0.0.1:9000/mcp", "http://127.0.0.1:9000/strict/mcp"} <= set(outline.text)


def test_headings_do_not_skip_a_level(outline: Outline) -> None:
    """One h1, and every deeper heading under the one before."""
    levels = [int(tag[1]) for tag, _ in outline.tags if re.fullmatch("h[1-6]", tag)]
    assert 1 == levels.count(1)
    assert all(deeper - level <= 1 for level, deeper in pairwise(levels))


def test_links_within_the_page_lead_somewhere_and_ids_are_unique(outline: Outline) -> None:
    """Every name in the feature map leads to its lines."""
    ids = outline.all("id")
    assert len(ids) == len(set(ids))
    targets = {link[1:] for link in outline.all("href") if link.startswith("#")}
    assert len(catalog.entries()) == len(targets)
    assert targets <= set(ids)


def test_nothing_on_the_page_is_fetched_from_anywhere(outline: Outline) -> None:
    """Pictures are data: URIs, the style stands in the page, and there is no script; only links lead away."""
    tags = {tag for tag, _ in outline.tags}
    assert not tags & {"script", "iframe", "object", "embed", "form", "base", "video", "audio"}
    loaded = outline.all("src") + [attributes["href"] for tag, attributes in outline.tags if tag == "link"]
    assert loaded
    assert all(address.startswith("data:image/png;base64,") for address in loaded)
    assert not re.search(r"url\(|@import", page.STYLE)
    assert [] == [name for _, attributes in outline.tags for name in attributes if name.startswith("on")]


def test_the_policy_allows_the_pages_own_style_and_nothing_else(shown: Answer) -> None:
    """The hash is that of the style as it stands in the page."""
    found = re.search("<style>(.*?)</style>", shown.body.decode(), re.DOTALL)
    assert found
    digest = base64.b64encode(hashlib.sha256(found[1].encode()).digest()).decode()
    policy = shown.headers["content-security-policy"]
    assert f"style-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize(
    "host",
    ['"><script>alert(1)</script>', "evil.example/'", "a b", "", "$(reboot)", "`reboot`", "x:y", "host:123456", "a\n"],
)
def test_a_host_that_is_none_is_not_shown(host: str) -> None:
    """It would end up in a line that people paste into a shell; the default address stands there instead."""
    assert curl.BASE == page.base_url("http", host)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8787", "mcp.example.com:443", "[::1]:8787"])
def test_a_host_is_shown_as_the_reader_typed_it(host: str) -> None:
    """Names, addresses and ports."""
    assert f"https://{host}" == page.base_url("https", host)


def test_every_text_is_escaped() -> None:
    """Also where no text has anything to escape today."""
    html = page.render("http://<b>&'\"", "<i>", "<u>")
    assert not re.search("<b>|<i>|<u>", html)
    assert "http://&lt;b&gt;&amp;&#x27;&quot;/strict/mcp" in html


def test_head_answers_like_get() -> None:
    """A server in front of it drops the body."""
    answer = get("/", "HEAD")
    assert 200 == answer.status
    assert str(len(get("/").body)) == answer.headers["content-length"]


def test_health_is_answered() -> None:
    """One line of text."""
    answer = get("/healthz")
    assert (200, b"ok\n") == (answer.status, answer.body)


@pytest.mark.parametrize(
    "path", ["/mcp/", "/MCP", "/strict", "/strict/mcp/", "/index.html", "//", "/mcp/x", "/healthz/", "/mcp\n"]
)
def test_any_other_path_is_not_found(path: str) -> None:
    """Paths are exact, and nothing redirects."""
    assert 404 == get(path).status


def test_the_page_takes_no_posts() -> None:
    """A client that posts to the wrong path learns which verbs there are."""
    answer = get("/", "POST")
    assert 405 == answer.status
    assert "GET" in answer.headers["allow"]


def test_the_title_is_the_servers(outline: Outline) -> None:
    """Tab and heading alike."""
    assert 2 == outline.text.count(TITLE)
