"""Manifest of a published site: the part of its ``freshness.json`` that ``verify-site`` reads.

The manifest is untrusted, because it may come from any web site. :func:`read_manifest` rejects a
manifest with a path that leaves the site.
"""

from __future__ import annotations

import re
from itertools import chain

import msgspec

from pipeline.core.pin.lock import DOCSTRING_SUFFIX
from pipeline.errors import InputError
from pipeline.folders import is_safe_path

NAME = "freshness.json"
SCHEMA = 1
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_HINT = (
    "Name the root of a site that this project has built: the folder or address "
    "that has freshness.json in it."
)


class UpstreamOfSite(msgspec.Struct, frozen=True):
    """The upstream repository and the commit that a site was built from."""

    name: str
    ref: str
    commit: str


class PublishedPage(msgspec.Struct, frozen=True):
    """One page of a site."""

    page: str
    source: str  # path of the document upstream
    blob: str  # git's blob id of the document
    files: dict[str, str]  # digests by path in the site: "sha256:…"
    # Documents that the page includes and that are not pages of the site.
    included: list[PublishedPage] = []

    @property
    def document(self) -> str:
        """Return the path of the page's translated document, or "" if the site does not have it."""
        path = f"{self.page}.md"
        if self.source.endswith(".rst"):
            path = f"_downloads/source/{self.page}.rst"
        elif self.source.endswith(".ipynb"):
            path = f"_downloads/clean/{self.page}.ipynb"
        elif self.source.endswith(DOCSTRING_SUFFIX):
            path = f"_downloads/source/{self.source}"
        return path if path in self.files else ""


class Manifest(msgspec.Struct, frozen=True):
    """Manifest of a site: its locale, the commits that it was built from, and its pages."""

    schema: int
    locale: str
    project: str  # commit of the translation project; empty if there is none
    upstream: UpstreamOfSite
    pages: list[PublishedPage]


def read_manifest(data: bytes, *, where: str) -> Manifest:
    """Parse the manifest of a site. Raises InputError if it is invalid.

    ``where`` is the address of the manifest for the error.
    """
    try:
        manifest = msgspec.json.decode(data, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(
            f"is not the manifest of a site that this project built: {error}",
            where=where,
            hint=_HINT,
        ) from error
    if manifest.schema != SCHEMA:
        raise InputError(
            f"has schema {manifest.schema}, but this version reads schema {SCHEMA}",
            where=where,
            hint="Use the version of the pipeline that built the site.",
        )
    if manifest.project and not _COMMIT.fullmatch(manifest.project):
        raise InputError(
            f"names no commit: {manifest.project[:40]!r}", where=where, hint=_HINT
        )
    pages = chain.from_iterable((page, *page.included) for page in manifest.pages)
    for page in pages:
        for path in (page.page, page.source, *page.files):
            if not is_safe_path(path):
                raise InputError(
                    f"names a file outside the site: {path!r}", where=where, hint=_HINT
                )
    return manifest
