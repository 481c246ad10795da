"""What Sphinx is given: the notebooks and Markdown pages.

There is no reStructuredText, no autodoc, nothing to execute.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from msgspec import Struct

from bench.workshop import LOCALE, remove_all

_CONFIGURATION = """\
project = "bench"
extensions = ["myst_nb"]
exclude_patterns = {exclude!r}
root_doc = {first!r}
nb_execution_mode = "off"
gettext_compact = False
html_theme = "sphinx_book_theme"
myst_enable_extensions = ["dollarmath"]
suppress_warnings = ["*"]
"""


class SphinxDocs(Struct, frozen=True):
    """A scratch folder where Sphinx makes templates and sphinx-intl catalogues."""

    path: Path

    @classmethod
    def make(cls, path: Path, docs: Path) -> SphinxDocs:
        """Copy ``docs`` to a new folder and write the configuration.

        Of a notebook and its Markdown twin, the notebook is read.
        """
        made = cls(path)
        shutil.copytree(docs, made.docs)
        pages: list[str] = []
        exclude = ["**.rst"]
        for page in sorted(made.docs.rglob("*.md")):
            is_twin = page.with_suffix(".ipynb").exists()
            found = exclude if is_twin else pages
            found.append(page.relative_to(made.docs).as_posix())
        first = pages[0].removesuffix(".md")
        text = _CONFIGURATION.format(exclude=exclude, first=first)
        (path / "conf.py").write_text(text, encoding="utf-8")
        return made

    @property
    def docs(self) -> Path:
        return self.path / "docs"

    @property
    def locale(self) -> Path:
        return self.path / "locale"

    @property
    def catalogs(self) -> Path:
        return self.locale / LOCALE / "LC_MESSAGES"

    @property
    def build(self) -> tuple[str, ...]:
        """Extract: one template per page."""
        words = "-m sphinx -q -b gettext -c . -d doctrees docs templates"
        return (sys.executable, *words.split())

    @property
    def update(self) -> tuple[str, ...]:
        """Update, in the way that costs it least: no line wrapping, no pool of processes."""
        words = f"-m sphinx_intl update -p templates -d locale -l {LOCALE} -w 0 -j 1"
        return (sys.executable, *words.split())

    @property
    def html(self) -> tuple[str, ...]:
        """The translated pages, as a site; in as many processes as there are cores."""
        words = (
            f"-m sphinx -q -b html -c . -d html-doctrees -j auto -D language={LOCALE} "
            "-D locale_dirs=locale docs html"
        )
        return (sys.executable, *words.split())

    def forget(self) -> None:
        """As before the first run."""
        remove_all(self.path / name for name in ("templates", "locale", "doctrees"))
