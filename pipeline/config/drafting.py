"""``[tool.pipeline.draft]``: the language model that drafts, and what it may take.

The key of the endpoint is not part of it: the table names the environment variable that holds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import field

from pipeline.config.kinds import Natural, Positive
from pipeline.config.tables import RefusedError, Table, written

# What every request of ours says itself.
_OURS = ("model", "messages", "stream", "n", "max_tokens", "max_completion_tokens")

_Endpoint = Annotated[
    str,
    written(
        r"(https?://(\[[0-9A-Fa-f:.]+\]|[^\s/?#@:\[\]]+)(:\d{1,5})?(/[^\s?#]*)?)?",
        "an http or https address without user, password, query and fragment",
        "For example: https://api.example.org/v1. A key goes into the environment variable "
        "that key-variable names.",
        is_secret=True,  # it may hold a password
    ),
]
_Model = Annotated[
    str,
    written(
        r"(?a:[\w./:@+-]{0,100})",
        "the name of a model",
        "It may have letters, digits and . / : @ + - _.",
    ),
]
_KeyVariable = Annotated[
    str,
    written(
        "([A-Z_][A-Z0-9_]*)?",
        "the name of an environment variable",
        "Write the name there, such as OPENAI_API_KEY, and the key into the variable.",
        is_secret=True,  # it may be the key itself
    ),
]
_ReplyField = Annotated[
    str,
    written(
        "max_tokens|max_completion_tokens",
        "max_tokens or max_completion_tokens",
        "It is what the endpoint calls the bound of a reply.",
    ),
]


class DraftPolicy(Table, frozen=True, kw_only=True):
    """Which model drafts, through which endpoint, and what a run may spend."""

    # Of an OpenAI-compatible endpoint, up to what /chat/completions follows.
    url: _Endpoint = ""
    model: _Model = ""
    key_variable: _KeyVariable = (
        ""  # the environment variable with the key; empty: no key
    )
    budget_tokens: Natural = 0  # how many tokens a run may take; 0: any number
    batch: Positive = 40  # entries of a request
    concurrency: Positive = 4  # requests at a time
    timeout: Positive = 180  # seconds that one may take
    tries: Positive = 5  # of a request that fails in passing
    reply_tokens: Natural = 0  # bound of a reply; 0: by the length of the text
    reply_field: _ReplyField = "max_tokens"  # what the endpoint calls that bound
    # What else to put into each request: temperature, response_format …
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.parameters:
            if name in _OURS:
                raise RefusedError(
                    f"cannot have {name!r}",
                    key="parameters",
                    hint="Every request has that already.",
                )
