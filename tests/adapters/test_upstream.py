"""The upstream that the configuration names, as stages open it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pipeline.adapters.upstream.address import Kind
from pipeline.adapters.upstream.repository import address_of, open_upstream
from pipeline.config.settings import Settings, Upstream
from pipeline.errors import UpstreamError
from pipeline.folders import WHOLE


def settings_at(root: Path) -> Settings:
    return Settings(root=root, locales=(), upstreams={})


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """The folder ``theirs`` with one file."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n")
    return folder


def commit_all(folder: Path) -> None:
    """Make ``folder`` a repository with one commit, by nobody in particular."""
    who = ("-c", "user.name=A", "-c", "user.email=a@b")
    for arguments in (
        ["init", "-q", "-b", "main"],
        ["add", "."],
        [*who, "commit", "-qm", "one"],
    ):
        subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def test_a_relative_address_starts_at_the_project(docs: Path, tmp_path: Path) -> None:
    address = address_of(
        settings_at(tmp_path),
        Upstream(package="JAX", version="1.0", name="x", url="theirs"),
    )
    assert (address.url, address.kind) == (str(docs), Kind.FOLDER)


def test_a_replaced_address_starts_where_the_person_is(
    docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    upstream = Upstream(
        package="JAX", version="1.0", name="x", url="theirs", url_replaced=True
    )
    assert address_of(settings_at(tmp_path / "project"), upstream).url == str(docs)


def test_a_plain_folder_opens_as_nothing(docs: Path, tmp_path: Path) -> None:
    with open_upstream(
        settings_at(tmp_path),
        Upstream(package="JAX", version="1.0", name="x", url="theirs"),
    ) as repository:
        assert repository is None


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_a_repository_is_open_for_reading(
    scheme: str, docs: Path, tmp_path: Path
) -> None:
    commit_all(docs)
    upstream = Upstream(package="JAX", version="1.0", name="x", url=f"{scheme}{docs}")
    with open_upstream(settings_at(tmp_path), upstream) as repository:
        assert repository is not None
        (entry,) = repository.fetch(repository.resolve("main"), WHOLE)
        assert repository.read(entry.blob) == b"# A\n"
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
    upstream = Upstream(
        package="JAX", version="1.0", name=name, url="file:///nowhere/at/all"
    )
    with (
        pytest.raises(UpstreamError) as caught,
        open_upstream(
            settings_at(tmp_path), upstream, unreachable_hint=unreachable_hint
        ) as repository,
    ):
        assert repository is not None
        repository.tags()
    assert hint in caught.value.hint
