"""core/catalog/templates: sentences that differ in their atoms only."""

from __future__ import annotations

import pytest

from pipeline.core.catalog.reuse import OpenEntry, Source, reuse
from pipeline.core.catalog.templates import fill_pattern, pattern_of, template_of
from pipeline.core.catalog.update import update_catalogs
from pipeline.core.results import UpdateCounts
from pipeline.entries import Catalog, Entry


@pytest.mark.parametrize(
    ("msgid", "other"),
    [
        ("See :func:`lamps.dim`.", "See :func:`~lamps.shine`."),
        ("Dim ``a``, not ``b``.", "Dim ``b``, not ``lamps.c``."),
        ("Dim ``a > 1``, not ``2``.", "Dim ``b == c``, not ``(x, y)``."),
        ("From ``a`` to ``a``.", "From ``b`` to ``b``."),
        ("The light is :math:`L = p`.", r"The light is :math:`\sqrt p`."),
        ("Dim `lamp` by |factor|.", "Dim `lamps.all` by |half|."),
    ],
)
def test_one_template(msgid: str, other: str) -> None:
    assert template_of(msgid) == template_of(other)
    assert template_of(msgid) is not None


@pytest.mark.parametrize(
    ("msgid", "other"),
    [
        ("See :func:`lamps.dim`.", "See :class:`lamps.Lamp`."),
        ("See ``dim``.", "See `dim`."),
        ("See ``dim``.", "Call ``dim``."),
        # "Lamps that satisfy …", "Lamps named …"
        ("Lamps with ``p > 0``.", "Lamps with ``dim``."),
        ("See ``dim``.", "See ``dim`` and ``shine``."),
        ("From ``a`` to ``a``.", "From ``a`` to ``b``."),
    ],
)
def test_different_templates(msgid: str, other: str) -> None:
    assert template_of(msgid) != template_of(other)


@pytest.mark.parametrize(
    "msgid",
    [
        "No atom at all.",
        "See :func:`the switch <lamps.dim>`.",
        "See :ref:`the switch <dim>` and ``dim``.",
        "It is :strong:`bright`.",
        r"The light is :math:`p \text{ if on}`.",
        "See `the switch`_.",
        "See `the switch <https://example.org>`__.",
        "See https://example.org.",
        "It is bright [1]_.",
        "The `switch`:title: is on.",
    ],
)
def test_no_template_where_an_atom_may_have_words(msgid: str) -> None:
    assert template_of(msgid) is None


def test_atoms_are_exchanged_wherever_they_stand() -> None:
    pattern = pattern_of("若为 ``b``，返回 ``a``。", "Return ``a`` if ``b``.")
    assert pattern is not None
    assert fill_pattern(pattern, "Return ``x`` if ``a``.") == "若为 ``a``，返回 ``x``。"


@pytest.mark.parametrize(
    "msgstr", ["返回 ``a``。", "``a``、``b``、``b``。", "``a``、``c``。", "无"]
)
def test_no_pattern_without_the_same_atoms(msgstr: str) -> None:
    assert pattern_of(msgstr, "Return ``a`` if ``b``.") is None


PAGE = "_api/lamps.dim"
ENGLISH = "See :func:`lamps.dim`."
OTHER = "See :func:`lamps.shine`."
CHINESE = "参见 :func:`lamps.dim`。"


def source(
    msgid: str,
    msgstr: str,
    page: str = PAGE,
    *,
    fuzzy: bool = False,
    context: str | None = None,
) -> Source:
    entry = Entry(msgid=msgid, msgstr=msgstr, fuzzy=fuzzy, context=context)
    return Source(page=page, entry=entry, free=False)


def offered(sources: list[Source], *, page: str = "_api/lamps.glow") -> list[Entry]:
    message = OpenEntry(page=page, entry=Entry(msgid=OTHER), is_new=False)
    offers = reuse([message], sources, {})
    return [entry for offer in offers.values() for entry in offer.entries]


def test_message_takes_the_translation_of_its_template() -> None:
    (entry,) = offered([source(ENGLISH, CHINESE)])
    assert (entry.msgstr, entry.fuzzy) == ("参见 :func:`lamps.shine`。", False)
    note = "carried over: the same sentence as in _api/lamps.dim, other code"
    assert entry.notes == (note,)


@pytest.mark.parametrize(
    "found",
    [
        source(ENGLISH, CHINESE, fuzzy=True),
        source(ENGLISH, CHINESE, context="menu"),
        source(ENGLISH, CHINESE, page="guide"),
        source(ENGLISH, "参见。"),
    ],
)
def test_nothing_is_taken_from_doubtful_translations(found: Source) -> None:
    assert offered([found]) == []


def test_guides_take_no_template() -> None:
    assert offered([source(ENGLISH, CHINESE)], page="guide") == []


def test_most_frequent_translation_counts() -> None:
    usual = [source(ENGLISH, CHINESE, page=f"_api/{name}") for name in "ab"]
    other = source("See :func:`lamps.all`.", "见 :func:`lamps.all`。", page="_api/_")
    (entry,) = offered([other, *usual])
    assert entry.msgstr == "参见 :func:`lamps.shine`。"
    assert offered([other, usual[0]]) == []


def test_changed_sentence_keeps_its_comments_and_origin() -> None:
    """The old text is used, so it does not count as lost."""
    notes, comments = ("drafted: m, prompt 1, 2026-05-01",), ("Mind the tone.",)
    old = Entry(msgid=ENGLISH, msgstr=CHINESE, comments=comments, notes=notes)
    (updated,) = update_catalogs(
        {"_api/lamps.glow": Catalog(entries=(old,))},
        {"_api/lamps.glow": [Entry(msgid=OTHER)]},
        header=lambda _, header: header,
    ).values()
    live, obsolete = updated.catalog.entries
    assert (live.msgstr, live.comments) == ("参见 :func:`lamps.shine`。", comments)
    assert notes[0] in live.notes
    assert (obsolete.msgid, obsolete.obsolete) == (ENGLISH, True)
    assert updated.counts == UpdateCounts(carried=1)
