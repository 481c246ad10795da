"""How Sphinx is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.adapters import sphinx


def test_a_locale_that_is_not_installed_keeps_no_site_from_being_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "zz_ZZ.UTF-8")
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "conf.py").write_text("project = '茶'\n", "utf-8")
    (sources / "index.rst").write_text("茶\n==\n", "utf-8")
    doctrees = tmp_path / "doctrees"
    doctrees.mkdir()
    (doctrees / sphinx.BROKEN).write_text("{}")
    built = sphinx.run_sphinx(
        sources,
        tmp_path / "html",
        doctrees=doctrees,
        jobs=1,
        on_progress=lambda phase, percent, page: None,
    )
    assert built.warned == ()
    assert "茶" in (tmp_path / "html" / "index.html").read_text("utf-8")
