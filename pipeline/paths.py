"""Where everything lies: the only place that knows the layout of the folders.

A project's root and an upstream's name go in, paths come out; nothing here looks at the disk.
What lies under ``build`` can be made again; everything else is pulled, or written by people.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


def glossary_path(root: Path, locale: str) -> Path:
    """The terms of a locale, shared by all upstreams."""
    return root / "translations" / "glossary" / f"{locale}.csv"


def own_glossary_path(root: Path, locale: str, name: str) -> Path:
    """The terms of a locale that hold for one upstream, and before those of all."""
    return root / "translations" / "glossary" / f"{locale}.{name}.csv"


@dataclass(frozen=True, slots=True)
class Paths:
    """The places of one upstream ``name`` under the project's ``root``."""

    root: Path
    name: str
    # Whether the run is one of several, each about another upstream: its report must stay.
    in_hub: bool = False

    # --- pulled from upstream

    @property
    def docs(self) -> Path:
        """What was pulled: upstream's docs folder, file for file."""
        return self.root / "upstream" / self.name

    @property
    def lock(self) -> Path:
        """What ``docs`` holds: see ``core.pin.lock.Lock``."""
        return self.root / "upstream" / f"{self.name}.lock"

    @property
    def pulled(self) -> Path:
        """The lock as the last pull wrote it: git may have checked out another one since."""
        return self.build / "pulled" / f"{self.name}.lock"

    @property
    def names(self) -> Path:
        """Where names are documented that the docs ask other sites for: ``core.inventories``."""
        return self.root / "upstream" / f"{self.name}.names.lock"

    # --- made by runs, for all locales

    @property
    def build(self) -> Path:
        """Everything that can be made again."""
        return self.root / "build"

    @property
    def run_lock(self) -> Path:
        """Held while a command writes, so that two runs do not meet."""
        return self.build / ".lock"

    @property
    def run_mark(self) -> Path:
        """There while a command writes, and after one that was killed."""
        return self.build / ".running"

    @property
    def cache(self) -> Path:
        """What saves work, and is made again if it is gone."""
        return self.build / "cache"

    @property
    def outputs(self) -> Path:
        """Outputs of code that ran, by digest, and what is remembered of each page's last run."""
        return self.cache / "execution"

    @property
    def inventory(self) -> Path:
        """What upstream's English site documents, and where, as it was last fetched."""
        return self.cache / "inventories" / f"{self.name}.inv"

    def other_inventory(self, site: str) -> Path:
        """The same of another site that the configuration names."""
        return self.cache / "inventories" / f"{self.name}.{site}.inv"

    @property
    def site_cache(self) -> Path:
        """What all sites of this upstream share, whatever their locale."""
        return self.cache / "site" / self.name

    @property
    def splits(self) -> Path:
        """What the last run has split pages into: see ``adapters.memo``."""
        return self.build / "splits" / f"{self.name}.json"

    @property
    def draft_lock(self) -> Path:
        """Held while a language model is asked, so that nothing is asked twice."""
        return self.cache / "drafts" / ".lock"

    def replies(self, locale: str) -> Path:
        """What language models have replied, by the digest of what they were asked."""
        return self.cache / "drafts" / locale / self.name

    @property
    def reports(self) -> Path:
        """Where reports of a run lie."""
        return self.build / "reports" / self.name if self.in_hub else self.build

    @property
    def report(self) -> Path:
        """Record of the last run."""
        return self.reports / "report.json"

    @property
    def report_page(self) -> Path:
        """The same for people, with what varies: times, what is new since the last run."""
        return self.reports / "report.html"

    @property
    def exported(self) -> Path:
        """Catalogues for other editors, of all upstreams."""
        return self.build / "export"

    @property
    def review_page(self) -> Path:
        """What a branch has changed in the translations, to look at."""
        return self.build / "review.html"

    @property
    def junit(self) -> Path:
        """The same for CI."""
        return self.reports / "junit.xml"

    @property
    def sites(self) -> Path:
        """The web sites of all upstreams."""
        return self.build / "site"

    @property
    def site(self) -> Path:
        """The web site: that of the first locale holds those of the others."""
        return self.sites / self.name

    # --- written by translators

    def catalogs(self, locale: str) -> Path:
        """Folder of the catalogues that translators edit."""
        return self.root / "translations" / locale / self.name

    def catalog(self, locale: str, page: str) -> Path:
        """Catalogue of one page."""
        return self.catalogs(locale) / f"{page}.po"

    def memories(self, locale: str) -> Path:
        """Folder of the translation memory, which is committed."""
        return self.root / "translations" / "memory" / locale / self.name

    def memory(self, locale: str, page: str) -> Path:
        """Memory of one page."""
        return self.memories(locale) / f"{page}.po"

    def glossaries(self, locale: str) -> tuple[Path, ...]:
        """The terms of a locale: those of all upstreams, then those of this one."""
        return (
            glossary_path(self.root, locale),
            own_glossary_path(self.root, locale, self.name),
        )

    # --- made by runs, for one locale

    def memory_state(self, locale: str) -> Path:
        """The memory as it was last opened or stored here: both sides of a merge start from it."""
        return self.output(locale) / "memory.json"

    def set_aside(self, locale: str, page: str) -> Path:
        """Translations of a page that gave way to others, and that a person should look at."""
        return self.output(locale) / "set-aside" / f"{page}.po"

    def replaced(self, locale: str, page: str) -> Path:
        """Earlier translations of a page that an edit has replaced."""
        return self.output(locale) / "replaced" / f"{page}.po"

    def sent(self, locale: str, page: str) -> Path:
        """A catalogue as it was last sent to another editor: what comes back was made from it."""
        return self.output(locale) / "sent" / f"{page}.po"

    def output(self, locale: str) -> Path:
        """Folder of everything built in one locale."""
        return self.build / locale / self.name

    def badges(self, locale: str) -> Path:
        """Badges that tell how much is translated, and of what."""
        return self.build / "badges" / self.name / locale

    def memo(self, locale: str, kind: str) -> Path:
        """What earlier runs found out of each page, and from what: see ``adapters.memo``."""
        return self.output(locale) / "memo" / f"{kind}.json"

    def merged(self, locale: str) -> Path:
        """Translated documents under upstream's own relative paths."""
        return self.output(locale) / "merged"

    def blocks(self, locale: str) -> Path:
        """Where every message of each merged document has landed: ``<document>.json``."""
        return self.output(locale) / "blocks"

    def executed(self, locale: str) -> Path:
        """Executed notebooks, one per page that ran: ``<page>.ipynb``."""
        return self.output(locale) / "executed"

    def html(self, locale: str) -> Path:
        """Stand-alone HTML of all pages: the preview."""
        return self.output(locale) / "html"

    def preview(self, locale: str) -> Path:
        """The page of the preview to begin with: a list of all pages."""
        return self.html(locale) / "index.html"

    def html_page(self, locale: str, page: str) -> Path:
        """The preview of one page."""
        # The page that is called as the list is makes way for it, and "_index" for that one.
        name = f"_{page}" if page.lstrip("_").casefold() == "index" else page
        return self.html(locale) / f"{name}.html"
