"""Adopting copies into a project: what is written, what is refused, and what stays as it is."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from adoption_project import (
    LOCALE,
    AdoptionProject,
    chinese,
    make_sample_history,
    old_page,
    reads_the_sample,
)
from catalog_files import edit_catalog
from copies import DAMAGES, as_html, as_markdown, as_notebook, as_plain, han
from folders import copy_project, snapshot
from msgspec.structs import replace

from pipeline.adapters import po
from pipeline.cli import main
from pipeline.commands.adopt import adoption
from pipeline.commands.build import BuildOptions, build
from pipeline.config.settings import SitePolicy
from pipeline.core.adoption.result import AdoptResult, State
from pipeline.core.catalog.origins import copy_of
from pipeline.entries import Catalog, Entry
from pipeline.errors import ConfigError, PipelineError, UpstreamError
from pipeline.report.adoption import adoption_json, adoption_text
from pipeline.site.blocks import contributors
from pipeline.site.plan import Site
from pipeline.stages.update.verification import verify_memory

REMARK = "译者注：这里的内容是我自己加上的，与原文没有关系，仅供参考。"


@pytest.fixture(autouse=True, scope="module")
def _no_encoder() -> Iterator[None]:
    """Let the tests' own encoder read: the real one takes seconds a page."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adoption, "encoder", lambda: reads_the_sample)
        yield


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_sample_history(tmp_path_factory.mktemp("origin") / "docs")


@pytest.fixture
def project(origin: Path, tmp_path: Path) -> AdoptionProject:
    return AdoptionProject(tmp_path / "project", origin)


@pytest.fixture(scope="module")
def pulled(origin: Path, tmp_path_factory: pytest.TempPathFactory) -> AdoptionProject:
    """A project for whoever only looks: nothing is adopted into it."""
    return AdoptionProject(tmp_path_factory.mktemp("pulled") / "project", origin)


@pytest.fixture(scope="module")
def filled(origin: Path, tmp_path_factory: pytest.TempPathFactory) -> AdoptionProject:
    """A project with a page adopted, for files that are refused: they leave it as it is."""
    project = AdoptionProject(tmp_path_factory.mktemp("filled") / "project", origin)
    project.adopt(project.write("good.md", page_of()))
    return project


def page_of(name: str = "arrays", release: str = "v1") -> str:
    return as_markdown(old_page(name, release).row)


def live(catalog: Catalog) -> list[Entry]:
    return [entry for entry in catalog.entries if not entry.obsolete]


def confirmed(entry: Entry) -> Entry:
    return replace(entry, fuzzy=False, previous=None)


def refusal(result: AdoptResult) -> str:
    (finding,) = result.findings
    return f"{finding.text} {finding.hint}"


# --- what is written


def test_everything_adopted_waits_for_a_person(project: AdoptionProject) -> None:
    file = project.write("copy.md", page_of())
    result = project.adopt(file)
    assert result.exit_code == 0
    (copy,) = result.copies
    entries = live(project.catalog("arrays"))
    adopted = [entry for entry in entries if entry.msgstr]
    assert len(adopted) == len(copy.adopted) > 25
    assert not any(entry.is_translated for entry in entries)
    for entry in adopted:
        assert entry.fuzzy
        assert entry.previous
        found = copy_of(entry)
        assert found is not None
        assert (found.author, found.licence, found.file) == (
            "Li Lei",
            "CC-BY-4.0",
            "copy.md",
        )


def test_changed_english_shows_what_changed(project: AdoptionProject) -> None:
    file = project.write("copy.md", page_of())
    (copy,) = project.adopt(file).copies
    changed = [row for row in copy.rows if row.state is State.CHANGED]
    assert changed
    entries = {entry.msgid: entry for entry in live(project.catalog("arrays"))}
    for row in changed:
        entry = entries[row.pin]
        assert entry.previous == row.english != entry.msgid
        assert any(
            note.startswith("fuzzy: rewording: ") and "[-" in note
            for note in entry.notes
        )


