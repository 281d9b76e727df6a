"""The suite's tools and prompt that ask: one question or several, one round or several, with a state or without."""

from typing import Any

from goldfish import Context, Server, form, roots_list, sampling


def _schema(**properties: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in properties.items()},
        "required": list(properties),
    }


NAME = _schema(name="string")


def register(server: Server) -> None:
    """Adds the tools and the prompt to a server."""

    @server.tool
    async def test_input_required_result_elicitation(ctx: Context) -> str:
        """Asks the user's name."""
        return f"Hello, {(await ctx.elicit('user_name', 'What is your name?', NAME))['name']}!"

    @server.tool
    async def test_input_required_result_sampling(ctx: Context) -> str:
        """Asks the model."""
        return (await ctx.sample("capital_question", "What is the capital of France?", max_tokens=100)).text

    @server.tool
    async def test_input_required_result_list_roots(ctx: Context) -> str:
        """Asks for the roots."""
        return f"{len(await ctx.roots('client_roots'))} roots"

    @server.tool
    async def test_input_required_result_request_state(ctx: Context) -> str:
        """Asks for a confirmation, and keeps a state from the first round on."""
        ctx.state = ctx.state or "state"
        await ctx.elicit("confirm", "Please confirm", _schema(ok="boolean"))
        return "state-ok"

    @server.tool
    async def test_input_required_result_tampered_state(ctx: Context) -> str:
        """The same, for those who tamper with the state."""
        ctx.state = ctx.state or "state"
        await ctx.elicit("confirm", "Please confirm", _schema(ok="boolean"))
        return "state-ok"

    @server.tool
    async def test_input_required_result_multiple_inputs(ctx: Context) -> str:
        """Asks the user, the model and for the roots at once."""
        ctx.state = ctx.state or "state"
        await ctx.ask(
            user_name=form("What is your name?", NAME),
            greeting=sampling("Generate a greeting", 50),
            client_roots=roots_list(),
        )
        return "All inputs were received."

    @server.tool
    async def test_input_required_result_multi_round(ctx: Context) -> str:
        """Asks twice, one after another."""
        ctx.state = ctx.state or "begun"
        name = (await ctx.elicit("step1", "Step 1: What is your name?", NAME))["name"]
        color = (await ctx.elicit("step2", "Step 2: What is your favorite color?", _schema(color="string")))["color"]
        return f"{name} likes {color}."

    @server.tool
    async def test_input_required_result_capabilities(ctx: Context) -> str:
        """Asks whatever the client can answer, and nothing else."""
        questions = {
            "elicitation.form": {"user_name": form("What is your name?", NAME)},
            "sampling": {"greeting": sampling("Generate a greeting", 50)},
        }
        possible = {key: ask for name, asks in questions.items() if ctx.supports(name) for key, ask in asks.items()}
        await ctx.ask(**possible)
        return "All possible inputs were received."

    @server.prompt
    async def test_input_required_result_prompt(ctx: Context) -> str:
        """Asks for a context before it renders."""
        context = await ctx.elicit("user_context", "What context should the prompt use?", _schema(context="string"))
        return f"Use this context: {context['context']}"
