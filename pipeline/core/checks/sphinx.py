"""A translation in a catalogue of Sphinx' gettext builder, as Sphinx puts it in place.

Sphinx looks up what the English names, in its order, where the translation names something else:
names of references and terms of a glossary may be translated there, as they may not be on pages of
ours. Source: ``sphinx/transforms/i18n.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# `words`_, name_ and :term:`words`, without a target of their own.
_PHRASE = re.compile(r"(?<![`:\w])`(?P<name>[^`<>]+)`_(?!_)")
_WORD = re.compile(
    r"(?<![`:\w.-])(?P<name>[A-Za-z0-9]+(?:[-._+:][A-Za-z0-9]+)*)_(?![\w_`])"
)
_TERM = re.compile(r":(?:std:)?term:`(?P<name>[^`<>]+)`")
_ANNOUNCES = "::"


def as_english_is_read(msgid: str) -> str:
    """The English without the mark that announces a literal block: Sphinx adds that by itself."""
    return msgid[:-1] if msgid.endswith(_ANNOUNCES) else msgid


def as_sphinx_reads(msgid: str, msgstr: str) -> str:
    """A translation with the targets of its English where it has translated names.

    With "See `the guide`_ on a :term:`lamp`.":

        "见 `指南`_ 中的 :term:`灯`。"  ->  "见 `指南 <the guide_>`_ 中的 :term:`灯 <lamp>`。"
    """
    msgstr = _with_targets(
        msgstr, _PHRASE, [*_names(_PHRASE, msgid), *_names(_WORD, msgid)], "`{} <{}_>`_"
    )
    msgstr = _with_targets(msgstr, _TERM, _names(_TERM, msgid), ":term:`{} <{}>`")
    if msgid.endswith(_ANNOUNCES) and msgstr.endswith(_ANNOUNCES):
        return msgstr[:-1]
    return msgstr


def _names(pattern: re.Pattern[str], text: str) -> list[str]:
    """What a text names, in order."""
    return [match["name"] for match in pattern.finditer(text)]


def _with_targets(
    msgstr: str, pattern: re.Pattern[str], names: list[str], written: str
) -> str:
    """``msgstr`` with a target, in the order of the English, for each name that is not English."""
    ours = _names(pattern, msgstr)
    known = {name.lower() for name in names}
    orphans: Iterator[str] = iter([name for name in names if name not in ours])

    def titled(match: re.Match[str]) -> str:
        """A name with its target; as it is if the English has it, or names nothing more."""
        if match["name"].lower() in known:
            return match[0]
        target = next(orphans, "")
        return written.format(match["name"], target) if target else match[0]

    return pattern.sub(titled, msgstr)
