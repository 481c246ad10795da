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


def test_directives_that_are_not_known_are_told_with_their_cell(tmp_path: Path) -> None:
    paths = Paths(tmp_path, "docs")
    paths.docs.mkdir(parents=True)
    unknown = "Words.\n\n```{brew} strong\nSome words.\n```"
    texts = {
        "tea.ipynb": notebook(prose("With milk."), prose(unknown)),
        "tea.md": f"# Tea\n\n{unknown}\n",
        "tea.rst": "Tea\n===\n\n.. brew:: strong\n\n   Some words.\n",
    }
    for path, text in texts.items():
        (paths.docs / path).write_text(text, encoding="utf-8")
    files = tuple(SourceFile(path=path, blob="0" * 40) for path in texts)
    page = split_page(paths, Page(name="tea", files=files))
    assert [(finding.code, finding.where) for finding in page.findings] == [
        ("left-alone", "tea.ipynb, cell 3:3"),
        ("left-alone", "tea.md:5"),
        ("left-alone", "tea.rst:4"),
    ]
    assert {finding.text for finding in page.findings} == {
        'stays in English: what the directive "brew" holds is not known'
    }
