"""P11 and P12 at random: a walk over edits, git operations and other tools loses no word.

Every translation that is typed on the way says a number that no other one says. After each step
each of them stands somewhere: in a catalogue, in the memory, beside what is built, or in git. An
edit that was never stored may go only with a warning. ``JAX_DOCS_WALKS`` says how many walks.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from branch_project import NAME, Clone
from folders import read_tree
from msgspec import Struct, field
from msgspec.structs import replace
from places import ROOT

from pipeline.entries import Entry

WALKS = int(os.environ.get("JAX_DOCS_WALKS", "2"))
# First those that have found something once.
SEEDS = (3, 15, *(seed for seed in range(WALKS) if seed not in (3, 15)))[:WALKS]
STEPS = 25
PAGES = ("cellar", "garage", "yard/shed")
WORDS = "lamp saw glue hammer".split()
BRANCHES = ("main", "one", "two")
NUMBER = re.compile(r"第\d+稿")
TOLD = {"memory-conflict", "memory-taken-back", "translation-emptied"}
CONFLICT = re.compile(r"<<<<<<< .*\n((?:.*\n)*?)=======\n((?:.*\n)*?)>>>>>>> .*\n")


@pytest.fixture(scope="module")
def start(begun: Clone, tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A project whose git merges by entry, with branches, one of which has the catalogues."""
    work = begun.copy(tmp_path_factory.mktemp("start") / "project")
    (work.root / ".gitattributes").write_text((ROOT / ".gitattributes").read_text())
    work.commit("Merge by entry")
    work.git("tag", "start")
    assert work.run("memory", "setup") == 0
    for branch in BRANCHES[1:]:
        work.git("branch", branch)
    work.commit_catalogs("weblate")
    work.switch("main")
    return work


