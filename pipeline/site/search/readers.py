"""Words that readers ask for and pages do not have: ``readers.toml`` and ``frameworks.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any

Synonyms = tuple[list[str], list[str]]  # as ``pipeline.site.terms.synonyms`` makes them


def readers_words(locale: str, usual_names: Mapping[str, str]) -> list[Synonyms]:
    """Return what readers of a locale ask for, and what code calls modules by custom: ``np``."""
    rows: list[Synonyms] = []
    for short, module in usual_names.items():
        # Who asks for a part of a name finds the name.
        if short not in module.split("."):
            rows.append(([short], [module]))
    asked_and_found = _table("readers.toml").get(locale, [])
    return rows + [(asked, found) for asked, found in asked_and_found]


def names_of_frameworks(package: str) -> dict[str, dict[str, str]]:
    """Return what other frameworks call names and modules, with the names of ``package``."""
    return {
        kind: {asked: _whole_names(names, package) for asked, names in table.items()}
        for kind, table in _table("frameworks.toml").items()
    }


def _whole_names(names: str, package: str) -> str:
    """Return names that white space parts, with ``package`` before those that begin with a dot."""
    whole = (
        f"{package}{name}".rstrip(".") if name.startswith(".") else name
        for name in names.split()
    )
    return " ".join(whole)


def _table(name: str) -> dict[str, Any]:
    """Read a table that lies beside this module."""
    return tomllib.loads(resources.files(__package__).joinpath(name).read_text("utf-8"))
