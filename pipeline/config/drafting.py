"""``[tool.pipeline.draft]``: the language model that drafts, and what it may take.

In goes a table, out comes a checked record. The key of the endpoint is not part of it: the table
names the environment variable that holds it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from pipeline.config.tables import Table

REPLY_FIELDS = ("max_tokens", "max_completion_tokens")

_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_MODEL = re.compile(r"[\w./:@+-]{1,100}", re.ASCII)
# What every request of ours says itself.
_OURS = ("model", "messages", "stream", "n", *REPLY_FIELDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftPolicy:
    """Which model drafts, through which endpoint, and what a run may spend."""

    url: str = (
        ""  # of an OpenAI-compatible endpoint, up to what /chat/completions follows
    )
    model: str = ""
    key_variable: str = ""  # the environment variable with the key; empty: no key
    budget_tokens: int = 0  # how many tokens a run may take; 0: any number
    batch: int = 40  # entries of a request
    concurrency: int = 4  # requests at a time
    timeout: int = 180  # seconds that one may take
    tries: int = 5  # of a request that fails in passing
    reply_tokens: int = 0  # bound of a reply; 0: by the length of the text
    reply_field: str = "max_tokens"  # what the endpoint calls that bound
    # What else to put into each request: temperature, response_format …
    parameters: Mapping[str, Any] = field(default_factory=dict)


def read_draft(table: Table) -> DraftPolicy:
    """``[tool.pipeline.draft]`` as a record. Raises ConfigError."""
    table.allow(
        *("url", "model", "key-variable", "budget-tokens", "batch", "concurrency"),
        *("timeout", "tries", "reply-tokens", "reply-field", "parameters"),
    )
    default = DraftPolicy()
    policy = DraftPolicy(
        url=table.string("url"),
        model=table.string("model"),
        key_variable=_key_variable(table),
        budget_tokens=table.integer("budget-tokens", default=0, least=0),
        batch=table.integer("batch", default=default.batch, least=1),
        concurrency=table.integer("concurrency", default=default.concurrency, least=1),
        timeout=table.integer("timeout", default=default.timeout, least=1),
        tries=table.integer("tries", default=default.tries, least=1),
        reply_tokens=table.integer("reply-tokens", default=0, least=0),
        reply_field=table.string("reply-field", default=default.reply_field),
        parameters=table.table("parameters").values,
    )
    _check(table, policy)
    return policy


def _key_variable(table: Table) -> str:
    name = table.string("key-variable")
    if name and not _VARIABLE.fullmatch(name):
        # It may be the key itself, which must not be shown.
        raise table.error(
            f"{table.name}.key-variable is not the name of an environment variable",
            hint="Write the name there, such as OPENAI_API_KEY, and the key into the variable.",
        )
    return name


def _check(table: Table, policy: DraftPolicy) -> None:
    """Raise ConfigError for what does not go together."""
    if policy.url:
        _check_url(table, policy.url)
    if policy.model and not _MODEL.fullmatch(policy.model):
        raise table.error(
            f"{table.name}.model is no name of a model: {policy.model!r}",
            hint="It may have letters, digits and . / : @ + - _.",
        )
    if policy.reply_field not in REPLY_FIELDS:
        known = " or ".join(REPLY_FIELDS)
        raise table.error(
            f"{table.name}.reply-field must be {known}, not {policy.reply_field!r}",
            hint="It is what the endpoint calls the bound of a reply.",
        )
    for name in policy.parameters:
        if name in _OURS:
            raise table.error(
                f"{table.name}.parameters cannot have {name!r}",
                hint="Every request has that already.",
            )


def _check_url(table: Table, url: str) -> None:
    try:
        parts = urlsplit(url)
        host, has_user, _ = parts.hostname, parts.username or parts.password, parts.port
    except ValueError:
        host, has_user = None, None
    # Without its text: it may hold a password.
    if host is None or parts.scheme not in ("http", "https"):
        raise table.error(
            f"{table.name}.url is no http or https address",
            hint="For example: https://api.example.org/v1.",
        )
    if has_user or parts.query or parts.fragment:
        raise table.error(
            f"{table.name}.url may have no user, password, query or fragment",
            hint="A key goes into the environment variable that key-variable names.",
        )