class Walk(Struct):
    """Two working copies, what was typed in them so far, and what became of it."""

    work: Clone
    weblate: Clone
    chance: random.Random
    typed: set[str] = field(default_factory=set)
    replaced: set[str] = field(default_factory=set)  # by an edit
    told: set[str] = field(default_factory=set)  # that they were set aside
    path: list[str] = field(default_factory=list)
    count: int = 0
    taken_along: Path | None = None  # a catalogue that somebody works on elsewhere

    # What is where

    def kept(self) -> str:
        """Return all that lies in files or in git."""
        texts: list[bytes] = []
        for clone in (self.work, self.weblate):
            folders = ("translations", "build/zh_CN/docs", "build/upgrade")
            for folder in folders:
                for name, data in read_tree(clone.root / folder).items():
                    if name.endswith(".po"):
                        texts.append(data)
        if self.taken_along:
            texts.append(self.taken_along.read_bytes())
        log = ("log", "--all", "--reflog", "-m", "-p", "--format=", "--text")
        return b"\n".join(texts).decode() + self.work.git(*log, "--", "translations")

    def is_stored(self, text: str) -> bool:
        """Return whether a run has brought a text into the memory, on any branch."""
        memories = (self.work.memories, self.weblate.memories)
        files = [data for folder in memories for data in read_tree(folder).values()]
        return text.encode() in b"\n".join(files) or text in self.work.git(
            "log", "--all", "--reflog", "-m", "-p", "--format=", "--", "translations"
        )

    def assert_whole(self) -> None:
        lost = self.typed - set(NUMBER.findall(self.kept()))
        assert lost == set(), self.path

    # Edits

    def change(self, clone: Clone, text: str) -> None:
        """Give a paragraph another translation; what it takes away by hand need not stay."""
        page, word = self.chance.choice(PAGES), self.chance.choice(WORDS)
        if not (clone.catalogs / f"{page}.po").is_file():
            return

        def edit(entry: Entry) -> Entry:
            if entry.obsolete or not re.search(rf"\b{word}\b", entry.msgid):
                return entry
            for old in NUMBER.findall(entry.msgstr):
                self.replaced.add(old)
                if not self.is_stored(old):
                    self.typed.discard(old)
            self.typed.update(NUMBER.findall(text))
            return replace(entry, msgstr=text, fuzzy=False, previous=None)

        clone.edit(page, edit)

    def new_text(self) -> str:
        self.count += 1
        return f"第{self.count}稿"

    def translate(self) -> None:
        self.change(self.work, self.new_text())

    def empty(self) -> None:
        self.change(self.work, "")

    def translate_in_weblate(self) -> None:
        """Weblate commits catalogues, and knows nothing of the memory."""
        for _ in range(2):
            self.change(self.weblate, self.chance.choice(["", self.new_text()]))
        if self.weblate.git("status", "--porcelain"):
            self.weblate.git("commit", "-qam", "Translated using Weblate")

    def take_along(self) -> None:
        path = self.work.catalogs / "cellar.po"
        if path.is_file():
            self.taken_along = self.work.root.with_name("cellar.po")
            shutil.copy(path, self.taken_along)

    def bring_back(self) -> None:
        """Import a file that was edited elsewhere; what it says stays in the file as well."""
        if self.taken_along is None or self.chance.random() < 0.3:
            return
        data = self.taken_along.read_text("utf-8")
        text = self.new_text()
        edited = re.sub(r'msgstr "[^"]*"(?=\n\n)', f'msgstr "{text}"', data, count=1)
        self.typed.update(NUMBER.findall(edited))
        self.taken_along.write_text(edited, "utf-8")
        code = self.work.run("import", "--name", NAME, str(self.taken_along))
        assert code in (0, 4)  # a catalogue may be broken, or gone for now

    def break_catalogue(self) -> None:
        """A stray quote, which is mended after the next run."""
        path = self.work.catalogs / "garage.po"
        if not path.is_file():
            return
        whole = path.read_bytes()
        path.write_bytes(whole.replace(b'msgstr "', b'msgstr ""', 1))
        self.sync(code=4)
        path.write_bytes(whole)

    # Runs

    def sync(self, code: int = 0) -> None:
        """Whatever a run sets aside that is in no commit, it tells of."""
        assert self.work.sync() == code
        here = self.texts(self.work.catalogs) | self.texts(self.work.memories)
        only_kept = self.texts(self.work.output / "set-aside")
        only_kept |= self.texts(self.work.output / "replaced")
        only_kept -= here | self.told | self.replaced
        if TOLD & set(self.work.codes()):
            self.told |= only_kept
        unknown = {text for text in only_kept - self.told if not self.is_stored(text)}
        assert unknown == set(), self.path

    def texts(self, folder: Path) -> set[str]:
        return set(NUMBER.findall(b"".join(read_tree(folder).values()).decode()))

    def sync_weblate(self) -> None:
        assert self.weblate.sync() == 0
        self.weblate.git("add", "--force", "translations")
        if self.weblate.git("status", "--porcelain"):
            self.weblate.git("commit", "-qm", "Store")

    def upgrade(self) -> None:
        self.work.move_to(self.chance.choice(["v1", "v2"]))
        self.sync()
        self.commit()

    def forget(self) -> None:
        """Somebody deletes what can be made again, once all work is stored."""
        self.sync()
        shutil.rmtree(self.work.output / "memo", ignore_errors=True)
        (self.work.output / "memory.json").unlink(missing_ok=True)

    # git

    def git(self, clone: Clone, *words: str) -> bool:
        """Return whether git did it: it refuses what would overwrite work."""
        try:
            clone.git(*words)
        except subprocess.CalledProcessError:
            return False
        return True

    def commit(self) -> None:
        self.sync()
        if self.work.git("status", "--porcelain"):
            self.work.commit("Translate")

    def switch(self) -> None:
        self.git(self.work, "checkout", "-q", self.chance.choice(BRANCHES))

    def merge(self) -> None:
        other = self.chance.choice(BRANCHES)
        if not self.git(self.work, "merge", "-q", "--no-edit", other):
            self.resolve(self.work)

    def merge_into_weblate(self) -> None:
        self.sync_weblate()
        if not self.git(self.weblate, "merge", "-q", "--no-edit", "main"):
            self.resolve(self.weblate)
        self.sync_weblate()

    def resolve(self, clone: Clone) -> None:
        """Take one side of each conflict, as git leaves them; the other side is in its branch."""
        for path in clone.git("diff", "--name-only", "--diff-filter=U").split():
            file = clone.root / path
            side = self.chance.choice([r"\1", r"\2"])
            file.write_text(CONFLICT.sub(side, file.read_text("utf-8")), "utf-8")
            clone.git("add", path)
        is_merging = clone.git("rev-parse", "-q", "--git-path", "MERGE_HEAD")
        if (clone.root / is_merging).is_file():
            clone.git("commit", "-q", "--no-edit")

    def stash(self) -> None:
        self.sync()
        if self.work.git("status", "--porcelain"):
            self.work.git("stash", "-q", "--include-untracked")
            self.sync()
            # Over what the run has written it may not go: then the stash stays.
            self.git(self.work, "stash", "pop", "-q")

    def go_back(self) -> None:
        """Undo a commit; the reflog has it."""
        self.commit()
        if self.work.git("rev-list", "start..HEAD"):
            ways = (
                ("reset", "-q", "--hard", "HEAD~1"),
                ("revert", "--no-edit", "HEAD"),
            )
            if not self.git(self.work, *self.chance.choice(ways)):
                self.git(self.work, "revert", "--abort")

    def visit_weblate(self) -> None:
        """Check the branch with catalogues out in the working copy that ignores them."""
        before = self.work.git("rev-parse", "--abbrev-ref", "HEAD")
        unstored = {text for text in self.typed if not self.is_stored(text)}
        # Where a person has deleted it, no run knows what git had checked out before.
        is_noted = (self.work.output / "memory.json").is_file()
        if not self.git(self.work, "checkout", "-q", "--detach", "weblate"):
            return
        self.sync()
        if not is_noted or self.work.findings("catalogue-overwritten"):
            self.typed -= unstored  # otherwise a person was told
        self.assert_whole()
        # By force, what is not committed is thrown away: it is set aside, without a word if another
        # translation stands in its place.
        self.replaced |= self.texts(self.work.memories)
        self.git(self.work, "checkout", "-q", "--force", before)
        self.sync()


