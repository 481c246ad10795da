"""What Sphinx's configuration differs in from site to site: ``site.json`` beside ``conf.py``.

Sphinx builds every page again when one of these values changes. So nothing is here that varies
from run to run: what belongs to a page stands in its record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from glob import escape
from typing import Any

from pipeline.adapters import files
from pipeline.adapters.installed import is_installed
from pipeline.core.catalog.lineage import read_redirects
from pipeline.core.pin.lock import page_path, pages_of
from pipeline.naming import group_of
from pipeline.site.copying import copy_rules
from pipeline.site.english import english_places
from pipeline.site.folders import english_folder, folders_to_list
from pipeline.site.inventories import inventories_of
from pipeline.site.names import own_pages
from pipeline.site.outline import outline_of
from pipeline.site.plan import Site
from pipeline.site.roots import root_page
from pipeline.site.substitutions import substitutions_of


def configuration_of(site: Site) -> dict[str, Any]:
    """The values of ``site.json``, as ``extension/conf.py`` reads them."""
    # Paths are absolute: Sphinx runs in a folder of its own.
    folders = site.lock.docs
    return {
        "title": site.policy.title or site.upstream.name,
        "locale": site.locale,
        "root": first_page(site),
        "own_pages": own_pages_of(site),
        "unpublished": list(_unpublished(site)),
        "docs_root": site.lock.docs.root,
        "copying": copy_rules(site),
        "folders": folders.prefixes if folders.are_several else (),
        "english_folder": english_folder(site.lock),
        "substitutions": substitutions_of(site),
        "outline": outline_of(site).lists,
        "titles": outline_of(site).titles,
        "unlisted": folders_to_list(site, first_page(site)),
        "extensions": site.policy.extensions,
        "myst_extensions": site.policy.myst_extensions,
        "version": site.lock.version,
        "english_url": site.policy.english_url,
        "moved": moved_pages(site),
        "english": english_places(site.policy, site.lock),
        "file_url": site.source_url("{path}"),
        "issue_url": _issue_url(site),
        "issue_role": f"{group_of(site.upstream.package or site.upstream.name)}-issue",
        "url": site.policy.url,
        "repository": site.policy.repository_url,
        "hero": site.policy.hero,
        "hero_code": site.policy.hero_code,
        "dialect": str(site.upstream.reading.dialect),
        "docs": str(site.paths.docs),
        "blocks": str(site.paths.blocks(site.locale)),
        "cache": str(site.paths.site_cache),
        "start": list(site.policy.start),
        "inventories": {
            inventory.name: [inventory.url, inventory.path]
            for inventory in inventories_of(site).there
        },
        # What pages call modules by custom: jnp.sin is jax.numpy.sin.
        "usual": dict(site.upstream.usual_names),
        "release": site.lock.release,
        "package": site.lock.package.lower(),
        "is_described": is_installed(site.lock.package.lower(), site.lock.version),
    }


def _unpublished(site: Site) -> Iterator[str]:
    """Yield patterns for the documents that are none of upstream's site, and of ours."""
    for page in pages_of(site.lock.files):
        if page.name in site.lock.unpublished:
            yield from (escape(page_path(file.path)) for file in page.files)


def first_page(site: Site) -> str:
    """The page that the contents of the site begin with."""
    named = site.policy.root or outline_of(site).root
    return root_page(site.names, named, tops=site.lock.docs.prefixes)


def own_pages_of(site: Site) -> Mapping[str, str]:
    """Return where our own pages lie, whichever of upstream's pages this build is about."""
    names = (page.name for page in site.lock.pages)
    return own_pages(names, locale=site.locale)


def moved_pages(site: Site) -> dict[str, str]:
    """Return the new page of each old one, as upstream's own site has it."""
    redirects: dict[str, str] = {}
    for prefix in site.lock.docs.prefixes:
        configuration = site.paths.docs / f"{prefix}conf.py"
        if configuration.is_file():
            code = files.read_bytes(configuration).decode("utf-8", "replace")
            redirects |= read_redirects(code, below=prefix)
    # Whoever swaps the address of the English docs for ours comes to the page, too.
    top = english_folder(site.lock)
    for page in (*site.names, *redirects):
        if top and page.startswith(top):
            redirects[page.removeprefix(top)] = page
    first = first_page(site)
    if first != "index":
        # Docs without a first page of their own begin with the page that Sphinx began with.
        redirects["index"] = first
    return redirects


def _issue_url(site: Site) -> str:
    """What a number is put behind; empty if upstream's issues are not on GitHub."""
    # A copy of the repository (JAX_DOCS_UPSTREAM) has no issues; what it is a copy of has.
    url = site.upstream.configured_url or site.upstream.url
    if not url.startswith("https://github.com/"):
        return ""
    return f"{url.removesuffix('.git')}/issues/"
