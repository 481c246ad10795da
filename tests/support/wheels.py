"""Folder of wheels that pip uses as its only package index."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest


def make_index(folder: Path, monkeypatch: pytest.MonkeyPatch, *wheels: str) -> Path:
    """Make ``folder`` the package index, with ``wheels``.

    Each wheel is a name and a version, then optionally a tag (``py3-none-any``) and the required
    Python (``>=3.99``).
    """
    folder.mkdir()
    links = []
    for wheel in wheels:
        name, version, *others = wheel.split(" ")
        tag, python = others + ["py3-none-any", ">=3"][len(others) :]
        path = folder / f"{name}-{version}-{tag}.whl"
        needed = python.replace(">", "&gt;")
        links.append(f'<a href="{path.name}" data-requires-python="{needed}"></a>\n')
        with zipfile.ZipFile(path, "w") as file:
            file.writestr(
                f"{name}-{version}.dist-info/METADATA",
                f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
            )
    (folder / "index.html").write_text("".join(links))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder / "index.html"))
    return folder
