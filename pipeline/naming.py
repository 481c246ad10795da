"""Spellings of names: packages, upstreams and their releases, repositories on GitHub, locales."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

_EXACT = re.compile(r"([A-Za-z0-9][\w.-]*)\s*==\s*([\w.]+)")
_ON_GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?")


def group_of(package: str) -> str:
    """Return the normalized name of a package's dependency group: ``My_Docs`` → ``my-docs``."""
    return re.sub(r"[-_.]+", "-", package).lower()


def beside_name(name: str, release: str) -> str:
    """Return the name of a release that is shown beside the pinned one: ``jax@0.11.0``."""
    return f"{name}@{release}"


def upstream_of(name: str) -> str:
    """Return the upstream in a name: ``jax`` for ``jax`` and for ``jax@0.11.0``."""
    return name.partition("@")[0]


def release_of(name: str) -> str:
    """Return the release in a name: ``0.11.0`` for ``jax@0.11.0``, "" for ``jax``."""
    return name.partition("@")[2]


def exact_pin(requirement: str) -> tuple[str, str] | None:
    """Return the name and version of an exact pin such as ``flax == 0.12.0``; None otherwise."""
    match = _EXACT.fullmatch(requirement)
    return (match[1], match[2]) if match else None


def repository_on_github(url: str) -> str:
    """Return ``owner/name`` of ``https://github.com/owner/name.git``, or "" for another address."""
    match = _ON_GITHUB.fullmatch(url)
    return match[1] if match else ""


_CHINESE = re.compile(r"zh(?:_.*)?")
_TRADITIONAL = re.compile(r"zh_(?:Hant(?:_.*)?|TW.*|HK.*|MO.*)")
# Language, optional script, optional country. Placeholders such as xgettext's LANGUAGE do
# not match.
_LOCALE = re.compile(r"[a-z]{2,3}(?:_[A-Z][a-z]{3})?(?:_(?:[A-Z]{2}|\d{3}))?")
_SCRIPT = 4  # length of the name of a script: Hans
# The folder that gettext expects directly inside the folder of a locale.
_MESSAGES = "LC_MESSAGES"
# Folders whose catalogues usually have the locale as their name: po/fr.po
_OF_LOCALES = frozenset("po locale locales lang langs i18n l10n translations".split())


def is_chinese(locale: str) -> bool:
    """Return whether a locale is Chinese, in any script."""
    return bool(_CHINESE.fullmatch(locale))


def is_traditional(locale: str) -> bool:
    """Return whether a locale is Traditional Chinese: ``zh_TW``, ``zh_Hant``."""
    return bool(_TRADITIONAL.fullmatch(locale))


def canonical(name: str) -> str:
    """Return the name of a locale in gettext's spelling, or "" if ``name`` is not a locale.

    ``zh-hans-cn`` -> ``zh_Hans_CN``, ``pt_br.UTF-8`` -> ``pt_BR``, ``LANGUAGE`` -> ``""``
    """
    # "pt_BR.UTF-8@latin": the encoding and the variant are not part of the locale.
    plain = re.split(r"[.@]", name.strip())[0]
    language, *others = re.split(r"[-_]", plain)
    parts = [language.lower()]
    for part in others:
        parts += [part.capitalize() if len(part) == _SCRIPT else part.upper()]
    locale = "_".join(parts)
    return locale if _LOCALE.fullmatch(locale) else ""


def locale_of_header(header: Mapping[str, str]) -> str:
    """Return the locale in a catalogue's header, or "" if there is none."""
    return canonical(header.get("Language", ""))


def locale_of_path(parts: Sequence[str]) -> str:
    """Return the locale that the path of a catalogue contains, or "" if there is none.

    ``parts`` are the folders and the file name:

    locale/fr/LC_MESSAGES/guide.po      fr
    docs/pt-BR/guide.po                 pt_BR
    po/ja.po                            ja
    src/app/guide.po                    "": "app" might be a language, but is probably a name
    """
    *folders, file = parts
    stem = file.removesuffix(".po")
    for above, folder in pairwise(folders):
        if folder == _MESSAGES and canonical(above):
            return canonical(above)
    if folders and folders[-1] in _OF_LOCALES and canonical(stem):
        return canonical(stem)
    for part in (stem, *reversed(folders)):
        # A name with a country or script is almost certainly a locale.
        locale = canonical(part)
        if "_" in locale:
            return locale
    return ""
