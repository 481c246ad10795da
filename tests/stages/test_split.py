"""stages/split: documents that share a name, and what is said of them."""

from __future__ import annotations

from pathlib import Path

from notebooks import code, notebook, prose

from pipeline.core.pin.lock import Page, SourceFile
from pipeline.paths import Paths
from pipeline.stages.split import split_page


def test_three_documents_of_one_name_are_one_page(tmp_path: Path) -> None:
    paths = Paths(tmp_path, "docs")
    paths.docs.mkdir(parents=True)
    texts = {
        "tea.ipynb": notebook(prose("# Tea"), code("1")),
        "tea.md": "# Tea\n\nWith milk.\n",
        "tea.rst": "Tea\n===\n\nWith lemon.\n",
    }
    for path, text in texts.items():
        (paths.docs / path).write_text(text, encoding="utf-8")
    files = tuple(SourceFile(path=path, blob="0" * 40) for path in texts)
    page = split_page(paths, Page(name="tea", files=files))
    assert [document.path for document in page.documents] == list(texts)
    assert page.findings == ()
