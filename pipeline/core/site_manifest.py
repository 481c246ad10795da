"""Manifest of a published site: the part of ``freshness.json`` that ``verify-site`` needs.

The input is untrusted bytes. The invariant: every path in a parsed manifest stays inside the site.
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
    """Upstream and commit that a site was built from."""

    name: str
    ref: str
    commit: str


class PublishedPage(msgspec.Struct, frozen=True):
    """One page. ``files`` maps paths in the site to digests, ``sha256:…``."""

    page: str
    source: str  # path of the document upstream
    blob: str  # blob id of the document
    files: dict[str, str]
    # documents that it includes and that are not pages themselves
    included: list[PublishedPage] = []

    @property
    def document(self) -> str:
        """Return the file with the page's source; "" if the site does not have it."""
        path = f"{self.page}.md"
        if self.source.endswith(".rst"):
            path = f"_downloads/source/{self.page}.rst"
        elif self.source.endswith(".ipynb"):
            path = f"_downloads/clean/{self.page}.ipynb"
        elif self.source.endswith(DOCSTRING_SUFFIX):
            path = f"_downloads/source/{self.source}"
        return path if path in self.files else ""


class Manifest(msgspec.Struct, frozen=True):
    """A site: its locale, its sources, and its pages."""

    schema: int
    locale: str
    project: str  # commit of this project at the build; empty if there is none
    upstream: UpstreamOfSite
    pages: list[PublishedPage]


def read_manifest(data: bytes, *, where: str) -> Manifest:
    """Parse the manifest of a site. Raises InputError that names ``where``."""
    try:
        manifest = msgspec.json.decode(data, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(
            f"does not tell of a site as this project writes it: {error}",
            where=where,
            hint=_HINT,
        ) from error
    if manifest.schema != SCHEMA:
        raise InputError(
            f"is of schema {manifest.schema}, and {SCHEMA} is the one known here",
            where=where,
            hint="Use the version of this project that has built the site.",
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
