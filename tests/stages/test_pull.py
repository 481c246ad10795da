"""pull: the checkout and the lock, from every kind of upstream, through failures and kills."""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from folders import read_tree, write_tree
from msgspec import structs
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


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    """A repository with annotated tags v1 and v2 of the two trees above, in folder ``docs``."""
    folder = init_repository(tmp_path / "origin")
    for tag, files in {"v1": FIRST, "v2": SECOND}.items():
        in_docs = {f"docs/{path}": data for path, data in files.items()}
        commit_release(folder, tag, in_docs, annotated=True)
    return folder


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "project").mkdir()
    return Settings(
        root=tmp_path / "project",
        locales=("zh_CN",),
        upstreams={},
    )


@pytest.fixture
def docs(settings: Settings) -> Path:
    return settings.root / "upstream" / "x"


@pytest.fixture
def output() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def log(output: io.StringIO) -> Log:
    return Log(stream=output, environ={})


def upstream_of(url: object, ref: str = "v2", docs: Folders = DOCS) -> Upstream:
    return Upstream(
        package="JAX", version="0.10.2", name="x", url=str(url), ref=ref, docs=docs
    )


@pytest.fixture(params=["url", "bundle", "local", "bare"])
def upstream(request: pytest.FixtureRequest, origin: Path) -> Upstream:
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
def test_pull_writes_the_docs_folder_and_the_lock(
    settings: Settings, upstream: Upstream, docs: Path, log: Log, origin: Path
) -> None:
    lock = pull(run_of(settings, upstream, log=log))
    assert read_tree(docs) == SECOND
    assert {file.path: file.blob for file in lock.files} == {
        path: blob_id(data) for path, data in SECOND.items()
    }
    assert (lock.ref, lock.commit) == ("v2", git(origin, "rev-parse", "v2^{commit}"))
    assert (lock.date, lock.version, lock.docs) == (
        "2026-01-02T03:04:05+08:00",
        "0.10.2",
        DOCS,
    )
    assert (
        parse_lock((settings.root / "upstream" / "x.lock").read_bytes(), where="")
        == lock
        == read_pulled(run_of(settings, upstream))
    )


def test_a_second_pull_writes_nothing(
    settings: Settings, upstream: Upstream, log: Log, output: io.StringIO
) -> None:
    first = pull(run_of(settings, upstream, log=log))
    before = times(settings.root)
    assert pull(run_of(settings, upstream, log=log)) == first
    assert times(settings.root) == before
    assert "nothing to write" in output.getvalue()


def test_another_ref_replaces_the_tree(
    settings: Settings, upstream: Upstream, docs: Path, log: Log
) -> None:
    pull(run_of(settings, upstream, log=log))
    lock = pull(run_of(settings, upstream, log=log), ref="v1")
    assert read_tree(docs) == FIRST
    assert not (docs / "new").exists()
    assert lock.ref == "v1"
    assert sorted(path.name for path in docs.parent.iterdir()) == ["x", "x.lock"]


def test_dry_writes_no_file_of_the_project(
    settings: Settings, upstream: Upstream, log: Log
) -> None:
    lock = pull(run_of(settings, upstream, log=log, dry=True))
    assert not (settings.root / "upstream").exists()
    assert pull(run_of(settings, upstream, log=log)) == lock


def test_a_full_commit_that_is_checked_out_needs_no_upstream(
    settings: Settings, origin: Path, log: Log
) -> None:
    upstream = upstream_of(f"file://{origin}", ref=git(origin, "rev-parse", "main"))
    lock = pull(run_of(settings, upstream, log=log))
    origin.rename(origin.with_name("away"))
    shutil.rmtree(settings.root / "build")
    assert pull(run_of(settings, upstream, log=log)) == lock


