"""API reference: what of a page is handed to Sphinx, and docstrings as documents."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from report_results import LOCK

from pipeline.core.pin.lock import SourceFile
from pipeline.core.reference import (
    MARK,
    PATH,
    Directive,
    Failure,
    Object,
    Record,
    Row,
    files_of,
    listing,
    read_record,
    settings_in,
)
from pipeline.errors import InputError


def shows(page: str, *names: str) -> Directive:
    lines = (".. py:function:: x", *(f"   {MARK}{name}{MARK}" for name in names))
    return Directive(page=page, directive="autofunction", argument="x", lines=lines)


POUR = Object(what="function", doc="Pour tea.\n\nWith care.\n")


RECORD = Record(
    key="k",
    directives=(
        shows("tea", "tea.pour"),
        shows("_autosummary/tea.pour", "tea.pour"),
        shows("_autosummary/tea.alias", "tea.alias"),
        shows("zoo", "tea.pour"),
        shows("_autosummary/tea.Cup", "tea.Cup", "tea.Cup.drink", "tea.Cup.bare"),
    ),
    rows=(
        Row(page="_autosummary/tea.Cup", name="Cup.wash", object="tea.Cup.wash"),
        Row(page="tea", name="pour", object="tea.pour"),
        Row(page="tea", name="gone", object="tea.gone"),
        Row(page="tea", name="Cup.plain", object="tea.Cup.plain"),
    ),
    objects={
        "tea.pour": POUR,
        "tea.alias": POUR,
        "tea.Cup": Object(what="class", doc="Cup(size: int)"),
        "tea.Cup.drink": Object(what="method", doc="Drink."),
        "tea.Cup.bare": Object(what="method"),
        "tea.Cup.wash": Object(what="method", doc="Wash.\n\nOnly in a table."),
        "tea.Cup.plain": Object(what="method"),
    },
)


def test_docstrings_are_documents_of_their_own_page() -> None:
    files = files_of(RECORD)
    stored = read_record(files.pop(PATH), where="record")
    assert files == {
        "_api/_autosummary/tea.Cup/tea.Cup.drink.docstring": b"Drink.",
        "_api/_autosummary/tea.Cup/tea.Cup.wash.docstring": b"Wash.",
        "_api/_autosummary/tea.alias/tea.alias.docstring": b"Pour tea.\n\nWith care.",
    }
    documents = {name: found.document for name, found in stored.objects.items()}
    alias = "_api/_autosummary/tea.alias/tea.alias.docstring"
    # Equal docstrings are one document. A signature alone is none.
    assert documents["tea.pour"] == documents["tea.alias"] == alias
    assert documents["tea.Cup"] == documents["tea.Cup.bare"] == ""
    assert {found.doc for found in stored.objects.values()} == {""}
    assert stored.key == "k"


def test_files_depend_on_the_record_only() -> None:
    assert files_of(RECORD) == files_of(RECORD)


@pytest.mark.parametrize("name", ["tea.a/../../b", "tea.\0", "con"])
def test_names_that_no_file_can_have_get_no_document(name: str) -> None:
    objects = {name: Object(what="data", doc="Words.")}
    record = Record(directives=(shows("tea", name),), objects=objects)
    assert list(files_of(record)) == [PATH]


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"objects": {"x": 1}}', b"\xff"])
def test_damaged_record_is_an_error(data: bytes) -> None:
    with pytest.raises(InputError, match="not a record of an API reference"):
        read_record(data, where="record")


GONE = "gone is documented, but the package does not have it"


@pytest.mark.parametrize(
    ("failure", "place", "text"),
    [
        (Failure(page="tea", name="gone", line=7), "tea.rst:7", GONE),
        (
            Failure(page="tea", name="pot", problem="ValueError: broken"),
            "tea",
            "pot cannot be read: ValueError: broken",
        ),
        (
            Failure(page="_autosummary/cup", name="gone", line=1),
            "_autosummary/cup",
            GONE,
        ),
    ],
)
def test_failure_names_its_line(failure: Failure, place: str, text: str) -> None:
    paths = ("tea.ipynb", "tea.rst")
    lock = replace(LOCK, files=tuple(SourceFile(path=path, blob="") for path in paths))
    assert (failure.place(lock), failure.text) == (place, text)


PAGE = """\
Tea
===

.. currentmodule:: tea

.. raw:: html

   <script>steep()</script>

Words about tea.

  .. autosummary::
     :toctree: _autosummary

     pour

     brew

.. autoclass:: Pot
   :members:
"""


def test_only_modules_and_lists_are_kept() -> None:
    assert listing("tea.rst", PAGE) == (
        "\n\n\n.. currentmodule:: tea\n\n\n\n\n\n\n\n"
        ".. autosummary::\n   :toctree: _autosummary\n\n   pour\n\n   brew\n\n"
        ".. autoclass:: Pot\n   :members:\n"
    )


def test_lines_keep_their_numbers() -> None:
    kept = listing("tea.rst", PAGE).split("\n")
    for number, line in enumerate(PAGE.split("\n")):
        assert not kept[number] or kept[number].strip() == line.strip()


def test_lists_that_the_docs_make_are_kept_by_name() -> None:
    page = "Tea\n===\n\n.. list_teas::\n\n.. list_pots::\n"
    assert listing("tea.rst", page) == ""
    assert listing("tea.rst", page, others=["list_teas"]) == "\n\n\n.. list_teas::\n"


def test_page_without_names_is_empty() -> None:
    assert listing("tea.rst", ".. currentmodule:: tea\n\nWords.\n") == ""


def test_markdown_has_lists_in_evaluated_blocks_only() -> None:
    text = "# Tea\n\n.. autofunction:: no\n\n```{eval-rst}\n.. autofunction:: tea.pour\n```\n"
    assert listing("tea.md", text) == "\n\n\n\n\n.. autofunction:: tea.pour\n"
    assert listing("tea.md", "# Tea\n\n.. autofunction:: no\n") == ""


def test_settings_of_other_extensions_stay_out() -> None:
    ours = {"autodoc_typehints": "description"}
    assert settings_in({**ours, "extensions": ["os"], "html_theme": "x"}) == ours
