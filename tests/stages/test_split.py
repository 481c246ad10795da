"""stages/split: documents that share a name, and what is said of them."""

from __future__ import annotations

from pathlib import Path

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
    return Page(
        name=path.partition(".")[0], files=(SourceFile(path=path, blob=digit * 40),)
    )


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
        'stays in English: the content of the directive "brew" is unknown'
    }


def test_pages_are_split_again_only_if_their_documents_change(tmp_path: Path) -> None:
    run = run_at(tmp_path, url="somewhere")
    run.paths.docs.mkdir(parents=True)
    texts = {"tea.md": "# Tea\n\nWith milk.\n", "odd.ipynb": ODD_NOTEBOOK}
    for path, text in texts.items():
        (run.paths.docs / path).write_text(text, encoding="utf-8")
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
    run.paths.docs.mkdir(parents=True)
    for name in ("tea", "milk"):
        (run.paths.docs / f"{name}.md").write_text(f"# {name}\n", encoding="utf-8")
    tea, milk = page_of("tea.md", "0"), page_of("milk.md", "1")
    # A dry run writes nothing.
    split(replace(run, dry=True), [tea])
    assert not run.paths.splits.exists()
    split(run, [tea])
    split(replace(run, pages=("milk",)), [milk])
    names = [subject for subject, _ in Memo(run.paths.splits, SplitPage).items()]
    assert names == ["milk", "tea"]