def test_an_edited_file_is_restored_and_a_strange_one_removed(
    settings: Settings, origin: Path, docs: Path, log: Log, output: io.StringIO
) -> None:
    pull(run_of(settings, upstream_of(origin), log=log))
    (docs / "a.md").write_text("mine")
    (docs / "deep" / "b.md").unlink()
    (docs / "notes.md").write_text("mine too")
    with pytest.raises(UpstreamError, match=r"a\.md, deep/b\.md") as caught:
        read_pulled(run_of(settings, upstream_of(origin)))
    assert caught.value.hint == "Run: nox -s pull -- x"
    pull(run_of(settings, upstream_of(origin), log=log))
    assert read_tree(docs) == SECOND
    assert (
        "edits made by hand since the last pull are undone: a.md\n" in output.getvalue()
    )
    assert "removed files that are not upstream's: notes.md" in output.getvalue()


def test_files_of_another_branch_were_edited_by_nobody(
    settings: Settings, origin: Path, docs: Path, log: Log, output: io.StringIO
) -> None:
    """Git has checked out another lock; the docs are ignored, and those of the last pull."""
    lock = settings.root / "upstream" / "x.lock"
    pull(run_of(settings, upstream_of(origin, ref="v1"), log=log))
    first = lock.read_bytes()
    pull(run_of(settings, upstream_of(origin), log=log))
    lock.write_bytes(first)
    (docs / "deep" / "b.md").write_text("mine")
    pull(run_of(settings, upstream_of(origin, ref="v1"), log=log))
    assert read_tree(docs) == FIRST
    assert (
        "the checkout had the docs of v2; those of v1 replace them\n"
        in output.getvalue()
    )
    assert (
        "made by hand since the last pull are undone: deep/b.md\n" in output.getvalue()
    )
    assert "not upstream's" not in output.getvalue()


def test_a_filtered_copy_with_other_commits_is_no_source_of_locks(
    settings: Settings, origin: Path, log: Log, output: io.StringIO
) -> None:
    there = pull(run_of(settings, upstream_of(origin), log=log)).commit
    git(origin, "rm", "-q", "docs/a.md")
    git(origin, "commit", "-q", "--amend", "--message=filtered")
    git(origin, "tag", "-f", "v2")
    copy = structs.replace(
        upstream_of(origin), url_replaced=True, configured_url=str(origin)
    )
    here = pull(run_of(settings, copy, log=log)).commit
    assert (
        f"v2 is {here[:7]} in this upstream, and was {there[:7]} in the lock "
        "(files that are missing here: 1): do not commit"
    ) in output.getvalue()


def test_a_release_whose_tag_upstream_has_moved_is_named(
    settings: Settings, origin: Path, log: Log, output: io.StringIO
) -> None:
    released = structs.replace(upstream_of(origin), version="2")
    pull(run_of(settings, released, log=log))
    assert "moved" not in output.getvalue()
    git(origin, "commit", "-q", "--allow-empty", "--message=again")
    git(origin, "tag", "-f", "v2")
    # A branch moves all the time, and so does a tag that is no release.
    moved = pull(run_of(settings, upstream_of(origin), log=log)).commit
    assert "moved" not in output.getvalue()
    git(origin, "commit", "-q", "--allow-empty", "--message=once more")
    git(origin, "tag", "-f", "v2")
    new = pull(run_of(settings, released, log=log)).commit
    assert (
        f"moved v2 from {moved[:7]} to {new[:7]}: the translations" in output.getvalue()
    )


def test_hidden_files_are_no_docs_whatever_they_come_from(
    settings: Settings, tmp_path: Path, docs: Path, log: Log
) -> None:
    folder = tmp_path / "plain"
    names = ("a.md", ".b.md", ".hidden/c.md", "d/.e/f.md", "__pycache__/g.md")
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("# Words\n")
    plain = Upstream(package="JAX", version="0.10.2", name="x", url=str(folder))
    assert [file.path for file in pull(run_of(settings, plain, log=log)).files] == [
        "a.md"
    ]
    entries = [TreeEntry(mode="100644", blob="0" * 40, path=name) for name in names]
    accepted = select_files(entries, log)
    assert [file.path for file in accepted.files] == ["a.md"]
    assert accepted.refused == ()


def test_a_new_pin_of_jax_changes_the_lock_only(
    settings: Settings, origin: Path, docs: Path, log: Log
) -> None:
    pull(run_of(settings, upstream_of(origin), log=log))
    before = times(docs)
    bumped = structs.replace(upstream_of(origin), version="0.11.0")
    with pytest.raises(UpstreamError, match=r"for JAX 0\.10\.2.* pins JAX 0\.11\.0"):
        read_pulled(run_of(settings, bumped))
    assert pull(run_of(settings, bumped, log=log)).version == "0.11.0"
    assert times(docs) == before