OPERATIONS: tuple[tuple[int, Callable[[Walk], None]], ...] = (
    (6, Walk.translate),
    (2, Walk.empty),
    (3, Walk.sync),
    (3, Walk.commit),
    (3, Walk.switch),
    (2, Walk.merge),
    (1, Walk.stash),
    (1, Walk.go_back),
    (1, Walk.upgrade),
    (1, Walk.forget),
    (2, Walk.translate_in_weblate),
    (1, Walk.merge_into_weblate),
    (1, Walk.visit_weblate),
    (1, Walk.take_along),
    (1, Walk.bring_back),
    (1, Walk.break_catalogue),
)


@pytest.mark.slow
@pytest.mark.parametrize("number", SEEDS)
def test_a_random_walk_loses_no_word(start: Clone, tmp_path: Path, number: int) -> None:
    work = start.copy(tmp_path / "project")
    work.git("worktree", "add", "-q", "../weblate", "weblate")
    weblate = Clone(work.root.with_name("weblate"))
    assert weblate.sync() == 0
    walk = Walk(work=work, weblate=weblate, chance=random.Random(number))
    weights, operations = zip(*OPERATIONS, strict=True)
    for operation in walk.chance.choices(operations, weights, k=STEPS):
        walk.path.append(operation.__name__)
        operation(walk)
        walk.assert_whole()
    assert walk.count
    # At the end all is stored, and a run has nothing more to do.
    walk.sync()
    before = read_tree(work.root / "translations")
    walk.sync()
    assert read_tree(work.root / "translations") == before
    assert walk.work.run("memory", "verify", NAME) == 0
