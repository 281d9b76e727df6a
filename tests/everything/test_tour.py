"""The README as a reader uses it: each block of the tour is pasted, and the example of a server is run."""

import re
from pathlib import Path

import pytest

from tests.everything.test_lines_work import assert_in_order, paste
from tests.support.inprocess import Client, accept, in_loop

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
TOUR = README.partition("## A tour")[2].partition("## Two endpoints")[0]
#: A block to paste, and the snippets that its output must show, in this order.
STOPS = re.findall(r"```sh\n(?P<lines>(?:(?!```).)*?)```\n\nExpect: (?P<expect>[^\n]+)\n", TOUR, re.DOTALL)


def test_the_tour_has_the_stops_it_promises() -> None:
    """Discover, a list, a call, two rounds of a question, progress, listening: each with its expectation."""
    assert 7 == len(STOPS) == TOUR.count("```sh")


@pytest.mark.parametrize(("lines", "expect"), STOPS, ids=[f"stop {number}" for number in range(1, len(STOPS) + 1)])
def test_a_stop_of_the_tour_prints_what_it_says(lines: str, expect: str, reference: str) -> None:
    """Pasted as it stands, but for the port."""
    assert_in_order(tuple(re.findall(r"`([^`]+)`", expect)), paste(lines, reference))


@in_loop
async def test_the_example_of_a_server_serves() -> None:
    """The one Python block: it mirrors a parameter, asks, and answers with what was chosen."""
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec", dont_inherit=True), names)
    client = Client(names["app"], {"elicitation": {}})  # type: ignore[arg-type]
    headers = {"mcp-param-region": "us"}
    call = {"city": "Paris", "region": "us"}
    asked = await client.tool("forecast", call, headers=headers)
    assert ["unit"] == list(asked.asked)
    told = await client.tool("forecast", call, headers=headers, after=asked, answers={"unit": accept(unit="C")})
    assert {"city": "Paris", "days": 3, "region": "us", "unit": "C"} == told.result["structuredContent"]
