"""Project in which every text from other people contains markup, written as plain text.

Titles, paragraphs, terms, notes and names of translators show tags and commands that browsers,
GitHub or terminals would execute. The markup is escaped in the English and in the Chinese, so the
guard accepts it. Tests assert that it is still escaped in all outputs.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from catalog_files import edit_catalog
from folders import copy_project, write_tree
from msgspec.structs import replace
from notebooks import code, notebook

from pipeline.entries import Entry

# What a reader is to see. Any of it that ran would leave ``window.hit`` behind.
IMAGE = '<img src=x onerror="window.hit=1">'
SCRIPT = '"><script>window.hit=1</script>'
ADDRESS = "javascript:window.hit=1"
MARKDOWN = "**a** [b](javascript:c) @d #7 | `e`"
TRANSLATOR = f"Li{SCRIPT}{IMAGE}"
TERM = 'lid" onfocus="window.hit=1" x'
NOTE = f"note {IMAGE} {SCRIPT}"


def _escaped(text: str) -> str:
    """Return text as Markdown that renders as the same text."""
    for mark in "<>*[]|`":
        text = text.replace(mark, f"\\{mark}")
    return text


_TEXTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
TABLES = notebook(
    code(f"print('{IMAGE}')"),
    title=f"# Tables {_escaped(SCRIPT)} {_escaped(MARKDOWN)}\n\n"
    f"The table {_escaped(SCRIPT)} is round.",
    kernelspec={"name": "python3", "display_name": IMAGE},
)
# A title with what terminals act on; nobody can translate it, since no catalogue can hold it.
ESCAPES = "# Spoons \x1b[31mred\x1b]8;;https://evil.example\x07 ::error::done\n\nWords.\n"


def make_project(root: Path) -> None:
    """Write the project into ``root``. Its upstream is called ``sample``."""
    copy_project(root)
    write_tree(
        root / "upstream" / "sample",
        {**_TEXTS["pages"], "tables.ipynb": TABLES, "spoons.md": ESCAPES},
    )
    for path in (root / "translations").rglob("*.po"):
        path.unlink()
    glossary = root / "translations" / "glossary" / "zh_CN.csv"
    quoted = [text.replace('"', '""') for text in (TERM, NOTE)]
    with glossary.open("a", encoding="utf-8") as file:
        file.write(f'"{quoted[0]}",锅盖,,"{quoted[1]}"\n')


def translate(root: Path) -> None:
    """Translate all entries of the catalogues, and add a translator's name."""
    header = {
        "Last-Translator": f"{TRANSLATOR} <li@example.org>",
        "PO-Revision-Date": "2026-01-02 03:04+0800",
    }
    for path in (root / "translations" / "zh_CN" / "sample").rglob("*.po"):
        edit_catalog(path, _translated, header)


def _translated(entry: Entry) -> Entry:
    text = entry.msgid.replace(f"A {TERM}", "锅盖")
    for english, chinese in _TEXTS["words"].items():
        text = text.replace(english, chinese)
    if text == entry.msgid:
        return entry
    if "把手会变烫" in text:
        return replace(entry, msgstr=text, fuzzy=True)
    return replace(entry, msgstr=text)
