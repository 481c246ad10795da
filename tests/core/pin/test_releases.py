"""Which release is the newest that can be moved to, and what the package index has."""

from __future__ import annotations

import platform
import sys
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wheels import make_index

from pipeline.adapters.upstream.package_index import python_fault, released_versions
from pipeline.core.pin.releases import Newest, newest_release
from pipeline.errors import ConfigError, UpstreamError

newest = partial(newest_release, template="jax-v{version}")


def tags(*versions: str) -> list[str]:
    return [f"jax-v{version}" for version in versions]


@pytest.mark.parametrize(
    ("tagged", "installable", "pinned", "expected"),
    [
        (["1.0.0", "1.1.0"], ["1.0.0", "1.1.0"], "1.0.0", Newest(version="1.1.0")),
        (
            ["1.9.0", "1.10.0"],
            ["1.9.0", "1.10.0"],
            "1.0.0",
            Newest(version="1.10.0"),
        ),  # numbers, not letters
        (
            ["1.1.0", "1.2.0"],
            ["1.1.0"],
            "1.0.0",
            Newest(version="1.1.0", waiting=("1.2.0",)),
        ),  # tagged, not yet on the index
        (["1.1.0"], [], "1.0.0", Newest(version="1.0.0", waiting=("1.1.0",))),
        # On the index, not tagged.
        (["1.0.0"], ["1.0.0", "1.1.0"], "1.0.0", Newest(version="1.0.0")),
        (["0.9.0"], ["0.9.0"], "1.0.0", Newest(version="1.0.0")),  # never back
        # What is pinned is not waited for.
        (["1.0.0"], [], "1.0.0", Newest(version="1.0.0")),
        (["1.0"], ["1.0"], "1.0.0", Newest(version="1.0.0")),
        (
            ["1.1.0rc1", "1.1.0.dev3", "1.1.0a0"],
            ["1.1.0rc1", "1.1.0.dev3", "1.1.0a0"],
            "1.0.0",
            Newest(version="1.0.0"),
        ),
        (
            ["1.0.0.1", "1.0.0"],
            ["1.0.0.1", "1.0.0"],
            "1.0.0",
            Newest(version="1.0.0.1"),
        ),
        (
            ["1.1.0", "1.1.0.post1"],
            ["1.1.0", "1.1.0.post1"],
            "1.0.0",
            Newest(version="1.1.0.post1"),
        ),
        (
            ["1.1.0"],
            ["1.1.0"],
            "1.1.0rc1",
            Newest(version="1.1.0"),
        ),  # from a pre-release, whatever is final
        ([], ["1.1.0"], "1.0.0", Newest(version="1.0.0")),
    ],
)
def test_newest_release(
    tagged: list[str], installable: list[str], pinned: str, expected: Newest
) -> None:
    assert newest(tags(*tagged), installable, version=pinned) == expected
    assert newest(reversed(tags(*tagged)), set(installable), version=pinned) == expected


def test_other_tags_do_not_count() -> None:
    others = [
        "v2.0.0",
        "jaxlib-v2.0.0",
        "jax-v2.0.0-old",
        "old-jax-v2.0.0",
        "jax-v2",
        "jax-vnext",
        "nightly",
        "",
    ]
    assert newest(
        [*others, "jax-v1.1.0"], ["2.0.0", "2", "1.1.0"], version="1.0.0"
    ) == Newest(version="1.1.0")


def test_tags_of_another_form() -> None:
    found = newest_release(
        ["r1.1.0-docs", "jax-v1.2.0"],
        ["1.1.0", "1.2.0"],
        version="1.0.0",
        template="r{version}-docs",
    )
    assert found == Newest(version="1.1.0")


VERSIONS = st.lists(st.integers(0, 12), min_size=2, max_size=4).map(
    lambda numbers: ".".join(map(str, numbers))
)


@given(st.lists(VERSIONS), st.sets(VERSIONS), VERSIONS)
def test_what_is_chosen_is_tagged_and_installable_or_pinned(
    tagged: list[str], extra: set[str], pinned: str
) -> None:
    installable = extra | set(tagged[::2])
    found = newest(tags(*tagged), installable, version=pinned)
    assert found.version == pinned or (
        found.version in tagged and found.version in installable
    )
    assert set(found.waiting) <= set(tagged) - installable


# --- the package index, as pip sees it


@pytest.mark.slow
def test_released_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_index(
        tmp_path / "index",
        monkeypatch,
        "jax 1.9.0",
        "jax 1.10.0",
        "jax 1.11.0rc1",
        "jax 1.12.0 cp27-cp27m-win32",
        "jax 1.13.0 py3-none-any >=3.99",
        "jax 1.14.0 py3-none-any ==3.98.*",
        "jaxlib 2.0.0",
    )
    assert released_versions("jax") == ("1.10.0", "1.9.0")
    this = f"this is {platform.python_version()}"
    for version, fault in (
        ("1.10.0", ""),
        ("1.12.0", ""),  # for another system, not for another Python
        ("1.13.0", f"jax 1.13.0 needs Python 3.99 or later; {this}"),
        ("1.14.0", f"jax 1.14.0 needs Python ==3.98.*; {this}"),
        ("1.15.0", ""),
    ):
        assert python_fault("jax", version) == fault


@pytest.mark.slow
def test_a_package_that_the_index_has_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_index(tmp_path / "index", monkeypatch)
    with pytest.raises(UpstreamError) as caught:
        released_versions("jax")
    assert (
        caught.value.what
        == "the package index has no jax that can be installed here, or cannot be reached"
    )
    assert "No matching distribution found" in caught.value.hint


def test_without_pip(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\necho "$0: No module named pip" >&2\nexit 1\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    with pytest.raises(ConfigError, match="pip is not installed"):
        released_versions("jax")
