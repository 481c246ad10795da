"""``export`` and ``import``: to another editor and back, and the recipe for Weblate."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from branch_project import Clone
from catalog_files import edit_catalog, read_catalog
from folders import read_tree
from in_process import command
from msgspec.structs import replace
from repositories import git
from translate.convert import po2xliff, xliff2po
from translate.storage import poxliff, pypo

from pipeline.adapters import po

CATALOGS = Path("translations/zh_CN/sample")
EXPORTED = Path("build/export/sample/zh_CN")


def saved(path: Path, store: Any, change: Callable[[Any], None]) -> None:
    """Open a file as Weblate and its like do, change its units, and save it."""
    opened = store.parsefile(str(path))
    for unit in opened.units:
        if unit.source:
            change(unit)
    opened.save()


def there_and_back(change: Callable[[Any], None]) -> None:
    """What docs/weblate.md says of XLIFF: make it of what was exported, edit it, and back."""
    po2xliff.main(["--progress=none", str(EXPORTED), "xliff"])
    shutil.rmtree(EXPORTED)
    for path in Path("xliff").rglob("*.xliff"):
        saved(path, poxliff.PoXliffFile, change)
    xliff2po.main(["--progress=none", "xliff", str(EXPORTED)])


@pytest.fixture
def exported(project: Path) -> Path:
    """The project with what was pulled, as after any ``sync``, and exported."""
    command("pull sample")
    command("export sample")
    return project


@pytest.mark.parametrize("form", ["po", "xliff"])
def test_a_round_trip_loses_no_state(project: Path, form: str) -> None:
    command("pull sample")
    catalog = read_catalog(CATALOGS / "faq.po")
    first, second, *rest = catalog.entries
    first = replace(first, fuzzy=True, previous="It was called otherwise.")
    second = replace(second, comments=("pipeline: ignore=M304 a question", ""))
    data = po.format_catalog(replace(catalog, entries=(first, second, *rest)))
    (CATALOGS / "faq.po").write_bytes(data)
    before = read_tree(CATALOGS)
    command("export sample")
    if form == "xliff":
        there_and_back(lambda unit: None)
    for path in EXPORTED.rglob("*.po"):
        saved(path, pypo.pofile, lambda unit: None)
    told = command("import --name sample build/export/sample").err
    assert "0 translations imported" in told
    assert read_tree(CATALOGS) == before


@pytest.mark.parametrize("form", ["po", "xliff"])
def test_work_done_elsewhere_comes_into_the_memory(exported: Path, form: str) -> None:
    def translate(unit: Any) -> None:
        if "in_axes" in unit.source:
            unit.target = "用 `in_axes` 说明"

    if form == "xliff":
        there_and_back(translate)
    # As ``wlc download`` lays files out: project, component, language.
    back = Path("back/jax-docs/vmap/zh_CN.po")
    back.parent.mkdir(parents=True)
    shutil.copy(EXPORTED / "guides" / "vmap.po", back)
    if form == "po":
        saved(back, pypo.pofile, translate)
    command("import --name sample back")
    command("split sample")
    memory = read_catalog(Path("translations/memory/zh_CN/sample/guides/vmap.po"))
    assert "用 `in_axes` 说明" in {entry.msgstr for entry in memory.entries}


def test_exporting_again_writes_nothing(project: Path) -> None:
    command("pull sample")
    command("export sample --check", code=1)
    assert not Path("build/export").exists()
    command("export sample")
    assert "nothing to write" in command("export sample").err
    command("export sample --pages faq --to one")
    assert {*read_tree(Path("one"))} == {
        "sample/templates/faq.pot",
        "sample/zh_CN/faq.po",
    }


def test_templates_hold_no_chinese(exported: Path) -> None:
    templates = read_tree(Path("build/export/sample/templates"))
    assert "guides/vmap.pot" in templates
    for name, data in templates.items():
        catalog = po.read_catalog(data, where=name).catalog
        assert catalog.entries
        assert not any(entry.msgstr for entry in catalog.entries)
        assert catalog.header["Language"] == ""


def test_bad_files_are_told_and_good_ones_are_taken(exported: Path) -> None:
    first = read_catalog(EXPORTED / "faq.po").entries[0].msgid
    edit_catalog(
        EXPORTED / "faq.po",
        lambda entry: replace(entry, msgstr="问题") if entry.msgid == first else entry,
    )
    (EXPORTED / "broken.po").write_text("<<<<<<< HEAD\n")
    (EXPORTED / "faq.xlf").write_text("<xliff>")
    for source, target, old, new in (
        ("grad", "grad", "Language: zh_CN", "Language: fr"),
        ("arrays", "strange", "#: arrays", "#: strange"),
    ):
        text = (EXPORTED / f"{source}.po").read_text()
        (EXPORTED / f"{target}.po").write_text(text.replace(old, new))
    told = command("import --name sample", EXPORTED, code=4).out
    for words in (
        "broken.po:1",
        "faq.xlf: is XLIFF, but import reads only PO",
        "xliff2po faq.xlf faq.po",
        "is in fr",
        "strange.po:1",
        "belongs to no page that has a catalogue here",
    ):
        assert words in told
    assert "问题" in (CATALOGS / "faq.po").read_text()


@pytest.mark.parametrize("code", ["zh_Hans", "zh_Hans_CN"])
def test_a_po_file_as_weblate_saves_it_is_taken(exported: Path, code: str) -> None:
    """Wrapped at 77 with Weblate's header, under its name for the language."""
    path = EXPORTED / "faq.po"
    store: Any = pypo.pofile.parsefile(str(path))  # type: ignore[no-untyped-call]
    store.updateheader(
        add=True,
        last_translator="Li Lei <li@example.org>",
        language=code,
        language_team="Chinese <https://example.org/projects/x/zh_Hans/>",
        x_generator="Weblate 2026.10.1",
    )
    first, second = [unit for unit in store.units if unit.source][:2]
    first.target = "很长的一句话，" * 20
    second.target = "还要看一看"
    second.markfuzzy()
    store.wrapper.width = 77
    # Some servers save with the line ends of Windows.
    path.write_bytes(bytes(store).replace(b"\n", b"\r\n"))
    assert "2 translations imported" in command("import --name sample", path).err
    catalog = read_catalog(CATALOGS / "faq.po")
    assert [(entry.msgstr, entry.fuzzy) for entry in catalog.entries[:2]] == [
        ("很长的一句话，" * 20, False),
        ("还要看一看", True),
    ]
    header = {
        "X-Generator": "Weblate 2026.10.1",
        "Last-Translator": "Li Lei <li@example.org>",
        "Language": "zh_CN",
    }
    assert header.items() <= catalog.header.items()


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ("import --name sample nothing.po", "there is no such file"),
        ("import --name sample docs", "has no PO file"),
        ("import --name sampel x", "Did you mean 'sample'?"),
        ("export sampel", "Did you mean 'sample'?"),
    ],
)
def test_words_that_name_nothing(project: Path, words: str, what: str) -> None:
    command("pull sample")
    (project / "docs").mkdir()
    assert what in command(words, code=2).err


