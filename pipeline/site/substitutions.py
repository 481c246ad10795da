"""What ``{{ words }}`` stand for in MyST: values of a ``conf.py``, or of a book's ``_config.yml``.

Values in the front matter of a page MyST finds itself, once it is told to look.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pipeline.adapters import files
from pipeline.core.document.yaml_nodes import composed, pairs, text_of, value_of
from pipeline.core.pin.sphinx_config import has_substitutions, sphinx_values
from pipeline.reading import Dialect
from pipeline.site.folders import english_folder
from pipeline.site.plan import Site

_PLAIN = (str, int, float, bool)


def substitutions_of(site: Site) -> dict[str, Any] | None:
    """Return the values by name; None if upstream's own site does not look for such words."""
    if site.upstream.reading.dialect is not Dialect.MYST:
        return None
    folder = site.paths.docs / english_folder(site.lock)
    configuration, book = folder / "conf.py", folder / "_config.yml"
    if configuration.is_file():
        values = sphinx_values(_text(configuration))
        if not has_substitutions(values):
            return None
        known = values.get("myst_substitutions")
        found = known if isinstance(known, dict) else {}
        return {
            str(name): value for name, value in found.items() if type(value) in _PLAIN
        }
    if not (folder / "_toc.yml").is_file():
        return None
    # A book of Jupyter's looks for them unless it says otherwise.
    return _of_book(_text(book)) if book.is_file() else {}


def _of_book(text: str) -> dict[str, Any]:
    """Return the values that a ``_config.yml`` gives; none if it cannot be read."""
    try:
        parsing = value_of(composed(text), "parse")
    except ValueError:
        return {}
    values = pairs(value_of(parsing, "myst_substitutions"))
    return {name: words for name, value in values if (words := text_of(value))}


def _text(path: Path) -> str:
    return files.read_bytes(path).decode("utf-8", "replace")
