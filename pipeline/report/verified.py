"""Report of ``verify-site``, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from pipeline.errors import FindingsError
from pipeline.log import printable
from pipeline.packages import how_to_run
from pipeline.report.counts import counted

LISTED = 5  # differences shown per page; JSON has all


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedPage:
    """The result for one page. Each line of ``differences`` begins with file and position."""

    page: str
    source: str
    differences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """The result for a site, page by page."""

    site: str
    upstream: str
    ref: str
    commit: str
    project: str  # commit id of the project
    locale: str
    pages: tuple[VerifiedPage, ...]
    missing: tuple[str, ...]  # pages of upstream's commit that the site lacks
    # Pages of the API reference that could not be verified, because their docstrings are missing.
    unproved: tuple[str, ...] = ()

    @property
    def wrong(self) -> tuple[VerifiedPage, ...]:
        """Return the pages with differences."""
        return tuple(page for page in self.pages if page.differences)

    @property
    def exit_code(self) -> int:
        """Return 1 if a page differs or is not proved, otherwise 0; missing pages do not count."""
        return FindingsError.exit_code if self.wrong or self.unproved else 0


def verified_json(result: Verified) -> str:
    """Return the whole result as JSON."""
    value = {**asdict(result), "exit_code": result.exit_code}
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def verified_text(result: Verified, *, verbose: bool = False) -> str:
    """Return the differences and a summary; ``verbose`` adds the pages without differences."""
    return "\n".join(_lines(result, verbose=verbose)) + "\n"


def _lines(result: Verified, *, verbose: bool) -> Iterator[str]:
    for page in result.pages:
        if page.differences:
            yield printable(f"✗ {page.source}")
            for difference in page.differences[:LISTED]:
                yield printable(f"    {difference}")
            rest = len(page.differences) - LISTED
            if rest > 0:
                yield f"    and {rest} more"
        elif verbose:
            yield printable(f"✓ {page.source}")
    if result.missing:
        yield f"{counted(len(result.missing), 'page')} of the commit not on the site"
    if result.unproved:
        yield (
            f"not proved: {counted(len(result.unproved), 'page')} of the API reference, because "
            "the docstrings that the lock lists are missing. Run: "
            f"{how_to_run('pull', result.upstream)}"
        )
    release = result.ref or "a folder"
    name = printable(f"{result.upstream} at {release} ({result.commit[:12]})")
    proved = len(result.pages) - len(result.wrong)
    yield (
        f"{printable(result.site)}: {result.locale}, of {name} "
        f"and commit {result.project[:12]} of the project"
    )
    yield (
        f"{proved} of {counted(len(result.pages), 'page')} were reproduced from the two commits: "
        "only prose differs from upstream"
    )
