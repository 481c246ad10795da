"""What is told of the interpreter that runs kernels."""

from __future__ import annotations

from importlib.metadata import distributions
from pathlib import Path

import pytest

from pipeline.adapters.kernel import environment


def packages() -> dict[str, str]:
    facts = environment().items()
    return {
        name.removeprefix("package "): version
        for name, version in facts
        if name.startswith("package ")
    }


def test_every_package_is_told_as_the_library_tells_it() -> None:
    told = {package.name.lower(): package.version for package in distributions()}
    assert packages() == told


def test_metadata_may_look_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "late-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nLicense: a\n  Name: no\n"
        "Version:  1.0 \nName: Late\n\nName: body\nVersion: 9\n",
        "old.egg-info/PKG-INFO": "Name: old\nVersion: 2\n",
        "single.egg-info": "Name: single\nVersion: 3\n",
        "removed-4.dist-info/RECORD": "",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    before = packages()
    monkeypatch.syspath_prepend(str(tmp_path))
    added = {"late": "1.0", "old": "2", "single": "3"}
    assert packages() == before | added
