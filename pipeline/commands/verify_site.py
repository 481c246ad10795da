"""verify-site: prove that a published site was built from the two commits that it names.

One commit is upstream's, the other is the project's. The command checks out the project in a
temporary folder, pulls upstream's docs, and merges the pages again. It compares the merged pages
with the files that readers can download from the site. It does not compare the HTML, which Sphinx
makes from these files.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from pipeline.adapters import files
from pipeline.adapters.published import Published, open_published
from pipeline.adapters.version_control import check_out
from pipeline.commands.build import BuildOptions, build
from pipeline.commands.console import print_json, print_text
from pipeline.config.reader import read_settings
from pipeline.config.settings import Settings
from pipeline.core.execution.code_cells import parse_notebook, read_json, source_of
from pipeline.core.pin.lock import Lock, blob_id, format_lock, is_reference, parse_lock
from pipeline.errors import ConfigError, FindingsError, InputError, check_limit
from pipeline.limits import MANIFEST_BYTES
from pipeline.log import QUIET, Log
from pipeline.packages import how_to_run
from pipeline.paths import Paths
from pipeline.report.page import render
from pipeline.run import Run
from pipeline.site.manifest import (
    MANIFEST,
    Manifest,
    PublishedPage,
    digest_of_file,
    read_manifest,
)
from pipeline.stages.execute.plan import read_notebook
from pipeline.stages.pull.stage import pull

# Notebook metadata that running or formatting a notebook adds.
_OF_A_RUN = frozenset(("kernelspec", "language_info", "widgets"))


class VerifiedPage(Struct, frozen=True, kw_only=True):
    """The result for one page. Each line of ``differences`` begins with file and position."""

    page: str
    source: str
    differences: tuple[str, ...] = ()


class Verified(Struct, frozen=True, kw_only=True):
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
    def exit_code(self) -> int:
        """Return 1 if a page differs or is not proved, otherwise 0; missing pages do not count."""
        wrong = any(page.differences for page in self.pages)
        return FindingsError.exit_code if wrong or self.unproved else 0


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of ``verify-site``."""
    parser.add_argument(
        "site",
        metavar="URL | FOLDER",
        help="the address or folder of the site: https://…, or build/site/NAME",
    )


def run_command(arguments: Namespace, log: Log) -> int:
    """Verify a site, print the result and return the exit code."""
    result = verify_site(read_settings(arguments.config), arguments.site, log)
    if arguments.json:
        value = {**to_builtins(result), "exit_code": result.exit_code}
        print_json(json.dumps(value, ensure_ascii=False, indent=1) + "\n")
    else:
        pull = how_to_run("pull", result.upstream)
        values = {"result": result, "verbose": log.level > 0, "pull": pull}
        print_text(render("verify_site.txt.j2", values).decode("utf-8"))
    return result.exit_code


def verify_site(settings: Settings, address: str, log: Log) -> Verified:
    """Verify every page of the site at ``address``, and return the result.

    Raises SiteError if the site does not respond, and InputError if it is not a site of this
    pipeline. Raises ConfigError if the project lacks the site's upstream, locale or commit. Raises
    FindingsError if the project's commit pins another commit of upstream than the site names.
    Raises UpstreamError if the English docs are unavailable.
    """
    with open_published(address) as site, TemporaryDirectory() as folder:
        manifest = _manifest(site)
        with log.step("rebuild"):
            run, lock = _rebuilt(settings, manifest, Path(folder), where=site.name)
        documents = [
            one
            for page in manifest.pages
            for one in (page, *page.included)
            # Skip a page of the API reference: it has no document of its own. Its docstrings are
            # documents, and the manifest lists them as included in the page.
            if is_reference(one.page) or not is_reference(one.source)
        ]
        verified: list[VerifiedPage] = []
        unproved: list[str] = []
        with log.progress("verify", total=len(documents)) as advance:
            for page in documents:
                if is_reference(page.source) and run.upstream.reference is None:
                    unproved.append(page.page)
                else:
                    verified.append(_verified(run, lock, site, page))
                advance(1, page.page)
    there = {page.page for page in documents}
    wanted = {page.name for page in lock.pages if run.upstream.selects(page.name)}
    return Verified(
        site=site.name,
        upstream=run.name,
        ref=manifest.upstream.ref,
        commit=manifest.upstream.commit,
        project=manifest.project,
        locale=manifest.locale,
        pages=tuple(verified),
        missing=tuple(sorted(wanted - there)),
        unproved=tuple(unproved),
    )


