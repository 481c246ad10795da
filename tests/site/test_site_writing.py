"""Files that our extension writes inside Sphinx: completely or not at all."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip(
    "sphinx_book_theme", reason="the dependency group site is not installed"
)

from docutils import nodes
from docutils.utils import new_document

from pipeline.adapters.files import WriteError
from pipeline.site.extension import assets, fallback, own_pages
from pipeline.site.extension.content.figures import FindImages

OLD, IMAGE = b"as it was", b"\x89PNG" + bytes(9000)


def app_in(folder: Path) -> Any:
    config = SimpleNamespace(
        language="zh_CN",
        root_doc="index",
        jz_site={"own_pages": {"glossary": "glossary", "progress": "progress"}},
    )
    env = SimpleNamespace(srcdir=folder, docname="tea", config=config, titles={})
    env.app = env._app = SimpleNamespace(doctreedir=folder, config=config)
    env.relfn2path = lambda name, _: (name, str(folder / name.lstrip("/")))
    return SimpleNamespace(outdir=folder, doctreedir=folder, config=config, env=env)


def write_image(app: Any) -> None:
    document = new_document("tea")
    document.settings.env = app.env
    data = b64encode(IMAGE).decode()
    document += nodes.image(uri=f"data:image/png;base64,{data}")
    FindImages(document).apply()


def write_broken(app: Any) -> None:
    fallback.write_broken(app, None)


def write_progress(app: Any) -> None:
    list(own_pages.own_pages(app))


def write_sheet(app: Any) -> None:
    (app.outdir / "site.css").write_text("p { color: red }", encoding="utf-8")
    assets.write_one_sheet(app.outdir)


@pytest.fixture(autouse=True)
def _without_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("glossary_html", "spots", "reach_of", "read_facts", "to_body"):
        monkeypatch.setattr(own_pages, name, lambda *_: {})
    monkeypatch.setattr(own_pages, "progress", lambda *_: {"pages": []})


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("outputs/*.png", write_image),
        ("broken.json", write_broken),
        ("progress.json", write_progress),
        ("styles/all.css", write_sheet),
    ],
)
def test_a_file_is_written_whole_or_not_at_all(
    name: str,
    write: Callable[[Any], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = app_in(tmp_path)
    (tmp_path / "styles").mkdir()
    write(app)
    (path,) = tmp_path.glob(name)
    good = path.read_bytes()
    path.write_bytes(OLD)
    with monkeypatch.context() as patched, pytest.raises(WriteError):
        patched.setattr(os, "replace", _fail)
        write(app)
    assert path.read_bytes() == OLD
    write(app)
    assert path.read_bytes() == good


def _fail(*_: object) -> None:
    raise OSError