def test_a_spoilt_lock_is_written_anew_by_pull_but_stops_a_build(
    settings: Settings, origin: Path, docs: Path, log: Log, output: io.StringIO
) -> None:
    lock = pull(run_of(settings, upstream_of(origin), log=log))
    (settings.root / "upstream" / "x.lock").write_text("<<<<<<< ours\n")
    with pytest.raises(InputError, match="is not a lock"):
        read_pulled(run_of(settings, upstream_of(origin)))
    assert pull(run_of(settings, upstream_of(origin), log=log)) == lock
    assert "warning:" in output.getvalue()


def test_building_before_the_first_pull_says_what_to_do(settings: Settings) -> None:
    with pytest.raises(UpstreamError, match="nothing has been pulled yet") as caught:
        read_pulled(run_of(settings, upstream_of("nowhere")))
    assert caught.value.hint == "Run: nox -s pull -- x"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"ref": "v3"}, "'v2'"),
        ({"docs": Folders(("doc",))}, "docs"),
        ({"docs": Folders(("docs", "notes"))}, "has no folder 'notes'"),
        ({"url": "http://127.0.0.1:9/x"}, "cannot be reached"),
        ({"url": "ext::sh -c true"}, "refused"),
        ({"url": "no/such/folder"}, "does not exist"),
    ],
)
def test_when_upstream_fails_the_old_checkout_stays(
    change: dict[str, Any], text: str, settings: Settings, origin: Path, log: Log
) -> None:
    good = upstream_of(f"file://{origin}", ref="v1")
    lock = pull(run_of(settings, good, log=log))
    with pytest.raises(UpstreamError) as caught:
        wrong = structs.replace(upstream_of(good.url), **change)
        pull(run_of(settings, wrong, log=log))
    assert text in str(caught.value)
    assert read_pulled(run_of(settings, good)) == lock


TWO = Folders(("docs", "more/examples"))
TREES = {
    "docs/index.md": b"# Index\n",
    "docs/deep/a.md": b"# A\n",
    "more/examples/b.ipynb": b"{}",
    "more/examples/img/x.png": bytes(range(256)),
}
BESIDE = {"setup.md": b"# No page\n", "more/c.md": b"# None either\n"}


def test_several_folders_are_pulled_as_one_tree(
    settings: Settings, docs: Path, log: Log, output: io.StringIO
) -> None:
    origin = init_repository(settings.root.parent / "two")
    commit_release(origin, "v2", {**TREES, **BESIDE})
    (origin / "docs" / "new.md").write_text("# Not committed\n")
    locks = []
    for url in (f"file://{origin}", origin):
        upstream = upstream_of(url, docs=TWO)
        lock = pull(run_of(settings, upstream, log=log))
        assert read_tree(docs) == TREES
        assert [file.path for file in lock.files] == sorted(TREES)
        assert lock.docs == TWO
        assert read_pulled(run_of(settings, upstream)) == lock
        before = times(docs)
        assert pull(run_of(settings, upstream, log=log)) == lock
        assert times(docs) == before
        locks.append(replace(lock, url=""))
    assert locks[0] == locks[1]
    # Other folders are pulled anew, though the commit is the same.
    alone = upstream_of(origin, docs=DOCS)
    with pytest.raises(UpstreamError) as caught:
        read_pulled(run_of(settings, alone))
    assert caught.value.what == (
        "is of the folders docs, more/examples, but the configuration says docs"
    )
    pull(run_of(settings, alone, log=log))
    assert sorted(read_tree(docs)) == ["deep/a.md", "index.md"]
    assert "warning" not in output.getvalue()


