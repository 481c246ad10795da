"""recall: tell in a moment that nothing has changed since the last run, and what that run found.

What a run reads (lock, catalogues, memory, configuration, the pipeline's own code) and the merged files that it wrote
are kept as digests in ``build/<locale>/<name>/state.json``. If all are equal, split, update and merge would
do nothing, and are not done.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pipeline
from pipeline.adapters.files import write_if_changed
from pipeline.config import Upstream
from pipeline.core.pin.lock import SourceFile
from pipeline.core.results import MergedPage, PageResult
from pipeline.findings import Finding, Severity
from pipeline.paths import Paths

# A state that is missing, damaged, or of another version: everything is done again.
_UNUSABLE = (OSError, ValueError, KeyError, TypeError)
_LIBRARIES = ("docutils", "markdown-it-py", "mdit-py-plugins", "polib", "rapidfuzz")


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """Digests of what split, update and merge read.

    ``code`` of what is no document: the pipeline and its configuration; ``catalogs`` of all but upstream's pages; ``all`` of these too.
    """

    code: str
    catalogs: str
    all: str


def fingerprint_inputs(paths: Paths, upstream: Upstream, *, locale: str) -> Inputs:
    """Digests of everything that a run reads. The checkout is what the lock says: pull sees to that."""
    digest = hashlib.blake2b(digest_size=20)
    digest.update(
        repr((upstream, locale, [importlib.metadata.version(name) for name in _LIBRARIES])).encode()
    )
    _add_folder(digest, Path(pipeline.__file__).parent, "*.py")
    code = digest.hexdigest()
    _add_folder(digest, paths.catalogs(locale), "*.po")
    _add_folder(digest, paths.memories(locale), "*.po")
    catalogs = digest.hexdigest()
    digest.update(paths.lock.read_bytes() if paths.lock.exists() else b"")
    return Inputs(code=code, catalogs=catalogs, all=digest.hexdigest())


def _add_folder(digest: hashlib.blake2b, folder: Path, pattern: str) -> None:
    for path, content in _digests(folder, pattern).items():
        digest.update(f"{path}\0{content}\n".encode())


def recall(
    paths: Paths, *, locale: str, inputs: Inputs, merged: bool = True
) -> tuple[PageResult, ...] | None:
    """What the last run found, if its inputs and the files it wrote are as they were; else None.

    Without ``merged``, a run that ended with the catalogues will do.
    """
    try:
        state = _read_state(paths, locale, merged=merged)
        if state["inputs"] != inputs.all or state["merged"] != _outputs(
            paths, locale, merged=merged
        ):
            return None
        return tuple(_page(record) for record in state["pages"])
    except _UNUSABLE:
        return None


def recall_pages(paths: Paths, *, locale: str, inputs: Inputs) -> dict[str, PageResult]:
    """What the last run that ended with the catalogues found for each page, if all but upstream's pages is as it was.

    A page that upstream has not changed since needs no update: all it could get from others it has got by then.
    """
    try:
        state = _read_state(paths, locale, merged=False)
        found = (
            (_page(record) for record in state["pages"])
            if state["catalogs"] == inputs.catalogs
            else ()
        )
        return {page.page: page for page in found}
    except _UNUSABLE:
        return {}


def remember(
    paths: Paths, pages: Sequence[PageResult], *, locale: str, inputs: Inputs, merged: bool = True
) -> None:
    """Keep what this run found. Call it when everything else is written."""
    records = [asdict(replace(page, update=None)) for page in pages]
    outputs = _outputs(paths, locale, merged=merged)
    state = {"inputs": inputs.all, "catalogs": inputs.catalogs, "merged": outputs, "pages": records}
    data = json.dumps(state, ensure_ascii=True, separators=(",", ":")).encode()
    write_if_changed(paths.state(locale, merged=merged), data)


def recall_merged(paths: Paths, *, locale: str, inputs: Inputs) -> dict[str, MergedPage]:
    """What merge made of each page the last time, by page, if the pipeline and its configuration are as they were."""
    try:
        state = json.loads(paths.merged_state(locale).read_bytes())
        records = state["pages"] if state["code"] == inputs.code else {}
        return {
            page: MergedPage(
                key=record["key"], outputs=_files(record["outputs"]), result=_page(record["result"])
            )
            for page, record in records.items()
        }
    except (*_UNUSABLE, AttributeError):
        return {}


def remember_merged(
    paths: Paths, pages: Mapping[str, MergedPage], *, locale: str, inputs: Inputs
) -> None:
    """Keep it for the next run."""
    state = {"code": inputs.code, "pages": {page: asdict(merged) for page, merged in pages.items()}}
    write_if_changed(paths.merged_state(locale), json.dumps(state, separators=(",", ":")).encode())


def _read_state(paths: Paths, locale: str, *, merged: bool) -> Any:
    return json.loads(paths.state(locale, merged=merged).read_bytes())


def _outputs(paths: Paths, locale: str, *, merged: bool) -> dict[str, str]:
    return _digests(paths.merged(locale), "*") if merged else {}


def _digests(folder: Path, pattern: str) -> dict[str, str]:
    found = {}
    for path in sorted(folder.rglob(pattern)):
        if path.is_file():
            content = hashlib.blake2b(path.read_bytes(), digest_size=20).hexdigest()
            found[path.relative_to(folder).as_posix()] = content
    return found


def _page(record: Mapping[str, Any]) -> PageResult:
    fields = dict(record)
    fields["files"] = _files(record["files"])
    findings = (
        Finding(**{**finding, "severity": Severity(finding["severity"])})
        for finding in record["findings"]
    )
    return PageResult(**{**fields, "findings": tuple(findings), "execution": None})


def _files(records: Sequence[Mapping[str, str]]) -> tuple[SourceFile, ...]:
    return tuple(SourceFile(**record) for record in records)
