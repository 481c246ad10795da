"""What a page may run: our scripts, those of the theme, and nothing that stands in the page.

The policy is said in the page itself (Content-Security-Policy), for a site is a folder that any
server may serve. It names one script by its digest, the first one; that one inserts the others.
So a ``<script>`` that others have got into a page runs neither as it stands nor from a file.
``offline`` and ``safety`` have taken out all that they know to run; this is for what they miss.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from pipeline.site.names import PROGRESS

# Of the theme, whose layout would load them at the end of a page.
_OF_THEME = ("scripts/bootstrap.js", "scripts/pydata-sphinx-theme.js")
_SOURCE = re.compile(r'\bsrc="([^"]*)"')
_RULES = (
    "script-src 'sha256-{digest}' 'strict-dynamic'",
    "object-src 'none'",
    "frame-src 'none'",
    "base-uri 'none'",
    # ``file:`` is for who opens the site as a folder.
    "form-action 'self' file:",
)


def setup(app: Sphinx) -> None:
    """Connect it: when nobody adds scripts to a page any more, or takes some away."""
    app.connect("html-page-context", add_policy, priority=950)


def add_policy(
    app: Sphinx,
    page: str,
    template: str,
    context: dict[str, Any],
    document: nodes.document | None,
) -> None:
    """Give templates the policy, the one script that stands in every page, and what it loads."""
    context["jz_first"] = first_script()
    context["jz_policy"] = policy()
    context["jz_scripts"] = " ".join(
        _scripts(page, context, app.config.jz_site["own_pages"])
    )


def _scripts(
    page: str, context: dict[str, Any], own_pages: Mapping[str, str]
) -> Iterator[str]:
    """Yield the addresses of the scripts of a page, in their order, as HTML."""
    for file in context["script_files"]:
        # What stands in a page, or lies elsewhere, is not to run.
        source = _SOURCE.search(context["js_tag"](file))
        if source and "//" not in source[1]:
            yield source[1]
    if page == own_pages[PROGRESS]:
        yield context["pathto"]("_static/progress.js", 1)
    for name in _OF_THEME:
        address = context["pathto"](f"_static/{name}", 1)
        yield f"{address}?v={context.get('jz_theme_version', '')}"


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
