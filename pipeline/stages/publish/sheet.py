"""One page that is to be rendered: where its document lies, what its head says, what it is made of.

In goes what a run knows of the page. The digest of a sheet stands for everything in its HTML file,
so that a page is rendered again only if one of its parts has changed.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pipeline.adapters import files
from pipeline.adapters.html.images import PageFolder
from pipeline.core.execution.notebook import parse_notebook
from pipeline.core.execution.result import Status
from pipeline.core.results import PageResult
from pipeline.errors import InputError
from pipeline.paths import Paths
from pipeline.report.counts import counted
from pipeline.run import Run

FORMAT = "5"  # raise it when the look changes
_HEAD = 400  # bytes at the start of an HTML file, within which its digest stands


@dataclass(frozen=True, slots=True, kw_only=True)
class RunState:
    """Whether a page ran, for people: ``kind`` is the name of a status, or ``plain``."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One page that is to be rendered."""

    page: str  # its name
    source: Path  # executed notebook, or merged document
    outputs: Path | None  # a notebook that ran, whose outputs the source gets
    target: Path
    folder: PageFolder  # where images are looked up
    language: str
    title: str
    state: RunState
    digest: str  # of all of this, and of the source

    @property
    def is_fresh(self) -> bool:
        """Whether the target was rendered from the same parts: its head says so."""
        with suppress(OSError), self.target.open("rb") as stream:
            return self.digest.encode("ascii") in stream.read(_HEAD)
        return False


def sheet_of(run: Run, page: PageResult, *, locale: str) -> Sheet | None:
    """The sheet of ``page``; None if none of its documents is there."""
    paths = run.paths
    executed = paths.executed(locale) / f"{page.page}.ipynb"
    ran = executed if executed.is_file() else None
    # What ran is as old as its run: a page that is not run now may say something else by now.
    is_run_now = page.execution is not None
    source = ran if ran and is_run_now else _merged(paths, page, locale)
    if source is None:
        return None
    outputs = None if is_run_now or not page.code_cells else ran
    # Everything that the head shows is part of the digest: a run that fails changes no document.
    state = _state(page, run.release, has_outputs=outputs is not None)
    title = page.title or page.page
    facts = "\n".join([FORMAT, title, state.kind, state.text]).encode(
        "utf-8", "replace"
    )
    digest = hashlib.sha256(facts + files.read_bytes(source))
    if outputs is not None:
        digest.update(files.read_bytes(outputs))
    return Sheet(
        page=page.page,
        source=source,
        outputs=outputs,
        target=paths.html_page(locale, page.page),
        # Merged pages lie without their images: those of upstream's docs are shown.
        folder=PageFolder.of(paths.docs, page.files[0].path),
        language=language_tag(locale),
        title=title,
        state=state,
        digest=digest.hexdigest(),
    )


def language_tag(locale: str) -> str:
    """The locale as HTML writes it: zh_CN → zh-CN."""
    return locale.replace("_", "-")


def _merged(paths: Paths, page: PageResult, locale: str) -> Path | None:
    """The first merged document that is there, or upstream's own.

    Of a pair that is the notebook, which has outputs of upstream's at least.
    """
    for document in page.files:
        path = paths.merged(locale) / document.path
        if path.is_file():
            return path
    # Nothing of it is translated, but perhaps it can be read.
    path = paths.docs / page.files[0].path
    return path if _is_readable(path) else None


def _is_readable(path: Path) -> bool:
    """Whether a document of upstream's, which could not be translated, can be shown."""
    if not path.is_file():
        return False
    try:
        data = files.read_bytes(path)
        if path.suffix == ".ipynb":
            parse_notebook(data, where=str(path))
    except InputError:
        return False
    return True


def _state(page: PageResult, release: str, *, has_outputs: bool) -> RunState:
    """How the code of ``page`` ran, for the head of its page.

    If it was not run now, the page may have outputs all the same (``has_outputs``). The
    ``release`` is named wherever code ran: people look at this to know what theirs does.
    """
    run = page.execution
    if run is None and not page.code_cells:
        return RunState(kind="plain", text="no code to run")
    if run is None:
        earlier = ", outputs are of an earlier run" if has_outputs else ""
        return RunState(kind="plain", text=f"code was not run{earlier}")
    if run.status is Status.PASSED:
        verb = "passed"
    elif run.status is Status.PARTIAL:
        verb = "ran in part"
    else:
        return RunState(kind=str(run.status), text=f"{run.status}: {run.reason}")
    # For example: ran in part in interpret mode on JAX 0.10.2: 3 of 9 code cells (accelerator)
    how = f" {run.note}" if run.note else ""
    on = f" on {release}" if release else ""
    why = f" ({run.reason})" if run.reason else ""
    text = f"{verb}{how}{on}: {run.cells} of {counted(run.total, 'code cell')}{why}"
    return RunState(kind=str(run.status), text=text)
