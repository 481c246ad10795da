"""Counts of a page's messages and words, by state and by class of change.

A fuzzy translation is one that a person must review. Its class says why it is fuzzy: ``numbers``,
``rewording`` (see ``change_class.ChangeClass``).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from pipeline.core.catalog.change_class import ChangeClass
from pipeline.core.catalog.origins import (
    OriginKind,
    fuzzy_class,
    is_draft,
    is_replaceable,
)
from pipeline.core.document.prose import count_words
from pipeline.core.results import PageResult
from pipeline.entries import Catalog

OTHER = "other"  # the class of an entry that a translator or another tool marked fuzzy
DRAFT = str(OriginKind.DRAFT)  # the class of a machine's translation
# Ordered by the time that a person needs for a review: quickest first.
CLASSES = (*map(str, ChangeClass), OTHER, DRAFT)


def count_catalog(result: PageResult, catalog: Catalog) -> PageResult:
    """Return ``result`` with the numbers of messages and English words in ``catalog``, by state.

    Obsolete entries are counted separately, because they are no longer messages of the page. Fuzzy
    messages are counted by class as well: ``{"numbers": 2, "rewording": 5}``. Drafts are a class of
    their own.
    """
    live = catalog.live
    counts: dict[str, Any] = defaultdict(int)
    classes: Counter[str] = Counter()
    for entry in live:
        words = count_words(entry.msgid)
        counts["words"] += words
        if entry.is_translated:
            counts["translated"] += 1
            counts["translated_words"] += words
        # A fuzzy entry without a translation counts as untranslated.
        if not entry.needs_review:
            continue
        counts["fuzzy"] += 1
        counts["fuzzy_words"] += words
        kind = fuzzy_class(entry) or OTHER
        if is_draft(entry):
            kind = DRAFT
            counts["draft_words"] += words
        classes[kind] += 1
    return replace(
        result,
        messages=len(live),
        obsolete=len(catalog.entries) - len(live),
        drafts=classes[DRAFT],
        classes=in_order(classes),
        **counts,
    )


def is_settled(catalog: Catalog) -> bool:
    """Return whether every message has a translation that no update would replace.

    An update may take translations from other pages, for empty messages and in place of drafts. So
    only the update of a settled catalogue is independent of other catalogues.
    """
    return all(entry.msgstr and not is_replaceable(entry) for entry in catalog.live)


def in_order(classes: Mapping[str, int]) -> dict[str, int]:
    """Return the classes that have a count above 0, ordered as in ``CLASSES``.

    Unknown classes come last. They are from notes that another version of the pipeline or a person
    has written.
    """
    unknown = sorted(set(classes) - set(CLASSES))
    return {name: classes[name] for name in (*CLASSES, *unknown) if classes.get(name)}
