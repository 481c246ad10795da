"""Catalogues and memory that are damaged or edited in the wrong place.

Nothing that was stored once vanishes: it is in a catalogue, in the memory, or in the files that
keep what gave way. And no English that upstream never had stays behind.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection
from pathlib import Path

import pytest
from folders import read_tree, write_tree
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_project import FIRST, LOCALE, RELEASES, Project
from msgspec import Struct
from msgspec.structs import replace
from repositories import git, make_origin

from pipeline.adapters import po
from pipeline.core.memory.record import digest, redact
from pipeline.entries import Entry
from pipeline.errors import InputError
from pipeline.paths import Paths
from pipeline.stages.update.locale import Locale
from pipeline.stages.update.state import State

PAGES = ("guide", "intro/start", "faq")
# Long enough that the memory has ⟦1⟧ in place of the link.
LINK = "Read [what the bakers next door say about shoes](https://example.org/a-page-about-shoes).\n"
BROKEN = "The first line ends here,\\\nand the second one too.\n"
SOURCES = FIRST | {"faq.md": f"{FIRST['faq.md']}\n{LINK}\n{BROKEN}"}


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_origin(tmp_path_factory.mktemp("upstream") / "origin", {"v1": SOURCES})


def make_project(root: Path, origin: Path) -> Project:
    """A project whose catalogues are translated and stored, in a repository of its own."""
    root.mkdir()
    project = Project(root, str(origin))
    project.sync("v1")
    project.edit("faq", lambda entry: replace(entry, msgstr=faq(entry)))
    project.translate_all()
    project.sync("v1")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "translations/memory")
    git(root, "commit", "-qm", "Translate")
    return project


def faq(entry: Entry) -> str:
    if "bakers" in entry.msgid:
        return entry.msgid.replace("Read", "请读")
    return "第一行到此为止，\n第二行也是。" if "\n" in entry.msgid else ""


@pytest.fixture
def project(tmp_path: Path, origin: Path) -> Project:
    return make_project(tmp_path / "project", origin)


# Damage of any kind


class Damage(Struct, frozen=True):
    """One thing that is done to a file: what, where (as a part of its length), and how much."""

    kind: str
    start: float
    length: int = 1
    text: str = ""

    def apply(self, data: bytes) -> bytes:
        at = int(self.start * len(data))
        head, tail = data[:at], data[at:]
        lines = data.split(b"\n")
        row = int(self.start * len(lines))
        above, some = lines[:row], lines[row : row + self.length]
        below = lines[row + self.length :]
        match self.kind:
            case "flip":
                flipped = bytes(byte ^ (1 << self.length % 8) for byte in tail[:1])
                return head + flipped + tail[1:]
            case "cut":
                return head + tail[self.length :]
            case "insert":
                return head + self.text.encode() + tail
            case "end":
                return head
            case "cut lines":
                rows = [*above, *below]
            case "double lines":
                rows = [*above, *some, *some, *below]
            case _:
                size = self.length
                rows = [*above, *below[:size], *some, *below[size:]]
        return b"\n".join(rows)


KINDS = ("flip", "cut", "insert", "end", "cut lines", "double lines", "swap lines")
TEXTS = ('"', "\n", "\n\n", "#, fuzzy\n", "#~ ", "中", "x", "\\", '"\n"')
DAMAGES = st.builds(
    Damage,
    kind=st.sampled_from(KINDS),
    start=st.floats(0, 1, exclude_max=True),
    length=st.integers(1, 12),
    text=st.sampled_from(TEXTS),
)
FILES = st.tuples(st.sampled_from(("catalog", "memory")), st.sampled_from(PAGES))


class Stored:
    """A project that every example starts from, and how it looked then."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.synced = project.sync("v1")
        folders = ("translations", "build")
        self.files = {name: read_tree(project.root / name) for name in folders}
        entries = [one for page in PAGES for one in project.read(page).entries]
        self.translations = {entry.msgid: entry.msgstr for entry in entries}


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory, origin: Path) -> Stored:
    project = make_project(tmp_path_factory.mktemp("damaged") / "project", origin)
    stored = Stored(project)
    assert len(set(stored.translations.values())) == 12
    assert all(stored.translations.values())
    return stored


