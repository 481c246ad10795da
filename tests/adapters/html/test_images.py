"""Images are embedded where browsers see any: not in comments, words or values."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.adapters.html.images import Images, PageFolder

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
