"""``beside``: releases that are shown beside the pinned one."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.config.reader import read_settings
from pipeline.config.settings import Settings
from pipeline.errors import ConfigError
from pipeline.paths import Paths

PIN = '[dependency-groups]\njax = ["jax==1.2.3", "jaxlib==1.2.3"]\n'
TABLE = '[tool.pipeline.upstreams.docs]\nurl = "https://example.org/docs"\n'
OF_JAX = 'package = "JAX"\nref = "v{version}"\n'


def read(folder: Path, *lines: str, **environ: str) -> Settings:
    path = folder / "pyproject.toml"
    path.write_text(PIN + TABLE + "\n".join(lines), encoding="utf-8")
    return read_settings(path, environ=environ)


def test_a_release_is_an_upstream_with_its_own_ref_and_folders(tmp_path: Path) -> None:
    settings = read(
        tmp_path,
        OF_JAX,
        'beside = ["1.3.0"]',
        'site.url = "https://example.org/"',
        DOCS_DOCS_UPSTREAM="/copy",
    )
    assert list(settings.upstreams) == ["docs", "docs@1.3.0"]
    pinned, release = settings.releases_of("docs@1.3.0")
    assert (pinned.ref, pinned.is_beside) == ("v1.2.3", False)
    assert (release.ref, release.version, release.is_beside) == (
        "v1.3.0",
        "1.3.0",
        True,
    )
    assert release.url == "/copy"
    assert release.site.url == "https://example.org/1.3.0/"
    own, shared = Paths(tmp_path, release.name), Paths(tmp_path, pinned.name)
    assert own.docs == tmp_path / "upstream" / "docs@1.3.0"
    assert own.lock == tmp_path / "upstream" / "docs@1.3.0.lock"
    assert own.catalogs("de") == tmp_path / "translations" / "de" / "docs@1.3.0"
    assert own.memories("de") == shared.memories("de")
    assert own.glossaries("de") == shared.glossaries("de")
    assert own.site == shared.site / "1.3.0"


def test_a_release_is_found_by_its_version(tmp_path: Path) -> None:
    settings = read(tmp_path, OF_JAX, 'beside = ["1.3.0"]')
    assert settings.release("docs", "1.3.0").name == "docs@1.3.0"
    assert settings.release(None, "1.2.3").name == "docs"
    assert settings.release("docs@1.3.0", "1.3.0").name == "docs@1.3.0"
    with pytest.raises(ConfigError) as caught:
        settings.release("docs", "1.4.0")
    assert caught.value.what == "no release '1.4.0' of docs is configured"
    assert "Configured: 1.2.3, 1.3.0." in caught.value.hint


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (
            [OF_JAX, 'beside = ["1.2.3"]'],
            "beside has '1.2.3', which is the pinned release",
        ),
        ([OF_JAX, 'beside = ["1.3.0", "1.3.0"]'], "beside has '1.3.0' twice"),
        ([OF_JAX, 'beside = ["1.3RC1", "1.3rc1"]'], "beside has '1.3rc1' twice"),
        ([OF_JAX, 'beside = ["../up"]'], "must be a version, not '../up'"),
        ([OF_JAX, 'beside = ["v1.3.0"]'], "must be a version, not 'v1.3.0'"),
        ([OF_JAX, "beside = [1.3]"], "must be a version, not 1.3"),
        (
            ['ref = "main"', 'beside = ["1.3.0"]'],
            "beside needs a ref for every release",
        ),
    ],
)
def test_releases_that_cannot_be(
    tmp_path: Path, lines: list[str], problem: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, *lines)
    assert problem in caught.value.what
    assert caught.value.hint