def missing(stored: Stored, *, is_broken: bool = False) -> list[str]:
    """The stored translations that are nowhere any more.

    They may be in catalogues, kept aside, or in the memory, there with the digest of the English.
    Of a file that cannot be read, and that waits for a person, every line counts: it ``is_broken``.
    """
    paths = stored.project.paths
    output = paths.output(LOCALE)
    there: set[tuple[str, str]] = set()
    broken = ""
    trees = (read_tree(output / name) for name in ("set-aside", "replaced"))
    for tree in (*stored.project.trees, *trees):
        for data in tree.values():
            try:
                catalog = po.read_catalog(data, where="").catalog
            except InputError:
                broken += data.decode("utf-8", "replace")
                continue
            there |= {(entry.msgid, entry.msgstr) for entry in catalog.entries}
    if is_broken:
        # What was there last is not forgotten until it can be compared again.
        broken += paths.memory_state(LOCALE).read_bytes().decode("unicode-escape")
    texts = {msgstr for _, msgstr in there}
    lost = []
    for english, msgstr in stored.translations.items():
        remembered = redact(msgstr, english)
        if msgstr in texts or (digest(english), remembered) in there:
            continue
        if not all(line in broken for line in remembered.split("\n")):
            lost.append(msgstr)
    return lost


# PIPELINE_DAMAGES sets how many are tried, if that shall be more than usual.
DEFAULT = settings.get_profile(settings.get_current_profile_name()).max_examples
MANY = int(os.environ.get("PIPELINE_DAMAGES", DEFAULT))


@settings(max_examples=MANY)
@given(done=st.lists(st.tuples(FILES, DAMAGES), min_size=1, max_size=4))
def test_whatever_happens_to_files_nothing_that_was_stored_vanishes(
    stored: Stored, done: list[tuple[tuple[str, str], Damage]]
) -> None:
    project = stored.project
    for folder, files in stored.files.items():
        write_tree(project.root / folder, files)
    assert missing(stored) == []
    for (kind, page), damage in done:
        path = project.catalog(page) if kind == "catalog" else project.memory(page)
        path.write_bytes(damage.apply(path.read_bytes()))
    for _ in range(2):
        # A second run has another state to start from.
        run = project.translate_pages(stored.synced.lock, stored.synced.pages)
        assert missing(stored, is_broken="input-error" in run.codes) == []


# Each kind on its smallest input


