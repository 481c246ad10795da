"""The templates of the site's pages that no theme makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment, Template


def environment(filters: Mapping[str, Callable[..., object]]) -> Environment:
    """An environment of templates that have ``filters``."""
    from jinja2 import Environment, StrictUndefined

    made = Environment(
        autoescape=True,  # no text becomes markup
        undefined=StrictUndefined,  # a name that is misspelt fails a test
        # Tags of the template on lines of their own leave no empty lines in the page.
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(filters)
    return made


def source_of(name: str) -> str:
    """The text of a template."""
    folder = resources.files("pipeline.site") / "templates"
    return (folder / name).read_text(encoding="utf-8")


@cache
def template(name: str) -> Template:
    """A template without filters of its own: it is read and compiled once."""
    return environment({}).from_string(source_of(name))
