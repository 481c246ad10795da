"""What Sphinx is given: the notebooks and Markdown pages.

There is no reStructuredText, no autodoc, nothing to execute.
"""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

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


@dataclass(frozen=True, slots=True)
class SphinxDocs:
    """A scratch folder where Sphinx makes templates and sphinx-intl catalogues."""

    path: Path

    @classmethod
    def make(cls, path: Path, docs: Path) -> SphinxDocs:
        """Copy ``docs`` to a new folder and write the configuration.

        Of a notebook and its Markdown twin, the notebook is read.
        """
        made = cls(path)
        shutil.copytree(docs, made.docs)
        notebooks = {page.with_suffix(".md") for page in made.docs.rglob("*.ipynb")}
        pages = sorted(
            page for page in made.docs.rglob("*.md") if page not in notebooks
        )
        twins = sorted(
            page.relative_to(made.docs).as_posix()
            for page in notebooks
            if page.exists()
        )
        first = pages[0].relative_to(made.docs).with_suffix("").as_posix()
        (path / "conf.py").write_text(
            _CONFIGURATION.format(exclude=["**.rst", *twins], first=first),
            encoding="utf-8",
        )
        return made

    @property
    def docs(self) -> Path:
        return self.path / "docs"

    @property
    def templates(self) -> Path:
        return self.path / "templates"

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
    def pages(self) -> Path:
        return self.path / "html"

    def html(self, *, jobs: str) -> tuple[str, ...]:
        """The translated pages, as a site."""
        words = (
            f"-m sphinx -q -b html -c . -d html-doctrees -j {jobs} -D language={LOCALE} "
            "-D locale_dirs=locale docs html"
        )
        return (sys.executable, *words.split())

    def forget(self) -> None:
        """As before the first run."""
        remove_all((self.templates, self.locale, self.path / "doctrees"))
