"""Upstreams in git: real repositories, bundles and servers (``file://`` runs git-upload-pack)."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE

import pytest
from folders import write_tree
from places import ROOT
from repositories import DOCS, git, init_repository
from servers import FileHandler, served

from pipeline.adapters.files import WriteError
from pipeline.adapters.upstream.address import (
    Address,
    Kind,
    read_address,
    without_password,
)
from pipeline.adapters.upstream.repository import (
    Repository,
    TreeEntry,
    address_of,
    open_repository,
    open_upstream,
)
from pipeline.config.settings import Settings, Upstream
from pipeline.errors import UpstreamError
from pipeline.folders import WHOLE, Folders

WAY_OUT = "Set THE_VARIABLE."


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    """Two commits: annotated tag v1.0; then lightweight tag v1.1 and branch ``side``."""
    folder = init_repository(tmp_path / "origin")
    pages = {"docs/a.md": "# A\n", "docs/deep/b.md": "# B\n"}
    write_tree(folder, {**pages, "src/code.py": "print('not docs')\n"})
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    git(folder, "tag", "-a", "v1.0", "-m", "first")
    (folder / "docs" / "a.md").write_text("# A, second\n")
    git(folder, "commit", "-qam", "two")
    git(folder, "tag", "v1.1")
    git(folder, "branch", "side")
    return folder


@contextmanager
def opened(url: object, tmp_path: Path) -> Iterator[Repository]:
    with open_repository(
        read_address(str(url), base=tmp_path),
        store=tmp_path / "cache" / "x.git",
        unreachable_hint=WAY_OUT,
    ) as repository:
        yield repository


def fetch_main(url: object, tmp_path: Path) -> tuple[TreeEntry, ...]:
    """Fetch the docs of the branch ``main``."""
    with opened(url, tmp_path) as repository:
        return repository.fetch(repository.resolve("main"), DOCS)


def texts_at(repository: Repository, commit: str) -> dict[str, bytes]:
    """Fetch the docs of a commit, and read them."""
    entries = repository.fetch(commit, DOCS)
    return {entry.path: repository.read(entry.blob) for entry in entries}


def upstream_url(kind: str, origin: Path) -> str:
    """``origin`` as one of the forms that an upstream can have."""
    if kind == "filtering server":
        git(origin, "config", "uploadpack.allowFilter", "true")
    if kind == "bundle":
        git(origin, "bundle", "create", "../x.bundle", "--all")
    if kind == "bare":
        git(origin, "clone", "-q", "--bare", ".", "../bare.git")
    forms = {
        "bundle": origin.parent / "x.bundle",
        "bare": origin.parent / "bare.git",
        "local": origin,
    }
    return str(forms.get(kind, f"file://{origin}"))


KINDS = ["plain server", "filtering server", "bundle", "local", "bare"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_upstream_can_be_read(kind: str, origin: Path, tmp_path: Path) -> None:
    first = git(origin, "rev-parse", "v1.0^{commit}")
    second = git(origin, "rev-parse", "main")
    with opened(upstream_url(kind, origin), tmp_path) as repository:
        for ref in ("v1.0", "refs/tags/v1.0", first):
            assert repository.resolve(ref) == first, ref
        for ref in ("v1.1", "main", "side", "", "HEAD", second[:9]):
            assert repository.resolve(ref) == second, ref
        assert {entry.mode for entry in repository.fetch(first, DOCS)} == {"100644"}
        texts = {"a.md": b"# A\n", "deep/b.md": b"# B\n"}
        assert texts_at(repository, first) == texts
        assert repository.date(first) == "2026-01-02T03:04:05+08:00"
        whole = [entry.path for entry in repository.fetch(second, WHOLE)]
        assert whole == ["docs/a.md", "docs/deep/b.md", "src/code.py"]


@pytest.mark.parametrize("kind", KINDS)
def test_unknown_refs_suggest_others(kind: str, origin: Path, tmp_path: Path) -> None:
    with opened(upstream_url(kind, origin), tmp_path) as repository:
        told = r"no tag, branch or commit 'v1\.2'"
        with pytest.raises(UpstreamError, match=told) as caught:
            repository.resolve("v1.2")
        assert "'v1.1'" in caught.value.hint
        for ref in ("0" * 40, "0" * 8, "nothing-like-it"):
            with pytest.raises(UpstreamError):
                repository.resolve(ref)


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_docs_folder_is_told_with_those_that_are_there(
    kind: str, origin: Path, tmp_path: Path
) -> None:
    with opened(upstream_url(kind, origin), tmp_path) as repository:
        commit = repository.resolve("main")
        for names in (("doc",), ("docs/a.md",), ("docs", "doc")):
            with pytest.raises(UpstreamError) as caught:
                repository.fetch(commit, Folders(names))
            assert f"has no folder {names[-1]!r} at commit" in caught.value.what
            assert "docs, src" in caught.value.hint
        # An older commit may have had fewer of them: those that are there will do, if any is.
        both = Folders(("doc", "docs"))
        entries = repository.fetch(commit, both, needs_all=False)
        assert [entry.path for entry in entries] == ["docs/a.md", "docs/deep/b.md"]
        with pytest.raises(UpstreamError, match="has no folder 'doc'"):
            repository.fetch(commit, Folders(("doc",)), needs_all=False)


def fetches(trace: Path) -> int:
    """How many times git was told to fetch, going by its own trace."""
    lines = trace.read_text().split("\n") if trace.exists() else []
    return sum("built-in: git fetch" in line for line in lines)


def objects(tmp_path: Path) -> list[str]:
    words = "cat-file --batch-all-objects --batch-check=%(objecttype)"
    return sorted(git(tmp_path / "cache" / "x.git", *words.split()).split("\n"))


def test_a_filtering_server_sends_one_commit_and_the_docs_blobs_in_one_go(
    origin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = upstream_url("filtering server", origin)
    commit = git(origin, "rev-parse", "main")
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "trace"))
    with opened(url, tmp_path) as repository:
        repository.fetch(commit, DOCS)
    # code.py stays there.
    assert objects(tmp_path) == "blob blob commit tree tree tree tree".split()
    assert fetches(tmp_path / "trace") == 2
    fetch_main(url, tmp_path)
    assert fetches(tmp_path / "trace") == 2  # what is here is not asked for again


def test_a_plain_server_sends_one_commit_only(origin: Path, tmp_path: Path) -> None:
    fetch_main(upstream_url("plain server", origin), tmp_path)
    assert objects(tmp_path).count("commit") == 1


def test_a_fetched_commit_needs_no_other_side(origin: Path, tmp_path: Path) -> None:
    commit = git(origin, "rev-parse", "main")
    fetch_main(f"file://{origin}", tmp_path)
    origin.rename(tmp_path / "away")
    with opened(f"file://{origin}", tmp_path) as repository:
        assert repository.resolve(commit) == commit
        assert len(repository.fetch(commit, DOCS)) == 2
        with pytest.raises(UpstreamError, match="cannot be reached"):
            repository.resolve("main")


def test_what_a_killed_fetch_leaves_is_cleared(origin: Path, tmp_path: Path) -> None:
    with opened(f"file://{origin}", tmp_path) as repository:
        repository.fetch(git(origin, "rev-parse", "main~1"), DOCS)
    store = tmp_path / "cache" / "x.git"
    for left in ("shallow.lock", "config.lock", "objects/pack/tmp_pack_abc"):
        (store / left).write_bytes(b"")
    assert len(fetch_main(f"file://{origin}", tmp_path)) == 2
    assert not [*store.rglob("*.lock"), *store.rglob("tmp_*")]


def test_progress_is_told(origin: Path, tmp_path: Path) -> None:
    told: list[tuple[float, float]] = []
    with opened(f"file://{origin}", tmp_path) as repository:
        commit = git(origin, "rev-parse", "main")
        repository.fetch(commit, DOCS, lambda *step: told.append(step))
    assert told
    assert told[-1][0] == told[-1][1]


def test_a_surrounding_hook_does_not_divert_git(
    origin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = init_repository(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    for url in (origin, f"file://{origin}"):
        assert len(fetch_main(url, tmp_path)) == 2
    assert not [*(other / ".git" / "objects").glob("??")]


def test_hooks_of_the_user_do_not_run(
    origin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooks, config = tmp_path / "hooks", tmp_path / "config"
    hooks.mkdir()
    (hooks / "reference-transaction").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    (hooks / "reference-transaction").chmod(0o755)
    config.write_text(f"[core]\n hooksPath = {hooks}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    fetch_main(f"file://{origin}", tmp_path)
    assert not (tmp_path / "ran").exists()
    assert config.read_text() == f"[core]\n hooksPath = {hooks}\n"


MISREAD = (
    "", "-x", "--upload-pack=touch /tmp/owned", "ext::sh -c 'touch /tmp/owned'", "ext://sh",
    "fd::17", "foo::bar", "ftp://example.org/x", "ssh://-oProxyCommand=x/y", "a\0b",
    "-oProxyCommand=x:y", "git@-oProxyCommand=x:y", "https://example.org/a b",
    "https://example.org/\n",
)  # fmt: skip
ORDINARY = (
    "https://github.com/x/y ssh://git@host/x git@github.com:x/y.git git://h/x file:///nowhere"
)


@pytest.mark.parametrize("url", MISREAD)
def test_addresses_that_git_would_misread_are_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(UpstreamError, match="refused") as caught:
        read_address(url, base=tmp_path)
    assert caught.value.hint


@pytest.mark.parametrize("url", ORDINARY.split())
def test_ordinary_addresses_are_remote(url: str, tmp_path: Path) -> None:
    assert read_address(url, base=tmp_path) == Address(url=url, kind=Kind.REMOTE)


@pytest.mark.parametrize("url", ["no/such/place", "nowhere", "x" * 5000])
def test_a_path_to_nothing_is_told(url: str, tmp_path: Path) -> None:
    with pytest.raises(UpstreamError):
        read_address(url, base=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "ref",
    "-x¦--upload-pack=x¦a b¦a..b¦a~1¦a^¦a:b¦a*¦a\\b¦a\nb¦x.lock¦a//b¦/a¦a/¦@{1}¦a/.b".split("¦"),
)
@pytest.mark.parametrize("kind", ["plain server", "local"])
def test_refs_that_git_would_misread_are_refused(
    kind: str, ref: str, origin: Path, tmp_path: Path
) -> None:
    with (
        opened(upstream_url(kind, origin), tmp_path) as repository,
        pytest.raises(UpstreamError, match="is not a ref"),
    ):
        repository.resolve(ref)


def test_a_plain_folder_inside_a_work_tree_stays_a_plain_folder(origin: Path) -> None:
    assert read_address("docs", base=origin).kind is Kind.FOLDER
    assert read_address(".", base=origin).kind is Kind.LOCAL


def test_a_linked_work_tree_is_a_repository(origin: Path, tmp_path: Path) -> None:
    git(origin, "worktree", "add", "-q", "../linked", "v1.0")
    with opened(tmp_path / "linked", tmp_path) as repository:
        assert repository.resolve("") == git(origin, "rev-parse", "v1.0^{commit}")


def test_a_server_that_cannot_be_reached_names_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(UpstreamError, match="cannot be reached") as caught:
        fetch_main("http://127.0.0.1:9/x", tmp_path)
    assert caught.value.hint == WAY_OUT
    assert caught.value.exit_code == 3


def test_a_broken_repository_does_not_lead_to_the_one_around_it(
    origin: Path, tmp_path: Path
) -> None:
    (origin / "docs" / ".git").mkdir()
    with pytest.raises(UpstreamError):
        fetch_main(origin / "docs", tmp_path)


@pytest.mark.parametrize("content", [b"", b"just text", b"PACK"])
def test_a_file_that_is_no_bundle_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.bundle").write_bytes(content)
    with pytest.raises(UpstreamError, match="not a git bundle"):
        read_address("x.bundle", base=tmp_path)


def test_a_bundle_without_refs_or_data_is_refused(origin: Path, tmp_path: Path) -> None:
    bundle = Path(upstream_url("bundle", origin))
    bundle.write_bytes(bundle.read_bytes()[:-100])
    with pytest.raises(UpstreamError, match="damaged or incomplete bundle"):
        fetch_main(bundle, tmp_path)
    bundle.write_bytes(b"# v2 git bundle\n\n")
    with pytest.raises(UpstreamError):
        fetch_main(bundle, tmp_path)
    git(origin, "bundle", "create", "../thin.bundle", "main~1..main")
    with pytest.raises(UpstreamError, match="incomplete bundle"):
        fetch_main(tmp_path / "thin.bundle", tmp_path)


def test_a_partial_local_clone_starts_nothing(origin: Path, tmp_path: Path) -> None:
    git(origin, "config", "uploadpack.allowFilter", "true")
    clone = "clone -q --bare --filter=blob:none".split()
    git(tmp_path, *clone, f"file://{origin}", "partial.git")
    partial, touch = tmp_path / "partial.git", f"touch {tmp_path}/ran"
    git(partial, "config", "remote.origin.uploadpack", f"{touch}; git-upload-pack")
    git(partial, "config", "core.fsmonitor", touch)
    with pytest.raises(UpstreamError, match=r"2 files .* partial clone"):
        fetch_main(partial, tmp_path)
    assert not (tmp_path / "ran").exists()


def test_a_file_in_place_of_the_store_is_told(origin: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("in the way")
    with pytest.raises(WriteError):
        fetch_main(f"file://{origin}", tmp_path)


def test_an_old_server_that_sends_no_single_blobs_is_asked_for_the_whole_commit(
    origin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Protocol 0 knows filters, but refuses objects that no ref points to.
    monkeypatch.setattr("pipeline.adapters.upstream.program._OPTIONS", ("-c", "protocol.version=0"))
    with opened(upstream_url("filtering server", origin), tmp_path) as repository:
        texts = texts_at(repository, git(origin, "rev-parse", "main"))
    assert texts == {"a.md": b"# A, second\n", "deep/b.md": b"# B\n"}
    assert objects(tmp_path).count("commit") == 1


class Closed(FileHandler):
    """Wants a password for everything."""

    def do_GET(self) -> None:  # noqa: N802 (the name is the base class's)
        self.send_response(401)
        self.send_header("WWW-Authenticate", "Basic")
        self.send_header("Content-Length", "0")
        self.end_headers()


@pytest.mark.slow
def test_a_server_of_files_gives_all_it_has(origin: Path, tmp_path: Path) -> None:
    git(Path(upstream_url("bare", origin)), "update-server-info")
    with served(tmp_path) as url, opened(f"{url}bare.git", tmp_path) as repository:
        commit = repository.resolve("v1.0")
        assert commit == git(origin, "rev-parse", "v1.0^{commit}")
        texts = {"a.md": b"# A\n", "deep/b.md": b"# B\n"}
        assert texts_at(repository, commit) == texts


def test_nobody_is_asked_for_a_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = tmp_path / "askpass"
    asked.write_text(f"#!/bin/sh\ntouch {tmp_path}/asked\n")
    asked.chmod(0o755)
    monkeypatch.setenv("GIT_ASKPASS", str(asked))
    monkeypatch.setenv("SSH_ASKPASS", str(asked))
    told = pytest.raises(UpstreamError, match="requires a password")
    with served(tmp_path, Closed) as url, told as caught:
        fetch_main(f"{url}x", tmp_path)
    assert caught.value.hint == WAY_OUT
    assert not (tmp_path / "asked").exists()


def test_an_empty_repository_is_told(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "empty.git")
    for url in (tmp_path / "empty.git", f"file://{tmp_path}/empty.git"):
        with (
            opened(url, tmp_path) as repository,
            pytest.raises(UpstreamError, match="it has no HEAD"),
        ):
            repository.resolve("")


@pytest.mark.parametrize("ask", ["resolve", "tags", "dated_tags"])
def test_a_repository_whose_configuration_is_broken_is_not_an_empty_one(
    ask: str, origin: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(origin, copy)
    (copy / ".git" / "config").write_text("[core\n")
    with opened(copy, tmp_path) as repository:
        calls = {
            "resolve": lambda: repository.resolve("v1.0"),
            "tags": repository.tags,
            "dated_tags": repository.dated_tags,
        }
        with pytest.raises(UpstreamError, match=r"cannot be read: .*config") as caught:
            calls[ask]()
    assert "Mend that repository" in caught.value.hint


def test_a_private_repository_that_lost_its_objects_says_what_to_delete(
    origin: Path, tmp_path: Path
) -> None:
    commit = git(origin, "rev-parse", "main")
    fetch_main(f"file://{origin}", tmp_path)
    store = tmp_path / "cache" / "x.git"
    tree = git(store, "rev-parse", f"{commit}^{{tree}}")
    for pack in [*(store / "objects" / "pack").glob("*.pack")]:
        pack.rename(tmp_path / "all.pack")
        shutil.rmtree(store / "objects" / "pack")
        unpack = ["git", "unpack-objects", "-q"]
        with (tmp_path / "all.pack").open("rb") as packed:
            subprocess.run(unpack, cwd=store, stdin=packed, check=True)
    (store / "objects" / tree[:2] / tree[2:]).unlink()
    with opened(f"file://{origin}", tmp_path) as repository:
        with pytest.raises(UpstreamError) as caught:
            repository.fetch(commit, DOCS)
        assert str(store) in caught.value.hint
        with pytest.raises(UpstreamError, match="cannot be read"):
            repository.read(tree)


def test_a_commit_without_a_proper_date_has_none(origin: Path, tmp_path: Path) -> None:
    for stamp in ("99999999999999999 +0000", "1 +9999", "x"):
        tree = git(origin, "rev-parse", "main^{tree}")
        (tmp_path / "commit").write_text(
            f"tree {tree}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> {stamp}\n\n"
            "committer A <a@b> 1 +0000\n"
        )
        words = "hash-object -t commit -w --literally".split()
        commit = git(origin, *words, str(tmp_path / "commit"))
        with opened(origin, tmp_path) as repository:
            assert repository.date(commit) == ""


def test_without_git_the_way_out_is_told(origin: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from pipeline.adapters.upstream.address import *\n"
        "from pipeline.adapters.upstream.repository import *\n"
        "address = Address(url=sys.argv[1], kind=Kind.LOCAL)\n"
        "with open_repository(address, store=Path('x'), unreachable_hint=''): pass"
    )
    command = [sys.executable, "-c", script, str(origin)]
    environ = {"PATH": "/nowhere", "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, env=environ, stderr=PIPE, text=True, check=False)
    assert "UpstreamError: git cannot be run\n  Install git" in ran.stderr


SHOWN = {
    "https://me:s@cret@example.org/x": "https://example.org/x",
    # The user is a part of ssh's address; the password is not.
    "ssh://git@example.org/x": "ssh://git@example.org/x",
    "ssh://me:secret@host/x": "ssh://me@host/x",
    "ssh://me:s@cret@host:22/x": "ssh://me@host:22/x",
    "ssh://a@b:c@host/x": "ssh://a@b@host/x",
    "SSH://me:secret@host/x": "SSH://me@host/x",
    "git://me:secret@host/x": "git://me@host/x",
    "ftp://me:secret@host/x": "ftp://me@host/x",
    "HTTPS://token@host/x": "HTTPS://host/x",
    "ssh://host:22/a@b": "ssh://host:22/a@b",
    "git@host:a/b": "git@host:a/b",
    "file:///a:b@c": "file:///a:b@c",
}


@pytest.mark.parametrize("address", SHOWN)
def test_passwords_are_not_shown(address: str) -> None:
    assert without_password(address) == SHOWN[address]


# The upstream that the configuration names.


def settings_at(root: Path) -> Settings:
    return Settings(root=root, locales=(), upstreams={})


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_relative_address_starts_at_the_project_or_where_the_person_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_replaced: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    docs = tmp_path / ("theirs" if is_replaced else "project/theirs")
    docs.mkdir(parents=True)
    upstream = Upstream(name="x", url="theirs", url_replaced=is_replaced)
    settings = settings_at(tmp_path / "project")
    assert address_of(settings, upstream) == Address(url=str(docs), kind=Kind.FOLDER)
    with open_upstream(settings, upstream) as repository:
        assert repository is None


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_a_repository_can_be_read(scheme: str, origin: Path, tmp_path: Path) -> None:
    upstream = Upstream(name="x", url=f"{scheme}{origin}")
    with open_upstream(settings_at(tmp_path), upstream) as repository:
        assert repository is not None
        assert texts_at(repository, repository.resolve("v1.0"))["a.md"] == b"# A\n"
    store = tmp_path / "build" / "cache" / "git" / "x.git"
    assert store.is_dir() == bool(scheme)  # what is read in place needs no store


@pytest.mark.parametrize(
    ("name", "unreachable_hint", "hint"),
    [
        ("jax", "", "Set JAX_DOCS_UPSTREAM to a clone"),
        ("x", "", "Check the address and the network"),
        ("jax", "Do this.", "Do this."),
    ],
)
def test_an_upstream_that_is_gone_tells_the_way_out(
    name: str, unreachable_hint: str, hint: str, tmp_path: Path
) -> None:
    settings = settings_at(tmp_path)
    upstream = Upstream(name=name, url="file:///nowhere/at/all")
    with (
        pytest.raises(UpstreamError) as caught,
        open_upstream(settings, upstream, unreachable_hint=unreachable_hint) as repository,
    ):
        assert repository is not None
        repository.tags()
    assert hint in caught.value.hint
