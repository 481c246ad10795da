"""Messages as a model sees them: every atom is a mark, ⟦1⟧, ⟦2⟧ …, and comes back from its mark.

What the model never sees it cannot change: code, formulas, links, roles and HTML come back as they
are, or not at all. The inverse holds: unmasking a masked message gives the message.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from pipeline.core.document.message import Markup
from pipeline.core.document.prose import parts_of

# Brackets like ours, and what a link of Markdown refers to: [words][name].
_BRACKET = re.compile("[⟦⟧]")
_REFERENCE = re.compile(r"(?<=\])\[[^\[\]]+\]|[⟦⟧]")
# Not \d: that would take full-width digits for a number of ours.
_MARK = re.compile(r"⟦([0-9]{1,4})⟧")


@dataclass(frozen=True, slots=True, kw_only=True)
class Masked:
    """A message with marks, and the atoms that they stand for, from ⟦1⟧ on."""

    text: str
    atoms: tuple[str, ...]


class LostMarksError(ValueError):
    """A text has not just the marks of the message. Its text says which, for the model to read."""


def mask(text: str, markup: Markup = Markup.MARKDOWN) -> Masked:
    """``text`` with a mark for each atom, and for whatever else must stay letter by letter."""
    atoms: list[str] = []

    def mark(atom: str) -> str:
        atoms.append(atom)
        return f"⟦{len(atoms)}⟧"

    hidden = _BRACKET if markup is Markup.RST else _REFERENCE
    parts = list(parts_of(text, markup))
    for at, part in enumerate(parts):
        # Atoms stand at odd places.
        if at % 2:
            parts[at] = mark(part)
        else:
            parts[at] = hidden.sub(lambda match: mark(match[0]), part)
    return Masked(text="".join(parts), atoms=tuple(atoms))


def marked_like(text: str, masked: Masked) -> str:
    """``text``, an older version, with the marks of ``masked`` where it has the same atoms.

    Else a model would copy ``f(x)`` from the old translation where ⟦1⟧ is asked for.
    """
    numbered = list(enumerate(masked.atoms, start=1))
    # The longest one first: an atom may be a part of another one.
    numbered.sort(key=lambda pair: -len(pair[1]))
    for number, atom in numbered:
        text = text.replace(atom, f"⟦{number}⟧", 1)
    return text


def unmask(text: str, masked: Masked) -> str:
    """A translation of ``masked.text`` with the atoms in place of their marks.

    Raises LostMarksError unless it has each mark once, and no other.
    """
    # Each mark has its own number, also where two atoms are equal: none can stand for two.
    found = Counter(int(number) for number in _MARK.findall(text))
    wanted = Counter(range(1, len(masked.atoms) + 1))
    lost, added = wanted - found, found - wanted
    complaints = []
    if lost:
        complaints.append(f"lacks {_names(lost)}")
    if added:
        complaints.append(f"has {_names(added)} too often")
    # "⟦x⟧", or half a mark: brackets of the message itself are marks by now.
    if not complaints and _BRACKET.search(_MARK.sub("", text)):
        complaints.append("has a broken mark")
    if complaints:
        raise LostMarksError(" and ".join(complaints))
    return _MARK.sub(lambda mark: masked.atoms[int(mark[1]) - 1], text)


def _names(numbers: Counter[int]) -> str:
    """Marks as the model is told them: ``⟦1⟧, ⟦3⟧``."""
    return ", ".join(f"⟦{number}⟧" for number in sorted(numbers))