def test_several_folders_of_a_plain_folder(
    settings: Settings, docs: Path, log: Log
) -> None:
    folder = settings.root.parent / "plain"
    write_tree(folder, {**TREES, **BESIDE})
    upstream = upstream_of(folder, ref="", docs=TWO)
    lock = pull(run_of(settings, upstream, log=log))
    assert read_tree(docs) == TREES
    assert [file.path for file in lock.files] == sorted(TREES)
    (folder / "more/examples/b.ipynb").write_text("[]")
    assert pull(run_of(settings, upstream, log=log)).commit != lock.commit
    shutil.rmtree(folder / "more" / "examples")
    with pytest.raises(UpstreamError, match="has no folder 'more/examples'") as caught:
        pull(run_of(settings, upstream, log=log))
    assert "Folders there: docs, more." in caught.value.hint
    assert read_pulled(run_of(settings, upstream)).docs == TWO


def test_none_of_several_folders_may_hold_the_checkout(
    settings: Settings, docs: Path, log: Log
) -> None:
    write_tree(settings.root, {"docs/a.md": b"# A\n", "upstream/b.md": b"# B\n"})
    inside = upstream_of(".", ref="", docs=Folders(("docs", "upstream")))
    with pytest.raises(ConfigError, match="overlap"):
        pull(run_of(settings, inside, log=log))


def test_jax_out_of_reach_names_the_ways_out(settings: Settings, log: Log) -> None:
    upstream = Upstream(
        package="JAX",
        version="0.10.2",
        name="jax",
        url="http://127.0.0.1:9/jax",
        ref="v1",
        docs=DOCS,
    )
    settings = replace(settings, upstreams={"sample": upstream_of(Path("x"))})
    with pytest.raises(UpstreamError) as caught:
        pull(run_of(settings, upstream, log=log))
    assert "JAX_DOCS_UPSTREAM" in caught.value.hint
    assert "nox -s sync -- sample" in caught.value.hint


def test_links_and_submodules_are_left_out_with_a_warning(
    settings: Settings, origin: Path, docs: Path, log: Log, output: io.StringIO
) -> None:
    (origin / "docs" / "out.md").symlink_to("/etc/passwd")
    (origin / "docs" / "folder").symlink_to("../..")
    git(origin, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},docs/sub")
    git(origin, "add", "docs/out.md", "docs/folder")
    git(origin, "commit", "-qm", "links")
    lock = pull(run_of(settings, upstream_of(origin, ref="main"), log=log))
    assert (
        read_tree(docs)
        == SECOND
        == {file.path: SECOND[file.path] for file in lock.files}
    )
    for line in (
        "docs/out.md: a symbolic link",
        "docs/folder: a symbolic link",
        "docs/sub: a submodule",
    ):
        assert line.removeprefix("docs/") in output.getvalue()


def test_a_pointer_of_git_lfs_is_named(
    settings: Settings, origin: Path, log: Log, output: io.StringIO
) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 5\n"
    (origin / "docs" / "a.png").write_text(pointer)
    git(origin, "add", "docs/a.png")
    git(origin, "commit", "-qm", "image")
    pull(run_of(settings, upstream_of(origin, ref="main"), log=log))
    assert "not in the repository: a.png" in output.getvalue()


def commit_tree(origin: Path, names: list[bytes]) -> None:
    """Commit a docs folder with ``names`` that git would not let into an index."""
    blob = git(origin, "rev-parse", "main:docs/a.md")
    entries = b"".join(
        b"100644 " + name + b"\0" + bytes.fromhex(blob) for name in names
    )
    (origin / "tree").write_bytes(entries)
    tree = git(origin, "hash-object", "-t", "tree", "-w", "--literally", "tree")
    (origin / "tree").write_bytes(b"40000 docs\0" + bytes.fromhex(tree))
    root = git(origin, "hash-object", "-t", "tree", "-w", "--literally", "tree")
    git(
        origin,
        "update-ref",
        "refs/heads/odd",
        git(origin, "commit-tree", root, "-m", "odd"),
    )


# The finding about each is looked at in "test_pull_names".
@pytest.mark.parametrize("name", [b"..", b".git"])
def test_paths_that_leave_the_docs_folder_are_left_out(
    name: bytes, settings: Settings, origin: Path, docs: Path, log: Log
) -> None:
    commit_tree(origin, [name, b"ok.md"])
    lock = pull(run_of(settings, upstream_of(origin, ref="odd"), log=log))
    assert list(read_tree(docs)) == ["ok.md"]
    # What is hidden is no document, and nobody misses it.
    assert len(lock.refused) == (name != b".git")


