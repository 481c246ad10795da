"""A memory as a catalogue again: its entries joined with upstream's English, as far as that can be
had."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pipeline.adapters import po
from pipeline.core.memory import open as memory_open
from pipeline.core.memory import record as core
from pipeline.core.memory.header import editing_fields
from pipeline.core.memory.notes import english_of
from pipeline.core.memory.open import Opened
from pipeline.core.memory.record import Memory, digest
from pipeline.core.pin.lock import Lock
from pipeline.entries import Catalog, Entry
from pipeline.errors import UpstreamError
from pipeline.findings import Severity
from pipeline.stages.update.english import English
from pipeline.stages.update.workspace import Workspace


def rebuilt(work: Workspace, english: English, memory: Memory, local: Catalog | None) -> Opened:
    """The catalogue of a memory at its own commit, or at the pin if that commit cannot be had."""
    page, reasons = memory.page, dict[str, None]()
    wanted = english.at_pin(page)
    is_exact = wanted is not None and core.layout_of(wanted) == memory.layout
    if not is_exact:
        try:
            wanted, is_exact = english.at(memory.commit, page), True
        except UpstreamError as error:
            reasons[_reason(error)] = None
    wanted = wanted or ()
    texts = {digest(entry.msgid): entry.msgid for entry in wanted}
    for entry in local.entries if local else ():
        texts |= {digest(text): text for text in (entry.msgid, entry.previous) if text}
    texts |= _texts_seen(english, memory, texts, reasons)
    if any(code not in texts for entry in memory.entries for code, _ in english_of(entry)):
        texts |= english.texts_at_pin()
    header = po.standard_header(
        project=_project(english.lock),
        page=page,
        locale=work.locale,
        date=english.lock.date,
        existing=editing_fields(memory),
    )
    if is_exact:  # else the catalogue is made afresh, at the pin
        known = {"Project-Id-Version": memory.project, "POT-Creation-Date": memory.date}
        header |= {name: value for name, value in known.items() if value}
    opened = memory_open.open_memory(memory, wanted, texts=texts, header=header)
    if opened.missing:
        _say_missing(work, memory, opened.missing, reasons)
    return opened


def _texts_seen(
    english: English, memory: Memory, known: Mapping[str, str], reasons: dict[str, None]
) -> dict[str, str]:
    """The English that the notes of the memory lead to."""
    found: dict[str, str] = {}
    for entry in memory.entries:
        for code, place in english_of(entry):
            if place is None or code in known or code in found:
                continue
            try:
                found |= {
                    digest(one.msgid): one.msgid for one in english.at(place.commit, place.page)
                }
            except UpstreamError as error:
                reasons[_reason(error)] = None
    return found


def _say_missing(
    work: Workspace, memory: Memory, missing: Sequence[Entry], reasons: Iterable[str]
) -> None:
    translated = sum(bool(core.text_of(entry)) for entry in memory.entries)
    text = f"{len(missing)} of {translated} translations could not be joined to their English; they stay in the memory"
    text += f" ({'; '.join(reasons)})" if reasons else " (it stands nowhere in upstream's docs)"
    hint = "Take an upstream whose history goes back to that commit (a full clone, for example); what is not joined is not shown."
    where = f"{work.where.of_memory(memory.page)}:{min(entry.line for entry in missing)}"
    work.find(
        memory.page, "memory-not-recovered", where, text, hint=hint, severity=Severity.WARNING
    )


def _reason(error: UpstreamError) -> str:
    return f"{error.where}: {error.what}" if error.where else error.what


def _project(lock: Lock) -> str:
    return f"{lock.url.rstrip('/').rpartition('/')[2]} docs"
