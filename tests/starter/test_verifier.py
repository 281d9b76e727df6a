"""The verifier as a command: what it finds, what it says of what it cannot use, and that it always comes to an end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from .support import EXAMPLE, STARTER, folder, run, verdict, verify

NAMES = "class InputRequired(Exception):\n    pass\n\n\n"
SERVER = f"""{NAMES}class MCPServer:
    def register_tool(self, *args, **named):
        pass

    def handle_request(self, request):
        """
COUNT = 1 + len(verify.RULES)

# Another reading of the contract: wherever it leaves a choice open, the starter's choice is not the one made here.
OTHER = """
import threading


class InputRequired(Exception):
    def __init__(self, requests=None):
        self.requests = requests


class MCPServer:
    def __init__(self):
        self.tools, self.lock = {}, threading.RLock()

    def register_tool(self, name, description, schema, handler):
        if not isinstance(schema.get("required", []), list):
            raise ValueError("required")
        self.tools[name] = ({"name": name, "description": description, "inputSchema": schema}, handler)

    def handle_request(self, request):
        with self.lock:
            try:
                return self.answer(request)
            except Exception:
                return self.error(request, -32603, "Internal error")

    def error(self, request, code, message):
        id_ = request.get("id") if isinstance(request, dict) else None
        id_ = id_ if isinstance(id_, (str, int, float)) else None
        return {"id": id_, "error": {"message": message, "code": code, "data": {}}, "jsonrpc": "2.0"}

    def answer(self, request):
        if not isinstance(request, dict) or request.get("jsonrpc") != "2.0":
            return self.error(request, -32600, "Invalid request")
        if not isinstance(request.get("method"), str):
            return self.error(request, -32600, "Invalid request")
        method, params = request["method"], request.get("params") or {}
        if method == "initialize":
            return self.error(request, -32601, "Removed by the stateless MCP specification of 2026-07-28")
        if method not in ("tools/list", "tools/call"):
            return self.error(request, -32601, "Unknown method")
        if not isinstance(params, dict):
            return self.error(request, -32602, "Invalid params")
        for meta in (request.get("_meta"), params.get("_meta")):
            if meta is not None and not isinstance(meta, dict):
                return self.error(request, -32600, "Invalid _meta")
            version = (meta or {}).get("protocolVersion")
            if version is not None and version != "2026-07-28":
                return self.error(request, -32600, "Unsupported version")
        if method == "tools/list":
            result = {"tools": [entry for entry, _ in self.tools.values()]}
        elif isinstance(params.get("name"), str):
            result = self.call(**{"arguments": None, **params})
        else:
            return self.error(request, -32602, "No name")
        return {"jsonrpc": "2.0", "id": request.get("id"), "result": result}

    def call(self, name, arguments, inputResponses=None, **rest):
        text = lambda text: {"content": [{"type": "text", "text": text}]}
        if name not in self.tools:
            return {"isError": True, **text("Tool not found")}
        entry, handler = self.tools[name]
        arguments = arguments if isinstance(arguments, dict) else {}
        for arg in entry["inputSchema"].get("required", []):
            if arg not in arguments:
                return {"isError": True, **text(f"Missing required argument: {arg}")}
        try:
            return text(str(handler(arguments, inputResponses or {})))
        except InputRequired as e:
            asked = text("Additional client input is required before this tool can finish.")
            return {"resultType": "input_required", "requests": e.requests, **asked}
        except Exception as e:
            return {"isError": True, **text(f"Error: {e}")}
