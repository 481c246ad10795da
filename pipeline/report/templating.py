"""How reports become HTML: one way in which texts come into a template.

Texts of pages, catalogues and kernels are among the values that a template gets, and none of them
becomes markup. The templates, style sheets and scripts are files of the package.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from pipeline.log import printable

if TYPE_CHECKING:
    from jinja2 import Environment


def environment(filters: Mapping[str, Callable[..., object]]) -> Environment:
    """An environment of templates that have ``filters``. It reads each of them once: keep it."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    made = Environment(
        autoescape=True,  # no text becomes markup
        finalize=_visible,
        loader=FunctionLoader(asset),
        # Tags of the template on lines of their own leave no empty lines in the page.
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,  # a name that is misspelt fails a test
    )
    made.filters.update(filters)
    return made


@cache
def asset(name: str) -> str:
    """A template, a style sheet or a script, as text; each is read once."""
    return (resources.files("pipeline.report") / "templates" / name).read_text("utf-8")


def _visible(value: object) -> object:
    """What a template prints of ``value``: control characters are shown as Python writes them.

    Texts of the template's own (they have ``__html__``) stay as they are.
    """
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return printable(value)
    return value
