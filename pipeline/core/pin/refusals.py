"""What a pull leaves out, or leaves at risk, because of the names of upstream's files.

In goes the lock, which says what was refused, so that every command reports the same; out come
findings. One bad name stops no other page.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator

from pipeline.core.pin.lock import (
    Lock,
    RefusedFile,
    SourceFile,
    hidden_twins,
    page_path,
)
from pipeline.errors import InputError
from pipeline.findings import Finding, Severity


def name_findings(lock: Lock, selects: Callable[[str], bool]) -> Iterator[Finding]:
    """Yield a finding for each name in ``lock`` that some system cannot hold.

    A page that ``selects`` leaves out is none that readers miss.
    """
    for file in lock.refused:
        name = file.path.rpartition(".")[0] or file.path
        yield _refused(file, is_missed=file.may_be_page and selects(name))
    hidden = hidden_twins(lock.files)
    yield from map(_hidden, hidden)
    yield from _alike(file for file in lock.files if file not in hidden)


def _refused(file: RefusedFile, *, is_missed: bool) -> Finding:
    return Finding(
        code="refused-name",
        severity=Severity.ERROR if is_missed else Severity.WARNING,
        where=file.path,
        text=f"was not pulled: {file.rule}",
        hint="Ask upstream to rename it, or exclude the page in the configuration.",
        exit_code=InputError.exit_code,
    )


def _hidden(file: SourceFile) -> Finding:
    """A document that another one keeps from readers: both have one name in NFC."""
    return Finding(
        code="same-name",
        severity=Severity.WARNING,
        where=ascii(file.path)[1:-1],
        text="is left out: another file has this name, with its accents encoded otherwise",
        page=page_path(file.path).rpartition(".")[0],
        hint="On some systems the two are one file. Ask upstream to rename one of them.",
    )


def _alike(files: Iterable[SourceFile]) -> Iterator[Finding]:
    """Names like ``Guide.md`` and ``guide.md``: macOS and Windows have one file for both."""
    seen: dict[str, str] = {}
    for file in files:
        key = unicodedata.normalize("NFC", file.path).casefold()
        other = seen.setdefault(key, file.path)
        if other != file.path:
            yield Finding(
                code="names-alike",
                severity=Severity.WARNING,
                where=file.path,
                text=f"differs from {other} only by case, or by how accents are spelt: "
                "on some systems one hides the other",
                hint="Ask upstream to rename one of them.",
            )
