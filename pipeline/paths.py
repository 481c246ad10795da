"""Paths of all files of a project. No other module contains them.

The functions turn a project's root and an upstream's name into paths. They do not access the disk.
Everything in ``build`` can be regenerated. All other files are pulled or written by people.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from msgspec import Struct

from pipeline.naming import release_of, upstream_of


def glossary_path(root: Path, locale: str) -> Path:
    """Return the glossary of a locale that all upstreams share."""
    return root / "translations" / "glossary" / f"{locale}.csv"


def own_glossary_path(root: Path, locale: str, name: str) -> Path:
    """Return the glossary of a locale for one upstream; it overrides the shared one."""
    return root / "translations" / "glossary" / f"{locale}.{name}.csv"


@cache
def _folder(root: Path, *names: str) -> Path:
    """Return a folder below ``root``. Cached, because a run calls it thousands of times."""
    return root.joinpath(*names)


class _Place:
    """Path below a project's root; its template may contain fields of ``Paths``."""

    def __init__(self, template: str) -> None:
        self.template = template

    def __get__(self, paths: Paths, owner: type[Paths]) -> Path:
        return _folder(paths.root, self.template.format(paths))


class Paths(Struct, frozen=True):
    """Paths of the upstream ``name`` in the project at ``root``.

    A release that is shown beside the pin, such as ``jax@0.11.0``, has its own docs, catalogues and
    builds. It shares the memory and the glossary of its upstream. Its site is a folder in the
    upstream's site.
    """

    root: Path
    name: str
    # Whether the run is one of several (``--all``). If so, it has reports of its own.
    is_one_of_many: bool = False

    @property
    def upstream(self) -> str:
        """Name of the upstream: ``jax`` for its release ``jax@0.11.0`` as well."""
        return upstream_of(self.name)

    # --- pulled from upstream

    # The pulled docs: upstream's docs folder, file for file.
    docs = _Place("upstream/{0.name}")

    # The lock: commit and digests of the files in ``docs`` (``core.pin.lock.Lock``).
    lock = _Place("upstream/{0.name}.lock")

    # Copy of the lock from the last pull. Since then, git may have changed the lock.
    pulled = _Place("build/pulled/{0.name}.lock")

    # Table of names that other sites document, with addresses: see ``core.inventories``.
    names = _Place("upstream/{0.name}.names.lock")

    # --- made by runs, for all locales

    # Folder of everything that can be regenerated.
    build = _Place("build")

    # Lock file held while a command writes, so that only one run writes at a time.
    run_lock = _Place("build/.lock")

    # Mark file that exists while a command writes. It remains if the command is killed.
    run_mark = _Place("build/.running")

    # Folder of caches, which are safe to delete.
    cache = _Place("build/cache")

    # Folder of the execution cache: outputs by digest, and facts about each last run.
    outputs = _Place("build/cache/execution")

    # The last fetched inventory (list of documented names) of upstream's English site.
    inventory = _Place("build/cache/inventories/{0.name}.inv")

    def other_inventory(self, site: str) -> Path:
        """Return the path of the last fetched inventory of another configured site."""
        return self.cache / "inventories" / f"{self.name}.{site}.inv"

    def docstrings(self, commit: str) -> Path:
        """Return the cache of the docstrings that a pull has read at a commit."""
        return self.cache / "docstrings" / self.name / f"{commit}.json"

    # Folder of the data that the sites of all locales share.
    site_cache = _Place("build/cache/site/{0.name}")

    # Memo of the messages of each page: see ``adapters.memo``.
    splits = _Place("build/splits/{0.name}.json")

    # Lock file held by ``draft``, so that two runs do not send the same request.
    draft_lock = _Place("build/cache/drafts/.lock")

    def replies(self, locale: str) -> Path:
        """Return the folder of language models' replies, stored by the digest of the request."""
        return self.cache / "drafts" / locale / self.name

    @property
    def reports(self) -> Path:
        """Folder of the reports of a run."""
        return self.build / "reports" / self.name if self.is_one_of_many else self.build

    @property
    def report(self) -> Path:
        """Report of the last run as JSON."""
        return self.reports / "report.json"

    @property
    def report_page(self) -> Path:
        """Report of the last run as HTML, which also shows times and changes."""
        return self.reports / "report.html"

    # Folder to which ``export`` writes the catalogues of all upstreams.
    exported = _Place("build/export")

    # HTML page with the changes of a branch to the translations.
    review_page = _Place("build/review.html")

    @property
    def junit(self) -> Path:
        """Report of the last run as JUnit XML, for CI."""
        return self.reports / "junit.xml"

    # Folder of the web sites of all upstreams.
    sites = _Place("build/site")

    @property
    def site(self) -> Path:
        """Folder of the web site, with the sites of other locales and releases inside."""
        return _folder(self.sites, self.upstream, release_of(self.name))

    # --- written by translators

    def catalogs(self, locale: str) -> Path:
        """Return the folder of the catalogues that translators edit."""
        return _folder(self.root, "translations", locale, self.name)

    def catalog(self, locale: str, page: str) -> Path:
        """Return the catalogue of one page."""
        return self.catalogs(locale) / f"{page}.po"

    def memories(self, locale: str) -> Path:
        """Return the folder of the translation memory, which is committed."""
        return _folder(self.root, "translations", "memory", locale, self.upstream)

    def memory(self, locale: str, page: str) -> Path:
        """Return the memory of one page."""
        return self.memories(locale) / f"{page}.po"

    def glossaries(self, locale: str) -> tuple[Path, ...]:
        """Return the glossaries of a locale: the shared one, then that of this upstream."""
        return (
            glossary_path(self.root, locale),
            own_glossary_path(self.root, locale, self.upstream),
        )

    # --- made by runs, for one locale

    def memory_state(self, locale: str) -> Path:
        """Return the file with the memory as this clone last read or wrote it.

        It is the base of the three-way merge of memory and catalogues.
        """
        return self.output(locale) / "memory.json"

    def set_aside(self, locale: str, page: str) -> Path:
        """Return the file for translations that a merge did not keep, for a person to decide."""
        return self.output(locale) / "set-aside" / f"{page}.po"

    def replaced(self, locale: str, page: str) -> Path:
        """Return the file for translations that newer ones have replaced."""
        return self.output(locale) / "replaced" / f"{page}.po"

    def last_export(self, locale: str, page: str) -> Path:
        """Return the copy of the last exported catalogue: the base of a later import."""
        return self.output(locale) / "sent" / f"{page}.po"

    def output(self, locale: str) -> Path:
        """Return the folder of all files built for one locale."""
        return _folder(self.build, locale, self.name)

    def badges(self, locale: str) -> Path:
        """Return the folder of the badges that show the progress and the version."""
        return self.build / "badges" / self.name / locale

    def memo(self, locale: str, kind: str) -> Path:
        """Return the memo of one ``kind``, with results of earlier runs: see ``adapters.memo``."""
        return self.output(locale) / "memo" / f"{kind}.json"

    def merged(self, locale: str) -> Path:
        """Return the folder of the translated documents, with the same paths as in ``docs``."""
        return _folder(self.output(locale), "merged")

    def blocks(self, locale: str) -> Path:
        """Return the folder of the files that record where each message is after a merge."""
        return _folder(self.output(locale), "blocks")

    def executed(self, locale: str) -> Path:
        """Return the folder of executed notebooks, one per page that ran: ``<page>.ipynb``."""
        return _folder(self.output(locale), "executed")

    def html(self, locale: str) -> Path:
        """Return the folder of the preview: stand-alone HTML of all pages."""
        return _folder(self.output(locale), "html")

    def preview(self, locale: str) -> Path:
        """Return the start page of the preview: a list of all pages."""
        return self.html(locale) / "index.html"

    def html_page(self, locale: str, page: str) -> Path:
        """Return the preview of one page."""
        return self.html(locale) / preview_name(page)


def preview_name(page: str) -> str:
    """Return the file name of a page's preview, relative to the folder of all previews."""
    # "index" is the list of pages. So the page "index" becomes "_index", and "_index" "__index".
    name = f"_{page}" if page.lstrip("_").casefold() == "index" else page
    return f"{name}.html"
