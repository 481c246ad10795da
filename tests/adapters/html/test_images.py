"""Images of pages: embedded from the page's own folder only."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from pipeline.adapters.files import is_inside
from pipeline.adapters.html.images import Images, PageFolder
from pipeline.adapters.html.myst import markdown_html
from pipeline.adapters.html.rst import rst_html

DATA = "data:image/png;base64,aW1hZ2U="
HTML = (
    ("<img src=a.png>", f'<img src="{DATA}">'),
    ("x\n<p>\n<IMG alt='b' SRC='a.png' />y", f'x\n<p>\n<img src="{DATA}" alt="b">y'),
    ("<object data=a.png>no</object>", f'<object data="{DATA}">no</object>'),
    ("<img src=a.png src=b.png>", f'<img src="{DATA}">'),
    ('<img alt="a &quot; src=x" src="a.png">', f'<img src="{DATA}" alt="a &quot; src=x">'),
    # These are left as they are.
    ("<img alt=x>", "<img alt=x>"),
    ('<img src="missing.png">', '<img src="missing.png">'),
    ("<!-- <img src=a.png> -->", "<!-- <img src=a.png> -->"),
    ('<p title="<img src=a.png>">x</p>', '<p title="<img src=a.png>">x</p>'),
    ("<script>'<img src=a.png>'</script>", "<script>'<img src=a.png>'</script>"),
    ("<![x[ ]]>a", "<![x[ ]]>a"),
    ('<img src="', '<img src="'),
)  # fmt: skip


@pytest.mark.parametrize(("html", "embedded"), HTML)
def test_images_are_embedded_where_browsers_see_them(
    html: str, embedded: str, tmp_path: Path
) -> None:
    (tmp_path / "a.png").write_bytes(b"image")
    assert Images(folder=PageFolder(tmp_path)).embed_in(html) == embedded


@pytest.fixture
def folder(tmp_path: Path) -> PageFolder:
    """The folder of the page ``guide/jit``; a secret lies beside the docs."""
    docs = tmp_path / "docs"
    (docs / "guide").mkdir(parents=True)
    (docs / "guide" / "own.png").write_bytes(b"own")
    (docs / "top.png").write_bytes(b"top")
    (tmp_path / "secret.png").write_bytes(b"secret")
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "secret.png").write_bytes(b"secret")
    (docs / "linked.png").symlink_to(tmp_path / "secret.png")
    (docs / "chain.png").symlink_to(docs / "linked.png")
    (docs / "linked").symlink_to(tmp_path / "others")
    (docs / "near.png").symlink_to(docs / "top.png")
    (docs / "circle.png").symlink_to(docs / "circle.png")
    return PageFolder.of(docs, "guide/jit")


DOCS_FILES = {
    "own.png": b"own", "../guide/own.png": b"own", "../top.png": b"top", "/top.png": b"top",
    "/near.png": b"top", "gone.png": None,
}  # fmt: skip


@pytest.mark.parametrize("name", DOCS_FILES)
def test_files_of_the_docs_are_read(name: str, folder: PageFolder) -> None:
    assert folder.read(name) == DOCS_FILES[name]
    assert folder.refused == []


OUTSIDE = (
    "../../secret.png", "own.png/../../../secret.png", "/../secret.png", "/linked.png",
    "/chain.png", "/linked/secret.png", "../linked/secret.png", "a\0b.png",
    "x" * 5000 + "/../../../secret.png",
)  # fmt: skip


@pytest.mark.parametrize("name", OUTSIDE)
def test_no_other_file_is_read(name: str, folder: PageFolder) -> None:
    assert folder.read(name) == b""
    assert folder.refused == [name]


@pytest.mark.parametrize(
    "source",
    [
        "![a](../../secret.png)",
        "![a](..%2F..%2Fsecret.png)",
        '<img src="../../secret.png">',
        '<img src="&#46;&#46;/../secret.png">',
        "```{image} ../../secret.png\n```",
        "- a\n\n  ```{figure} ../../secret.png\n  ```",
        "| a |\n|---|\n| ![x](/linked/secret.png) |",
    ],
)
def test_markdown_embeds_nothing_else(source: str, folder: PageFolder) -> None:
    assert "c2VjcmV0" not in markdown_html(source, folder=folder)  # "secret" in base64


@pytest.mark.parametrize(
    "source",
    [
        ".. image:: ../../secret.png",
        ".. image:: ../../secret.png\n   :loading: embed\n   :scale: 50",
        ".. image:: {docs}/../secret.png\n   :loading: embed",
        ".. figure:: file://{docs}/../secret.png\n   :loading: embed",
        "- a\n\n  .. image:: /linked.png\n     :loading: embed",
        "|x|\n\n.. |x| image:: /linked/secret.png\n   :loading: embed",
    ],
)
def test_rest_embeds_nothing_else(source: str, folder: PageFolder) -> None:
    html = rst_html(source.format(docs=folder.docs), folder=folder)
    assert "c2VjcmV0" not in html


def test_images_are_shown_from_the_docs(folder: PageFolder) -> None:
    images = Images(folder=folder)
    assert images.uri("own.png") == "data:image/png;base64,b3du"
    assert images.uri("own.txt") == "own.txt"
    assert images.uri("//example.org/a.png") == "//example.org/a.png"
    assert images.uri("../../secret.png") == "data:image/png;base64,"


def test_copies_of_a_folder_are_the_folder(folder: PageFolder) -> None:
    assert copy.deepcopy(folder) is folder


def test_links_in_a_circle_lead_nowhere(folder: PageFolder) -> None:
    assert not is_inside(folder.docs / "a\0b", folder.docs)
    assert folder.read("/circle.png") in (None, b"")
