"""What property tests and suspicion found, each as a request of its own.

What they found in the wire and the kernel alone has its tests there.
"""

import pytest

from .driver import Client
from .probe import LOUD, Probe, body, call, headers, request
from .rules import Site, post


@pytest.mark.parametrize("depth", [256, 300, 900])
def test_an_argument_of_the_wrong_type_may_be_nested_deeply(where: Site, depth: int) -> None:
    """TOOL-11, TOOL-15: what does not fit the schema is the caller's mistake, however deep it is."""
    deep = b'{"x":' * depth + b"1" + b"}" * depth
    message = call("typed", message="@hole@")
    answer = post(where, body(message).replace(b'"@hole@"', deep), headers(message))
    assert answer is not None
    assert answer.last["result"]["isError"]


@pytest.mark.parametrize("number", [b"1e999", b"9" * 5_000])
def test_an_answer_with_a_number_out_of_range_is_no_crash(where: Site, number: bytes) -> None:
    """MRTR-12, MRTR-13: unknown answers may hold anything, also where the handler looks at them as they came."""
    message = request("tools/call", name="reads", arguments={}, inputResponses={"a": "@hole@"})
    post(where, body(message).replace(b'"@hole@"', number), headers(message))


@pytest.mark.parametrize("streaming", [False, True])
def test_what_a_handler_left_running_is_not_heard_after_the_reply(streaming: bool) -> None:
    """PRG-03, LOG-03, HTTP-16: nothing follows the final response, whether it was a stream or not."""
    probe = Probe()
    client = Client(probe.server.app)
    message = call("lingers", LOUD)
    accept = (b"Accept", b"text/event-stream" if streaming else b"application/json, text/event-stream")
    fields = [*(field for field in headers(message) if field[0] != b"Accept"), accept]
    answer = client.call(body(message), fields)
    assert answer is not None
    assert (1, streaming) == (len(answer.messages), answer.streamed)

    async def finish() -> None:
        assert probe.lingering is not None
        probe.replied.set()
        await probe.lingering  # raises what the response that had ended said to it

    client.run(finish())
    client.close()
