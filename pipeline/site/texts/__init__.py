"""Words of the site's own interface: one TOML table for each language.

``en.toml`` has all words. The table of another language is named after the locale
(``pt_BR.toml``) or the language (``pt.toml``). Words that such a table lacks are shown in English.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

from pipeline.naming import is_traditional

ENGLISH = "en"
# Languages that are not written in Latin letters.
_OTHER_LETTERS = frozenset("ar be bg bn el fa he hi hy ja ka kk ko ru sr ta te th uk ur zh".split())
_LAST_LATIN = "\u024f"


def text(locale: str, key: str) -> str:
    """Return the words at ``key`` in the part ``page`` of the table."""
    return words(locale, "page")[key]


@cache
def words(locale: str, part: str) -> Mapping[str, str]:
    """Return the words of one part of the table, such as ``search``; missing ones are English."""
    own = _table(interface_language(locale)).get(part, {})
    return {**_table(ENGLISH).get(part, {}), **own}


@cache
def interface_language(locale: str) -> str:
    """Return the language of the interface for pages in ``locale``: the name of a table.

    ``zh_CN`` → ``zh``; a language without a table → ``en``
    """
    language = locale.partition("_")[0]
    # ``zh.toml`` is Simplified Chinese. Do not use it for a locale in Traditional Chinese.
    names = (locale,) if is_traditional(locale) else (locale, language)
    return next(filter(_is_there, names), ENGLISH)


def looks_english(title: str, locale: str) -> bool:
    """Return whether a title has only Latin letters, although the language uses other letters."""
    has_others = any(letter.isalpha() and letter > _LAST_LATIN for letter in title)
    return locale.partition("_")[0] in _OTHER_LETTERS and not has_others


def _is_there(name: str) -> bool:
    """Return whether a table of this name exists."""
    return resources.files(__name__).joinpath(f"{name}.toml").is_file()


@cache
def _table(name: str) -> Mapping[str, Mapping[str, str]]:
    """Return a table as parsed from its file."""
    file = resources.files(__name__).joinpath(f"{name}.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))
