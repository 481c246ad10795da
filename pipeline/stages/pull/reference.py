"""API reference of a pull: the docstrings of the package, as files beside upstream's documents.

Sphinx's autodoc reads the docstrings of the objects that upstream's pages list. It runs only if the
release of the package, upstream's pages or our script has changed. A cache keeps the docstrings of
each release, because an upgrade may be undone. The invariant: if the docstrings cannot be read, the
guides are pulled nevertheless.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from pipeline.adapters.files import files_below, read_bytes, write_if_changed
from pipeline.adapters.installed import releases_of
from pipeline.adapters.memo import digest_of
from pipeline.adapters.reference import CHILD, read_reference
from pipeline.core.pin.lock import (
    DOCSTRING_SUFFIX,
    REFERENCE,
    Lock,
    SourceFile,
    blob_id,
    is_reference,
)
from pipeline.core.pin.sphinx_config import sphinx_values
from pipeline.core.reference import (
    PATH,
    Record,
    files_of,
    listing,
    read_record,
    settings_in,
)
from pipeline.errors import InputError, PipelineError
from pipeline.folders import is_outside
from pipeline.report.counts import counted
from pipeline.run import Run
from pipeline.stages.pull.selection import changed_files, configurations
from pipeline.stages.pull.source import Source

_Read = Callable[[SourceFile], bytes]


def with_reference(run: Run, source: Source, docs: Path, pulled_before: Lock | None) -> Source:
    """Return the source with the files of the API reference, if one is configured.

    ``docs`` is the checkout. A dry run reads no docstrings, so the files of the last pull remain.
    These files also remain if the docstrings cannot be read and the release is the same.
    """
    pulled = tuple(file for file in source.lock.files if is_reference(file.path))
    own = tuple(file for file in source.lock.files if not is_reference(file.path))
    lock = replace(source.lock, files=own)
    if run.upstream.reference is None:
        return replace(source, lock=lock)

    def read_checked_out(file: SourceFile) -> bytes:
        return read_bytes(docs / file.path)

    read = source.read or read_checked_out
    old = _stored_record(docs / PATH)
    key = _key(run, lock)
    before = pulled_before.files if pulled_before else ()
    locked = tuple(file for file in before if is_reference(file.path))
    kept = pulled or locked or _checked_out(docs)
    # If the source's lock lists docstrings (``pulled``), the checkout has them unchanged, because
    # ``open_source`` has just compared the whole checkout with the lock.
    is_intact = pulled or (kept and not changed_files(docs, kept))
    if (old and old.key == key and is_intact) or run.dry:
        return _joined(source, lock, kept, read, read_checked_out)
    try:
        with run.log.step("reference") as step:
            record = _record(run, lock, read, key)
            step.result = f"{counted(len(record.objects), 'object')} read"
    except PipelineError as error:
        is_same = pulled_before is not None and pulled_before.version == run.version
        files = kept if is_same and not changed_files(docs, kept) else ()
        lost = "; do not commit the lock, which lacks the docstrings now"
        advice = lost if locked and not files else ""
        run.log.warn(f"{error.where or run.name}: {error.what}{advice}")
        return _joined(source, lock, files, read, read_checked_out)
    made = files_of(record)
    files = tuple(SourceFile(path=path, blob=blob_id(data)) for path, data in made.items())
    for failure in record.failures:
        run.log.warn(f"{failure.place(lock)}: {failure.text}")
    if old and old.key == key and pulled_before:
        for name in _changed(pulled_before.files, files):
            run.log.warn(f"{name}: the docstring differs from run to run")
    return _joined(source, lock, files, read, lambda file: made[file.path])


def _changed(before: Iterable[SourceFile], after: Iterable[SourceFile]) -> Iterator[str]:
    """Yield the objects whose docstring is in both lists of files, but differs."""
    blobs = {file.path: file.blob for file in before}
    for file in after:
        is_other = blobs.get(file.path, file.blob) != file.blob
        if is_other and file.path.endswith(DOCSTRING_SUFFIX):
            yield file.path.rpartition("/")[2].removesuffix(DOCSTRING_SUFFIX)


def _joined(
    source: Source,
    lock: Lock,
    files: tuple[SourceFile, ...],
    read: _Read,
    read_own: _Read,
) -> Source:
    """Return the source with ``files`` of the reference, which ``read_own`` reads."""

    def read_any(file: SourceFile) -> bytes:
        return read_own(file) if is_reference(file.path) else read(file)

    files = tuple(sorted((*lock.files, *files), key=lambda file: file.path))
    joined = replace(lock, files=files)
    # Without ``read``, the checkout already has all files.
    is_complete = source.read is None and files == source.lock.files
    return replace(source, lock=joined, read=None if is_complete else read_any)


def _request(run: Run, lock: Lock, read: _Read) -> dict[str, Any]:
    """Return the request to Sphinx: the lists of objects on upstream's pages, and the settings."""
    pages: dict[str, str] = {}
    settings: dict[str, Any] = {}
    options = run.upstream.reference.options if run.upstream.reference else {}
    excluded = lock.unpublished
    for page in lock.pages:
        for file in page.files:
            if page.name not in excluded and file.path.endswith((".md", ".rst")):
                text = read(file).decode("utf-8", "replace")
                found = listing(file.path, text, others=options)
                if found and not is_outside(file.path):
                    pages[page.name] = found
    for code in configurations(lock, read).values():
        settings |= settings_in(sphinx_values(code))
    return {"pages": pages, "settings": settings, "options": dict(options)}


