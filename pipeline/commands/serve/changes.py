"""What a branch has changed, as a queue: what ``review`` lists, until a person has decided.

The memory says what has changed and what was there before, catalogues say what stands there now.
Nothing of this is loaded unless somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pipeline.commands.serve.library import Name
from pipeline.core.word_diff import Part
from pipeline.core.workbench.editing import Seen
from pipeline.entries import Entry

if TYPE_CHECKING:
    from pipeline.report.review.result import Message
    from pipeline.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The changes since a commit that people call ``base``, in the order of ``review``."""

    base: str
    messages: Mapping[tuple[str, Name], Message]  # by page and entry
    _decided: set[tuple[str, Name]] = field(default_factory=set)

    def waiting(
        self, entries: Mapping[str, Mapping[Name, Entry]]
    ) -> list[tuple[str, Entry, Message]]:
        """What nobody has decided about, of those that are among ``entries`` of their pages."""
        found = []
        for (page, name), message in self.messages.items():
            entry = entries.get(page, {}).get(name)
            if entry is not None and (page, name) not in self._decided:
                found.append((page, entry, message))
        return found

    def before(self, page: str, seen: Seen) -> Entry | None:
        """What the base had for the same English; None if it had nothing."""
        message = self.messages.get((page, (seen.context, seen.msgid)))
        return message.before if message else None

    def decided(self, page: str, entry: Seen | Entry) -> None:
        """Leave an entry out from now on."""
        self._decided.add((page, (entry.context, entry.msgid)))

    def undone(self, page: str, entry: Seen | Entry) -> None:
        """Have an entry looked at again."""
        self._decided.discard((page, (entry.context, entry.msgid)))


def read_changes(run: Run, locale: str, base: str) -> Changes:
    """What ``review`` lists of the upstream and the locale; without a base since the main branch.

    The catalogues follow the memory first, which another branch may have changed. Raises
    ConfigError for a commit that is not there.
    """
    from pipeline.commands.holding import only_this_run
    from pipeline.commands.review.reviewing import review_changes
    from pipeline.commands.split import update_pulled

    with only_this_run(run):
        update_pulled(run)
    words = [base] if base else []
    review = review_changes(run.settings, words, locales=(locale,))
    for problem in review.problems:
        run.log.note(f"{problem.where}: {problem.text}")
    folder = run.shown(run.paths.memories(locale))
    messages = {
        (message.page, (message.context or None, message.english)): message
        for message in review.messages
        if message.file.startswith(f"{folder}/")
    }
    return Changes(base=review.base_name, messages=messages)


def tell_change(message: Message, entry: Entry) -> dict[str, Any]:
    """What has happened to an entry, and how its words differ from those of the base."""
    pieces = [(piece.part, piece.text) for piece in message.pieces]
    if not pieces or message.new != entry.msgstr:
        # There is one version, or somebody has written another one meanwhile.
        both = ((Part.REMOVED, message.old), (Part.ADDED, entry.msgstr))
        pieces = [(part, text) for part, text in both if text]
    return {
        "happened": str(message.happened),
        "pieces": pieces,
        "translator": message.translator,
    }
