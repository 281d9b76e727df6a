"""The ladder of checks, rung by rung: every flaw, every pair of flaws, and what an admitted request is."""

import pytest
from msgspec import Raw

from goldfish.kernel.admit import UNKNOWN, admit, build_table, mirrored
from goldfish.kernel.call import Call
from goldfish.kernel.method import Method
from goldfish.kernel.profile import RELAXED, STRICT
from goldfish.wire import jsonrpc
from goldfish.wire.errors import Refusal
from goldfish.wire.jsonrpc import Message
from goldfish.wire.methods import CallToolParams, Params

from .ladder import FLAWS, MISMATCH, ONE, PARAMS, TWO, flawed, judged
from .rig import CC, PV, VERSION, Draft, done, run, table


@pytest.mark.parametrize(("flaws", "strict", "relaxed"), ONE)
def test_a_flaw_has_its_code(flaws: str, strict: int | None, relaxed: int | None) -> None:
    """ENV-01, HDR-01, HDR-02, HDR-03, HDR-04, VER-01, RPC-17, TOOL-14: one row per flaw."""
    codes = [refusal and refusal.code for refusal in (judged(flawed(flaws), each) for each in (STRICT, RELAXED))]
    assert [strict, relaxed] == codes


@pytest.mark.parametrize(("flaws", "strict", "relaxed"), TWO)
def test_of_two_flaws_one_wins(flaws: str, strict: int | None, relaxed: int | None) -> None:
    """RPC-23, VER-04, VER-06, VER-07: envelope, headers, version, method, params, in this order."""
    codes = [refusal and refusal.code for refusal in (judged(flawed(flaws), each) for each in (STRICT, RELAXED))]
    assert [strict, relaxed] == codes


def test_every_flaw_of_the_table_is_judged() -> None:
    """A flaw that no row names shows nothing."""
    named = {name for flaws, _, _ in ONE + TWO for name in flaws.split(" + ")}
    assert set(FLAWS) == named - {""}


# ---------------------------------------------------------------- what an admitted request is


def test_an_admitted_request_has_its_row_its_params_and_its_name() -> None:
    """HDR-04: the name is the member that Mcp-Name mirrors."""
    call = Draft().call()
    row, params, name = admit(table(), STRICT, jsonrpc.decode(call.body), call)
    assert isinstance(params, CallToolParams)
    assert ("tools/call", "echo", "echo", {}) == (row.name, params.name, name, params.arguments)


def test_a_method_that_mirrors_no_name_has_none() -> None:
    """HDR-07: also where its params have a member of that name."""
    call = flawed("discover").call()
    row, _, name = admit(table(), STRICT, jsonrpc.decode(call.body), call)
    assert ("server/discover", None) == (row.name, name)


def test_a_uri_is_mirrored_as_the_text_it_is() -> None:
    """RES-17, HDR-04: no percent-decoding on the way."""
    draft = Draft(params={"uri": "x://a%20b?c#d", "_meta": Draft().meta})
    draft.renamed("resources/read")
    draft.fields[b"mcp-name"] = b"x://a%20b?c#d"
    assert judged(draft) is None
    draft.fields[b"mcp-name"] = b"x://a b?c#d"
    assert MISMATCH == getattr(judged(draft), "code", None)


def test_the_last_of_two_envelopes_and_of_two_names_counts_for_every_check() -> None:
    """RPC-24: what the headers are compared with is what is executed."""
    meta = b'{"%b":"%s","%b":{}}' % (PV.encode(), b"%s", CC.encode())
    body = b'{"name":"other","name":"echo","_meta":%b,"_meta":%b}' % (meta % b"1900-01-01", meta % VERSION.encode())
    call = Draft().call()
    _, params, name = admit(table(), STRICT, Message("2.0", "tools/call", 1, Raw(body)), call)
    assert (VERSION, "echo") == (params.meta.protocol_version, name)
    with pytest.raises(Refusal, match="Mcp-Name"):
        admit(table(), STRICT, Message("2.0", "tools/call", 1, Raw(body.replace(b'"echo"', b'"third"'))), call)


def test_a_name_sent_twice_with_different_types_is_refused_as_params() -> None:
    """RPC-24, TOOL-14: no reader knows which one was meant."""
    call = Draft().call()
    meta = b'{"%b":"%b","%b":{}}' % (PV.encode(), VERSION.encode(), CC.encode())
    body = Raw(b'{"name":5,"name":"echo","_meta":%b}' % meta)
    with pytest.raises(Refusal) as caught:
        admit(table(), STRICT, Message("2.0", "tools/call", 1, body), call)
    assert PARAMS == caught.value.code


# ---------------------------------------------------------------- the table


def test_two_rows_of_one_name_are_refused() -> None:
    """RPC-17: a method has one handler."""
    with pytest.raises(ValueError, match="two rows for the method 'a/b'"):
        build_table([Method("a/b", Params, done), Method("a/b", Params, done)])


def test_the_table_cannot_be_changed() -> None:
    """Two endpoints share it."""
    with pytest.raises(TypeError):
        table()["x"] = UNKNOWN  # type: ignore[index]


def test_a_method_appears_and_disappears_with_its_capability() -> None:
    """RPC-17, DIS-05: judged for every request anew."""
    there: list[int] = []
    rows = build_table([Method("tools/call", CallToolParams, done, "name", available=lambda: bool(there))])
    call = Draft().call()
    message = jsonrpc.decode(call.body)
    with pytest.raises(Refusal, match="Method not found"):
        admit(rows, STRICT, message, call)
    there.append(1)
    assert "tools/call" == admit(rows, STRICT, message, call)[0].name


def test_the_row_of_unknown_methods_is_never_available_and_cannot_be_handled() -> None:
    """RPC-17: it only lends its params to the checks before."""
    assert not UNKNOWN.method.available()
    with pytest.raises(AssertionError):
        run(_handled(UNKNOWN.method))


async def _handled(method: Method) -> None:
    await method.handle(None)  # type: ignore[arg-type]


def test_headers_are_not_asked_for_where_there_are_none() -> None:
    """STD-04: a transport without headers hands over None."""
    call = Call(flawed("no transport headers").call().body)
    assert "tools/call" == admit(table(), STRICT, jsonrpc.decode(call.body), call)[0].name


def test_a_mirrored_header_has_one_value_or_none() -> None:
    """HDR-30, STD-04: what features mirror is read by the same rule."""
    assert b"1" == mirrored(Call(b"", {b"mcp-param-x": b"1"}), b"mcp-param-x", "Mcp-Param-X")
    assert mirrored(Call(b"", {}), b"mcp-param-x", "Mcp-Param-X") is None
    assert mirrored(Call(b"", None, [b"mcp-param-x"]), b"mcp-param-x", "Mcp-Param-X") is None
    with pytest.raises(Refusal, match="Mcp-Param-X was sent more than once"):
        mirrored(Call(b"", {b"mcp-param-x": b"1"}, [b"mcp-param-x"]), b"mcp-param-x", "Mcp-Param-X")
