"""M301 to M303: what is still English."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.core.checks import english
from pipeline.core.checks.base import Problem, Subject
from pipeline.core.checks.masked import HAN
from pipeline.core.document.message import Kind
from pipeline.findings import Span

_HAN = re.compile(f"[{HAN}]")


def find_english(subject: Subject) -> Iterator[Problem]:
    """A translation that is in English, in other words than the message."""
    if _is_copy(subject) or not english.is_english(subject.masked_chinese):
        return
    if english.is_kept(subject.masked_english):
        return
    yield Problem(
        text="is left in English",
        hint=_hint("M301"),
        spans=(_whole(subject.msgstr),),
    )


def find_copied(subject: Subject) -> Iterator[Problem]:
    """A translation that is the message itself, unless that is a name: JAX, NumPy."""
    if not _is_copy(subject) or _HAN.search(subject.msgid):
        return
    if english.is_kept(subject.masked_english):
        return
    shown = subject.masked_chinese
    if subject.kind is not Kind.HEADING and english.is_name_or_keyword(shown):
        return
    # Of a copy less is enough to tell that it is no name.
    if english.is_english(shown) or english.is_phrase(shown):
        yield Problem(
            text="is the English itself",
            hint=_hint("M302"),
            spans=(_whole(subject.msgstr),),
        )


def find_untranslated_part(subject: Subject) -> Iterator[Problem]:
    """English words in a translation that is Chinese otherwise: ``数组 is used by 函数 这里``.

    What is English as a whole is told of by M301.
    """
    shown = subject.masked_chinese
    if not _HAN.search(shown) or english.is_english(shown):
        return
    spans = tuple(english.english_runs(shown, subject.masked_english))
    if spans and not english.is_kept(subject.masked_english):
        words = "”, “".join(subject.msgstr[start:end] for start, end in spans)
        yield Problem(
            text=f"has English left in it: “{words}”",
            hint="Translate these words too.",
            spans=spans,
        )


def _is_copy(subject: Subject) -> bool:
    """Whether the translation is the English, letter by letter."""
    return subject.msgstr.strip() == subject.msgid.strip()


def _hint(code: str) -> str:
    """What to do about a message that is not translated, which the check ``code`` tells."""
    return (
        "Translate it, or say in a translator comment why it stays English "
        f"(# pipeline: ignore={code} because …)."
    )


def _whole(text: str) -> Span:
    """From where to where a text goes, without the white space at its edges."""
    return len(text) - len(text.lstrip()), len(text.rstrip())
