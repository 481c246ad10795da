"""Commands that are killed at any moment lose nothing and leave nothing behind (P11).

JAX_DOCS_KILLS sets the number of killed runs over all commands (34 by default). 2,000 take about an
hour on two cores: ``-n 2`` runs their parts side by side.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import time
from collections.abc import Callable
from contextlib import chdir
from functools import partial
from pathlib import Path

import pytest
from branch_project import LOCALE, NAME, Clone
from catalog_files import edit_catalog
from folders import read_tree
from killing import killed_after
from msgspec import Struct, field
from msgspec.structs import replace
from workbench import save_entry

from pipeline.adapters import po
from pipeline.cli import main
from pipeline.core.memory.record import digest
from pipeline.entries import Entry

KILLS = int(os.environ.get("JAX_DOCS_KILLS", "34"))
SYNC = f"sync {NAME} --no-execute"
BUILD = f"build {NAME} --no-execute"
MEMORY = f"translations/memory/{LOCALE}/{NAME}"
# Differs between runs: locks, memos, reports, git's files, and absolute paths in Sphinx's state.
OF_ONE_RUN = re.compile(r"(^|/)(\.git|\.lock|memo|report\.|junit\.|git|site-src|doctrees)(/|$|\w)")
# Commands that may follow a killed one.
NEXT = [
    SYNC,
    BUILD,
    "check --fix",
    f"export {NAME}",
    f"status {NAME} --badges",
    "review HEAD",
]


def unspaced(entry: Entry) -> Entry:
    """Return a translation that ``check --fix`` changes: no space beside Latin letters."""
    word = re.findall(r"[a-z]+", entry.msgid)[-1]
    return replace(entry, msgstr=f"译文{sum(map(ord, entry.msgid))}的{word}，见jax文档")


def translate_all(work: Clone) -> None:
    """Commit translations, and leave one that is not stored."""
    for page in ("cellar", "garage", "attic"):
        work.edit(page, unspaced)
    assert work.sync() == 0
    work.commit("Translate")
    work.translate("garage", "saw", "还没存的锯子")


def move_upstream(work: Clone) -> None:
    """Pin the next release, so that entries become fuzzy and obsolete, and a page moves."""
    translate_all(work)
    work.move_to("v2")


def move_branch(work: Clone) -> None:
    """Let git replace the memory of a page that has unstored work as well."""
    translate_all(work)
    work.branch("more")
    work.store("yard/shed", "lamp", "另一个分支上的灯")
    work.switch("main")
    work.translate("yard/shed", "glue", "还没存的胶水")


def forget_pull(work: Clone) -> None:
    """Remove the pulled docs."""
    translate_all(work)
    shutil.rmtree(work.root / "upstream" / NAME)


def edit_export(work: Clone) -> None:
    """Export, and edit the exported files as another program does."""
    translate_all(work)
    assert work.run("export", NAME) == 0
    for path in (work.root / "build/export").rglob("*.po"):
        edit_catalog(path, lambda one: replace(one, msgstr=f"导回的{one.msgstr}"))


def change_commits(work: Clone) -> None:
    """Name commits in the memory that upstream does not have."""
    translate_all(work)
    assert work.run(*BUILD.split()) == 0
    for path in (work.root / MEMORY).rglob("*.po"):
        path.write_bytes(re.sub(rb"[0-9a-f]{40}", b"f" * 40, path.read_bytes()))


def three_versions(work: Clone) -> None:
    """Write the files that git gives its merge driver; both sides changed one entry."""
    translate_all(work)
    path = work.root / MEMORY / "cellar.po"
    for name, words in (("base", "底"), ("ours", "我们"), ("theirs", "他们")):
        data = path.read_bytes().replace("译文".encode(), words.encode(), 1)
        (work.root / f".merge_file_{name}").write_bytes(data)


class Work(Struct, frozen=True):
    """What is killed: a command line, or a function, on a project that is made ready."""

    begin: Callable[[Clone], None]
    line: str = ""
    function: Callable[[Clone], None] | None = None

    def start(self, clone: Clone) -> int:
        """Do the work quietly, and return its exit code."""
        with chdir(clone.root):
            if self.function is not None:
                self.function(clone)
                return 0
            command, *words = self.line.split()
            return main([command, "-qq", *words])


def save_entries(clone: Clone) -> None:
    """Save translations one by one, as the workbench does."""
    for word in "lamp saw glue drill bench apron drawer clamp varnish hammer".split():
        save_entry(clone.root, NAME, "cellar", word, f"工作台里的{word}")


DRIVER = ".merge_file_base .merge_file_ours .merge_file_theirs 7"
INIT = "--url https://example.org/lamps --docs docs --from someone/docs-pipeline@v1"
WORKS = {
    "sync": Work(move_upstream, SYNC),
    "pull": Work(forget_pull, f"pull {NAME}"),
    "split": Work(move_branch, f"split {NAME}"),
    "merge": Work(move_branch, f"merge {NAME}"),
    "build": Work(move_branch, BUILD),
    "site": Work(move_branch, f"site {NAME} --no-execute"),
    "upgrade": Work(translate_all, f"upgrade v2 {NAME} --package-version 1.0.0 --no-execute"),
    "check": Work(translate_all, "check --fix"),
    "export": Work(translate_all, f"export {NAME}"),
    "import": Work(edit_export, f"import build/export --name {NAME}"),
    "restamp": Work(change_commits, f"memory restamp {NAME}"),
    "review": Work(translate_all, "review HEAD~1"),
    "badges": Work(translate_all, f"status {NAME} --badges"),
    "driver": Work(three_versions, f"memory merge -- {DRIVER} {MEMORY}/cellar.po ours theirs"),
    "setup": Work(translate_all, "memory setup"),
    "init": Work(translate_all, f"init own --name lamps {INIT}"),
    "save": Work(translate_all, function=save_entries),
}
PARTS = 1 + KILLS // 400


def translations(work: Clone) -> set[tuple[str, str, str]]:
    """Return every stored translation: its page, the digest of its English, and its text.

    Spaces are left out: ``check --fix`` may change them.
    """
    found: set[tuple[str, str, str]] = set()
    places: dict[Path, Callable[[str], str]] = {
        work.catalogs: digest,
        work.root / MEMORY: str,  # has digests
        work.output / "set-aside": digest,
        work.output / "replaced": digest,
    }
    for folder, key_of in places.items():
        for path, data in read_tree(folder).items():
            if path.endswith(".po"):
                for entry in po.read_catalog(data, where=path).catalog.entries:
                    text = re.sub(r"\s", "", entry.msgstr)
                    found.add((path, key_of(entry.msgid), text))
    return found


def outcome(work: Clone) -> dict[str, bytes]:
    """Return everything that a command leaves, except what differs between runs."""
    tree = read_tree(work.root)
    return {path: data for path, data in tree.items() if not OF_ONE_RUN.search(path)}


def kept_by_upgrade(work: Clone) -> set[str]:
    """Return the files that an upgrade keeps until its end, or until the next sync or build."""
    tree = read_tree(work.root)
    return {f"build/upgrade/{path}" for path in tree if not path.startswith(".git/")}


def is_half_site(path: str) -> bool:
    """Return whether a file may be there until the next ``site``: a killed one is a mixture."""
    return path.startswith("build/site/") and not path.endswith(".tmp")


class Unkilled(Struct, frozen=True):
    """Files that commands leave that follow the whole work, or that follow no work at all."""

    ready: Clone
    whole: Clone
    files: dict[str, set[str]] = field(default_factory=dict)

    def after(self, line: str) -> set[str]:
        """Return the files after the command ``line``, in both cases together."""
        if line not in self.files:
            self.files[line] = set()
            for start in (self.ready, self.whole):
                one = start.copy(start.root.with_name("followed"))
                one.run(*line.split())
                self.files[line] |= outcome(one).keys()
                if line not in (SYNC, BUILD):
                    # Only these bring the docs back to the pin after a killed upgrade.
                    self.files[line] |= kept_by_upgrade(one)
                shutil.rmtree(one.root)
        return self.files[line]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", WORKS)
def test_a_killed_command_loses_nothing_and_the_next_run_repairs_it(
    begun: Clone, tmp_path: Path, name: str, part: int
) -> None:
    work = WORKS[name]
    ready = begun.copy(tmp_path / "ready")
    work.begin(ready)
    whole, timed = (ready.copy(tmp_path / copy) for copy in ("whole", "timed"))
    assert work.start(whole) in (0, 1)
    kept = translations(ready) & translations(whole)
    assert len(kept) > 20
    expected, unkilled = outcome(whole), Unkilled(ready, whole)
    began = time.perf_counter()
    work.start(timed)  # a second time, when all modules are loaded
    took = time.perf_counter() - began
    chance = random.Random(f"{name} {part}")
    count = max(1, KILLS // (PARTS * len(WORKS)))
    killed = 0
    for number in range(count):
        one = ready.copy(tmp_path / f"killed{number}")
        moment = chance.random() * took
        killed += killed_after(moment, partial(work.start, one))
        assert translations(one) >= kept, moment
        if number % 2:
            follower = chance.choice(NEXT)
            one.run(*follower.split())
            left = outcome(one).keys() - unkilled.after(follower)
            if name == "site":
                left = {path for path in left if not is_half_site(path)}
            assert not left, (moment, follower)
            assert translations(one) >= kept, (moment, follower)
        else:
            if name == "driver":
                three_versions(one)  # git never calls the driver twice on them
            assert work.start(one) in (0, 1), moment
            assert outcome(one) == expected, moment
        assert one.sync() in (0, 1)
        assert one.run("memory", "verify", NAME) == 0
        # A child of the killed run may still be ending.
        shutil.rmtree(one.root, ignore_errors=True)
    print(f"{name}: {killed} of {count} runs were killed at work")
    assert killed or count < 10


def test_the_work_that_is_killed_is_of_every_kind(begun: Clone, tmp_path: Path) -> None:
    work = begun.copy(tmp_path / "project")
    move_upstream(work)
    assert work.sync() == 0
    states = {(entry.fuzzy, entry.obsolete) for entry in work.read("cellar").entries}
    assert states == {(False, False), (True, False), (False, True)}
    assert not (work.root / "translations" / LOCALE / NAME / "attic.po").exists()
