"""Catalogues as XLIFF 2, by way of translate-toolkit, which Weblate reads and writes them with.

A unit is an entry: its id is a digest of context and English, its notes have categories. An entry
that is fuzzy is in the state ``initial`` with a target, as the toolkit has it. Obsolete entries are
left out, and so is what XML cannot hold.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

# Categories of notes: what the block is, what translators remark, what a fuzzy text was written
# for, and the msgctxt.
_NOTE, _COMMENT, _PREVIOUS, _CONTEXT = "developer", "translator", "previous", "context"
# What XML 1.0 has no way to write: control characters and halves of surrogate pairs.
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# States of a target in XLIFF 1.2 that Weblate takes for "needs editing".
_FUZZY_TARGETS = {"new", "needs-translation", "needs-adaptation", "needs-l10n"}
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"


@dataclass(frozen=True, slots=True, kw_only=True)
class XliffFile:
    """What a file holds: entries of one page in one locale, each with the line of its unit."""

    page: str  # empty if it does not say
    locale: str
    entries: tuple[Entry, ...]


def is_writable(entry: Entry) -> bool:
    """Whether XML can hold all texts of an entry."""
    texts = (entry.msgid, entry.msgstr, *entry.comments, *entry.notes)
    return not any(map(_NO_XML.search, texts))


def format_xliff(catalog: Catalog, *, page: str, locale: str) -> bytes:
    """The live entries of a catalogue, UTF-8. Those that are not ``is_writable`` are left out."""
    from translate.storage.xliff2 import Xliff2File

    store: Any = Xliff2File()
    store.setsourcelanguage("en")
    store.settargetlanguage(locale.replace("_", "-"))
    store.body.set("original", page)
    for entry in catalog.entries:
        if entry.obsolete or not is_writable(entry):
            continue
        unit = store.addsourceunit(entry.msgid)
        unit.setid(_id(entry))
        _fill(unit, entry)
    return bytes(store)


def _fill(unit: Any, entry: Entry) -> None:
    """Put the translation of an entry, its state and its notes into a unit."""
    segment: Element = unit.xmlelement
    # White space counts, and the standard wants that to be said of the unit.
    segment.attrib.pop(_SPACE, None)
    whole: Element = unit.getunitelement()
    whole.set(_SPACE, "preserve")
    if entry.msgstr:
        unit.target = entry.msgstr
        segment.set("state", "initial" if entry.fuzzy else "translated")
    notes = [(_NOTE, note) for note in entry.notes]
    notes += [(_COMMENT, comment) for comment in entry.comments]
    notes += [(_PREVIOUS, entry.previous)] if entry.previous else []
    notes += [(_CONTEXT, entry.context)] if entry.context else []
    if not notes:
        return
    container = segment.makeelement(unit.namespaced("notes"))
    # Before the segment: the order of the schema.
    whole.insert(0, container)
    for category, text in notes:
        note = segment.makeelement(unit.namespaced("note"), {"category": category})
        note.text = text
        container.append(note)


def read_xliff(data: bytes, *, where: str) -> XliffFile:
    """What came back. Raises InputError for what is no XLIFF 2."""
    from lxml.etree import LxmlError
    from translate.storage.xliff2 import Xliff2File

    hint = "Export it from the editor as XLIFF 2.0 once more."
    # Entities could read any file, or fill the memory.
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise InputError("has a document type", where=f"{where}:1", hint=hint)
    toolkit: Any = Xliff2File
    try:
        store = toolkit.parsestring(data)
        root = store.document.getroot()
        body = store.body
    except (LxmlError, ValueError, TypeError, AttributeError, AssertionError) as error:
        # What the toolkit and its parser raise for files of other kinds.
        line = getattr(error, "lineno", None) or 1
        raise InputError(
            f"is no XLIFF 2: {error}", where=f"{where}:{line}", hint=hint
        ) from error
    return XliffFile(
        page=body.get("original", ""),
        locale=root.get("trgLang", "").replace("-", "_"),
        entries=tuple(map(_entry, store.units)),
    )


def _entry(unit: Any) -> Entry:
    """The entry in a unit."""
    notes: dict[str, list[str]] = {}
    for category, text in _notes_of(unit.getunitelement()):
        notes.setdefault(category, []).append(text)
    target = str(unit.target or "")
    previous, context = notes.get(_PREVIOUS), notes.get(_CONTEXT)
    return Entry(
        msgid=str(unit.source or ""),
        msgstr=target,
        fuzzy=bool(target) and _is_fuzzy(unit),
        previous=previous[0] if previous else None,
        context=context[0] if context else None,
        comments=tuple(notes.get(_COMMENT, ())),
        notes=tuple(notes.get(_NOTE, ())),
        line=unit.getunitelement().sourceline or 0,
    )


def _is_fuzzy(unit: Any) -> bool:
    """Whether a unit's translation waits for a person.

    Weblate puts a state of XLIFF 1.2 on the target, and "translated" on the segment in any case.
    """
    target = unit.xmlelement.find(unit.namespaced("target"))
    state = "" if target is None else target.get("state", "")
    return bool(unit.isfuzzy()) or state in _FUZZY_TARGETS


def _notes_of(unit: Element) -> Iterator[tuple[str, str]]:
    """The notes of a unit, wherever in it: the toolkit puts its own into the segment."""
    for note in unit.iter("{*}note"):
        yield note.get("category", ""), note.text or ""


def _id(entry: Entry) -> str:
    """The id of an entry's unit: the same as long as its English is."""
    text = f"{entry.context or ''}\0{entry.msgid}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
