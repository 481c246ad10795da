"""Scratch project for tests of the translation memory. Its upstream is a real git repository.

It runs the stages that read and write the memory: pull, split and update.
"""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from catalog_files import LI, edit_catalog, read_catalog
from folders import read_tree
from msgspec import Struct, structs
from msgspec.structs import replace
from repositories import DOCS, make_origin
from runs import run_of

from pipeline.adapters import po
from pipeline.config.settings import Settings, Upstream
from pipeline.core.catalog.update import Updated
from pipeline.core.document.reader import SplitPage
from pipeline.core.pin.lock import Lock, pages_of
from pipeline.entries import Catalog, Entry
from pipeline.findings import Finding
from pipeline.log import QUIET, Log
from pipeline.paths import Paths
from pipeline.run import Run
from pipeline.stages.pull.stage import pull
from pipeline.stages.split import split
from pipeline.stages.update.locale import Locale
from pipeline.stages.update.stage import update
from pipeline.stages.update.verification import verify_memory

LOCALE = "zh_CN"
LOG = Log(QUIET)
Header = Mapping[str, str]

RELEASES: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
FIRST, SECOND = RELEASES["v1"], RELEASES["v2"]


def chinese(entry: Entry) -> str:
    """Return a translation that is different for each message."""
    return f"译文{sum(map(ord, entry.msgid))}，{len(entry.msgid)}字。"


class Synced(Struct, frozen=True, kw_only=True):
    """Result of one sync, as far as the memory is concerned."""

    lock: Lock
    pages: tuple[SplitPage, ...]
    locale: Locale
    updated: Mapping[str, Updated]

    @property
    def changes(self) -> list[str]:
        return list(self.locale.changes)

    def findings(self, page: str) -> list[Finding]:
        return list(self.locale.findings_of(page))

    @property
    def codes(self) -> list[str]:
        """Return the codes of findings about the memory, except those about dropped pages."""
        found = {one.code for one in self.locale.all_findings()}
        return sorted(found - {"page-gone"})


