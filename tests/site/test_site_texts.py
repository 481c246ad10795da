"""The tables of the site's words: whole in English, well-formed in others, and the only Chinese."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from places import ROOT
from site_plans import site_at

from pipeline.site.exports import not_found
from pipeline.site.extension.theme import own_name, words_script, words_sheet
from pipeline.site.texts import interface_language, looks_english, text, words

PACKAGE = ROOT / "pipeline"
TABLES = sorted((PACKAGE / "site" / "texts").glob("*.toml"))
_HAN = re.compile(r"[\u3001-\u303f\u4e00-\u9fff\uff01-\uff5e]")
_GAP = re.compile(r"\{\w*\}")
# Chinese that is no word of the interface, or stands in a table of its own.
_RULES_OF_CHINESE = (
    "core/",  # what translations are checked, matched and drafted by
    "report/chinese.py",  # labels beside core/checks/chinese.toml
    "report/chinese.toml",  # what runs say
    "commands/serve/static/",  # the workbench speaks both languages, and has a switch
    "site/texts/zh.toml",
    "site/search/readers.toml",  # what readers ask for
    # Ranges of letters.
    "adapters/po/reader.py",
    "site/search/pieces.py",
)
_COMMENTS = {
    ".js": r"//[^\n]*|/\*.*?\*/",
    ".css": r"/\*.*?\*/",
    ".html": r"\{#.*?#\}|<!--.*?-->",
    ".j2": r"\{#.*?#\}|<!--.*?-->",
    ".toml": r"#[^\n]*",
}


def table(path: Path) -> dict[str, dict[str, str]]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def chinese_in_code(source: str) -> Iterator[str]:
    """The strings of a module that have Chinese, but docstrings and values of a table's "zh"."""
    tree = ast.parse(source)
    left_out: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            left_out.add(node.value)
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                is_zh = isinstance(key, ast.Constant) and str(key.value)[:2] == "zh"
                left_out.update(ast.walk(value) if is_zh else ())
    for node in ast.walk(tree):
        told = node.value if isinstance(node, ast.Constant) else ""
        if node not in left_out and isinstance(told, str) and _HAN.search(told):
            yield told


def chinese_in(path: Path) -> list[str]:
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return list(chinese_in_code(source))
    plain = re.sub(_COMMENTS.get(path.suffix, "(?!)"), "", source, flags=re.DOTALL)
    return _HAN.findall(plain)


def test_no_chinese_word_stands_outside_its_tables() -> None:
    found: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*")):
        name = path.relative_to(PACKAGE).as_posix()
        is_read = path.suffix in (".py", *_COMMENTS)
        if is_read and not name.startswith(_RULES_OF_CHINESE):
            found[name] = chinese_in(path)
    assert "site/exports.py" in found
    assert {name: words for name, words in found.items() if words} == {}


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_a_table_has_keys_and_gaps_of_the_english_one(path: Path) -> None:
    english = table(PACKAGE / "site" / "texts" / "en.toml")
    for part, rows in table(path).items():
        if part == "theme":
            continue  # its keys are the English
        assert rows.keys() <= english[part].keys(), part
        for key, value in rows.items():
            gaps = sorted(_GAP.findall(value))
            assert gaps == sorted(_GAP.findall(english[part][key])), (part, key)


def test_chinese_readers_get_all_words_in_chinese() -> None:
    english = table(PACKAGE / "site" / "texts" / "en.toml")
    chinese = table(PACKAGE / "site" / "texts" / "zh.toml")
    for part, rows in english.items():
        assert chinese[part].keys() == rows.keys(), part


@pytest.mark.parametrize(
    ("language", "locales"),
    [
        ("zh", ("zh_CN", "zh", "zh_Hans_CN")),
        ("en", ("zh_TW", "zh_Hant", "de", "en_GB", "xx", "")),
    ],
)
def test_a_language_without_a_table_is_spoken_to_in_english(
    language: str, locales: tuple[str, ...]
) -> None:
    for locale in locales:
        assert interface_language(locale) == language
        assert words(locale, "front") == words(language, "front")


NAMES = {"zh_CN": "中文", "de": "Deutsch", "ja": "日本語", "pt_BR": "português"}
NAMES |= {"zh_TW": "中文", "tlh": "tlh", "no such": "no such"}


def test_a_language_is_called_what_it_calls_itself() -> None:
    assert {locale: own_name(locale) for locale in NAMES} == NAMES


@pytest.mark.parametrize(
    ("title", "locale", "is_english"),
    [
        ("Pytrees", "zh_CN", True),
        ("用 JAX", "zh_CN", False),
        ("クイック", "ja", False),
        ("Быстро", "ru", False),
        ("Quickstart", "ko", True),
        ("Öl", "de", False),
        ("Quickstart", "de", False),  # it may be both
        ("1.2 – é", "zh_CN", True),
    ],
)
def test_a_title_without_letters_of_the_language_is_english(
    title: str, locale: str, *, is_english: bool
) -> None:
    assert looks_english(title, locale) is is_english


def test_words_of_styles_are_strings_of_css() -> None:
    assert '--jz-said-draft: "机器\\A 草稿";' in words_sheet("zh_CN")
    assert '--jz-said-draft: "AI\\A draft";' in words_sheet("de")


def test_scripts_have_their_words() -> None:
    assert '"translate": "Translate this paragraph"' in words_script("de")
    assert "翻译这一段" in words_script("zh_CN")
    assert text("de", "home") == "Home"


def test_scripts_ask_for_words_that_are_there() -> None:
    static = PACKAGE / "site" / "static"
    reading = (static / "site.js").read_text(encoding="utf-8")
    search = (static / "search-box.js").read_text(encoding="utf-8")
    found = {
        "reading": re.findall(r"SAID\.(\w+)", reading)
        + re.findall(r'"((?:issue|hide) \w+)"', reading),
        "search": re.findall(r"SAID\.(\w+)", search) + re.findall(r'counted\("(\w+)"', search),
    }
    for part, keys in found.items():
        assert len(keys) > 3
        assert set(keys) <= words("en", part).keys()
    sheet = (static / "site.css").read_text(encoding="utf-8")
    said = set(re.findall(r"--jz-said-([\w-]+)", sheet))
    assert said == words("en", "marks").keys()


def test_names_of_chapters_are_text_where_nothing_is_found(tmp_path: Path) -> None:
    site = site_at(tmp_path, locale="fr")
    rows = [
        {"group": "", "url": "index.html"},
        {"group": "<b>A", "url": 'a".html'},
        {"group": "<b>A", "url": "b.html"},
    ]
    html = not_found(site, rows)
    assert '<li lang="fr"><a href="a&#34;.html">&lt;b&gt;A</a></li></ul>' in html
    assert "index.html</a>" not in html
    assert '<form action="search.html" role="search">' in html
