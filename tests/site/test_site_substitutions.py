"""What ``{{ words }}`` stand for: read as data from a ``conf.py`` or a book's ``_config.yml``."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from folders import write_tree

from pipeline.folders import WHOLE
from pipeline.reading import Dialect, Reading
from pipeline.site.configuration import substitutions_of

BOOK = (
    "parse:\n  myst_substitutions: {tool: a **loom**, secret: !ENV HOME, many: [1]}\n"
)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"conf.py": "project = 'Looms'\n"}, None),
        ({"conf.py": "myst_enable_extensions = ['dollarmath']\n"}, None),
        ({"conf.py": "myst_enable_extensions = ['substitution']\n"}, {}),
        (
            {"conf.py": "myst_substitutions = {'a': 'b', 'n': 3, 'no': [1]}\n"},
            {"a": "b", "n": 3},
        ),
        ({"conf.py": "myst_substitutions = make()\n"}, None),
        ({"conf.py": "myst_substitutions = ['a']\n"}, None),
        ({"_config.yml": BOOK}, None),  # a site of Jekyll's
        ({"_toc.yml": "", "_config.yml": BOOK}, {"tool": "a **loom**"}),
        ({"_toc.yml": ""}, {}),
        ({"_toc.yml": "", "_config.yml": "parse: ["}, {}),
        ({}, None),
    ],
)
def test_values_of_a_site(
    files: dict[str, str], expected: dict[str, Any] | None, tmp_path: Path
) -> None:
    write_tree(tmp_path, files)
    assert substitutions_of(site_of(tmp_path)) == expected


def test_other_markdowns_have_none(tmp_path: Path) -> None:
    write_tree(tmp_path, {"_toc.yml": "", "_config.yml": BOOK})
    assert substitutions_of(site_of(tmp_path, Dialect.MKDOCS)) is None


def site_of(docs: Path, dialect: Dialect = Dialect.MYST) -> Any:
    return SimpleNamespace(
        upstream=SimpleNamespace(reading=Reading(dialect=dialect)),
        lock=SimpleNamespace(files=(), docs=WHOLE),
        paths=SimpleNamespace(docs=docs),
    )
