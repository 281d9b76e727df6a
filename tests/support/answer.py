"""What a finished response says, however it travelled: the readings that every kind of answer shares.

Knows the envelope of a response and of its results. Knows no transport: `messages` is for whoever read the bytes.
"""

from typing import Any

Json = dict[str, Any]


class Readings:
    """Read from `status` and `messages`, the response last."""

    __slots__ = ()

    status: int

    @property
    def messages(self) -> list[Json]:
        raise NotImplementedError

    @property
    def message(self) -> Json:
        return self.messages[-1]

    @property
    def notifications(self) -> list[Json]:
        return self.messages[:-1]

    @property
    def result(self) -> Json:
        result: Json = self.message["result"]
        return result

    @property
    def error(self) -> Json:
        error: Json = self.message["error"]
        return error

    @property
    def refusal(self) -> tuple[int, int]:
        """The HTTP status and the JSON-RPC error code."""
        return self.status, self.error["code"]

    @property
    def served(self) -> tuple[int, str]:
        """The HTTP status and the kind of result: `(200, "complete")` for a call that went well."""
        return self.status, self.result["resultType"]

    @property
    def text(self) -> str:
        """The text of the one content block."""
        (block,) = self.result["content"]
        assert "text" == block["type"]
        text: str = block["text"]
        return text

    @property
    def asked(self) -> Json:
        """The questions of a result that needs input."""
        assert (200, "input_required") == self.served, self.message
        questions: Json = self.result["inputRequests"]
        return questions