"""


@pytest.fixture
def beside() -> Iterator[Path]:
    """A folder beside verify.py, gone afterwards."""
    place = EXAMPLE / "beside-for-a-test"
    yield place
    for path in (place / "mcp_server.py", place):
        if path.is_file():
            path.unlink()
        elif path.is_dir():
            path.rmdir()


def test_the_starter_keeps_its_contract() -> None:
    """Starter contract: `python examples/mcp-server/verify.py starter` from the repository root exits 0."""
    done = run("starter")
    lines = done.stdout.splitlines()
    assert 0 == done.returncode
    assert COUNT == sum(line.startswith("ok    ") for line in lines)
    assert f"{COUNT} of {COUNT} rules hold" == lines[-1]
    assert (COUNT + 2, "") == (len(lines), done.stderr)


def test_the_verifier_judges_the_contract_and_not_the_starters_choices(tmp_path: Path) -> None:
    """Ours: an implementation that decides every open question differently passes all the same."""
    done = run(str(folder(tmp_path, OTHER)))
    assert [] == [line for line in done.stdout.splitlines() if line.startswith("FAIL")]
    assert 0 == done.returncode


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nowhere"],
        [""],
        ["starter/mcp_server.py"],
        ["starter", "starter"],
        ["x" * 5000],
        ["starter", "--seconds", "soon"],
        ["starter", "--seconds", "0"],
        ["starter", "--seconds", "nan"],
    ],
)
def test_a_wrong_command_line_is_a_usage_error(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Ours: exit status 2, the usage and one sentence."""
    with pytest.raises(SystemExit) as exit_:
        verify.main(arguments)
    printed = capsys.readouterr()
    assert 2 == exit_.value.code
    assert printed.err.startswith("usage: verify.py ")
    assert "\nverify.py: error: " in printed.err
    assert "" == printed.out


def test_without_an_argument_the_command_exits_2_with_its_usage() -> None:
    """Ours: the same as a command; no traceback."""
    done = run()
    assert (2, "") == (done.returncode, done.stdout)
    assert done.stderr.startswith("usage: verify.py ")
    assert "Traceback" not in done.stderr


def test_a_folder_without_the_module_is_named_in_the_usage_error(tmp_path: Path) -> None:
    """Ours: the sentence names the folder and where it was looked for."""
    done = run(str(tmp_path))
    assert 2 == done.returncode
    assert f"no mcp_server.py in a folder {str(tmp_path)!r}, neither beside verify.py nor as a path" in done.stderr


def test_a_relative_path_is_taken_from_the_working_directory(tmp_path: Path) -> None:
    """Starter contract: as a path; ours: only the source is read, and no compilation of it is left behind."""
    place = folder(tmp_path / "mine", STARTER.read_text(encoding="utf-8"))
    assert 0 == run("mine", cwd=tmp_path).returncode
    assert [place / "mcp_server.py"] == list(place.iterdir())


def test_a_folder_beside_the_verifier_comes_before_a_path(tmp_path: Path, beside: Path) -> None:
    """Starter contract: looked up beside verify.py first, then as a path."""
    folder(tmp_path / beside.name, STARTER.read_text(encoding="utf-8"))
    assert 0 == run(beside.name, cwd=tmp_path).returncode
    folder(beside, "broken")
    assert 1 == run(beside.name, cwd=tmp_path).returncode


def test_a_folder_beside_the_verifier_without_the_module_does_not_hide_the_path(tmp_path: Path, beside: Path) -> None:
    """Ours: what is looked up is the folder that holds mcp_server.py."""
    beside.mkdir()
    folder(tmp_path / beside.name, STARTER.read_text(encoding="utf-8"))
    assert 0 == run(beside.name, cwd=tmp_path).returncode


UNUSABLE = [
    ("class MCPServer:", "IndentationError: "),
    ("\x00", "null bytes"),
    ("import nowhere_to_be_found", "ModuleNotFoundError: No module named 'nowhere_to_be_found'"),
    ("raise ValueError('caf\u00e9 \\ud800')", "ValueError: caf"),
    ("raise SystemExit(0)", "SystemExit: 0"),
    ("class Mute(Exception):\n    def __str__(self):\n        1 / 0\n\n\nraise Mute", "<Mute>"),
    ("", "no class MCPServer and no class InputRequired"),
    ("MCPServer = InputRequired = None", "no class MCPServer and no class InputRequired"),
    (NAMES, "no class MCPServer"),
    ("class MCPServer:\n    pass\n", "no class InputRequired"),
]


