"""What people are told of a catalogue that is in another encoding."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.adapters.po import read_catalog
from pipeline.cli import main
from pipeline.errors import InputError

SIMPLIFIED = "把数组放到设备上，然后运行这个函数。"
TRADITIONAL = "把陣列放到裝置上，然後執行這個函數。"


def catalog(msgstr: str, *, charset: str = "UTF-8") -> str:
    header = f'msgid ""\nmsgstr "Content-Type: text/plain; charset={charset}\\n"\n'
    return f'{header}\nmsgid "Put it there."\nmsgstr "{msgstr}"\n'


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        (
            catalog(SIMPLIFIED).encode("gb18030"),
            "It looks like GB18030: open it as GB18030",
        ),
        (catalog(SIMPLIFIED).encode("gbk"), "iconv -f GB18030 -t UTF-8 FILE > NEW."),
        (catalog(TRADITIONAL).encode("big5"), "It looks like Big5: open it as Big5"),
        # What the header says is right: GNU's tool changes the header as well.
        (
            catalog(SIMPLIFIED, charset="GB18030").encode("gb18030"),
            "The header says GB18030: msgconv --to-code=UTF-8 --output-file=FILE FILE",
        ),
        # A few damaged bytes make no other encoding of a text.
        (
            catalog(SIMPLIFIED).encode().replace("组".encode(), b"\xd7\xe9"),
            "Save it as UTF-8 and run again.",
        ),
        (catalog("café").encode("latin-1"), "Save it as UTF-8 and run again."),
        (catalog("\N{BULLET}" * 9).encode("cp1252"), "Save it as UTF-8 and run again."),
    ],
    ids=["gb18030", "gbk", "big5", "declared", "damaged", "latin-1", "cp1252"],
)
def test_the_encoding_is_named_where_it_can_be_told(data: bytes, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        read_catalog(data, where="a.po")
    assert caught.value.what == "is not UTF-8"
    assert caught.value.where == "a.po:5"
    assert hint in caught.value.hint
    assert '"' not in caught.value.hint


def test_check_tells_it_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("faq.po").write_bytes(catalog(SIMPLIFIED).encode("gb18030"))
    assert main(["check", "faq.po"]) == 4
    assert "It looks like GB18030" in capsys.readouterr().out
    # What the hint says works.
    Path("faq.po").write_bytes(Path("faq.po").read_bytes().decode("gb18030").encode())
    assert main(["check", "faq.po"]) == 0
