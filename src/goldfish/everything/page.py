"""The page at `/`: the feature map for people.

Knows the catalog, the breakage table and the endpoints, and turns them into HTML; knows no server. Every text is
escaped, nothing is fetched from another host, and nothing runs: the page is one answer of HTML and CSS.
"""

import base64
import hashlib
import re
from collections.abc import Iterable
from functools import lru_cache
from html import escape
from importlib.resources import files

from goldfish.everything import breakage, catalog, curl, endpoints
from goldfish.everything.resources.logo import LOGO_URI

_CODE = re.compile(r"`([^`]+)`")
_HOST = re.compile(r"[A-Za-z0-9._-]+(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?")

STYLE = files(__package__).joinpath("page.css").read_text(encoding="utf-8")
POLICY = (
    "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    f"style-src 'sha256-{base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()}'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


def base_url(scheme: str, host: str) -> str:
    """The server's address as the reader reached it; the default one when the Host header is not a plain host."""
    return f"{scheme}://{host}" if scheme in ("http", "https") and _HOST.fullmatch(host) else curl.BASE


@lru_cache(maxsize=8)
def render(base: str, title: str, version: str) -> str:
    """The page for readers who reached the server at `base`."""
    parts = (_top(base, title, version), _endpoints(base), _features(base), _breakage(base), _differences(base))
    body = "\n".join(parts)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<link rel="icon" href="{LOGO_URI}">
<style>{STYLE}</style>
</head>
<body>
{body}
</body>
</html>
"""


def _top(base: str, title: str, version: str) -> str:
    first = catalog.entries()[0]
    return f"""<header>
<img src="{LOGO_URI}" width="64" height="64" alt="">
<h1>{escape(title)}</h1>
<p>Version {escape(version)}, for the Model Context Protocol {curl.VERSION}. Every tool, resource and prompt shows one
feature of the protocol; nothing is remembered between two requests.</p>
</header>
<main>
<h2 id="first">A first line</h2>
{_code(_first_line(first.lines), base)}"""


def _endpoints(base: str) -> str:
    rows = [
        (f"<code>{escape(base + endpoint.path)}</code>", _inline(endpoint.purpose)) for endpoint in endpoints.ENDPOINTS
    ]
    return f'<h2 id="endpoints">Endpoints</h2>\n{_table(("URL", "What it is for"), rows)}'


def _features(base: str) -> str:
    parts = ['<h2 id="features">Feature map</h2>', "<p>A name leads to lines to paste into a shell.</p>"]
    for kind, _ in catalog.MODULES:
        chosen = [entry for entry in catalog.entries() if entry.kind == kind]
        rows = [(_name(entry), _inline(entry.feature), _links(entry.spec)) for entry in chosen]
        parts.append(f'<h3 id="{kind}s">{kind.capitalize()}s</h3>')
        parts.append(_table((kind.capitalize(), "What it shows", "Specification"), rows))
        parts += [_entry(entry, base) for entry in chosen]
    return "\n".join(parts)


def _breakage(base: str) -> str:
    rows = [
        (_inline(row.what), row.answer, f"<code>{escape(row.snippet)}</code>" if row.snippet else "")
        for row in breakage.ROWS
    ]
    head = ("Break this", "HTTP and JSON-RPC answer", "In the answer")
    parts = ['<h2 id="breakage">Things to break on purpose</h2>', _table(head, rows)]
    for row in breakage.ROWS:
        parts.append(_fold(_inline(row.what), "".join(_code(line, base) for line in row.lines)))
    return "\n".join(parts)


def _differences(base: str) -> str:
    head = ("Request", endpoints.RELAXED_PATH, endpoints.STRICT_PATH, "Why")
    rows, lines = [], []
    for row in endpoints.DIFFERENCES:
        relaxed, strict = (_inline(endpoints.answer(expected)) for expected in (row.relaxed, row.strict))
        rows.append((_inline(row.topic), relaxed, strict, _inline(row.why)))
        lines.append(_fold(_inline(row.topic), _code(row.relaxed_line, base) + _code(row.strict_line, base)))
    title = f"Differences between {endpoints.RELAXED_PATH} and {endpoints.STRICT_PATH}"
    return "\n".join([f'<h2 id="differences">{title}</h2>', _table(head, rows), *lines, "</main>"])


def _entry(entry: catalog.Entry, base: str) -> str:
    note = f"<p>{_inline(entry.note)}</p>\n" if entry.note else ""
    body = f"{note}{_code(entry.lines, base, _anchor(entry))}\n<p>Expect: {_inline(entry.expect)}.</p>"
    return _fold(f"<code>{escape(entry.name)}</code>: {escape(entry.title)}", body)


def _anchor(entry: catalog.Entry) -> str:
    return f"{entry.kind}-" + re.sub(r"[^a-z]+", "-", entry.name).strip("-")


def _name(entry: catalog.Entry) -> str:
    return f'<a href="#{_anchor(entry)}"><code>{escape(entry.name)}</code></a>'


def _links(pages: Iterable[str]) -> str:
    # Links are followed by people; the page itself loads nothing from there.
    return ", ".join(f'<a href="{escape(catalog.SPECIFICATION + page)}">{escape(page)}</a>' for page in pages)


def _first_line(lines: str) -> str:
    """The first command of some shell lines: up to the first line that neither continues nor leaves a quote open."""
    taken: list[str] = []
    for line in lines.splitlines():
        taken.append(line)
        if not line.endswith("\\") and "\n".join(taken).count("'") % 2 == 0:
            break
    return "\n".join(taken)


def _code(lines: str, base: str, anchor: str = "") -> str:
    identity = f' id="{escape(anchor)}"' if anchor else ""
    return f'<pre{identity} tabindex="0"><code>{escape(lines.replace(curl.BASE, base))}</code></pre>'


def _fold(summary: str, body: str) -> str:
    return f"<details>\n<summary>{summary}</summary>\n{body}\n</details>"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table whose first column names the rows. The head is text, the cells are HTML."""
    top = "".join(f'<th scope="col">{escape(text)}</th>' for text in head)
    body = "\n".join(f"<tr>{_cells(row)}</tr>" for row in rows)
    return f'<div class="table"><table>\n<thead><tr>{top}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>'


def _cells(row: Iterable[str]) -> str:
    first, *others = row
    return f'<th scope="row">{first}</th>' + "".join(f"<td>{html}</td>" for html in others)


def _inline(text: str) -> str:
    """Text as HTML, with what stands in backquotes as code."""
    return _CODE.sub(r"<code>\1</code>", escape(text))
