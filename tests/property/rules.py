"""What holds for every answer, whatever was asked: the rules that all property tests judge by.

Knows JSON-RPC, the protocol's codes and header rules, read here anew and not out of the code under test.
"""

import base64
import json
import logging
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from goldfish import RELAXED

from .driver import Answer, Client, Headers
from .probe import PREFIX, VERSION, Probe, body, call, headers

#: HTTP status by JSON-RPC error code: the whole of what may be sent (RPC-18, RPC-19, RPC-20, HTTP-12, HTTP-13).
STATUS = {
    -32700: 400,
    -32600: 400,
    -32601: 404,
    -32602: 400,
    -32603: 200,
    -32020: 400,
    -32021: 400,
    -32022: 400,
}
#: Refused before a message is read: no JSON-RPC body (RPC-20).
BELOW = {403, 405, 406, 413, 415, 421}
LISTENING = b"notifications/subscriptions/acknowledged"


class Crashes(logging.Handler):
    """Collects what the server logs as its own failure. The tool `crash` may fail, and nothing else."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if "tool crash failed" != record.getMessage():
            self.messages.append(f"{record.getMessage()}: {record.exc_info and record.exc_info[1]!r}")


@dataclass
class Site:
    """A probe and its two endpoints, each with a client."""

    probe: Probe
    strict: Client
    relaxed: Client
    crashes: Crashes

    def close(self) -> None:
        logging.getLogger("goldfish").removeHandler(self.crashes)
        self.strict.close()
        self.relaxed.close()


def site() -> Site:
    probe = Probe()
    crashes = Crashes()
    logging.getLogger("goldfish").addHandler(crashes)
    return Site(probe, Client(probe.server.app), Client(probe.server.endpoint(RELAXED)), crashes)


def post(
    where: Site, sent: bytes, fields: Headers, *, relaxed: bool = False, verb: str = "POST", cuts: Iterable[int] = ()
) -> Answer | None:
    """Sends a request and judges its answer by every rule; None where it was a stream that had to be left."""
    where.probe.ran.clear()
    where.crashes.messages.clear()
    client = where.relaxed if relaxed else where.strict
    answer = client.call(sent, fields, verb, cuts, leave_on=LISTENING)
    assert [] == where.crashes.messages
    if answer is not None:
        _judge(sent, fields, answer, verb)
    _judge_execution(where.probe, sent, fields, answer, relaxed)
    _judge_next(where, client)
    return answer


def _judge(sent: bytes, fields: Headers, answer: Answer, verb: str) -> None:
    assert 200 == answer.status or 202 == answer.status or 400 <= answer.status < 500
    assert not {b"mcp-session-id", b"server", b"set-cookie"} & set(answer.headers)  # HDR-33
    if answer.status in BELOW:
        assert [] == answer.messages
        assert len(answer.body) < 1_000
        assert verb != "POST" or 405 != answer.status
        return
    if answer.status == 202:
        assert b"" == answer.body  # HTTP-10
        assert is_notification(sent)  # RPC-06
        return
    # A notification is refused only for what is wrong with the message itself, such as a member sent twice (RPC-24).
    assert not is_notification(sent) or answer.status == 400
    *before, last = answer.messages
    assert not before or answer.streamed
    for notification in before:  # RPC-22
        assert {"jsonrpc", "method", "params"} == set(notification)
        assert notification["method"].startswith("notifications/")
    _judge_response(sent, answer, last)


def _judge_response(sent: bytes, answer: Answer, last: Any) -> None:
    assert "2.0" == last["jsonrpc"]
    assert set(last) <= {"jsonrpc", "id", "result", "error"}
    assert ("result" in last) != ("error" in last)
    code = None
    if "error" in last:
        code = last["error"]["code"]
        assert set(last["error"]) <= {"code", "message", "data"}
        assert code in STATUS
        assert answer.status == (200 if answer.streamed else STATUS[code])
        assert 0 < len(last["error"]["message"]) < 2_000
        assert "Traceback" not in last["error"]["message"]
    else:
        assert 200 == answer.status
        assert last["result"]["resultType"] in ("complete", "input_required")  # ENV-08
        assert {"name": "probe", "version": "1"} == last["result"]["_meta"][PREFIX + "serverInfo"]  # ENV-09
    _judge_id(sent, last, code)


def _judge_id(sent: bytes, last: Any, code: int | None) -> None:
    """RPC-02, RPC-03, RPC-04: exactly what was sent, or nothing at all."""
    if not readable(sent):
        assert -32700 == code
    elif code == -32700:
        assert sent.count(b"{") + sent.count(b"[") > 500, "it is JSON, and not nested deeply"
    known = members(sent).get("id")
    if code == -32700:
        assert last.get("id", known) == known
    elif isinstance(known, str | int) and not isinstance(known, bool):
        assert (known, type(known)) == (last["id"], type(last["id"]))
    else:
        assert "id" not in last
        assert -32600 == code


def _judge_execution(probe: Probe, sent: bytes, fields: Headers, answer: Answer | None, relaxed: bool) -> None:
    """What ran is what body and headers both said (HDR-02 to HDR-04, HDR-21, HDR-30, RPC-24)."""
    if not probe.ran:
        return
    [ran] = probe.ran
    assert answer is not None
    # A handler may still find that it would have to ask what this client cannot answer (MRTR-06).
    assert 200 == answer.status or -32021 == answer.last["error"]["code"]
    message = members(sent)
    params = message["params"]
    named = params["uri" if ran.method == "resources/read" else "name"]
    assert (ran.method, VERSION) == (message["method"], params["_meta"][PREFIX + "protocolVersion"])
    assert ran.method == text_of(single(fields, b"mcp-method"))
    assert named == decoded(single(fields, b"mcp-name"))
    if ran.method == "resources/read":
        assert ran.name == named or ran.name == unquote(named)
    else:
        assert ran.name == named
    version = single(fields, b"mcp-protocol-version")
    assert VERSION == text_of(version) or (relaxed and version is None)
    if ran.name == "routed":
        given = params["arguments"]
        assert given["region"] == ran.arguments["region"] == decoded(single(fields, b"mcp-param-region"))
        assert ("size" in given and given["size"] is not None) == (single(fields, b"mcp-param-size") is not None)
        assert ("dry" in given and given["dry"] is not None) == (single(fields, b"mcp-param-dry") is not None)
    if ran.name == "probe" and ran.method == "tools/call":
        assert params.get("arguments", {}) == ran.arguments


def _judge_next(where: Site, client: Client) -> None:
    """Whatever came before, the next valid request is served."""
    where.probe.ran.clear()
    message = call("probe", id="next", n=1)
    answer = client.call(body(message), headers(message))
    assert answer is not None
    assert (200, "next", {"n": 1}) == (answer.status, answer.last["id"], answer.last["result"]["structuredContent"])
    where.probe.ran.clear()


# ---------------------------------------------------------------- the rules of messages and headers, read anew


def readable(sent: bytes) -> tuple[Any, ...]:
    """The body as JSON, the last of two members counting; () where it is none, or has half a surrogate pair."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        value = json.loads(sent.decode(), parse_int=_integer, parse_constant=_refuse, object_pairs_hook=_last_of_equals)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return ()
    finally:
        sys.setrecursionlimit(limit)
    return (value,)


