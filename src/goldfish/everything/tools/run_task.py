r"""run-task: Run a task.

The task id is a signed token that carries the plan: the scenario, the delay and the time of creation. Its status is a
pure function of that plan, of what the client has said since, and of the time, so that any instance can tell it; only
answers and cancellations are stored, and the first one to be said wins.

Feature: the tasks extension: a call answered with a task, polled, answered, cancelled and watched
Spec: basic/versioning#extension-negotiation
Try:
    TASK=$(curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: tools/call' \
      -H 'Mcp-Name: run-task' \
      -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run-task","arguments":{
      "scenario":"needs-input","delayMs":0},"_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}},
      "extensions":{"io.modelcontextprotocol/tasks":{}}}}}}' \
      | tee /dev/stderr | sed -E 's/.*"taskId": *"([^"]*)".*/\1/')

    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: tasks/update' \
      -H "Mcp-Name: $TASK" \
      -d '{"jsonrpc":"2.0","id":2,"method":"tasks/update","params":{"taskId":"'"$TASK"'",
      "inputResponses":{"name":{"action":"accept","content":{"name":"Ada"}}},"_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{
      "extensions":{"io.modelcontextprotocol/tasks":{}}}}}}'

    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: tasks/get' \
      -H "Mcp-Name: $TASK" \
      -d '{"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":"'"$TASK"'","_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{
      "extensions":{"io.modelcontextprotocol/tasks":{}}}}}}'
Expect: `"resultType":"task"`, then `"resultType":"complete"`, then `"status":"completed"` with `Hello, Ada!`
"""

from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

from goldfish import (
    Context,
    ElicitResult,
    Moment,
    NotAccepted,
    Param,
    Phase,
    Refusal,
    Server,
    TextContent,
    ToolResult,
    form,
)

TTL_MS: Final = 600_000
POLL_MS: Final = 500
INTERNAL_ERROR: Final = -32603

Scenario = Literal["complete", "tool-error", "protocol-error", "needs-input", "stubborn"]

NAME: Final = form(
    "What is your name?",
    {"type": "object", "properties": {"name": {"type": "string", "title": "Name"}}, "required": ["name"]},
)
GO: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"go": {"type": "boolean", "title": "Create the task?"}},
    "required": ["go"],
}


def _said(text: str, is_error: bool = False) -> ToolResult:
    return ToolResult([TextContent(text=text)], is_error=is_error)


def _after_work(moment: Moment, begun: float, end: Callable[[float], Phase]) -> Phase:
    """One stretch of simulated work, `delayMs` long, and what `end` makes of the time at which it is over."""
    over = begun + moment.plan["delayMs"] / 1000
    if moment.now < over:
        return Phase("working", since=begun, until=over, message="simulated work")
    return end(over)


def _complete(moment: Moment) -> Phase:
    return _after_work(
        moment, moment.created, lambda over: Phase("completed", since=over, result=_said("The task is done."))
    )


def _tool_error(moment: Moment) -> Phase:
    failure = _said("The tool failed on purpose.", is_error=True)
    return _after_work(moment, moment.created, lambda over: Phase("completed", since=over, result=failure))


def _protocol_error(moment: Moment) -> Phase:
    error = Refusal(INTERNAL_ERROR, "deliberate protocol error")
    return _after_work(moment, moment.created, lambda over: Phase("failed", since=over, error=error))


def _needs_input(moment: Moment) -> Phase:
    def ask(over: float) -> Phase:
        answered = moment.answers.get("name")
        if answered is None:
            return Phase("input_required", since=over, message="waiting for a name", asks={"name": NAME})
        answer = answered.answer
        if isinstance(answer, ElicitResult) and answer.content is not None:
            result = _said(f"Hello, {answer.content['name']}!")
        else:
            result = _said("No name was given.", is_error=True)
        return _after_work(moment, answered.at, lambda end: Phase("completed", since=end, result=result))

    return _after_work(moment, moment.created, ask)


SCENARIOS: Final[dict[str, Callable[[Moment], Phase]]] = {
    "complete": _complete,
    "tool-error": _tool_error,
    "protocol-error": _protocol_error,
    "needs-input": _needs_input,
    "stubborn": _complete,
}


def derive(moment: Moment) -> Phase:
    """What the task is at a moment. A wish to cancel counts until the task has ended, and never for "stubborn"."""
    if moment.cancelled is not None and moment.plan["scenario"] != "stubborn":
        return Phase("cancelled", since=moment.cancelled, message="cancelled by the client")
    return SCENARIOS[moment.plan["scenario"]](moment)


def register(server: Server) -> None:
    """Adds the tool to a server."""
    kind = server.derived_task("run-task", derive, questions={"name": NAME})

    @server.tool(
        name="run-task",
        title="Run a task",
        description="Answers with a task that works, asks, fails or refuses to be cancelled, as the scenario says.",
    )
    async def run_task(
        ctx: Context,
        scenario: Annotated[Scenario, Param(description="How the task goes.")] = "complete",
        delayMs: Annotated[int, Param(ge=0, le=60_000, description="Simulated work of each phase, in ms.")] = 5_000,
        confirm: Annotated[bool, Param(description="Ask before the task is created.")] = False,
    ) -> Any:
        # What the task will ask is known before it exists, so a client that cannot be asked is told at once (TASK-28).
        kind.require(ctx, *(["elicitation.form"] if scenario == "needs-input" else []))
        if confirm:
            try:
                go = (await ctx.elicit("go", "Create the task?", GO))["go"]
            except NotAccepted:
                go = False
            if not go:
                return "No task was created."
        plan = {"scenario": scenario, "delayMs": delayMs}
        return await kind.create(ctx, plan, ttl_ms=TTL_MS, poll_interval_ms=POLL_MS)