def _key(run: Run, lock: Lock) -> str:
    """Return a digest of all inputs of the record, from upstream and from us.

    It includes the blob ids of upstream's documents, not their lists of objects. Reading all
    documents would take longer, and a new release changes most of them anyway.
    """
    reference = run.upstream.reference
    package = [run.package, run.version, repr(reference)]
    folder = _package_folder(run)
    if folder:
        package = [digest_of(*map(str, _contents(folder)))]
    blobs = [
        f"{file.blob} {file.path}"
        for file in lock.files
        if file.path.endswith((".md", ".rst", "conf.py"))
    ]
    return digest_of(*blobs, *package, read_bytes(CHILD).decode("utf-8"))


def _package_folder(run: Run) -> Path | None:
    """Return the folder with the package's source, if one is configured."""
    reference = run.upstream.reference
    if reference is None or not reference.path:
        return None
    return run.settings.root / reference.path


def _contents(folder: Path) -> list[bytes]:
    contents: list[bytes] = []
    for path in files_below(folder, ".py"):
        contents += [path.relative_to(folder).as_posix().encode(), read_bytes(path)]
    return contents


def _record(run: Run, lock: Lock, read: _Read, key: str) -> Record:
    """Return the record of all docstrings, from the cache if possible. Raises PipelineError."""
    path = run.paths.docstrings(lock.commit)
    known = _stored_record(path)
    if known and known.key == key:
        return known
    record = _read(run, _request(run, lock, read), key)
    # ``flush=False``: if the machine crashes, the docstrings can be read again.
    write_if_changed(path, msgspec.json.encode(record), flush=False)
    return record


def _read(run: Run, request: dict[str, Any], key: str) -> Record:
    """Run Sphinx on the request, and return the record. Raises PipelineError."""
    if len(releases := releases_of(run.package)) > 1:
        run.log.warn(
            f"several releases of {run.package} are installed here: {', '.join(sorted(releases))}"
        )
    data = read_reference(
        request,
        package=run.package,
        version=run.version,
        path=_package_folder(run),
        needs=run.upstream.reference.needs if run.upstream.reference else (),
        environments=run.paths.cache / "environments",
    )
    record = read_record(data, where=run.package or run.name)
    return replace(record, key=key, settings=request["settings"])


def _stored_record(path: Path) -> Record | None:
    """Return the record in a file of an earlier pull; None if the file is missing or damaged."""
    if not path.is_file():
        return None
    try:
        return read_record(read_bytes(path), where=str(path))
    except InputError:
        return None


def _checked_out(docs: Path) -> tuple[SourceFile, ...]:
    """Return the files of the reference in the checkout."""
    return tuple(
        SourceFile(path=path.relative_to(docs).as_posix(), blob=blob_id(read_bytes(path)))
        for path in files_below(docs / REFERENCE, "")
    )