def _integer(digits: str) -> Any:
    """More digits than Python converts are JSON all the same, but no id that could be echoed."""
    return int(digits) if len(digits) <= sys.get_int_max_str_digits() else [digits]


def _last_of_equals(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        json.dumps(pairs, ensure_ascii=False).encode()  # what is dropped has to be text as well
    return found


def _refuse(literal: str) -> Any:
    raise ValueError(literal)


def members(sent: bytes) -> dict[str, Any]:
    """The members of the message, none where the body is no object."""
    found = readable(sent)
    return found[0] if found and isinstance(found[0], dict) else {}


def is_notification(sent: bytes) -> bool:
    message = members(sent)
    return "id" not in message and "2.0" == message.get("jsonrpc") and isinstance(message.get("method"), str)


def single(fields: Headers, name: bytes) -> bytes | None:
    values = [value for each, value in fields if each.lower() == name]
    assert len(values) <= 1, "it was sent twice, and yet the request was served"
    return values[0] if values else None


def text_of(value: bytes | None) -> str | None:
    return None if value is None else value.strip(b" \t").decode("ascii")


def decoded(value: bytes | None) -> str | None:
    text = text_of(value)
    found = None if text is None else re.fullmatch(r"=\?base64\?(.*)\?=", text)
    return text if found is None else base64.b64decode(found[1], validate=True).decode()
