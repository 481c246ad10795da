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
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pipeline
from pipeline.adapters.files import write_if_changed
from pipeline.config import Upstream
from pipeline.model import Finding, PageResult, Severity, SourceFile
from pipeline.paths import Paths

_LIBRARIES = ("markdown-it-py", "mdit-py-plugins", "polib", "rapidfuzz")


def fingerprint_inputs(paths: Paths, upstream: Upstream, *, locale: str) -> str:
    """Digest of everything that split, update and merge read. The checkout is what the lock says: pull sees to that."""
    digest = hashlib.blake2b(digest_size=20)
    digest.update(repr((upstream, locale, [importlib.metadata.version(name) for name in _LIBRARIES])).encode())
    code = Path(pipeline.__file__).parent
    for folder, pattern in (
        (code, "*.py"),
        (paths.catalogs(locale), "*.po"),
        (paths.memories(locale), "*.po"),
        (paths.lock.parent, paths.lock.name),
    ):
        for path, content in _digests(folder, pattern).items():
            digest.update(f"{path}\0{content}\n".encode())
    return digest.hexdigest()


def recall(paths: Paths, *, locale: str, inputs: str, merged: bool = True) -> tuple[PageResult, ...] | None:
    """What the last run found, if its inputs and the files it wrote are as they were; else None.

    Without ``merged``, a run that ended with the catalogues will do.
    """
    try:
        state = json.loads(paths.state(locale, merged=merged).read_bytes())
        if state["inputs"] != inputs or state["merged"] != _outputs(paths, locale, merged=merged):
            return None
        return tuple(_page(record) for record in state["pages"])
    except (OSError, ValueError, KeyError, TypeError):
        return None  # missing, damaged, or of another version: everything is done again


def remember(paths: Paths, pages: Sequence[PageResult], *, locale: str, inputs: str, merged: bool = True) -> None:
    """Keep what this run found. Call it when everything else is written."""
    records = [asdict(replace(page, update=None)) for page in pages]
    state = {"inputs": inputs, "merged": _outputs(paths, locale, merged=merged), "pages": records}
    data = json.dumps(state, ensure_ascii=True, separators=(",", ":")).encode()
    write_if_changed(paths.state(locale, merged=merged), data)


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
    fields["files"] = tuple(SourceFile(**file) for file in record["files"])
    findings = (Finding(**{**finding, "severity": Severity(finding["severity"])}) for finding in record["findings"])
    return PageResult(**{**fields, "findings": tuple(findings), "execution": None})
