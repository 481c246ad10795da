"""One site from sources to HTML."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pipeline.adapters import files, po
from pipeline.adapters.sphinx import Built, Warned, fingerprint, forget, run_sphinx
from pipeline.config import Settings, SitePolicy
from pipeline.core.glossary.terms import Glossary, read_glossary
from pipeline.core.memory.notes import TOUCH, translators_of
from pipeline.core.pin.lock import Lock
from pipeline.core.results import PageResult
from pipeline.errors import InputError, PublishError
from pipeline.findings import Finding, Severity
from pipeline.log import Log
from pipeline.paths import glossary_path
from pipeline.run import Run
from pipeline.site.assembling import assemble
from pipeline.site.finishing import drop_styles, finish
from pipeline.site.plan import Site

FEW = 20  # changed files: to share them among processes costs more than it saves
_PHASES = {"reading sources": "read", "writing output": "write"}


def build_site(
    run: Run, pages: Sequence[PageResult], *, lock: Lock, locale: str, policy: SitePolicy
) -> tuple[Finding, ...]:
    """Write the site of one locale, as far as it is out of date; return what there is to say of it.

    Raises PublishError if Sphinx ends without a site, WriteError if it cannot be written.
    """
    log = run.log
    site = Site(
        settings=run.settings,
        upstream=run.upstream,
        policy=policy,
        lock=lock,
        locale=locale,
        pages=pages,
        glossary=_glossary(run.settings, locale),
    )
    check_writable(site.target)
    code = fingerprint()
    with log.step("assemble") as step:
        assembled = assemble(site, contributors(site), code=code)
        step.result = f"{assembled.changed} files changed"
    last = _last(site)
    if (
        not assembled.changed
        and last.get("code") == code
        and (site.target / "index.html").is_file()
    ):
        log.note(f"nothing changed for the site in {locale} since the last run")
        return (*assembled.findings, *map(_broken, last["broken"].items()))
    _state(site).unlink(missing_ok=True)
    is_new = last.get("code") != code
    if is_new:
        forget(site.doctrees)
    drop_styles(site)
    with log.step("sphinx") as step:
        built = _build(site, log, jobs=1 if not is_new and assembled.changed <= FEW else 0)
        step.result = f"{len(built.warned)} warnings" if built.warned else "no warnings"
    with log.step("finish") as step:
        step.result = f"{finish(site, assembled.downloads)} files changed"
    files.write_if_changed(
        _state(site), json.dumps({"code": code, "broken": built.broken}, sort_keys=True).encode()
    )
    return (*assembled.findings, *map(_broken, built.broken.items()), *map(_warning, built.warned))


def _state(site: Site) -> Path:
    """Written when a site is whole: what it was made with, and which of its pages are shown as their source."""
    return site.paths.output(site.locale) / "site.json"


def _last(site: Site) -> dict[str, Any]:
    try:
        found = json.loads(_state(site).read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) and isinstance(found.get("broken"), dict) else {}


def _build(site: Site, log: Log, *, jobs: int) -> Built:
    jobs = jobs or site.settings.execution.jobs or os.cpu_count() or 1
    with log.progress("sphinx", total=200) as advance:
        return run_sphinx(
            site.sources,
            site.target,
            doctrees=site.doctrees,
            jobs=jobs,
            on_progress=_counted(advance),
        )


def check_writable(folder: Path) -> None:
    """Raise WriteError if nothing can be written to ``folder``."""
    probe = folder / ".probe"
    files.write_atomic(probe, b"")
    files.remove_files([probe])


def _counted(advance: Callable[..., None]) -> Callable[[str, int, str], None]:
    done = dict.fromkeys(_PHASES, 0)

    def on_progress(phase: str, percent: int, page: str) -> None:
        step = percent - done[phase]
        if step > 0:
            done[phase] = percent
            advance(step, f"{_PHASES[phase]} {page}" if percent % 20 == 0 else "")

    return on_progress


def _glossary(settings: Settings, locale: str) -> Glossary:
    path = glossary_path(settings.root, locale)
    return (
        read_glossary(files.read_bytes(path).decode("utf-8", "replace"), where=str(path))
        if path.is_file()
        else Glossary()
    )


def contributors(site: Site) -> dict[str, int]:
    """Who translated how many messages, as the memory's notes have it: the last who touched each."""
    found: Counter[str] = Counter()
    folder = site.paths.memories(site.locale)
    for path in sorted(folder.rglob("*.po")):
        data = files.read_bytes(path)
        if b"translator: " in data:
            found.update(_translators(data, path))
    return dict(found)


def _translators(data: bytes, path: Path) -> list[str]:
    try:
        entries = po.read_catalog(data, where=str(path)).catalog.entries
    except InputError:
        return []
    notes = (translators_of(entry) for entry in entries if entry.is_translated)
    return [match[1].partition(" <")[0] for own in notes if own and (match := TOUCH.match(own[-1]))]


def _broken(page: tuple[str, str]) -> Finding:
    """A page that is shown as its source: the build ends with PublishError's exit code after all."""
    name, problem = page
    return Finding.of(
        PublishError(
            problem, where=name, hint="The page shows its English source until that is mended."
        ),
        page=name,
    )


def _warning(one: Warned) -> Finding:
    where = f"{one.file}:{one.line}" if one.line else one.file
    text = f"{one.text} [{one.kind}]" if one.kind else one.text
    page = one.file.rpartition(".")[0]
    return Finding(
        code="sphinx",
        severity=Severity.WARNING,
        where=where,
        text=text,
        page=page,
        hint="Sphinx says so.",
    )
