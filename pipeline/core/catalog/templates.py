"""Templates: sentences of the API reference that differ only in their atoms.

Atoms are the parts of a message that a translation must not change, such as code and roles.
Docstrings repeat a sentence for many names: "See :func:`lamps.dim`.", "See :func:`lamps.shine`.".
Messages have the same template if they have the same words, and atoms of the same kinds in the same
order. A pattern is a translation of a template. With the atoms of a message in it, the pattern
becomes a translation of that message. The invariant: only atoms change, and it is certain which new
atom replaces which old one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.core.document.atoms import fixed_part, without_words
from pipeline.core.document.message import Markup
from pipeline.core.document.prose import atoms_of, parts_of

# The parts of a message, words at even indices. A part at an odd index stands for an atom: the kind
# of the atom, and a number that is the same for equal atoms. ("Dim ", "``name 0", ".")
Template = tuple[str, ...]
# The parts of a translation: words at even indices; at odd ones the index of an atom among the
# atoms of the English. ("调暗", 0, "。")
Pattern = tuple[str | int, ...]

_ROLE = re.compile(r":([\w.+:-]+):`(.*)`", re.ASCII | re.DOTALL)
# Literals, interpreted texts and substitutions.
_MARKED = re.compile(r"(``)(?!`).+(?<!`)``|(`)[^`<>]+`|(\|)[^|]+\|", re.DOTALL)
# Code that is a name. Other code is a condition, a shape or a value, and the words of the sentence
# may depend on it.
_NAME = re.compile(r"[A-Za-z_][\w.]*", re.ASCII)


def template_of(msgid: str) -> Template | None:
    """Return the template of a message; None if it has no atoms, or if one of them has words.

    "Dim ``a``, not ``b``." → ``("Dim ", "``name 0", ", not ", "``name 1", ".")``
    """
    parts = list(parts_of(msgid, Markup.RST))
    atoms = parts[1::2]
    kinds = list(map(_kind_of, atoms))
    if not kinds or not all(kinds):
        return None
    # Equal atoms get equal numbers: a message with the same template repeats its atoms, too.
    parts[1::2] = [f"{kind} {atoms.index(atom)}" for kind, atom in zip(kinds, atoms, strict=True)]
    return tuple(parts)


def _kind_of(atom: str) -> str:
    """Return the kind of an atom, or "" if the atom has words that may be translated.

    ::

        :func:`lamps.dim`      :func:
        :func:`dim <a.dim>`    empty: it has a title
        :strong:`bright`       empty
        ``lamps``              ``name
        ``lamps > 2``          ``
        `lamps`_               empty: a reference shows its words
    """
    if role := _ROLE.fullmatch(atom):
        name, content = role.groups()
        has_words = "<" in content or without_words(content) != content
        return f":{name}:" if fixed_part(name, content, content) and not has_words else ""
    marked = _MARKED.fullmatch(atom)
    if not marked:
        return ""
    marks = "".join(filter(None, marked.groups()))
    return f"{marks}name" if _NAME.fullmatch(atom.strip(marks)) else marks


def pattern_of(msgstr: str, msgid: str) -> Pattern | None:
    """Return the pattern of a translation; None if its atoms differ from those of ``msgid``."""
    atoms = atoms_of(msgid, Markup.RST)
    parts = parts_of(msgstr, Markup.RST)
    if sorted(parts[1::2]) != sorted(atoms):
        return None
    pattern: list[str | int] = list(parts)
    pattern[1::2] = map(atoms.index, parts[1::2])
    return tuple(pattern)


def fill_pattern(pattern: Pattern, msgid: str) -> str:
    """Return a translation of ``msgid``: the words of ``pattern`` with the atoms of ``msgid``."""
    atoms: Sequence[str] = atoms_of(msgid, Markup.RST)
    return "".join(part if isinstance(part, str) else atoms[part] for part in pattern)