def _manifest(site: Published) -> Manifest:
    """Return the site's manifest, which names the commits and files. Raises InputError."""
    data = site.read(MANIFEST)
    if data is None:
        raise InputError(
            f"has no {MANIFEST}: it is not a site of this pipeline",
            where=site.name,
            hint="Give the address of the site's root.",
        )
    where = f"{site.name.rstrip('/')}/{MANIFEST}"
    check_limit(len(data), MANIFEST_BYTES, where=where)
    manifest = read_manifest(data, where=where)
    if not manifest.project:
        raise InputError(
            "was built from uncommitted files, so it cannot be verified",
            where=site.name,
            hint="Commit the project, build the site from the commit, and publish it.",
        )
    return manifest


def _rebuilt(
    settings: Settings, manifest: Manifest, folder: Path, *, where: str
) -> tuple[Run, Lock]:
    """Merge the pages again in ``folder``, from the two commits that the site names.

    Return the run and the lock. The docstrings of an API reference are copied from this project. If
    this project lacks docstrings that the lock lists, the run's upstream has no ``reference``, and
    the pages of the reference are not verified.
    """
    root = check_out(settings.root, manifest.project, folder / "project")
    there = read_settings(root / "pyproject.toml")
    name, locale = manifest.upstream.name, manifest.locale
    if name not in there.upstreams or locale not in there.locales:
        raise ConfigError(
            f"is a site of {name!r} in {locale!r}, which its project does not configure",
            where=where,
            hint="Run this in the project that the site was built from.",
        )
    upstream = there.upstream(name)
    if (settings.root / upstream.url).exists() and not (root / upstream.url).exists():
        # The upstream's URL is a relative path to a folder outside the project.
        address = str((settings.root / upstream.url).resolve())
        upstream = replace(upstream, url=address)
    reference = upstream.reference
    # Without ``reference`` the pull does not import the package to read its docstrings.
    upstream = replace(upstream, reference=None)
    run = Run(settings=there, upstream=upstream, log=Log(QUIET), locales=(locale,))
    data = files.read_bytes(run.paths.lock)
    lock = parse_lock(data, where=str(run.paths.lock))
    # Without a date, upstream is a plain folder without commits: pull its current content.
    pulled = pull(run, ref=lock.commit if lock.date else None)
    if not manifest.upstream.commit == lock.commit == pulled.commit:
        raise FindingsError(
            f"was made from {name} at {manifest.upstream.commit[:12]}, but commit "
            f"{manifest.project[:12]} of its project pins {lock.commit[:12]}",
            where=where,
            hint="Build the site from a commit, and publish it again.",
        )
    if reference and _copy_docstrings(lock, Paths(settings.root, name), run.paths):
        run = replace(run, upstream=replace(upstream, reference=reference))
    else:
        own = [file for file in lock.files if not is_reference(file.path)]
        lock = replace(lock, files=tuple(own))
    # Restore the lock: the pull has written the commit as ref, and every page shows the ref.
    files.write_if_changed(run.paths.lock, format_lock(lock))
    build(run, BuildOptions(last="merge"))
    return run, lock


def _copy_docstrings(lock: Lock, here: Paths, there: Paths) -> bool:
    """Copy the docstrings of the lock from one project to another.

    Return whether all of them exist ``here`` with the contents that the lock records.
    """
    for file in lock.files:
        if is_reference(file.path):
            path = here.docs / file.path
            data = files.read_bytes(path) if path.is_file() else b""
            if blob_id(data) != file.blob:
                return False
            files.write_if_changed(there.docs / file.path, data, flush=False)
    return True