def test_equal_english_says_that_it_was_adopted(project: AdoptionProject) -> None:
    project.adopt(project.write("copy.md", page_of(release="v3")))
    entries = [entry for entry in live(project.catalog("arrays")) if entry.msgstr]
    assert all("fuzzy: adopted" in entry.notes for entry in entries)
    assert all(entry.previous == entry.msgid for entry in entries)


def test_a_second_run_writes_nothing(project: AdoptionProject) -> None:
    file = project.write("copy.md", page_of())
    assert project.adopt(file).changes
    before = snapshot(project.root / "translations")
    assert project.adopt(file).changes == ()
    assert snapshot(project.root / "translations") == before


def test_a_copy_of_a_page_that_was_renamed_comes_to_its_new_name(
    project: AdoptionProject,
) -> None:
    (copy,) = project.adopt(project.write("copy.md", page_of("grad", "v1"))).copies
    assert copy.page == "gradients"
    assert sum(bool(entry.msgstr) for entry in live(project.catalog("grad"))) > 10


def test_a_translation_that_is_there_stays(project: AdoptionProject) -> None:
    file = project.write("copy.md", page_of())
    project.adopt(file)
    own = "这是我们自己的译法，与那一份拷贝的说法不同。"
    fourth = live(project.catalog("arrays"))[3]
    changed = replace(confirmed(fourth), msgstr=own, notes=fourth.notes[:1])
    path = project.paths.catalog(LOCALE, "arrays")
    edit_catalog(path, lambda entry: changed if entry.msgid == fourth.msgid else entry)
    (copy,) = project.adopt(file).copies
    (row,) = [row for row in copy.rows if row.state is State.KEPT]
    (entry,) = [
        entry for entry in live(project.catalog("arrays")) if entry.msgid == row.pin
    ]
    assert (entry.msgstr, entry.fuzzy) == (own, False)
    assert entry.comments[0].startswith("copy.md, by Li Lei, CC-BY-4.0: ")
    assert project.adopt(file).changes == ()


def test_memory_knows_whose_words_they_are(project: AdoptionProject) -> None:
    project.adopt(project.write("copy.md", page_of()))
    memory = project.paths.memory(LOCALE, "arrays").read_text("utf-8")
    assert ", by Li Lei, CC-BY-4.0" in memory
    assert verify_memory(project.run) == ()


def test_a_fresh_clone_has_the_same_suggestions(project: AdoptionProject) -> None:
    project.adopt(project.write("copy.md", page_of()))
    before = project.paths.catalog(LOCALE, "arrays").read_bytes()
    for path in sorted((project.root / "translations" / LOCALE).rglob("*.po")):
        path.unlink()
    project.paths.memory_state(LOCALE).unlink()
    result = project.adopt(project.write("copy.md", page_of()), dry_run=True)
    assert result.findings == ()
    project.adopt(project.write("copy.md", page_of()))
    assert project.paths.catalog(LOCALE, "arrays").read_bytes() == before


def test_confirmed_words_keep_their_author(project: AdoptionProject) -> None:
    """Also when the next update looks at them."""
    project.adopt(project.write("copy.md", page_of(release="v3")))
    edit_catalog(project.paths.catalog(LOCALE, "arrays"), confirmed)
    project.adopt(project.write("other.md", page_of("faq", "v3")))
    entries = [
        entry for entry in live(project.catalog("arrays")) if entry.is_translated
    ]
    assert len(entries) > 25
    assert all(copy_of(entry) for entry in entries)
    assert not any(
        note.startswith("fuzzy:") for entry in entries for note in entry.notes
    )


def test_built_pages_name_the_author_once_it_is_confirmed(
    project: AdoptionProject,
) -> None:
    project.adopt(project.write("copy.md", page_of(release="v3")))
    path = project.paths.catalog(LOCALE, "arrays")
    merged = project.paths.merged(LOCALE) / "arrays.ipynb"
    build(project.run, BuildOptions(last="merge"))
    # What waits is not shown, and nobody is to be named for it.
    assert "Li Lei" not in merged.read_text("utf-8")
    edit_catalog(path, confirmed)
    build(project.run, BuildOptions(last="merge"))
    assert "部分译文采自 Li Lei（CC-BY-4.0）。" in merged.read_text("utf-8")
    site = Site(
        settings=project.run.settings,
        upstream=project.run.upstream,
        policy=SitePolicy(),
        lock=project.lock,
        locale=LOCALE,
        pages=(),
    )
    assert contributors(site)["Li Lei"] > 25
    assert "Li Lei" in site.attribution("arrays.ipynb")


def test_paragraphs_that_were_joined_are_one_suggestion(
    project: AdoptionProject,
) -> None:
    row = DAMAGES["paragraphs joined"](old_page("arrays", "v3").row, random.Random(1))
    joined = [piece for piece in row if len(piece.of) > 1]
    assert joined
    project.adopt(project.write("copy.md", as_markdown(row)))
    entries = {entry.msgid: entry for entry in live(project.catalog("arrays"))}
    for piece in joined:
        # The marks of each are put back for each; the words are those of both.
        words = {han(entries[message].msgstr) for message in piece.of}
        assert words == {han(piece.text)}
        assert all(entries[message].fuzzy for message in piece.of)
    assert verify_memory(project.run) == ()


# --- what is told only


@pytest.mark.parametrize("option", ["dry_run", "audit"])
def test_nothing_is_written(project: AdoptionProject, option: str) -> None:
    file = project.write("copy.md", page_of())
    is_audit = option == "audit"
    result = project.adopt(
        file, author="", licence="", dry_run=not is_audit, audit=is_audit
    )
    assert not (project.root / "translations").exists()
    (copy,) = result.copies
    assert copy.counts[State.EQUAL] > 20


def test_an_audit_tells_what_is_wrong_with_a_page(pulled: AdoptionProject) -> None:
    row = DAMAGES["code edited"](old_page("arrays", "v1").row, random.Random(1))
    text = as_markdown(row) + "\n```python\nprint('没有结束\n```\n"
    result = pulled.adopt(pulled.write("copy.md", text), audit=True)
    (copy,) = result.copies
    assert any(cell.is_altered for cell in copy.cells)
    assert copy.behind == 2
    assert 0 < copy.changed_share < 0.5
    text = adoption_text(result, width=80)
    assert "2 releases behind" in text
    assert "altered" in text
    # A path may be longer, and is not cut.
    assert all(len(line) <= 80 or " " not in line.strip() for line in text.split("\n"))
    value = json.loads(adoption_json(result))
    assert any(cell["is_altered"] for cell in value["copies"][0]["cells"])


def test_what_a_copy_lacks_has_not_changed_since(pulled: AdoptionProject) -> None:
    row = old_page("arrays", "v3").row
    left = [piece for piece in row if piece.is_translated]
    lacking = tuple(piece for piece in row if piece not in left[5::4])
    (copy,) = pulled.adopt(
        pulled.write("copy.md", as_markdown(lacking)), audit=True
    ).copies
    assert copy.counts[State.MISSING] > 3
    assert (copy.behind, copy.changed_share) == (0, 0.0)


# --- page and version


def test_page_and_version_may_be_named(pulled: AdoptionProject) -> None:
    file = pulled.write("copy.md", page_of())
    (copy,) = pulled.adopt(file, page="arrays", at="v2", dry_run=True).copies
    assert copy.version is not None
    assert (copy.page, copy.version.since[:7]) == ("arrays", "2026-02")
    (copy,) = pulled.adopt(file, at="v1", dry_run=True).copies
    assert (copy.page, copy.version and copy.version.since[:7]) == ("arrays", "2026-01")
    (copy,) = pulled.adopt(file, page="arrays", dry_run=True).copies
    assert [version.since[:7] for version in copy.as_good] == ["2026-01"]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"author": ""}, ConfigError, "--author is missing"),
        ({"licence": " "}, ConfigError, "--license is missing"),
        ({"author": "a, b"}, ConfigError, "--author has a character"),
        ({"page": "arays"}, ConfigError, "Did you mean 'arrays'?"),
        ({"at": "v9"}, UpstreamError, "v9"),
    ],
)
def test_wrong_options(
    project: AdoptionProject,
    options: dict[str, str],
    error: type[PipelineError],
    words: str,
) -> None:
    file = project.write("copy.md", page_of())
    with pytest.raises(error) as raised:
        project.adopt(file, **options)
    assert words in str(raised.value)
    assert (
        not (project.root / "translations").exists()
        or not list((project.root / "translations" / LOCALE).rglob("*.po"))
        or not any(entry.msgstr for entry in live(project.catalog("arrays")))
    )


def test_a_page_that_was_not_there_at_a_ref(pulled: AdoptionProject) -> None:
    result = pulled.adopt(pulled.write("copy.md", page_of()), page="gradients", at="v3")
    # It was renamed since, and the copy is of neither.
    assert result.exit_code == 4
    assert "is no translation of 'gradients'" in refusal(result)


def test_only_one_chinese_locale_is_filled(origin: Path, tmp_path: Path) -> None:
    project = AdoptionProject(tmp_path, origin, locales=("zh_CN", "zh_TW"))
    with pytest.raises(ConfigError, match="to one locale"):
        project.adopt(project.write("copy.md", page_of()))


# --- bad input


BAD: dict[str, tuple[str, str | bytes, str]] = {
    "empty": ("copy.md", "  \n", "is empty"),
    "English": (
        "copy.md",
        old_page("arrays", "v3").data,
        "has no Chinese: it is the English page",
    ),
    "Chinese in code only": (
        "copy.md",
        "# Some page\n\n```python\n"
        + "# 这里的注释是中文的，正文却没有翻译过来。\n" * 3
        + "```\n",
        "has no Chinese outside of its code",
    ),
    "Japanese": (
        "copy.md",
        "これは日本語のページです。配列について説明します。" * 3,
        "is Japanese, not Chinese",
    ),
    "Korean": (
        "copy.md",
        "이것은 한국어 페이지입니다. 配列 설명합니다." * 3,
        "is Korean, not Chinese",
    ),
    "another project's": (
        "copy.md",
        "# 面包\n\n"
        + "\n\n".join(
            f"第 {n} 步：把面团放进烤箱，用 `numpy.random` 里的 `oven.bake({n})` 烤二十分钟。"
            for n in range(20)
        ),
        "matches none of upstream's pages; closest is",
    ),
    "without any name": (
        "copy.md",
        "# 春天\n\n" + "花开了，鸟儿在树上唱歌，孩子们在草地上奔跑。\n\n" * 9,
        "",
    ),
    "binary": ("copy.md", bytes(range(256)) * 40, "is no text"),
    "a picture": (
        "copy.md",
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9,
        "is no text",
    ),
    "large": ("copy.txt", b"a" * (9 << 20), "has 9,437,184 bytes"),
    "Word": ("copy.docx", b"PK", "files that end in .docx cannot be read"),
    "broken bytes": (
        "copy.md",
        "文档".encode("utf-16") + b"\x00\xd8\x00\x00",
        "is neither UTF-8 nor utf-16",
    ),
    "no notebook": (
        "copy.ipynb",
        '{"cells": "没有单元格的笔记本文件，只有一些中文的内容在里面而已"}',
        "it has no readable cell",
    ),
    "hostile": (
        "copy.html",
        "<html><body><p onclick=x>"
        + "{{ 7*7 }} 恶意的页面 <script>alert(1)</script>" * 9
        + "</p></body></html>",
        "from which its page can be detected",
    ),
    "nested": (
        "copy.html",
        "<div>" * 9000 + "中文" * 30 + "</div>" * 9000,
        "nested elements",
    ),
    "another catalogue": (
        "copy.po",
        'msgid ""\nmsgstr ""\n\nmsgid "Bread"\nmsgstr "面包"\n',
        "is of another project",
    ),
    "empty catalogue": (
        "copy.po",
        'msgid ""\nmsgstr ""\n\nmsgid "Bread"\nmsgstr ""\n',
        "has no Chinese translation",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_and_nothing_is_written(
    filled: AdoptionProject, name: str
) -> None:
    file, content, words = BAD[name]
    path = filled.write(file, content)
    before = snapshot(filled.root / "translations")
    result = filled.adopt(path)
    assert result.exit_code == 4
    assert result.copies == ()
    assert words in refusal(result)
    (finding,) = result.findings
    assert finding.where.startswith(path)
    assert finding.hint
    assert before
    assert snapshot(filled.root / "translations") == before


def test_one_bad_file_stops_no_other(project: AdoptionProject) -> None:
    project.write("copies/bad.md", "English only\n")
    project.write("copies/good.html", as_html(old_page("arrays", "v2").row))
    project.write("copies/image.png", b"\x89PNG")
    result = project.adopt(str(project.root / "copies"))
    assert result.exit_code == 4
    assert [copy.page for copy in result.copies] == ["arrays"]
    assert any(entry.msgstr for entry in live(project.catalog("arrays")))


def test_files_that_are_not_there(pulled: AdoptionProject) -> None:
    pulled.write("copies/arrays.md", page_of())
    (pulled.root / "empty").mkdir()
    with pytest.raises(ConfigError, match=r"Did you mean 'arrays.md'"):
        pulled.adopt(str(pulled.root / "copies" / "array.md"))
    with pytest.raises(ConfigError, match="no file or folder"):
        pulled.adopt(str(pulled.root / "nowhere" / "array.md"))
    with pytest.raises(ConfigError, match="has no page"):
        pulled.adopt(str(pulled.root / "empty"))


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("gb18030", "gb18030"),
        ("gbk", "gb18030"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-32", "utf-32"),
    ],
)
def test_encodings(pulled: AdoptionProject, encoding: str, shown: str) -> None:
    data = page_of().encode(encoding, "ignore")
    (copy,) = pulled.adopt(pulled.write("copy.md", data), dry_run=True).copies
    assert copy.encoding == shown
    assert len(copy.adopted) > 25


def test_two_encodings_in_one_file(pulled: AdoptionProject) -> None:
    lines = page_of().split("\n")
    data = b"\n".join(
        line.encode("gb18030" if number % 3 else "utf-8")
        for number, line in enumerate(lines)
    )
    (copy,) = pulled.adopt(pulled.write("copy.md", data), dry_run=True).copies
    assert copy.encoding.startswith("UTF-8 and GB18030")
    assert len(copy.adopted) > 25


def test_a_notebook_that_is_cut_off_in_the_middle(project: AdoptionProject) -> None:
    text = as_notebook(old_page("regression", "v3").row)
    (copy,) = project.adopt(
        project.write("copy.ipynb", text[: len(text) * 2 // 3])
    ).copies
    assert len(copy.adopted) > 5
    assert copy.counts[State.MISSING] > 5


def test_a_remark_is_nobodys_translation(project: AdoptionProject) -> None:
    text = page_of().replace("\n\n", f"\n\n{REMARK}\n\n", 3)
    (copy,) = project.adopt(project.write("copy.md", text)).copies
    assert copy.counts[State.EXTRA] == 3
    assert not any(REMARK in entry.msgstr for entry in live(project.catalog("arrays")))


def test_marks_that_were_stripped_are_put_back(project: AdoptionProject) -> None:
    row = DAMAGES["marks stripped"](old_page("arrays", "v3").row, random.Random(1))
    text = as_plain(row)
    assert "`" not in text
    project.adopt(project.write("copy.txt", text))
    entries = [entry for entry in live(project.catalog("arrays")) if entry.msgstr]
    with_code = [entry for entry in entries if "`" in entry.msgid]
    restored = [entry for entry in with_code if "`" in entry.msgstr]
    assert len(restored) > 0.8 * len(with_code) > 5


# --- catalogues


def catalog_text(page: str) -> bytes:
    """A colleague's catalogue of a page."""
    entries = [
        Entry(msgid=english, msgstr=words)
        for english, words in chinese(page).items()
        if "\4" not in english
    ]
    header = {"Project-Id-Version": f"docs {page}", "Language": LOCALE}
    return po.format_catalog(Catalog(header=header, entries=tuple(entries)))


def test_a_catalogue_is_matched_by_its_messages(project: AdoptionProject) -> None:
    file = project.write("from-weblate.po", catalog_text("arrays"))
    (copy,) = project.adopt(file).copies
    assert (copy.page, copy.version, copy.form) == ("arrays", None, "catalogue")
    entries = [entry for entry in live(project.catalog("arrays")) if entry.msgstr]
    assert len(entries) > 25
    assert all(
        entry.fuzzy and entry.msgstr == chinese("arrays")[entry.msgid]
        for entry in entries
    )
    assert project.adopt(file).changes == ()
    assert verify_memory(project.run) == ()


@pytest.mark.parametrize("name", ["issue.po", "issue.md", "issue.txt"])
def test_a_suggestion_is_the_entry_in_an_issue(
    project: AdoptionProject, name: str
) -> None:
    """Whoever saves an issue has words around its entry, and line ends of the web."""
    english = next(iter(chinese("arrays")))
    issue = (
        "### 页面\n\narrays\n\n### 更好的译文\n\n```po\n"
        f'msgid "{english}"\nmsgstr "另一种译法"\n```\n\n谢谢！\n'
    )
    (copy,) = project.adopt(
        project.write(name, issue.replace("\n", "\r\n")), author="Wang Wu"
    ).copies
    assert (copy.page, copy.form) == ("arrays", "suggestion")
    (entry,) = [entry for entry in live(project.catalog("arrays")) if entry.msgstr]
    assert (entry.msgid, entry.msgstr, entry.fuzzy) == (english, "另一种译法", True)
    assert any("by Wang Wu" in note for note in entry.notes)


# --- the command line


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    copy_project(root)
    monkeypatch.chdir(root)
    assert main(["pull", "sample", "-q"]) == 0
    return root


def test_a_folder_without_history_has_one_version(
    sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (sample / "copy.md").write_text(page_of(release="v3"), encoding="utf-8")
    assert main(["adopt", "copy.md", "sample", "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert "arrays as of the pin" in out
    assert "the same as here" in out
    assert main(["adopt", "copy.md", "sample", "--dry-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["copies"][0]["page"] == "arrays"
    assert main(["adopt", "copy.md", "sample", "--audit", "--at", "v1"]) == 3


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["adopt"], 2, "required"),
        (["adopt", "sample"], 2, "adopt needs copies to adopt"),
        (["adopt", "copy.md", "jax", "sample"], 2, "at most one upstream"),
        (["adopt", "nowhere.md", "sample", "--dry-run"], 2, "no file or folder"),
        (["adopt", "copy.md", "--pages", "x"], 2, "does not know '--pages'"),
    ],
)
def test_wrong_words(
    sample: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    code: int,
    told: str,
) -> None:
    (sample / "copy.md").write_text(page_of(), encoding="utf-8")
    assert main(words) == code
    assert told in capsys.readouterr().err


def test_a_licence_that_is_not_known_is_told(
    sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (sample / "copy.md").write_text(page_of(release="v3"), encoding="utf-8")
    words = "adopt copy.md sample --license CC-BY-NC-4.0 --author".split()
    assert main([*words, "Li Lei"]) == 0
    assert "make sure that you may distribute the work" in capsys.readouterr().err