class Project(Struct, frozen=True):
    """Project at ``root`` whose only upstream is at ``url``.

    ``name`` is the release to work on: ``docs`` for the pin, or ``docs@2`` for a release beside it.
    """

    root: Path
    url: str
    name: str = "docs"
    beside: tuple[str, ...] = ()

    @property
    def upstream(self) -> Upstream:
        return self.settings.upstreams[self.name]

    @property
    def settings(self) -> Settings:
        pinned = Upstream(
            package="JAX",
            version="0.10.2",
            name="docs",
            url=self.url,
            docs=DOCS,
            beside=self.beside,
        )
        upstreams = {"docs": pinned}
        for release in self.beside:
            own = {"name": f"docs@{release}", "version": release, "beside": ()}
            upstreams[f"docs@{release}"] = structs.replace(pinned, **own)
        return Settings(root=self.root, locales=(LOCALE,), upstreams=upstreams)

    def at(self, release: str) -> Project:
        """Return the same project, working on a release beside the pin."""
        return replace(self, name=f"docs@{release}")

    @property
    def paths(self) -> Paths:
        return Paths(self.root, self.name)

    @property
    def run(self) -> Run:
        return run_of(self.settings, self.upstream)

    def catalog(self, page: str) -> Path:
        return self.paths.catalog(LOCALE, page)

    def memory(self, page: str) -> Path:
        return self.paths.memory(LOCALE, page)

    def read(self, page: str) -> Catalog:
        return read_catalog(self.catalog(page))

    def text(self, page: str) -> str:
        """Return the text of a page's memory file."""
        return self.memory(page).read_text("utf-8")

    @property
    def trees(self) -> tuple[dict[str, bytes], dict[str, bytes]]:
        """Return the files of all catalogues and those of the memory."""
        paths = self.paths
        return read_tree(paths.catalogs(LOCALE)), read_tree(paths.memories(LOCALE))

    def kept(self, folder: str, page: str) -> tuple[Entry, ...]:
        """Return the entries saved in ``build/…/set-aside`` or ``build/…/replaced``."""
        path = self.paths.output(LOCALE) / folder / f"{page}.po"
        return read_catalog(path).entries

    def entry(self, page: str, words: str) -> Entry:
        """Return the live entry of a page whose English contains ``words``."""
        live = (entry for entry in self.read(page).entries if not entry.obsolete)
        (found,) = (entry for entry in live if words in entry.msgid)
        return found

    def sync(self, ref: str, *, only: str = "*") -> Synced:
        """Pull, split, and update catalogues and memory. ``only`` is a glob of pages."""
        lock = pull(self.run, ref=ref)
        chosen = [page for page in pages_of(lock.files) if fnmatch(page.name, only)]
        pages = split(self.run, chosen)
        return self.translate_pages(lock, pages)

    def translate_pages(self, lock: Lock, pages: tuple[SplitPage, ...]) -> Synced:
        """Update catalogues and memory for pages that are already split."""
        locale = Locale(self.run, LOCALE)
        updated = update(locale, pages, lock)
        return Synced(lock=lock, pages=pages, locale=locale, updated=updated)

    def moved_to(self, name: str, releases: Mapping[str, Mapping[str, str]]) -> Project:
        """Return the same project with another upstream, which is made beside it."""
        return replace(self, url=str(make_origin(self.root.with_name(name), releases)))

    def begin(self) -> Project:
        """Translate and store everything of v1 in a new folder. Return this project."""
        self.root.mkdir(parents=True)
        self.sync("v1")
        self.translate_all()
        self.sync("v1")
        return self

    def copy(self, root: Path) -> Project:
        """Return another project at ``root``, with the same upstream."""
        shutil.copytree(self.root, root)
        return replace(self, root=root)

    def take_memory(self, other: Project) -> None:
        """Replace the memory by that of ``other``, as ``git pull`` does."""
        shutil.rmtree(self.paths.memories(LOCALE))
        shutil.copytree(other.paths.memories(LOCALE), self.paths.memories(LOCALE))

    def verify(self) -> tuple[Finding, ...]:
        return verify_memory(self.run)

    def edit(self, page: str, change: Callable[[Entry], Entry], header: Header = LI) -> None:
        """Change the entries of a catalogue, as a translator's editor does."""
        edit_catalog(self.catalog(page), change, header)

    def translate(self, page: str, words: str, msgstr: str, *, header: Header = LI) -> None:
        """Translate the entries of a page whose English contains ``words``."""
        done = {"msgstr": msgstr, "fuzzy": False, "previous": None}
        self.change(page, words, header=header, **done)

    def change(self, page: str, words: str, *, header: Header = LI, **fields: Any) -> None:
        """Change fields of the entries of a page whose English contains ``words``."""

        def changed(entry: Entry) -> Entry:
            return replace(entry, **fields) if words in entry.msgid else entry

        self.edit(page, changed, header)

    def rewrite(self, page: str, **fields: Any) -> None:
        """Change fields of a catalogue as a whole, such as its entries."""
        catalog = replace(self.read(page), **fields)
        self.catalog(page).write_bytes(po.format_catalog(catalog))

    def translate_all(self, pages: Sequence[str] = ()) -> None:
        """Translate all that has no translation, of all pages or of those in ``pages``."""

        def translated(entry: Entry) -> Entry:
            return replace(entry, msgstr=entry.msgstr or chinese(entry))

        for page in pages or self.pages():
            self.edit(page, translated)

    def pages(self) -> list[str]:
        folder = self.paths.catalogs(LOCALE)
        return [
            path.relative_to(folder).as_posix().removesuffix(".po")
            for path in sorted(folder.rglob("*.po"))
        ]

    def clone(self) -> None:
        """Remove all files that a fresh clone does not have.

        Memory and lock remain. Catalogues, pulled docs and ``build/`` are removed.
        """
        for folder in (self.paths.catalogs(LOCALE), self.paths.build, self.paths.docs):
            shutil.rmtree(folder, ignore_errors=True)