def test_without_catalogues_there_is_nothing_to_export(project: Path) -> None:
    command("pull sample")
    shutil.rmtree(CATALOGS.parent)
    assert "nox -s sync -- sample --no-execute" in command("export sample", code=2).err


def test_the_recipe_for_a_weblate_of_ones_own(work: Clone, tmp_path: Path) -> None:
    """Docs/weblate.md: catalogues on a branch of a private copy, the memory back to the project."""
    private = tmp_path / "private.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "weblate", str(private))
    work.branch("weblate")
    work.git("add", "--force", "translations/zh_CN")
    work.git("commit", "-qm", "Catalogues for Weblate")
    work.git("push", "-q", str(private), "weblate")
    # Weblate: translates, commits, pushes.
    server = tmp_path / "server"
    git(tmp_path, "clone", "-q", str(private), str(server))

    def translate(unit: Any) -> None:
        unit.target = f"服务器：{len(unit.source)}字，{sum(map(ord, unit.source))}"

    saved(server / "translations/zh_CN/docs/cellar.po", pypo.pofile, translate)
    git(server, "commit", "-qam", "Translated using Weblate")
    git(server, "push", "-q", "origin", "weblate")
    # The way back.
    work.git("pull", "-q", "--ff-only", str(private), "weblate")
    assert work.sync() == 0
    assert all(text.startswith("服务器") for text in work.texts("cellar").values())
    work.git("add", "translations/memory")
    work.git("commit", "-qm", "Store what was translated in Weblate")
    work.git("checkout", "-q", "-b", "from-weblate", "main")
    work.git("checkout", "-q", "weblate", "--", "translations/memory")
    work.git("commit", "-qm", "Translate the cellar")
    assert work.git("ls-files", "translations/zh_CN") == ""
    fresh = work.fresh()
    assert all(text.startswith("服务器") for text in fresh.texts("cellar").values())