def test_a_plain_folder_is_copied_without_junk_and_links(
    settings: Settings, tmp_path: Path, docs: Path, log: Log, output: io.StringIO
) -> None:
    source = tmp_path / "plain"
    write_tree(
        source / "docs",
        {
            **FIRST,
            ".ipynb_checkpoints/a.md": b"",
            "__pycache__/x.pyc": b"",
            ".hidden": b"",
        },
    )
    (source / "docs" / "out").symlink_to("/etc")
    os.mkfifo(source / "docs" / "pipe")
    lock = pull(run_of(settings, upstream_of(source, ref=""), log=log))
    assert read_tree(docs) == FIRST
    assert len(lock.commit) == 40
    assert lock.date == ""
    assert "out: a symbolic link" in output.getvalue()
    before = times(settings.root)
    assert pull(run_of(settings, upstream_of(source, ref=""), log=log)) == lock
    assert times(settings.root) == before
    (source / "docs" / "a.md").write_text("other")
    assert (
        pull(run_of(settings, upstream_of(source, ref=""), log=log)).commit
        != lock.commit
    )
    assert (docs / "a.md").read_text() == "other"


def test_a_plain_folder_without_the_docs_folder_is_told(
    settings: Settings, tmp_path: Path, log: Log
) -> None:
    write_tree(tmp_path / "plain", {"text/a.md": b""})
    with pytest.raises(UpstreamError, match="has no folder 'docs'") as caught:
        pull(run_of(settings, upstream_of(tmp_path / "plain"), log=log))
    assert "text" in caught.value.hint


@pytest.mark.parametrize("in_git", [False, True])
def test_the_sample_is_its_own_checkout(
    settings: Settings, docs: Path, log: Log, *, in_git: bool
) -> None:
    if in_git:
        git(settings.root, "init", "-q")
    write_tree(docs, FIRST)
    before = times(docs)
    upstream = upstream_of("upstream/x", ref="", docs=WHOLE)
    lock = pull(run_of(settings, upstream, log=log))
    assert times(docs) == before
    assert [file.path for file in lock.files] == sorted(FIRST)
    assert (lock.url, lock.date) == ("upstream/x", "")
    assert read_pulled(run_of(settings, upstream)) == lock
    (docs / "a.md").write_text("edited, as one may")
    assert pull(run_of(settings, upstream, log=log)).commit != lock.commit
    assert (docs / "a.md").read_text() == "edited, as one may"


@pytest.mark.parametrize("url", ["upstream/x/deep", "upstream", "."])
def test_a_folder_is_not_copied_into_itself_nor_over_itself(
    url: str, settings: Settings, docs: Path, log: Log
) -> None:
    write_tree(docs, FIRST)
    with pytest.raises(ConfigError, match="overlap"):
        pull(run_of(settings, upstream_of(url, ref="", docs=WHOLE), log=log))
    assert read_tree(docs) == FIRST


def test_a_clone_in_the_place_of_the_checkout_is_not_overwritten(
    settings: Settings, origin: Path, docs: Path, log: Log
) -> None:
    git(origin, "clone", "-q", ".", str(docs))
    with pytest.raises(ConfigError, match="overlap"):
        pull(run_of(settings, upstream_of("upstream/x"), log=log))
    assert (docs / ".git").is_dir()


def test_no_path_of_this_machine_and_no_password_gets_into_the_lock(
    settings: Settings, origin: Path, docs: Path, log: Log
) -> None:
    replaced = structs.replace(
        upstream_of(origin),
        url_replaced=True,
        configured_url="https://me:secret@example.org/x",
    )
    assert pull(run_of(settings, replaced, log=log)).url == "https://example.org/x"
    assert str(origin.parent) not in (settings.root / "upstream" / "x.lock").read_text()
    write_tree(settings.root / "here", FIRST)
    inside = upstream_of(settings.root / "here", ref="", docs=WHOLE)
    assert pull(run_of(settings, inside, log=log)).url == "here"


