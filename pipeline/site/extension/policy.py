"""What a page may run: our scripts, those of the theme, and nothing that stands in the page.

The policy is said in the page itself (Content-Security-Policy), for a site is a folder that any
server may serve. ``offline`` has taken out all that it knows to run; this is for what it misses.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

_RULES = (
    # ``file:`` is for who opens the site as a folder.
    "script-src 'self' file: 'sha256-{digest}'",
    "object-src 'self' file:",
    "frame-src 'none'",
    "base-uri 'none'",
    "form-action 'self' file:",
)


def setup(app: Sphinx) -> None:
    """Connect it."""
    app.connect("html-page-context", add_policy)


def add_policy(
    app: Sphinx,
    page: str,
    template: str,
    context: dict[str, Any],
    document: nodes.document | None,
) -> None:
    """Give templates the policy, and the one script that stands in every page."""
    context["jz_first"] = first_script()
    context["jz_policy"] = policy()


@cache
def policy() -> str:
    """The policy of every page."""
    digest = b64encode(sha256(first_script().encode()).digest()).decode()
    return "; ".join(_RULES).format(digest=digest)


@cache
def first_script() -> str:
    """What runs before the first paint: as a file of its own it would hold up the page."""
    script = resources.files("pipeline.site").joinpath("templates", "first.js")
    return script.read_text(encoding="utf-8").strip()
