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
from pipeline.commands.draft.planning import LocaleWork, PageWork
from pipeline.commands.holding import only_this_run
from pipeline.core.drafting.accepting import accept
from pipeline.core.drafting.applying import Draft, apply
from pipeline.core.drafting.book import Next
from pipeline.core.drafting.judging import Reason
from pipeline.core.drafting.outcome import PageOutcome
from pipeline.core.drafting.questions import Name, Question, draft_key
from pipeline.errors import InputError
from pipeline.stages.split import split_page

_ROUNDS = 3  # of writing a file that somebody saves at the same moment


@dataclass(kw_only=True)
class _Verdicts:
    """What became of the questions of a page, taken one by one."""

    drafts: dict[Name, tuple[Question, str]] = field(default_factory=dict)
    refused: Counter[Reason] = field(default_factory=Counter)
    unanswered: int = 0

    def add(self, locale: LocaleWork, work: PageWork, question: Question) -> None:
        """Take up one question."""
        term = locale.model.term(question)
        if term:
            self.drafts[question.name] = (question, term)
            return
        verdict = locale.book.verdict(question)
        # A second answer may be missing because there was no getting it: the first one counts.
        is_over = verdict.next is Next.NOTHING or question.key in work.given_up
        judged = verdict.judged
        if is_over and judged.refusal:
            self.refused[judged.refusal.reason] += 1
        elif is_over and judged.msgstr:
            self.drafts[question.name] = (question, judged.msgstr)
        else:
            self.unanswered += 1


@dataclass(kw_only=True)
class Writing:
    """What came of each page, and the files written, relative to the root."""

    pages: list[PageOutcome] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)

    def finish(self, locale: LocaleWork, work: PageWork) -> None:
        """Write the drafts of a page, and count what came of its questions."""
        verdicts = _Verdicts()
        for question in work.questions:
            verdicts.add(locale, work, question)
        made = self._made(locale, work, verdicts)
        written = self._write(locale, work, made)
        terms = sum(draft.origin.is_term for draft in made.values())
        outcome = PageOutcome(
            locale=locale.locale,
            page=work.page.name,
            asked=len(work.questions),
            drafted=written,
            terms=min(terms, written),
            refused=dict(verdicts.refused),
            unanswered=verdicts.unanswered,
            passed_over=len(made) - written,
        )
        self.pages.append(outcome)

    def _made(
        self, locale: LocaleWork, work: PageWork, verdicts: _Verdicts
    ) -> dict[Name, Draft]:
        """The drafts that can stand on the page together; the others are refused as well."""
        if not verdicts.drafts:
            return {}
        documents = split_page(locale.run.paths, work.page).documents
        together = accept(work.page.name, documents, work.entries, verdicts.drafts)
        for refusal in together.refused.values():
            verdicts.refused[refusal.reason] += 1
        made: dict[Name, Draft] = {}
        for name, msgstr in together.drafts.items():
            question, _ = verdicts.drafts[name]
            made[name] = self._draft(locale, question, msgstr)
        return made

    def _draft(self, locale: LocaleWork, question: Question, msgstr: str) -> Draft:
        # Known before the draft is there: so no draft is there of which nothing is known.
        key = draft_key(question.page, question.name, msgstr)
        locale.made_with.keep(key, "", dict(question.rows))
        return Draft(
            before=question.entry, msgstr=msgstr, origin=locale.origin(question)
        )

    def _write(
        self, locale: LocaleWork, work: PageWork, drafts: Mapping[Name, Draft]
    ) -> int:
        """Write drafts; how many of them are there. Somebody may have changed the others."""
        if not drafts:
            return 0
        run = locale.run
        path = run.paths.catalog(locale.locale, work.page.name)
        # Builds may go on while a model is asked; only this moment is kept from them.
        with only_this_run(run):
            locale.made_with.save()
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
