"""Copies of every page of the sample, at three versions, damaged in every way there is.

With ``JAX_DOCS_WHOLE`` also our own Chinese of the real docs, taken for copies of years ago, and
what adopting them costs.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from adoption_project import (
    PAGES,
    RELEASES,
    RENAMED,
    WITH_CODE,
    AdoptionProject,
    make_sample_history,
    old_page,
    reads_the_sample,
)
from copies import DAMAGES, WRITERS, Row, score, translated
from msgspec import Struct
from places import ROOT
from runs import run_of

from pipeline.adapters.copies import encoder
from pipeline.commands.adopt.adoption import Matcher
from pipeline.commands.adopt.catalogs import translations_in
from pipeline.commands.adopt.copy_files import read_file
from pipeline.commands.adopt.versions import Versions, open_versions
from pipeline.commands.build import BuildOptions
from pipeline.commands.pull import sync
from pipeline.config.reader import read_settings
from pipeline.core.adoption.blocks import blocks_of
from pipeline.core.adoption.candidates import Choice
from pipeline.core.catalog.update import update_catalogs, wanted_entries
from pipeline.core.document.reader import read_document
from pipeline.core.pin.lock import blob_id
from pipeline.entries import Catalog, translations_of
from pipeline.run import Run
from pipeline.stages.pull.stage import read_pulled
from pipeline.stages.update.locale import Locale

pytestmark = pytest.mark.slow


class Case(Struct, frozen=True, kw_only=True):
    """A page as it was in a release, damaged, in some format."""

    page: str
    release: str
    damage: str
    file: str
    row: Row

    def __str__(self) -> str:
        return f"{self.page} {self.release}, {self.damage}, {self.file}"


def damaged(row: Row, *, page: str, release: str, damage: str, file: str) -> Case:
    if damage in DAMAGES:
        row = DAMAGES[damage](row, random.Random(f"{page} {damage}"))
    return Case(page=page, release=release, damage=damage, file=file, row=row)


def cases() -> Iterator[Case]:
    """Every page as it is, and with every other damage; releases and formats take turns."""
    number = -1
    for first, page in enumerate(PAGES):
        for turn, damage in enumerate(("none", *DAMAGES)):
            number += 1
            if turn and (first + turn) % 2:
                continue  # neighbouring pages have it
            release = RELEASES[number % len(RELEASES)]
            # Not in step with the releases: else a format would only ever be of one of them.
            file = list(WRITERS)[(number // 2 + number) % len(WRITERS)]
            row = old_page(page, release).row
            yield damaged(row, page=page, release=release, damage=damage, file=file)


def match(case: Case, folder: Path, matcher: Matcher) -> tuple[Counter[str], Choice]:
    """Return how many translations of a case were found and are right, and its page."""
    path = folder / case.file
    path.write_text(WRITERS[case.file](case.row), encoding="utf-8")
    copy, choice = matcher.match(read_file(path))
    said = {
        message: found.chinese
        for found in translations_in(copy, choice)
        for message in found.english
    }
    found = score(case.row, said)
    for message, got, wanted in found.wrong:
        print(f"{case}: {message[:60]!r} has {got[:60]}, not {wanted[:60]}")
    counts = Counter(there=found.there, found=found.found, said=found.said, right=found.right)
    return counts, choice


def mistake(case: Case, choice: Choice) -> str:
    """Return what is wrong with the page or the version that was found."""
    page = choice.candidate.version.page.name
    if page not in {case.page, RENAMED.get(case.page, case.page)}:
        return f"{case}: taken for {page}"
    if case.page in WITH_CODE and case.damage != "no code":
        blobs = {version.blob for version in choice.as_good}
        if blob_id(old_page(case.page, case.release).data) not in blobs:
            return f"{case}: taken for another version"
        if case.damage == "none" and len(blobs) != 1:
            return f"{case}: {len(blobs)} versions fit"
    return ""


@pytest.fixture(scope="module")
def adoption(tmp_path_factory: pytest.TempPathFactory) -> AdoptionProject:
    root = tmp_path_factory.mktemp("adoption")
    origin = make_sample_history(root / "origin")
    return AdoptionProject(root / "project", origin)


def test_damaged_copies_are_found(adoption: AdoptionProject, tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    mistakes: list[str] = []
    with adoption.matcher(reads_the_sample) as matcher:
        for case in cases():
            count, choice = match(case, tmp_path, matcher)
            counts += count
            mistakes.append(mistake(case, choice))
    assert [words for words in mistakes if words] == []
    assert counts["there"] > 2000
    assert counts["found"] >= 0.98 * counts["there"]
    assert counts["right"] == counts["said"]


def test_encoder_finds_translations(adoption: AdoptionProject, tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    with adoption.matcher(encoder()) as matcher:
        for case in cases():
            if case.damage in ("none", "remarks"):
                count, choice = match(case, tmp_path, matcher)
                assert not mistake(case, choice)
                counts += count
    assert counts["found"] >= 0.95 * counts["there"] > 300
    assert counts["right"] == counts["said"]


# --- the real docs

WHOLE = pytest.mark.skipif(
    not os.environ.get("JAX_DOCS_WHOLE"), reason="takes minutes: set JAX_DOCS_WHOLE"
)
REAL_PAGES = (
    "aot autodidax faq glossary installation jit-compilation "
    "notebooks/Common_Gotchas_in_JAX notebooks/autodiff_cookbook pallas/quickstart pytrees"
).split()
REAL_RELEASES = ("jax-v0.8.0", "jax-v0.6.0")
CPU_SECONDS, MEGABYTES = 40, 500
# A run of its own, so that its memory and its time are those of the command alone.
SCRIPT = """
import resource, sys
from pipeline.cli import main
code = main(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_SELF)
git = resource.getrusage(resource.RUSAGE_CHILDREN)
print(code, used.ru_utime + used.ru_stime + git.ru_utime + git.ru_stime, used.ru_maxrss / 1024)
"""


@pytest.fixture
def run(project: Path, jax_docs_upstream: str) -> Run:
    """The real docs, pulled, with the catalogues that the memory has."""
    memory = Path("translations", "memory", "zh_CN", "jax")
    shutil.copytree(ROOT / memory, project / memory)
    settings = read_settings(project / "pyproject.toml")
    found = run_of(settings, settings.upstream("jax"))
    sync(found, BuildOptions(last="merge"), ref=None)
    return found


def row_at(versions: Versions, catalogs: Mapping[str, Catalog], page: str, release: str) -> Row:
    """The copy of a page as if it had been made for a release.

    What was translated in other words then is left in English.
    """
    version = next(one for one in versions.at(release, page) if one.page.name == page)
    assert versions.repository is not None
    file = version.page.files[0]
    document = read_document(file.path, versions.repository.read(file.blob))
    wanted = {page: wanted_entries(page, [document])}
    updated = update_catalogs(catalogs, wanted, header=lambda _, header: header)
    return translated(blocks_of(document), translations_of(updated[page].catalog))


@WHOLE
def test_our_own_chinese_is_found_again(run: Run, tmp_path: Path) -> None:
    catalogs = Locale(run, "zh_CN").readable_catalogs()
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    with open_versions(run, read_pulled(run)) as versions:
        matcher = Matcher(versions=versions, encoder=encoder())
        number = 0
        for page in REAL_PAGES:
            for release in REAL_RELEASES:
                row = row_at(versions, catalogs, page, release)
                for damage in ("none", *list(DAMAGES)[number % 3 :: 3]):
                    file = list(WRITERS)[number % len(WRITERS)]
                    number += 1
                    case = damaged(row, page=page, release=release, damage=damage, file=file)
                    count, choice = match(case, tmp_path, matcher)
                    counts += count
                    if choice.candidate.version.page.name != page:
                        wrong.append(str(case))
    print(counts, *wrong, sep="\n")
    assert wrong == []
    assert counts["found"] >= 0.95 * counts["there"]
    assert counts["right"] == counts["said"]


@WHOLE
def test_a_page_takes_seconds_and_little_memory(run: Run, tmp_path: Path) -> None:
    """A page of a hundred paragraphs against the whole history."""
    catalogs = Locale(run, "zh_CN").readable_catalogs()
    with open_versions(run, read_pulled(run)) as versions:
        row = row_at(versions, catalogs, "notebooks/thinking_in_jax", "jax-v0.10.2")
    assert sum(piece.is_translated for piece in row) > 90
    path = tmp_path / "page.html"
    path.write_text(WRITERS["page.html"](row), encoding="utf-8")
    started = time.monotonic()
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, "adopt", str(path), "--dry-run", "-q"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    code, seconds, megabytes = ended.stdout.rstrip().rpartition("\n")[2].split(" ")
    print(seconds, megabytes, time.monotonic() - started)
    assert code == "0"
    assert float(seconds) < CPU_SECONDS
    assert float(megabytes) < MEGABYTES
