"""pull: the checkout and the lock, from every kind of upstream, through failures and kills."""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Callable
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from folders import read_tree, write_tree
from msgspec import structs
from msgspec.structs import replace
from repositories import DOCS, commit_release, git, init_repository
from runs import run_of

from pipeline.adapters.files import WriteError
from pipeline.adapters.upstream.repository import TreeEntry
from pipeline.config.settings import Settings, Upstream
from pipeline.core.pin.lock import Lock, blob_id, pages_of, parse_lock
from pipeline.errors import ConfigError, InputError, UpstreamError
from pipeline.folders import WHOLE, Folders
from pipeline.log import Log
from pipeline.stages.pull.selection import select_files
from pipeline.stages.pull.stage import pull, read_pulled

FIRST = {
    "a.md": b"# A\n",
    "deep/b.ipynb": b"{}",
    "deep/b.md": b"# B\r\n",
    "img/x.png": bytes(range(256)),
    "gone.md": b"# Gone\n",
}
SECOND = {**FIRST, "a.md": b"# A, second\n", "new/c.md": b"# C\n"}
del SECOND["gone.md"]


def times(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*")}


class Place:
    """A project below a folder; beside it lies an upstream, made when it is asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.settings = Settings(root=folder / "project", locales=("zh_CN",), upstreams={})
        self.settings.root.mkdir()
        self.docs = self.settings.root / "upstream" / "x"
        self.output = io.StringIO()
        self.log = Log(stream=self.output, environ={})

    @cached_property
    def origin(self) -> Path:
        """A repository with annotated tags v1 and v2 of the two trees above, in ``docs``."""
        folder = init_repository(self.folder / "origin")
        for tag, files in {"v1": FIRST, "v2": SECOND}.items():
            in_docs = {f"docs/{path}": data for path, data in files.items()}
            commit_release(folder, tag, in_docs, annotated=True)
        return folder

    @property
    def lock(self) -> Path:
        return self.docs.with_name("x.lock")

    @property
    def said(self) -> str:
        return self.output.getvalue()

    def at(self, ref: str = "v2", **fields: Any) -> Upstream:
        return structs.replace(upstream_of(self.origin, ref), **fields)

    def commit(self, message: str, *options: str) -> None:
        """Commit all changes of the upstream."""
        git(self.origin, "add", "-A")
        git(self.origin, "commit", "-qm", message, *options)

    def pull(
        self,
        upstream: Upstream | None = None,
        *,
        ref: str | None = None,
        dry: bool = False,
    ) -> Lock:
        run = run_of(self.settings, upstream or self.at(), log=self.log, dry=dry)
        return pull(run, ref=ref)

    def read(self, upstream: Upstream | None = None) -> Lock:
        return read_pulled(run_of(self.settings, upstream or self.at()))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def upstream_of(url: object, ref: str = "v2", docs: Folders = DOCS) -> Upstream:
    return Upstream(package="JAX", version="0.10.2", name="x", url=str(url), ref=ref, docs=docs)


@pytest.fixture(params=["url", "bundle", "local", "bare"])
def upstream(request: pytest.FixtureRequest, place: Place) -> Upstream:
    origin = place.origin
    git(origin, "bundle", "create", "../x.bundle", "--all")
    git(origin, "clone", "-q", "--bare", ".", "../bare.git")
    beside = origin.parent
    urls = {
        "url": f"file://{origin}",
        "bundle": beside / "x.bundle",
        "local": origin,
        "bare": beside / "bare.git",
    }
    return upstream_of(urls[request.param])


@pytest.mark.slow
def test_pull_writes_the_docs_and_the_lock(upstream: Upstream, place: Place) -> None:
    lock = place.pull(upstream)
    assert read_tree(place.docs) == SECOND
    blobs = {path: blob_id(data) for path, data in SECOND.items()}
    assert {file.path: file.blob for file in lock.files} == blobs
    commit = git(place.origin, "rev-parse", "v2^{commit}")
    assert (lock.ref, lock.commit, lock.docs) == ("v2", commit, DOCS)
    assert (lock.date, lock.version) == ("2026-01-02T03:04:05+08:00", "0.10.2")
    assert parse_lock(place.lock.read_bytes(), where="") == lock == place.read(upstream)


def test_a_second_pull_writes_nothing(upstream: Upstream, place: Place) -> None:
    first = place.pull(upstream)
    before = times(place.settings.root)
    assert place.pull(upstream) == first
    assert times(place.settings.root) == before
    assert "nothing to write" in place.said


def test_another_ref_replaces_the_tree(upstream: Upstream, place: Place) -> None:
    place.pull(upstream)
    lock = place.pull(upstream, ref="v1")
    assert read_tree(place.docs) == FIRST
    assert not (place.docs / "new").exists()
    assert lock.ref == "v1"
    assert sorted(path.name for path in place.docs.parent.iterdir()) == ["x", "x.lock"]


def test_dry_writes_no_file_of_the_project(upstream: Upstream, place: Place) -> None:
    lock = place.pull(upstream, dry=True)
    assert not (place.settings.root / "upstream").exists()
    assert place.pull(upstream) == lock


def test_a_full_commit_that_is_checked_out_needs_no_upstream(place: Place) -> None:
    commit = git(place.origin, "rev-parse", "main")
    upstream = upstream_of(f"file://{place.origin}", ref=commit)
    lock = place.pull(upstream)
    place.origin.rename(place.origin.with_name("away"))
    shutil.rmtree(place.settings.root / "build")
    assert place.pull(upstream) == lock


def test_an_edited_file_is_restored_and_a_strange_one_removed(place: Place) -> None:
    place.pull()
    (place.docs / "a.md").write_text("mine")
    (place.docs / "deep" / "b.md").unlink()
    (place.docs / "notes.md").write_text("mine too")
    with pytest.raises(UpstreamError, match=r"a\.md, deep/b\.md") as caught:
        place.read()
    assert caught.value.hint == "Run: nox -s pull -- x"
    place.pull()
    assert read_tree(place.docs) == SECOND
    assert "edits made by hand since the last pull are undone: a.md\n" in place.said
    assert "removed files that are not upstream's: notes.md" in place.said


def test_files_of_another_branch_were_edited_by_nobody(place: Place) -> None:
    """Git has checked out another lock; the docs are ignored, and those of the last pull."""
    place.pull(place.at("v1"))
    first = place.lock.read_bytes()
    place.pull()
    place.lock.write_bytes(first)
    (place.docs / "deep" / "b.md").write_text("mine")
    place.pull(place.at("v1"))
    assert read_tree(place.docs) == FIRST
    assert "checkout had the docs of v2; those of v1 replace them\n" in place.said
    assert "hand since the last pull are undone: deep/b.md\n" in place.said
    assert "not upstream's" not in place.said


def test_a_filtered_copy_with_other_commits_is_no_source_of_locks(place: Place) -> None:
    there = place.pull().commit
    (place.origin / "docs/a.md").unlink()
    place.commit("filtered", "--amend")
    git(place.origin, "tag", "-f", "v2")
    copy = place.at(url_replaced=True, configured_url=str(place.origin))
    here = place.pull(copy).commit
    assert (
        f"v2 is {here[:7]} in this upstream, and was {there[:7]} in the lock "
        "(files that are missing here: 1): do not commit"
    ) in place.said


def test_a_release_whose_tag_upstream_has_moved_is_named(place: Place) -> None:
    released = place.at(version="2")
    place.pull(released)
    assert "moved" not in place.said
    place.commit("again", "--allow-empty")
    git(place.origin, "tag", "-f", "v2")
    # A branch moves all the time, and so does a tag that is no release.
    moved = place.pull().commit
    assert "moved" not in place.said
    place.commit("once more", "--allow-empty")
    git(place.origin, "tag", "-f", "v2")
    new = place.pull(released).commit
    assert f"moved v2 from {moved[:7]} to {new[:7]}: the translations" in place.said


def test_hidden_files_are_no_docs(place: Place) -> None:
    names = ("a.md", ".b.md", ".hidden/c.md", "d/.e/f.md", "__pycache__/g.md")
    entries = [TreeEntry(mode="100644", blob="0" * 40, path=name) for name in names]
    accepted = select_files(entries, place.log, where="here")
    assert [file.path for file in accepted.files] == ["a.md"]
    assert accepted.refused == ()


def test_files_without_end_are_refused(place: Place) -> None:
    entries = (TreeEntry(mode="100644", blob="0" * 40, path=f"{n}.md") for n in count())
    with pytest.raises(InputError, match="has 50,001 files; at most 50,000") as caught:
        select_files(entries, place.log, where="here")
    assert caught.value.where == "here"


def test_a_new_pin_of_jax_changes_the_lock_only(place: Place) -> None:
    place.pull()
    before = times(place.docs)
    bumped = place.at(version="0.11.0")
    with pytest.raises(UpstreamError, match=r"for JAX 0\.10\.2.* pins JAX 0\.11\.0"):
        place.read(bumped)
    assert place.pull(bumped).version == "0.11.0"
    assert times(place.docs) == before


def test_a_spoilt_lock_is_written_anew_by_pull_but_stops_a_build(place: Place) -> None:
    lock = place.pull()
    place.lock.write_text("<<<<<<< ours\n")
    with pytest.raises(InputError, match="is not a lock"):
        place.read()
    assert place.pull() == lock
    assert "warning:" in place.said


def test_building_before_the_first_pull_says_what_to_do(place: Place) -> None:
    with pytest.raises(UpstreamError, match="nothing has been pulled yet") as caught:
        place.read(upstream_of("nowhere"))
    assert caught.value.hint == "Run: nox -s pull -- x"


FAILURES: tuple[tuple[dict[str, Any], str], ...] = (
    ({"ref": "v3"}, "'v2'"),
    ({"docs": Folders(("doc",))}, "docs"),
    ({"docs": Folders(("docs", "notes"))}, "has no folder 'notes'"),
    ({"url": "http://127.0.0.1:9/x"}, "cannot be reached"),
    ({"url": "ext::sh -c true"}, "refused"),
    ({"url": "no/such/folder"}, "does not exist"),
)


@pytest.mark.slow
@pytest.mark.parametrize(("change", "text"), FAILURES)
def test_when_upstream_fails_the_old_checkout_stays(
    change: dict[str, Any], text: str, place: Place
) -> None:
    good = upstream_of(f"file://{place.origin}", ref="v1")
    lock = place.pull(good)
    with pytest.raises(UpstreamError) as caught:
        wrong = structs.replace(upstream_of(good.url), **change)
        place.pull(wrong)
    assert text in str(caught.value)
    assert place.read(good) == lock


TWO = Folders(("docs", "more/examples"))
TREES = {
    "docs/index.md": b"# Index\n",
    "docs/deep/a.md": b"# A\n",
    "more/examples/b.ipynb": b"{}",
    "more/examples/img/x.png": bytes(range(256)),
}
BESIDE = {"setup.md": b"# No page\n", "more/c.md": b"# None either\n"}


def test_several_folders_are_pulled_as_one_tree(place: Place) -> None:
    origin = init_repository(place.settings.root.parent / "two")
    commit_release(origin, "v2", {**TREES, **BESIDE})
    (origin / "docs" / "new.md").write_text("# Not committed\n")
    locks = []
    for url in (f"file://{origin}", origin):
        upstream = upstream_of(url, docs=TWO)
        lock = place.pull(upstream)
        assert read_tree(place.docs) == TREES
        assert [file.path for file in lock.files] == sorted(TREES)
        assert lock.docs == TWO
        assert place.read(upstream) == lock
        before = times(place.docs)
        assert place.pull(upstream) == lock
        assert times(place.docs) == before
        locks.append(replace(lock, url=""))
    assert locks[0] == locks[1]
    # Other folders are pulled anew, though the commit is the same.
    alone = upstream_of(origin, docs=DOCS)
    with pytest.raises(UpstreamError) as caught:
        place.read(alone)
    what = "is of the folders docs, more/examples, but the configuration says docs"
    assert caught.value.what == what
    place.pull(alone)
    assert sorted(read_tree(place.docs)) == ["deep/a.md", "index.md"]
    assert "warning" not in place.said


def test_several_folders_of_a_plain_folder(place: Place) -> None:
    folder = place.settings.root.parent / "plain"
    write_tree(folder, {**TREES, **BESIDE})
    upstream = upstream_of(folder, ref="", docs=TWO)
    lock = place.pull(upstream)
    assert read_tree(place.docs) == TREES
    assert [file.path for file in lock.files] == sorted(TREES)
    (folder / "more/examples/b.ipynb").write_text("[]")
    assert place.pull(upstream).commit != lock.commit
    shutil.rmtree(folder / "more" / "examples")
    with pytest.raises(UpstreamError, match="has no folder 'more/examples'") as caught:
        place.pull(upstream)
    assert "Folders there: docs, more." in caught.value.hint
    assert place.read(upstream).docs == TWO


def test_none_of_several_folders_may_hold_the_checkout(place: Place) -> None:
    write_tree(place.settings.root, {"docs/a.md": b"# A\n", "upstream/b.md": b"# B\n"})
    inside = upstream_of(".", ref="", docs=Folders(("docs", "upstream")))
    with pytest.raises(ConfigError, match="overlap"):
        place.pull(inside)


def test_jax_out_of_reach_names_the_ways_out(place: Place) -> None:
    upstream = structs.replace(upstream_of("http://127.0.0.1:9/jax"), name="jax")
    place.settings = replace(place.settings, upstreams={"sample": upstream_of("x")})
    with pytest.raises(UpstreamError) as caught:
        place.pull(upstream)
    assert "JAX_DOCS_UPSTREAM" in caught.value.hint
    assert "nox -s sync -- sample" in caught.value.hint


def test_links_and_submodules_are_left_out_with_a_warning(place: Place) -> None:
    (place.origin / "docs" / "out.md").symlink_to("/etc/passwd")
    (place.origin / "docs" / "folder").symlink_to("../..")
    submodule = f"160000,{'1' * 40},docs/sub"
    git(place.origin, "update-index", "--add", "--cacheinfo", submodule)
    git(place.origin, "add", "docs/out.md", "docs/folder")
    git(place.origin, "commit", "-qm", "links")
    lock = place.pull(place.at("main"))
    assert read_tree(place.docs) == SECOND
    assert {file.path for file in lock.files} == SECOND.keys()
    for line in (
        "out.md: a symbolic link",
        "folder: a symbolic link",
        "sub: a submodule",
    ):
        assert line in place.said


def test_a_pointer_of_git_lfs_is_named(place: Place) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 5\n"
    (place.origin / "docs" / "a.png").write_text(pointer)
    place.commit("image")
    place.pull(place.at("main"))
    assert "not in the repository: a.png" in place.said


def commit_tree(origin: Path, names: list[bytes]) -> None:
    """Commit a docs folder with ``names`` that git would not let into an index."""
    blob = git(origin, "rev-parse", "main:docs/a.md")
    end = b"\0" + bytes.fromhex(blob)
    (origin / "tree").write_bytes(b"".join(b"100644 " + name + end for name in names))
    tree = git(origin, "hash-object", "-t", "tree", "-w", "--literally", "tree")
    (origin / "tree").write_bytes(b"40000 docs\0" + bytes.fromhex(tree))
    root = git(origin, "hash-object", "-t", "tree", "-w", "--literally", "tree")
    commit = git(origin, "commit-tree", root, "-m", "odd")
    git(origin, "update-ref", "refs/heads/odd", commit)


# The finding about each is looked at in "test_pull_names".
@pytest.mark.parametrize("name", [b"..", b".git"])
def test_paths_that_leave_the_docs_are_left_out(name: bytes, place: Place) -> None:
    commit_tree(place.origin, [name, b"ok.md"])
    lock = place.pull(place.at("odd"))
    assert list(read_tree(place.docs)) == ["ok.md"]
    # What is hidden is no document, and nobody misses it.
    assert len(lock.refused) == (name != b".git")


def test_a_plain_folder_is_copied_without_junk_and_links(tmp_path: Path, place: Place) -> None:
    docs, upstream = tmp_path / "plain/docs", upstream_of(tmp_path / "plain", ref="")
    junk = (".ipynb_checkpoints/a.md", "__pycache__/x.pyc", ".hidden")
    write_tree(docs, FIRST | dict.fromkeys(junk, b""))
    write_tree(tmp_path / "secrets", {"secret.md": "# Secret\n"})
    (docs / "b.md").symlink_to(tmp_path / "secrets" / "secret.md")
    (docs / "c.md").symlink_to("b.md")
    (docs / "circle").symlink_to("circle")
    (docs / "out").symlink_to(tmp_path / "secrets")
    os.mkfifo(docs / "pipe")
    lock = place.pull(upstream)
    assert read_tree(place.docs) == FIRST
    assert (len(lock.commit), lock.date) == (40, "")
    assert "out: a symbolic link" in place.said
    before = times(place.settings.root)
    assert place.pull(upstream) == lock
    assert times(place.settings.root) == before
    (docs / "a.md").write_text("other")
    assert place.pull(upstream).commit != lock.commit
    assert (place.docs / "a.md").read_text() == "other"


@pytest.mark.parametrize("name", ["docs", "a/docs"])
@pytest.mark.parametrize("target", ["secrets", "chain"])
def test_a_plain_folder_that_is_a_link_out_is_refused(
    name: str, target: str, tmp_path: Path, place: Place
) -> None:
    write_tree(tmp_path / "secrets", {"secret.md": "# Secret\n"})
    (tmp_path / "chain").symlink_to(tmp_path / "secrets")
    link = tmp_path / "plain" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / target)
    upstream = upstream_of(tmp_path / "plain", ref="", docs=Folders((name,)))
    with pytest.raises(UpstreamError, match="as a link to a folder elsewhere"):
        place.pull(upstream)
    assert not list(place.settings.root.rglob("secret*"))


def test_a_link_within_the_upstream_is_followed(tmp_path: Path, place: Place) -> None:
    write_tree(tmp_path / "plain", {"text/a.md": "# A\n"})
    (tmp_path / "plain" / "docs").symlink_to("text")
    place.pull(upstream_of(tmp_path / "plain", ref=""))
    assert list(read_tree(place.docs)) == ["a.md"]


@pytest.mark.parametrize("in_git", [False, True])
def test_the_sample_is_its_own_checkout(place: Place, *, in_git: bool) -> None:
    if in_git:
        git(place.settings.root, "init", "-q")
    write_tree(place.docs, FIRST)
    before = times(place.docs)
    upstream = upstream_of("upstream/x", ref="", docs=WHOLE)
    lock = place.pull(upstream)
    assert times(place.docs) == before
    assert [file.path for file in lock.files] == sorted(FIRST)
    assert (lock.url, lock.date) == ("upstream/x", "")
    assert place.read(upstream) == lock
    (place.docs / "a.md").write_text("edited, as one may")
    assert place.pull(upstream).commit != lock.commit
    assert (place.docs / "a.md").read_text() == "edited, as one may"


@pytest.mark.parametrize("url", ["upstream/x/deep", "upstream", "."])
def test_a_folder_is_not_copied_into_or_over_itself(url: str, place: Place) -> None:
    write_tree(place.docs, FIRST)
    with pytest.raises(ConfigError, match="overlap"):
        place.pull(upstream_of(url, ref="", docs=WHOLE))
    assert read_tree(place.docs) == FIRST


def test_a_clone_in_the_place_of_the_checkout_is_not_overwritten(place: Place) -> None:
    git(place.origin, "clone", "-q", ".", str(place.docs))
    with pytest.raises(ConfigError, match="overlap"):
        place.pull(upstream_of("upstream/x"))
    assert (place.docs / ".git").is_dir()


def test_the_lock_has_no_path_of_this_machine_and_no_password(place: Place) -> None:
    url = "https://me:secret@example.org/x"
    replaced = place.at(url_replaced=True, configured_url=url)
    assert place.pull(replaced).url == "https://example.org/x"
    assert str(place.origin.parent) not in place.lock.read_text()
    write_tree(place.settings.root / "here", FIRST)
    inside = upstream_of(place.settings.root / "here", ref="", docs=WHOLE)
    assert place.pull(inside).url == "here"


def test_a_file_in_the_way_of_the_checkout_is_told_and_kept(place: Place) -> None:
    place.docs.parent.mkdir()
    place.docs.write_text("mine")
    with pytest.raises(WriteError) as caught:
        place.pull()
    assert caught.value.where
    assert place.docs.read_text() == "mine"
    assert [path.name for path in place.docs.parent.iterdir()] == ["x"]


@pytest.mark.slow
@pytest.mark.parametrize("small_folder", ["upstream", "build/cache"])
def test_a_disk_that_really_is_full_is_named(place: Place, small_folder: str) -> None:
    old = place.pull(place.at("v1"))
    (place.origin / "docs" / "large.bin").write_bytes(os.urandom(1_000_000))
    place.commit("large")
    small = place.settings.root / small_folder
    small.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(small)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("only root may mount a small disk")
    try:
        if small_folder == "upstream":
            place.pull(place.at("v1"))
        with pytest.raises(WriteError) as caught:
            place.pull(upstream_of(f"file://{place.origin}", ref="main"))
        assert "No space left on device" in caught.value.what
        assert "Free some space" in caught.value.hint
        assert place.read() == old
        assert read_tree(place.docs) == FIRST
    finally:
        subprocess.run(["umount", small], check=True)


def killed_at(step: int, work: Callable[[], object]) -> bool:
    """Run ``work`` in a process that kills itself at the ``step``-th change of files."""
    child = os.fork()
    if child == 0:
        left = iter(range(step))

        def counted(change: Callable[..., object]) -> Callable[..., object]:
            def count(*arguments: object, **options: object) -> object:
                if next(left, None) is None:
                    os.kill(os.getpid(), signal.SIGKILL)
                return change(*arguments, **options)

            return count

        changes = {Path: "write_bytes mkdir", os: "replace rmdir unlink"}
        for owner, names in changes.items():
            for name in names.split():
                setattr(owner, name, counted(getattr(owner, name)))
        try:
            work()
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def left_in(folder: Path) -> set[str]:
    """The files of a folder, without temporary ones, which the run lock of a command removes."""
    return {path.name for path in folder.iterdir() if path.suffix != ".tmp"}


@pytest.mark.slow
def test_a_killed_pull_leaves_one_whole_tree(tmp_path: Path, place: Place) -> None:
    write_tree(tmp_path / "v1" / "docs", FIRST)
    write_tree(tmp_path / "v2" / "docs", SECOND)
    first, second = (upstream_of(tmp_path / name, ref="") for name in ("v1", "v2"))
    old, new = place.pull(first), place.pull(second, dry=True)
    seen = set()
    for step in range(100):
        killed = killed_at(step, lambda: place.pull(second))
        if step % 2:  # pull mends what it finds, without a build before it
            assert place.pull(first).commit == old.commit
            assert left_in(place.docs.parent) == {"x", "x.lock"}
        lock = place.read(first)
        seen.add(lock.commit)
        there = read_tree(place.docs)
        assert all(blob_id(there[file.path]) == file.blob for file in lock.files)
        assert lock.commit in (old.commit, new.commit)
        assert place.pull(second).commit == new.commit
        assert read_tree(place.docs) == SECOND
        assert left_in(place.docs.parent) == {"x", "x.lock"}
        if not killed:
            break
        place.pull(first)
    assert not killed
    assert step > 15
    assert seen == {old.commit, new.commit}


@pytest.mark.realdocs
def test_the_real_docs_are_pulled_whole(jax_docs_upstream: str, place: Place) -> None:
    upstream = structs.replace(
        upstream_of(jax_docs_upstream, "jax-v0.10.2"),
        name="jax",
        url_replaced=True,
        configured_url="configured",
    )
    lock = place.pull(upstream)
    counts = Counter(file.path.rpartition(".")[2] for file in lock.files)
    assert (counts["ipynb"], counts["md"], counts["rst"]) == (31, 113, 81)
    # With the change log, which lies outside the docs folder.
    assert len(pages_of(lock.files)) == 114 + 81
    assert place.read(upstream) == lock
    before = times(place.settings.root / "upstream")
    assert place.pull(upstream) == lock
    assert times(place.settings.root / "upstream") == before