def _verified(run: Run, lock: Lock, site: Published, page: PublishedPage) -> VerifiedPage:
    """Compare one published page with the merged page."""
    try:
        found = tuple(_differences(run, lock, site, page))
    except InputError as error:
        found = (f"{error.where or page.source}: {error.what}",)
    return VerifiedPage(page=page.page, source=page.source, differences=found)


def _differences(run: Run, lock: Lock, site: Published, page: PublishedPage) -> Iterator[str]:
    """Yield a line for each difference of a page. Raises InputError for an unreadable file."""
    if page.blob not in [file.blob for file in lock.files if file.path == page.source]:
        yield f"{page.source}: is no document of this commit"
        return
    clean = f"_downloads/clean/{page.page}.ipynb"
    executed = f"_downloads/{page.page}.ipynb"
    if not page.document:
        yield f"{page.source}: cannot be downloaded from the site"
    merged = run.paths.merged(run.locales[0]) / page.source
    if not merged.is_file():  # the page was not merged: the site shows the English
        merged = run.paths.docs / page.source
    expected = files.read_bytes(merged)
    for path, digest in page.files.items():
        data = site.read(path)
        if data is None:
            yield f"{path}: is missing"
        elif digest_of_file(data) != digest:
            yield f"{path}: is not the file that {MANIFEST} lists"
        elif path in (clean, executed):
            yield from _notebook_differences(merged, path, data, is_clean=path == clean)
        elif path == page.document and data != expected:
            yield f"{path}: {_first_line(expected, data)}"


def _notebook_differences(merged: Path, path: str, data: bytes, *, is_clean: bool) -> Iterator[str]:
    """Yield a line for each difference of a downloadable notebook.

    With ``is_clean``, the notebook must have no outputs.
    """
    expected = read_notebook(merged)
    if expected is None:
        raise InputError("is no notebook, but the site offers one as a download")
    found = parse_notebook(data, where=path)
    if found != read_json(data, where=path):
        yield f"{path}: has fields that a notebook cannot have"
    if _facts(expected) != _facts(found):
        yield f"{path}: has other metadata"
    nothing: dict[str, Any] = {}
    # If one notebook has more cells, compare the surplus with an empty cell, which always differs.
    pairs = zip_longest(expected["cells"], found["cells"], fillvalue=nothing)
    for number, (theirs, ours) in enumerate(pairs, start=1):
        if _cell(theirs) != _cell(ours):
            sources = [source_of(cell).encode() for cell in (theirs, ours)]
            yield f"{path}, cell {number}: {_first_line(*sources)}"
        elif is_clean and (ours.get("outputs") or ours.get("execution_count")):
            yield f"{path}, cell {number}: has outputs, but this notebook must have none"


def _facts(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata of a notebook or cell, without the fields in ``_OF_A_RUN``."""
    metadata = value.get("metadata", {})
    return {key: metadata[key] for key in metadata if key not in _OF_A_RUN}


def _cell(cell: Mapping[str, Any]) -> tuple[object, ...]:
    """Return the parts of a cell that must be equal in the published and the merged notebook."""
    attachments = json.dumps(cell.get("attachments", {}), sort_keys=True)
    return (cell.get("cell_type"), source_of(cell), _facts(cell), attachments)


def _first_line(expected: bytes, found: bytes) -> str:
    """Return a description of the first line in which two cells or documents differ."""
    lines = zip_longest(expected.split(b"\n"), found.split(b"\n"), fillvalue=b"")
    for number, (their, our) in enumerate(lines, start=1):
        if their != our:
            return f"line {number} is {_cut(our)} instead of {_cut(their)}"
    return "is another kind of cell, or has other metadata"


def _cut(line: bytes) -> str:
    text = line.decode("utf-8", "replace")
    return f"“{text[:70]}…”" if len(text) > 70 else f"“{text}”"