def test_a_file_in_the_way_of_the_checkout_is_told_and_kept(
    settings: Settings, origin: Path, docs: Path, log: Log
) -> None:
    docs.parent.mkdir()
    docs.write_text("mine")
    with pytest.raises(WriteError) as caught:
        pull(run_of(settings, upstream_of(origin), log=log))
    assert caught.value.where
    assert docs.read_text() == "mine"
    assert [path.name for path in docs.parent.iterdir()] == ["x"]


@pytest.mark.slow
@pytest.mark.parametrize("place", ["upstream", "build/cache"])
def test_a_disk_that_really_is_full_is_named(
    place: str, settings: Settings, origin: Path, docs: Path, log: Log
) -> None:
    old = pull(run_of(settings, upstream_of(origin, ref="v1"), log=log))
    (origin / "docs" / "large.bin").write_bytes(os.urandom(1_000_000))
    git(origin, "add", "-A")
    git(origin, "commit", "-qm", "large")
    small = settings.root / place
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "none", mounted(small)],
        check=False,
        capture_output=True,
    ).returncode:
        pytest.skip("only root may mount a small disk")
    try:
        if place == "upstream":
            pull(run_of(settings, upstream_of(origin, ref="v1"), log=log))
        with pytest.raises(WriteError) as caught:
            pull(run_of(settings, upstream_of(f"file://{origin}", ref="main"), log=log))
        assert "No space left on device" in caught.value.what
        assert "Free some space" in caught.value.hint
        assert read_pulled(run_of(settings, upstream_of(origin))) == old
        assert read_tree(docs) == FIRST
    finally:
        subprocess.run(["umount", small], check=True)


def mounted(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


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

        for owner, names in {
            Path: "write_bytes mkdir",
            os: "replace rmdir unlink",
        }.items():
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
def test_a_pull_killed_at_any_step_leaves_the_old_tree_or_the_new_one(
    settings: Settings, tmp_path: Path, docs: Path, log: Log
) -> None:
    write_tree(tmp_path / "v1" / "docs", FIRST)
    write_tree(tmp_path / "v2" / "docs", SECOND)
    first, second = (upstream_of(tmp_path / name, ref="") for name in ("v1", "v2"))
    old, new = (
        pull(run_of(settings, first, log=log)),
        pull(run_of(settings, second, log=log, dry=True)),
    )
    seen = set()
    for step in range(100):
        killed = killed_at(step, lambda: pull(run_of(settings, second, log=log)))
        if step % 2:  # pull mends what it finds, without a build before it
            assert pull(run_of(settings, first, log=log)).commit == old.commit
            assert left_in(docs.parent) == {"x", "x.lock"}
        lock = read_pulled(run_of(settings, first))
        seen.add(lock.commit)
        assert {
            file.path: blob_id(read_tree(docs)[file.path]) for file in lock.files
        } == {file.path: file.blob for file in lock.files}
        assert lock.commit in (old.commit, new.commit)
        assert pull(run_of(settings, second, log=log)).commit == new.commit
        assert read_tree(docs) == SECOND
        assert left_in(docs.parent) == {"x", "x.lock"}
        if not killed:
            break
        pull(run_of(settings, first, log=log))
    assert not killed
    assert step > 15
    assert seen == {old.commit, new.commit}


@pytest.mark.realdocs
def test_the_real_docs_are_pulled_whole(
    settings: Settings, jax_docs_upstream: str, log: Log
) -> None:
    upstream = Upstream(
        package="JAX",
        version="0.10.2",
        name="jax",
        url=jax_docs_upstream,
        ref="jax-v0.10.2",
        docs=DOCS,
        url_replaced=True,
        configured_url="configured",
    )
    lock: Lock = pull(run_of(settings, upstream, log=log))
    paths = [file.path for file in lock.files]
    assert [
        sum(path.endswith(suffix) for path in paths)
        for suffix in (".ipynb", ".md", ".rst")
    ] == [31, 113, 81]
    # With the change log, which lies outside the docs folder.
    assert len(pages_of(lock.files)) == 114 + 81
    assert read_pulled(run_of(settings, upstream)) == lock
    before = times(settings.root / "upstream")
    assert pull(run_of(settings, upstream, log=log)) == lock
    assert times(settings.root / "upstream") == before
