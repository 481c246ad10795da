"""What a catalogue may drop: offers of a translation that it has as finished.

No translation is ever lost. But a catalogue that kept every fuzzy offer it once had would grow with
every update.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pipeline.core.catalog.origins import is_replaceable
from pipeline.entries import Catalog, Entry

# Translator comments of finished translations, by msgid and msgstr.
Finished = Mapping[tuple[str, str], tuple[str, ...]]


def finished_in(entries: Iterable[Entry]) -> Finished:
    """The finished translations among ``entries``, obsolete ones included.

    ``{("Tea is hot.", "茶很烫。"): ("Mind the tone.",)}``; of two that are equal but for
    their comments the last one counts.
    """
    return {
        (entry.msgid, entry.msgstr): entry.comments
        for entry in entries
        if entry.is_finished
    }


def is_spare(entry: Entry, finished: Finished) -> bool:
    """Whether a fuzzy entry only offers a translation that is ``finished``, remarks included.

    A finished entry is never spare. A fuzzy one with a remark that the finished one lacks
    is not either: the remark would be lost.
    """
    if not entry.fuzzy:
        return False
    comments = finished.get((entry.written_for, entry.msgstr))
    return comments is not None and set(entry.comments) <= set(comments)


def keys_of(catalog: Catalog) -> set[tuple[str, ...]]:
    """What must not be lost of a catalogue, as keys: who has them too, has the same.

    That is each msgstr with its English, each remark of a translator, and who it was. A finished
    translation also stands for one that waits, not the other way round: an entry gives
    ``("waiting", "Tea is hot.", "茶很烫。")`` in any case, and if it is finished also
    ``("finished", "Tea is hot.", "茶很烫。", "")``.
    """
    keys: set[tuple[str, ...]] = set()
    for line in (*catalog.comment, catalog.header.get("Last-Translator", "")):
        if line:
            keys.add(("head", line))
    for entry in catalog.entries:
        if not entry.msgstr or is_replaceable(entry):
            continue
        for comment in entry.comments:
            keys.add(("comment", entry.msgid, comment))
        keys.add(("waiting", entry.written_for, entry.msgstr))
        # A translation that a person has confirmed is more than the same one that waits.
        if entry.fuzzy:
            continue
        # "" stands for no context. An empty one, which no tool makes, would be the same.
        keys.add(("finished", entry.msgid, entry.msgstr, entry.context or ""))
    return keys
