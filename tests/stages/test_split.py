"""stages/split: documents that share a name, and what is said of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from folders import write_tree
from msgspec.structs import replace
from notebooks import code, notebook, prose
from runs import run_at

from pipeline.adapters.memo import Memo
from pipeline.core.document.reader import SplitPage
from pipeline.core.pin.lock import Page, SourceFile
from pipeline.paths import Paths
from pipeline.stages.split import split, split_page

# JSON has no way to write the number in it.
ODD_NOTEBOOK = notebook(prose("# Odd"), weight=float("nan"))


def page_of(path: str, digit: str) -> Page:
    """A page of one document, whose blob is all of one digit."""
    return Page(name=path.partition(".")[0], files=(SourceFile(path=path, blob=digit * 40),))


def split_texts(root: Path, texts: Mapping[str, str]) -> SplitPage:
    """Split one page, which has several documents."""
    paths = Paths(root, "docs")
    write_tree(paths.docs, texts)
    files = tuple(SourceFile(path=path, blob="0" * 40) for path in texts)
    return split_page(paths, Page(name="tea", files=files))


def test_three_documents_of_one_name_are_one_page(tmp_path: Path) -> None:
    texts = {
        "tea.ipynb": notebook(prose("# Tea"), code("1")),
        "tea.md": "# Tea\n\nWith milk.\n",
        "tea.rst": "Tea\n===\n\nWith lemon.\n",
    }
    page = split_texts(tmp_path, texts)
    assert [document.path for document in page.documents] == list(texts)
    assert page.findings == ()


def test_directives_that_are_not_known_are_told_with_their_cell(tmp_path: Path) -> None:
    unknown = "Words.\n\n```{brew} strong\nSome words.\n```"
    texts = {
        "tea.ipynb": notebook(prose("With milk."), prose(unknown)),
        "tea.md": f"# Tea\n\n{unknown}\n",
        "tea.rst": "Tea\n===\n\n.. brew:: strong\n\n   Some words.\n",
    }
    findings = split_texts(tmp_path, texts).findings
    places = ["tea.ipynb, cell 3:3", "tea.md:5", "tea.rst:4"]
    assert [finding.where for finding in findings] == places
    text = 'stays in English: the content of the directive "brew" is unknown'
    assert {(one.code, one.text) for one in findings} == {("left-alone", text)}


def test_pages_are_split_again_only_if_their_documents_change(tmp_path: Path) -> None:
    run = run_at(tmp_path, url="somewhere")
    texts = {"tea.md": "# Tea\n\nWith milk.\n", "odd.ipynb": ODD_NOTEBOOK}
    write_tree(run.paths.docs, texts)
    pages = [page_of("tea.md", "0"), page_of("odd.ipynb", "1")]
    first = split(run, pages)
    # The lock says that they are what they were, so that nobody looks.
    (run.paths.docs / "tea.md").write_text("# Coffee\n", encoding="utf-8")
    assert split(run, pages) == first
    again = split(run, [page_of("tea.md", "2"), pages[1]])
    assert [page.title for page in again] == ["Coffee", "Title"]
    # Metadata that JSON cannot write, such as NaN, is no part of a split.
    known = dict(Memo(run.paths.splits, SplitPage).items())
    assert known == {page.page.name: page for page in again}


def test_a_run_of_some_pages_keeps_what_is_known_of_the_others(tmp_path: Path) -> None:
    run = run_at(tmp_path, url="somewhere")
    write_tree(run.paths.docs, {"tea.md": "# tea\n", "milk.md": "# milk\n"})
    tea, milk = page_of("tea.md", "0"), page_of("milk.md", "1")
    # A dry run writes nothing.
    split(replace(run, dry=True), [tea])
    assert not run.paths.splits.exists()
    split(run, [tea])
    split(replace(run, pages=("milk",)), [milk])
    names = [subject for subject, _ in Memo(run.paths.splits, SplitPage).items()]
    assert names == ["milk", "tea"]
