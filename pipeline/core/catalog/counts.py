"""Counts of a page's messages and words, by state and by class of change.

A fuzzy translation is one that a person must review. Its class says why it is fuzzy: ``numbers``,
``rewording`` (see ``change_class.ChangeClass``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from pipeline.core.catalog.change_class import ChangeClass
from pipeline.core.catalog.origins import (
    OriginKind,
    fuzzy_class,
    is_replaceable,
    kind_of,
)
from pipeline.core.catalog.update import Updated
from pipeline.core.document.prose import count_words
from pipeline.core.results import PageResult, UpdateCounts
from pipeline.entries import Catalog

OTHER = "other"  # the class of an entry that a translator or another tool marked fuzzy
DRAFT = str(OriginKind.DRAFT)  # the class of a machine's translation
# Ordered by the time that a person needs for a review: quickest first.
CLASSES = (*map(str, ChangeClass), OTHER, DRAFT)


def count_catalog(result: PageResult, catalog: Catalog) -> PageResult:
    """Return ``result`` with the numbers of messages and English words in ``catalog``, by state.

    Obsolete entries are counted separately, because they are no longer messages of the page.
    """
    words = translated = translated_words = fuzzy = obsolete = 0
    for entry in catalog.entries:
        if entry.obsolete:
            obsolete += 1
            continue
        entry_words = count_words(entry.msgid)
        words += entry_words
        # A fuzzy entry without a translation counts as untranslated.
        fuzzy += entry.needs_review
        if entry.is_translated:
            translated += 1
            translated_words += entry_words
    return replace(
        result,
        messages=len(catalog.entries) - obsolete,
        words=words,
        translated=translated,
        translated_words=translated_words,
        fuzzy=fuzzy,
        obsolete=obsolete,
    )


def is_settled(catalog: Catalog) -> bool:
    """Return whether every message has a translation that no update would replace.

    An update may take translations from other pages, for empty messages and in place of drafts. So
    only the update of a settled catalogue is independent of other catalogues.
    """
    live = [entry for entry in catalog.entries if not entry.obsolete]
    return all(entry.msgstr and not is_replaceable(entry) for entry in live)


def with_classes(result: PageResult, catalog: Catalog) -> PageResult:
    """Return ``result`` with the number of fuzzy messages in each class.

    ``{"numbers": 2, "rewording": 5}``. Drafts are a class of their own. The English words of fuzzy
    messages and of drafts are counted as well.
    """
    classes: Counter[str] = Counter()
    words = draft_words = 0
    for entry in catalog.entries:
        if not entry.needs_review:
            continue
        words += count_words(entry.msgid)
        if kind_of(entry) is OriginKind.DRAFT:
            classes[DRAFT] += 1
            draft_words += count_words(entry.msgid)
        else:
            classes[fuzzy_class(entry) or OTHER] += 1
    return replace(
        result,
        classes=in_order(classes),
        fuzzy_words=words,
        drafts=classes[DRAFT],
        draft_words=draft_words,
    )


def update_counts(updated: Updated | None) -> UpdateCounts | None:
    """Return the counts of a page's update for its result; None if the page was not updated."""
    if updated is None:
        return None
    return UpdateCounts(
        kept=updated.kept,
        carried=updated.carried,
        fuzzy=in_order(updated.fuzzy_by_class),
        new=updated.new,
        obsolete=updated.obsolete,
        moved_from=updated.moved_from,
    )


def in_order(classes: Mapping[str, int]) -> dict[str, int]:
    """Return the classes that have a count above 0, ordered as in ``CLASSES``.

    Unknown classes come last. They are from notes that another version of the pipeline or a person
    has written.
    """
    unknown = sorted(set(classes) - set(CLASSES))
    return {name: classes[name] for name in (*CLASSES, *unknown) if classes.get(name)}
