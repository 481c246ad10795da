"""Our own Chinese of the real docs, taken for copies of years ago, and what adopting them costs."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from copies import DAMAGES, WRITERS, Row, score, translated
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
from pipeline.core.catalog.update import update_catalogs, wanted_entries
from pipeline.core.document.reader import read_document
from pipeline.entries import Catalog
from pipeline.run import Run
from pipeline.stages.pull.stage import read_pulled
from pipeline.stages.update.locale import Locale

WHOLE = bool(os.environ.get("JAX_DOCS_WHOLE"))
pytestmark = [
    pytest.mark.realdocs,
    pytest.mark.slow,
    pytest.mark.skipif(not WHOLE, reason="takes minutes: set JAX_DOCS_WHOLE"),
]

PAGES = (
    "aot",
    "autodidax",
    "faq",
    "glossary",
    "installation",
    "jit-compilation",
    "notebooks/Common_Gotchas_in_JAX",
    "notebooks/autodiff_cookbook",
    "pallas/quickstart",
    "pytrees",
)
RELEASES = ("jax-v0.8.0", "jax-v0.6.0")
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


def catalogs_of(run: Run) -> dict[str, Catalog]:
    return Locale(run, run.locales[0]).readable_catalogs()


def row_at(
    versions: Versions, catalogs: Mapping[str, Catalog], page: str, release: str
) -> Row:
    """The copy of a page as if it had been made for a release.

    What was translated in other words then is left in English.
    """
    version = next(one for one in versions.at(release, page) if one.page.name == page)
    assert versions.repository is not None
    file = version.page.files[0]
    document = read_document(file.path, versions.repository.read(file.blob))
    updated = update_catalogs(
        catalogs,
        {page: wanted_entries(page, [document])},
        header=lambda _, header: header,
    )
    finished = {
        entry.msgid: entry.msgstr
        for entry in updated[page].catalog.entries
        if entry.is_translated
    }
    return translated(blocks_of(document), finished)


def test_our_own_chinese_is_found_again(run: Run, tmp_path: Path) -> None:
    catalogs = catalogs_of(run)
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    with open_versions(run, read_pulled(run)) as versions:
        matcher = Matcher(versions=versions, encoder=encoder())
        number = 0
        for page in PAGES:
            for release in RELEASES:
                row = row_at(versions, catalogs, page, release)
                for damage in ("none", *list(DAMAGES)[number % 3 :: 3]):
                    file = list(WRITERS)[number % len(WRITERS)]
                    number += 1
                    chance = random.Random(f"{page} {damage}")
                    damaged = DAMAGES[damage](row, chance) if damage in DAMAGES else row
                    path = tmp_path / file
                    path.write_text(WRITERS[file](damaged), encoding="utf-8")
                    copy, choice = matcher.match(read_file(path))
                    said = {
                        message: one.chinese
                        for one in translations_in(copy, choice)
                        for message in one.english
                    }
                    found = score(damaged, said)
                    counts.update(
                        there=found.there,
                        found=found.found,
                        said=found.said,
                        right=found.right,
                    )
                    for message, got, wanted in found.wrong:
                        print(
                            f"{page} {release} {damage} {file}: {message[:50]!r}",
                            f"{got[:40]} | {wanted[:40]}",
                        )
                    if choice.candidate.version.page.name != page:
                        wrong.append(f"{page} {release}, {damage}, {file}")
    print(counts, *wrong, sep="\n")
    assert wrong == []
    assert counts["found"] >= 0.95 * counts["there"]
    assert counts["right"] == counts["said"]


def test_a_page_takes_seconds_and_little_memory(run: Run, tmp_path: Path) -> None:
    """A page of a hundred paragraphs against the whole history."""
    catalogs = catalogs_of(run)
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
