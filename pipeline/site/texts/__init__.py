"""The words of the site that no page has: one table of TOML per language, for translators.

``en.toml`` has all of them. Another language has a table named by the locale (``pt_BR.toml``) or
by the language (``pt.toml``); what the table leaves out is said in English.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

from pipeline.core.checks.locales import is_traditional

ENGLISH = "en"
# Languages that are written in other letters than English.
_OTHER_LETTERS = frozenset(
    "ar be bg bn el fa he hi hy ja ka kk ko ru sr ta te th uk ur zh".split()
)
_LAST_LATIN = "\u024f"


def text(locale: str, key: str) -> str:
    """Return the words at ``key`` on a page of the site."""
    return words(locale, "page")[key]


@cache
def words(locale: str, part: str) -> Mapping[str, str]:
    """Return the words of one part of the site, those that a language lacks in English."""
    own = _table(spoken(locale)).get(part, {})
    return {**_table(ENGLISH).get(part, {}), **own}


@cache
def spoken(locale: str) -> str:
    """Return the language that the site speaks around texts in ``locale``: its table's name.

    ``zh_CN`` → ``zh``; a language without a table → ``en``
    """
    language = locale.partition("_")[0]
    # Whoever reads Traditional Chinese gets no Simplified one.
    names = (locale,) if is_traditional(locale) else (locale, language)
    return next(filter(_is_there, names), ENGLISH)


def looks_english(title: str, locale: str) -> bool:
    """Return whether a title has English letters only, in a language that has others."""
    has_others = any(letter.isalpha() and letter > _LAST_LATIN for letter in title)
    return locale.partition("_")[0] in _OTHER_LETTERS and not has_others


def _is_there(name: str) -> bool:
    """Return whether there is a table of this name."""
    return resources.files(__name__).joinpath(f"{name}.toml").is_file()


@cache
def _table(name: str) -> Mapping[str, Mapping[str, str]]:
    """Return a table as it stands in its file."""
    file = resources.files(__name__).joinpath(f"{name}.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))