@pytest.mark.parametrize(("source", "said"), UNUSABLE)
def test_a_module_that_cannot_be_used_is_one_readable_failure(
    source: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ours: exit status 1, the reason, and how many rules were not checked."""
    status = verify.report(verify.check(folder(tmp_path, source) / "mcp_server.py"))
    printed = capsys.readouterr().out.encode("ascii", "backslashreplace").decode()
    assert 1 == status
    assert printed.startswith("FAIL  module: ")
    assert said in printed
    assert printed.endswith(f"\n0 of {COUNT} rules hold, {COUNT - 1} not checked\nbroken: module\n")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        UNUSABLE[3],
        ("import os\nos._exit(0)", "the process ended with status 0"),
        ("import sys\nsys.stdout.close()\nsys.stderr = None\nraise ValueError('no')", "ValueError: no"),
    ],
)
def test_a_module_that_cannot_be_used_is_no_traceback_of_the_command(source: str, said: str, tmp_path: Path) -> None:
    """Ours: the same from the command, where the module may also end the process or take its output away."""
    done = run(str(folder(tmp_path, source)))
    assert (1, "") == (done.returncode, done.stderr)
    assert said in done.stdout
    assert done.stdout.endswith("not checked\nbroken: module\n")
    assert "Traceback" not in done.stdout


NONSENSE = [
    "print('Traceback') or {'error': {'code': []}}",
    "None",
    "[]",
    "'text'",
    "{}",
    "request",
    "1 / 0",
    "{1: {2}}",
    "{'error': 5, 'id': object()}",
    "{'jsonrpc': '2.0', 'id': request.get('id'), 'result': None, 'error': None}",
    "exit(0)",
    "(lambda out: out.update(result=out) or out)({})",
    "type('Bad', (dict,), {'get': None})(result=1)",
]


@pytest.mark.parametrize("answer", NONSENSE)
def test_a_server_that_answers_nonsense_is_a_readable_failure(
    answer: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ours: whatever handle_request does, the rules are listed to the last."""
    status = verify.report(verify.check(folder(tmp_path, f"{SERVER}return {answer}\n") / "mcp_server.py"))
    lines = capsys.readouterr().out.splitlines()
    assert 1 == status
    assert COUNT == sum(line[:6] in ("ok    ", "FAIL  ") for line in lines)
    assert any(line.startswith("FAIL  success: ") for line in lines)


def test_what_a_module_prints_is_not_part_of_the_list(tmp_path: Path) -> None:
    """Ours: the list is the verifier's alone, and no traceback is in it."""
    done = run(str(folder(tmp_path, f"{SERVER}return {NONSENSE[0]}\n")))
    assert (1, "") == (done.returncode, done.stderr)
    assert "Traceback" not in done.stdout


def test_a_class_that_cannot_be_made_is_a_readable_failure(tmp_path: Path) -> None:
    """Ours: the same where not even a server comes into being."""
    source = NAMES + "class MCPServer:\n    def __init__(self, port):\n        pass\n"
    found = verdict(folder(tmp_path, source), "list")
    assert [True] == ["port" in problem.actual for problem in found.problems]


@pytest.mark.parametrize(
    ("source", "lost"),
    [
        ("import threading\nthreading.Event().wait()\n", ["module"]),
        (SERVER + "__import__('re').match('(a+)+$', 'a' * 60 + 'b')\n", ["id-zero", "id-kinds", "id-null"]),
    ],
)
def test_a_module_that_hangs_is_ended(source: str, lost: list[str], tmp_path: Path) -> None:
    """Ours: a rule has a time limit, also where Python code cannot be interrupted; three such rules end the run."""
    began = time.monotonic()
    done = run("--seconds", "0.2", str(folder(tmp_path, source)))
    assert 1 == done.returncode
    assert f"broken: {', '.join(lost)}\n" in done.stdout
    assert "not checked" in done.stdout
    assert time.monotonic() - began < 4


def test_a_request_that_hangs_costs_the_rules_that_send_it_alone(tmp_path: Path) -> None:
    """Ours: the rules behind one that hung are judged in a new process; frame and id send every request again."""
    old = "str(tool.handler(arguments, responses))"
    source = STARTER.read_text(encoding="utf-8")
    assert 1 == source.count(old)
    source = source.replace(old, f"{old} if arguments != {{'text': 'Tool not found'}} else threading.Event().wait()")
    done = run("--seconds", "0.4", str(folder(tmp_path, source)))
    assert 1 == done.returncode
    assert "no answer within 0.4 s" in done.stdout
    assert "broken: success, frame, id\n" in done.stdout
    assert "not checked" not in done.stdout


def test_a_process_that_a_request_ends_is_reported_and_the_next_rule_is_judged(tmp_path: Path) -> None:
    """Ours: exit status 0 of the module's making does not pass for success."""
    body = "import os\n        if isinstance(request, dict):\n            os._exit(0)\n        raise ValueError\n"
    done = run(str(folder(tmp_path, SERVER + body)))
    assert 1 == done.returncode
    assert 3 == done.stdout.count("the process ended with status 0")
