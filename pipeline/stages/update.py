"""update: every page's catalogue in one locale, brought up to date with what was split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from pipeline.adapters import po
from pipeline.adapters.files import read_bytes, write_if_changed
from pipeline.core.document import SplitPage
from pipeline.core.update import Catalogs, Pool, Updated, pool_translations, update_catalog, wanted_entries
from pipeline.errors import InputError
from pipeline.log import Log
from pipeline.model import Catalog, Finding, Lock, Severity
from pipeline.paths import Paths


def update(paths: Paths, pages: Sequence[SplitPage], *, locale: str, lock: Lock, log: Log, dry: bool = False) -> Catalogs:
    """Bring the catalogues of ``pages`` up to date and write those that changed, unless ``dry``.

    A catalogue that cannot be read is a finding; its file is left as it is. So is one whose page upstream
    dropped: its translations still serve the pages that have the same text.
    """
    with log.step("update") as step:
        old = _read_catalogs(paths, locale, known={page.page.name for page in pages}, lock=lock)
        pool = pool_translations(old.by_page.items())
        counts: Counter[str] = Counter()
        changes: list[str] = []
        catalogs = dict(old.by_page)
        for page in pages:
            name = page.page.name
            if _is_unsafe(page, old):
                continue
            updated = _updated(page, catalogs.get(name), locale=locale, lock=lock, pool=pool)
            counts.update({state: getattr(updated, state) for state in ("kept", "carried", "fuzzy", "new", "obsolete")})
            if updated.catalog.entries:
                catalogs[name] = updated.catalog
                path = paths.catalog(locale, name)
                if write_if_changed(path, po.format_catalog(updated.catalog), dry=dry):
                    changes.append(path.relative_to(paths.root).as_posix())
        step.result = ", ".join(f"{count} {state}" for state, count in counts.items() if count) or "no messages"
    return replace(old, by_page=catalogs, changes=tuple(changes))


def _read_catalogs(paths: Paths, locale: str, *, known: set[str], lock: Lock) -> Catalogs:
    """Every catalogue of the locale, also of pages that are not in this run."""
    folder = paths.catalogs(locale)
    upstream = {file.path.rpartition(".")[0] for file in lock.files}
    catalogs: dict[str, Catalog] = {}
    findings: dict[str, tuple[Finding, ...]] = {}
    for path in sorted(folder.rglob("*.po")):
        page = path.relative_to(folder).as_posix().removesuffix(".po")
        where = path.relative_to(paths.root).as_posix()
        try:
            read = po.read_catalog(read_bytes(path), where=where)
        except InputError as error:
            if page in known or page not in upstream:
                findings[page] = (Finding.of(error, page=page),)
            continue
        catalogs[page] = read.catalog
        found = tuple(replace(finding, page=page) for finding in read.findings)
        if page not in upstream:
            found += (_gone(page, where),)
        if found and (page in known or page not in upstream):
            findings[page] = found
    return Catalogs(by_page=catalogs, findings=findings)


def _is_unsafe(page: SplitPage, old: Catalogs) -> bool:
    """Whether the catalogue must stay as it is: it, or a document of the page, cannot be read.

    The messages of an unreadable document are not gone, they are only not seen.
    """
    if len(page.documents) < len(page.page.files):
        return True
    return page.page.name in old.findings and page.page.name not in old.by_page


def _updated(page: SplitPage, old: Catalog | None, *, locale: str, lock: Lock, pool: Pool) -> Updated:
    existing = old.header if old else {}
    project = f"{lock.url.rstrip('/').rpartition('/')[2]} docs"
    header = po.standard_header(project=project, page=page.page.name, locale=locale, date=lock.date, existing=existing)
    return update_catalog(old or Catalog(), wanted_entries(page.page.name, page.documents), pool=pool, header=header)


def _gone(page: str, where: str) -> Finding:
    return Finding(
        code="page-gone",
        severity=Severity.WARNING,
        where=where,
        text="upstream has no such page any more; the catalogue is kept",
        page=page,
        hint="Its translations go on serving equal texts of other pages. Delete the file when nothing in it is of use.",
    )
