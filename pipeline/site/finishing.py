"""What a site has besides pages of Sphinx's: notebooks to download, and pages under old names.

Comes when Sphinx is done. It also removes what an earlier run has left, and takes out of the
style sheets what no page uses.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from pipeline.adapters import files
from pipeline.adapters.memo import Memo
from pipeline.core.pin.lock import ASSETS
from pipeline.site import assets, published
from pipeline.site.configuration import first_page, moved_pages, own_pages_of
from pipeline.site.known import Known
from pipeline.site.names import DOWNLOADS
from pipeline.site.plan import Site
from pipeline.site.programs import files_for_programs, freshness_file
from pipeline.site.redirects import redirect_pages
from pipeline.site.styles import prune_styles

_SPHINX = frozenset(
    ("_static", "_images", "_sources", "_sphinx_design_static", DOWNLOADS)
)


def finish(site: Site, downloads: Mapping[str, bytes | None], memo: Memo[Known]) -> int:
    """Write what is no page of Sphinx's; return how many files were written or removed.

    Downloads without bytes are there already. Raises WriteError.
    """
    pages = _pages_that_may_be_there(site)
    old_pages = redirect_pages(
        moved_pages(site), pages, language=site.locale.replace("_", "-")
    )
    wanted = dict(downloads)
    for path, html in old_pages.items():
        wanted[path] = html.encode()
    wanted |= dict(_assets_of_folders(site))
    wanted |= files_for_programs(site)
    to_write = {path: data for path, data in wanted.items() if data is not None}
    changed = 0
    for path, data in to_write.items():
        changed += files.write_if_changed(site.target / path, data)
    changed += files.write_if_changed(
        site.target / published.NAME, freshness_file(site)
    )
    # Sphinx never removes what it once wrote.
    stale = [
        *_stale_pages(site, pages, wanted),
        *_stale_downloads(site, wanted),
        *_stale_twins(site, wanted),
    ]
    files.remove_files(stale)
    prune_styles(site, memo)
    return changed + len(stale)


def _pages_that_may_be_there(site: Site) -> set[str]:
    """The pages of Sphinx's that are no leftovers, by name without suffix."""
    pages = set(own_pages_of(site).values())
    # The lock has pages that are not part of this build: those of the last one stay.
    pages.update(page.name for page in site.lock.pages)
    pages -= site.lock.unpublished
    pages.update(site.names)
    if first_page(site) != "index":
        # A site of some pages begins with one of them, though upstream has an index.
        pages.discard("index")
    return pages


def _assets_of_folders(site: Site) -> Iterator[tuple[str, bytes]]:
    """What HTML on the pages of each of several folders calls ``_static/…``.

    Where there is one folder, Sphinx puts its assets beside its own.
    """
    for prefix in site.lock.docs.prefixes:
        for file in site.lock.files:
            if not (prefix and file.path.startswith(f"{prefix}{ASSETS}/")):
                continue
            asset = assets.published(site.paths.docs / file.path)
            if asset is not None:
                data = asset if isinstance(asset, bytes) else files.read_bytes(asset)
                yield file.path, data


def _stale_pages(
    site: Site, pages: Collection[str], wanted: Collection[str]
) -> Iterator[Path]:
    """Pages that are gone."""
    # Folders of other locales, and those that Sphinx keeps for itself, are not looked into.
    left_out = _SPHINX | (set(site.settings.locales) - {site.locale})
    allowed = {*wanted, *(f"{page}.html" for page in pages)}
    for path in files.files_below(site.target, ".html"):
        name = path.relative_to(site.target).as_posix()
        if name not in allowed and name.partition("/")[0] not in left_out:
            yield path


def _stale_downloads(site: Site, wanted: Collection[str]) -> Iterator[Path]:
    """Notebooks and sources of pages that are gone, or that are in another language now."""
    kept = set(map(published.source_name, site.kept))
    for path in files.files_below(site.target / DOWNLOADS, ".ipynb", ".rst"):
        name = path.relative_to(site.target).as_posix()
        if name not in wanted and name not in kept:
            yield path


def _stale_twins(site: Site, wanted: Collection[str]) -> Iterator[Path]:
    """Pages as Markdown whose pages are gone."""
    # Folders of other locales and of Sphinx hold none of ours.
    left_out = _SPHINX | (set(site.settings.locales) - {site.locale})
    for path in files.files_below(site.target, ".md"):
        name = path.relative_to(site.target)
        is_ours = name.parts[0] not in left_out and name.as_posix() not in wanted
        if is_ours and name.with_suffix("").as_posix() not in site.names:
            yield path