def edit_file(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")


def test_a_letter_changed_in_a_catalogue_leaves_the_stored_translation_beside(
    project: Project,
) -> None:
    stored = project.entry("guide", "Glue")
    edit_file(project.catalog("guide"), stored.msgstr, f"x{stored.msgstr}")
    assert project.sync("v1").codes == []
    assert project.entry("guide", "Glue").msgstr == f"x{stored.msgstr}"
    (kept,) = project.kept("replaced", "guide")
    assert (kept.context, kept.msgid) == ("replaced", stored.msgid)
    assert kept.msgstr == stored.msgstr
    # Nothing is added as long as nothing else is replaced, and then it is added below.
    project.sync("v1")
    assert project.kept("replaced", "guide") == (kept,)
    project.translate("guide", "Glue", "再改一次")
    project.sync("v1")
    first, second = project.kept("replaced", "guide")
    assert first.msgstr == kept.msgstr
    assert (second.context, second.msgstr) == ("replaced (2)", f"x{stored.msgstr}")
    # And when somebody puts the first one back, it is not kept twice.
    project.translate("guide", "Glue", stored.msgstr)
    project.sync("v1")
    project.translate("guide", "Glue", f"x{stored.msgstr}")
    project.sync("v1")
    assert len(project.kept("replaced", "guide")) == 3


def test_a_letter_changed_in_the_memory_keeps_the_stored_text(project: Project) -> None:
    stored = project.entry("guide", "Glue")
    edit_file(project.memory("guide"), stored.msgstr, f"x{stored.msgstr}")
    assert project.sync("v1").codes == []
    assert project.entry("guide", "Glue").msgstr == f"x{stored.msgstr}"
    (kept,) = project.kept("replaced", "guide")
    assert (kept.msgid, kept.msgstr) == (stored.msgid, stored.msgstr)


def test_an_edit_of_a_catalogue_whose_memory_is_removed(project: Project) -> None:
    stored = project.entry("guide", "Glue")
    project.translate("guide", "Glue", "新的")
    project.memory("guide").unlink()
    assert project.sync("v1").codes == []
    assert "新的" in project.text("guide")
    (kept,) = project.kept("replaced", "guide")
    assert kept.msgstr == stored.msgstr


def test_an_entry_cut_out_of_the_memory_comes_back(project: Project) -> None:
    before = project.memory("guide").read_bytes()
    blocks = before.split(b"\n\n")
    project.memory("guide").write_bytes(b"\n\n".join([*blocks[:2], *blocks[3:]]))
    assert project.sync("v1").codes == []
    assert project.memory("guide").read_bytes() == before


def test_lines_cut_through_two_entries_of_the_memory(project: Project) -> None:
    """The head of one entry with the end of another's msgstr is one entry with a wrong one."""
    texts = {entry.msgstr for entry in project.read("guide").entries}
    path = project.memory("guide")
    blocks = path.read_text("utf-8").split("\n\n")
    joined = blocks[1][: blocks[1].rindex("译文") + 3] + blocks[2][-4:]
    path.write_text("\n\n".join([blocks[0], joined, *blocks[3:]]), "utf-8")
    project.sync("v1")
    kept = {entry.msgstr for entry in project.kept("replaced", "guide")}
    assert texts <= {entry.msgstr for entry in project.read("guide").entries} | kept
    assert len(kept) == 1


def test_a_whole_memory_file_in_place_of_a_catalogue(project: Project) -> None:
    """Its digests are taken for English that was edited, and are put right."""
    before = project.catalog("guide").read_bytes()
    shutil.copy(project.memory("guide"), project.catalog("guide"))
    project.sync("v1")
    live = [entry for entry in project.read("guide").entries if not entry.obsolete]
    expected = po.read_catalog(before, where="").catalog.entries
    texts = [(entry.msgid, entry.msgstr) for entry in expected]
    assert [(entry.msgid, entry.msgstr) for entry in live] == texts


def test_a_damaged_file_of_what_gave_way_is_not_written_over(project: Project) -> None:
    path = project.paths.replaced(LOCALE, "guide")
    path.parent.mkdir(parents=True)
    path.write_text("<<<<<<< damaged\n", "utf-8")
    project.translate("guide", "Glue", "新的")
    project.sync("v1")
    assert path.read_text("utf-8") == "<<<<<<< damaged\n"
    assert len(project.kept("replaced", "guide.2")) == 1


# English that somebody has edited


def test_an_edited_msgid_is_put_back_and_leaves_no_trace(project: Project) -> None:
    before = project.trees
    edit_file(project.catalog("guide"), "Glue dries slowly", "Glue dries very slowly")
    line = project.entry("guide", "Glue").line
    (finding,) = project.sync("v1").findings("guide")
    assert finding.code == "english-edited"
    assert finding.where == f"translations/zh_CN/docs/guide.po:{line}"
    assert project.trees == before
    assert project.sync("v1").codes == []
    project.clone()
    assert project.sync("v1").codes == []
    assert project.verify() == ()


def test_a_translation_of_an_edited_msgid_waits_for_a_person(project: Project) -> None:
    stored = project.entry("guide", "Glue")
    edit_file(project.catalog("guide"), "Glue dries slowly", "Glue dries very slowly")
    edit_file(project.catalog("guide"), stored.msgstr, "胶水干得很慢")
    assert project.sync("v1").codes == ["english-edited"]
    entry = project.entry("guide", "Glue")
    assert (entry.msgid, entry.msgstr) == (stored.msgid, "胶水干得很慢")
    assert (entry.fuzzy, entry.previous) == (True, stored.msgid)
    assert "edited here" in entry.notes[-1]
    (kept,) = project.kept("replaced", "guide")
    assert kept.msgstr == stored.msgstr
    project.clone()
    assert project.sync("v1").codes == []
    assert project.entry("guide", "Glue") == entry
    assert project.verify() == ()


def test_english_that_upstream_never_had_is_a_note(project: Project) -> None:
    stranger = Entry(msgid="A message of somebody's own.", msgstr="自己加的")
    project.rewrite("guide", entries=(*project.read("guide").entries, stranger))
    assert project.sync("v1").codes == []
    assert "自己加的" in project.text("guide")
    project.clone()
    (finding,) = project.sync("v1").findings("guide")
    assert (finding.code, finding.severity) == ("memory-without-english", "note")
    assert "自己加的" in project.text("guide")
    assert [finding.severity for finding in project.verify()] == ["note"]


# Runs that are killed.


def results(project: Project) -> dict[str, bytes]:
    state = project.paths.memory_state(LOCALE).read_bytes()
    return {**read_tree(project.root / "translations"), "state": state}


@pytest.fixture(scope="module")
def long_origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    renamed = FIRST | {"moved/manual.md": FIRST["guide.md"]}
    del renamed["guide.md"]
    folder = tmp_path_factory.mktemp("upstream") / "origin"
    return make_origin(folder, RELEASES | {"v4": renamed})


def test_a_run_killed_between_two_memory_files_can_be_repeated(tmp_path: Path) -> None:
    """An edited copy of a paragraph is on another page.

    The paragraph stays on a page that changes elsewhere.
    """
    text = next(line for line in FIRST["guide.md"].split("\n") if "Glue" in line)
    copied = {
        "copy.md": f"# A copy\n\n{text.replace('winter', 'a cold winter')}\n",
        "guide.md": f"{FIRST['guide.md']}\nThis is new.\n",
    }
    url = str(make_origin(tmp_path / "origin", {"v1": FIRST, "v2": FIRST | copied}))
    ready = Project(tmp_path / "ready", url).begin()
    whole = ready.copy(tmp_path / "whole")
    whole.sync("v2")
    assert whole.entry("copy", "Glue").fuzzy
    for path in read_tree(whole.paths.memories(LOCALE)):
        one = whole.copy(tmp_path / path)
        one.take_memory(ready)
        shutil.copy(ready.paths.memory_state(LOCALE), one.paths.memory_state(LOCALE))
        target = one.paths.memories(LOCALE) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((whole.paths.memories(LOCALE) / path).read_bytes())
        one.sync("v2")
        assert results(one) == results(whole), path


class Killed(BaseException):
    """Ends a run at a known point, as a kill does."""


def kill_before_removal(patch: pytest.MonkeyPatch) -> None:
    def remove(locale: Locale, pages: Collection[str]) -> None:
        raise Killed

    patch.setattr(Locale, "remove_memories", remove)


def kill_after_removal(patch: pytest.MonkeyPatch) -> None:
    real = Locale.remove_memories

    def remove(locale: Locale, pages: Collection[str]) -> None:
        real(locale, pages)
        raise Killed

    patch.setattr(Locale, "remove_memories", remove)


def kill_before_state(monkeypatch: pytest.MonkeyPatch) -> None:
    write = State.write

    def write_or_die(state: State, paths: Paths, locale: str, *, dry: bool) -> None:
        # Only the state without the moved page is written after the removal is decided.
        if "guide" not in state.pages:
            raise Killed
        write(state, paths, locale, dry=dry)

    monkeypatch.setattr(State, "write", write_or_die)


@pytest.mark.parametrize("kill", [kill_before_removal, kill_after_removal, kill_before_state])
def test_run_killed_while_it_removes_the_memory_of_a_moved_page(
    long_origin: Path, tmp_path: Path, kill: Callable[[pytest.MonkeyPatch], None]
) -> None:
    ready = Project(tmp_path / "ready", str(long_origin)).begin()
    whole, killed = (ready.copy(tmp_path / name) for name in ("whole", "cut"))
    whole.sync("v4")
    assert not whole.memory("guide").exists()
    with pytest.MonkeyPatch.context() as patch:
        kill(patch)
        with pytest.raises(Killed):
            killed.sync("v4")
    assert killed.sync("v4").codes == whole.sync("v4").codes
    assert results(killed) == results(whole)
    assert not (killed.paths.output(LOCALE) / "set-aside").exists()
