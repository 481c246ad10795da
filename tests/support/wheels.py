"""A folder of wheels that pip takes for the only package index there is."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest


def make_index(folder: Path, monkeypatch: pytest.MonkeyPatch, *wheels: str) -> Path:
    """Make ``folder`` the package index, with ``wheels``.

    Each is a name and a version, then perhaps what it is for (``py3-none-any``).
    """
    folder.mkdir()
    for wheel in wheels:
        name, version, *tag = wheel.split(" ")
        with zipfile.ZipFile(
            folder / f"{name}-{version}-{tag[0] if tag else 'py3-none-any'}.whl", "w"
        ) as file:
            file.writestr(
                f"{name}-{version}.dist-info/METADATA",
                f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
            )
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder
