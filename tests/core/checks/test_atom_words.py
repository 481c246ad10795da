"""Which words of a translation are marked for an atom that became another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.cli import main
from pipeline.core.checks.markup.lost_atoms import atom_places
from pipeline.core.checks.parsed import Atom
from pipeline.core.document.message import Markup

MYST, RST = Markup.MARKDOWN, Markup.RST


@pytest.mark.parametrize(
    ("markup", "name", "value", "marked"),
    [
        # The letter stands in the name of a role, in a word, in a role that is not meant.
        (MYST, Atom.CODE, "f", "用 {func}`f` 和 of 和 `»f«`。"),
        (MYST, Atom.CODE, "f", "`` »f« `` 与 f"),
        (MYST, Atom.CODE, "f", "没有反引号的 »f« 只好这样"),
        (MYST, Atom.ROLE, "{func}`f`", "这里用 {func}`»f«`。"),
        (MYST, Atom.ROLE, "{ref}`e`", "参见 {ref}`one <»e«>`。"),
        (MYST, Atom.MATH, "u", "用 {func}`u` 算 $ »u« $。"),
        (MYST, Atom.LINK, "a.md", "读 a.md，即 [a.md](»a.md«)。"),
        (MYST, Atom.IMAGE, "a.png", "a.png 是 ![图](<»a.png«>)。"),
        (MYST, Atom.SUBSTITUTION, "{{a}}", "用 »{{ a }}«"),
        (RST, Atom.CODE, "f", "用 :func:`f` 和 ``»f«``。"),
        (RST, Atom.ROLE, ":func:`f`", "用 :func:`»f«`。"),
        (RST, Atom.MATH, "u", "用 unit 算 :math:`»u«`。"),
        (RST, Atom.LINK, "a.html", "读 a.html：`词 <»a.html«>`_。"),
        (MYST, Atom.CODE, "nowhere", "没有"),
    ],
)
def test_the_atom_is_marked_and_not_its_letters_elsewhere(
    markup: Markup, name: Atom, value: str, marked: str
) -> None:
    source = marked.replace("»", "").replace("«", "")
    expected = ((marked.index("»"), marked.index("«") - 1),) if "»" in marked else ()
    assert atom_places(source, markup, name, value) == expected


def test_check_shows_the_code_that_became_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.po").write_text(
        'msgid ""\nmsgstr "Language: zh_CN\\n"\n\n'
        'msgid "Use {func}`jit` with `g` here."\n'
        'msgstr "这里用 {func}`jit` 和 `f`。"\n',
        "utf-8",
    )
    assert main(["check", "a.po"]) == 1
    said = capsys.readouterr().out
    assert "M201" in said
    assert "这里用 {func}`jit` 和 `»f«`。" in said
