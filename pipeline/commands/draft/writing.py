"""Put what was accepted into the catalogues, a page at a time.

In goes a page whose questions have their verdicts, out comes its outcome. The catalogue is read
again right before it is written, so that what somebody saved while the model was at work stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from pipeline.adapters import po
from pipeline.adapters.files import replace_if_unchanged
from pipeline.commands.draft.planning import PageWork
from pipeline.commands.holding import only_this_run
from pipeline.core.catalog.origins import GLOSSARY, UNDATED, Machine
from pipeline.core.drafting.accepting import Draft, apply, refused_together
from pipeline.core.drafting.judging import Reason
from pipeline.core.drafting.outcome import PageOutcome
from pipeline.core.drafting.prompt import PROMPT
from pipeline.core.drafting.questions import Name, Question, draft_key
from pipeline.core.pin.lock import Lock
from pipeline.errors import InputError
from pipeline.stages.split import split_page

_ROUNDS = 3  # of writing a file that somebody saves at the same moment


@dataclass(kw_only=True)
class Writing:
    """What came of each page, and the files written, relative to the root."""

    lock: Lock
    pages: list[PageOutcome] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)

    def finish(self, work: PageWork) -> None:
        """Write the drafts of a page, and count what came of its questions."""
        refused: Counter[Reason] = Counter()
        answered = self._answered(work, refused)
        drafts = self._drafts(work, answered, refused)
        written = self._write(work, drafts)
        terms = sum(draft.origin.is_term for draft in drafts.values())
        unanswered = len(work.questions) - len(drafts) - refused.total()
        self.pages.append(
            PageOutcome(
                locale=work.locale.locale,
                page=work.page.name,
                asked=len(work.questions),
                drafted=written,
                terms=min(terms, written),
                refused=dict(refused),
                unanswered=unanswered,
                passed_over=len(drafts) - written,
            )
        )

    def _answered(
        self, work: PageWork, refused: Counter[Reason]
    ) -> dict[Name, tuple[Question, str]]:
        """The answers that may be kept; those that may not are counted."""
        kept: dict[Name, tuple[Question, str]] = {}
        for question in work.questions:
            msgstr = question.term
            if not msgstr:
                verdict = work.locale.book.verdict(question)
                # There may be no getting a second answer: then the first one counts.
                if verdict.attempt and question.key not in work.given_up:
                    continue
                msgstr = verdict.judged.msgstr
                if verdict.judged.refusal:
                    refused[verdict.judged.refusal.reason] += 1
            if msgstr:
                kept[question.name] = (question, msgstr)
        return kept

    def _drafts(
        self,
        work: PageWork,
        answered: Mapping[Name, tuple[Question, str]],
        refused: Counter[Reason],
    ) -> dict[Name, Draft]:
        """The drafts that can stand on the page together; the others are refused as well."""
        if not answered:
            return {}
        locale = work.locale
        documents = split_page(locale.run.paths, work.page).documents
        bad = refused_together(work.page.name, documents, work.entries, answered)
        refused.update(bad.values())
        # "2026-05-01T09:30:00+00:00" → "2026-05-01"; a plain folder has no date.
        date = self.lock.date[:10] or UNDATED
        drafts: dict[Name, Draft] = {}
        for name, (question, msgstr) in answered.items():
            if name in bad:
                continue
            # Known before the draft is there: so no draft is there of which nothing is known.
            key = draft_key(question.page, name, msgstr)
            locale.made_with.keep(key, "", dict(question.rows))
            maker = GLOSSARY if question.term else locale.asking.model
            origin = Machine(model=maker, prompt=PROMPT, date=date)
            drafts[name] = Draft(before=question.entry, msgstr=msgstr, origin=origin)
        return drafts

    def _write(self, work: PageWork, drafts: Mapping[Name, Draft]) -> int:
        """Write drafts; how many of them are there. Somebody may have changed the others."""
        if not drafts:
            return 0
        run = work.locale.run
        path = run.paths.catalog(work.locale.locale, work.page.name)
        # Builds may go on while a model is asked; only this moment is kept from them.
        with only_this_run(run):
            work.locale.made_with.save()
            for _ in range(_ROUNDS):
                # Read anew each time: hours may lie between the plan and this moment.
                try:
                    before = path.read_bytes()
                    catalog = po.read_catalog(before, where=run.shown(path)).catalog
                except (OSError, InputError):
                    return 0  # it is gone, or broken since: the next update says so
                applied = apply(catalog, drafts)
                data = po.format_catalog(applied.catalog)
                # A stale draft may come out as it was.
                if data == before:
                    return applied.count
                if replace_if_unchanged(path, data, before=before):
                    self.changes.append(run.shown(path))
                    return applied.count
        return 0
