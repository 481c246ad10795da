"""Put what was accepted into the catalogues, a page at a time.

In goes a page whose questions have their verdicts, out comes its outcome. The catalogue is read
again right before it is written, so that what somebody saved while the model was at work stays.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from pipeline.adapters import po
from pipeline.adapters.files import replace_if_unchanged
from pipeline.commands.draft.planning import LocaleWork, PageWork, model_of
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
class Writing:
    """What came of each page, and the files written, relative to the root."""

    pages: list[PageOutcome] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)

    def finish(self, locale: LocaleWork, work: PageWork) -> None:
        """Write the drafts of a page, and count what came of its questions."""
        drafts: dict[Name, tuple[Question, str]] = {}
        refused: Counter[Reason] = Counter()
        unanswered = terms = 0
        for question in work.questions:
            msgstr = locale.term(question)
            if msgstr:
                drafts[question.name] = (question, msgstr)
                continue
            verdict = locale.book.verdict(question)
            is_given_up = question.key in work.given_up
            if verdict.judged.refusal and (verdict.next is Next.NOTHING or is_given_up):
                refused[verdict.judged.refusal.reason] += 1
            elif verdict.judged.msgstr and (
                verdict.next is Next.NOTHING or is_given_up
            ):
                drafts[question.name] = (question, verdict.judged.msgstr)
            else:
                unanswered += 1
        count = passed_over = 0
        if drafts:
            documents = split_page(locale.run.paths, work.page).documents
            together = accept(work.page.name, documents, work.entries, drafts)
            refused.update(refusal.reason for refusal in together.refused.values())
            made = {
                name: self._draft(locale, drafts[name][0], msgstr)
                for name, msgstr in together.drafts.items()
            }
            count, passed_over = self._write(locale, work, made)
            by_glossary = [draft for draft in made.values() if draft.origin.is_term]
            terms = min(count, len(by_glossary))
        outcome = PageOutcome(
            locale=locale.locale,
            page=work.page.name,
            asked=len(work.questions),
            drafted=count,
            terms=terms,
            refused=dict(refused),
            unanswered=unanswered,
            passed_over=passed_over,
        )
        self.pages.append(outcome)

    def _draft(self, locale: LocaleWork, question: Question, msgstr: str) -> Draft:
        model = model_of(question, locale.term(question))
        # Known before the draft is there: so no draft is there of which nothing is known.
        key = draft_key(question.page, question.name, msgstr)
        locale.made_with.keep(key, "", dict(question.rows))
        return Draft(before=question.entry, msgstr=msgstr, origin=locale.origin(model))

    def _write(
        self, locale: LocaleWork, work: PageWork, drafts: dict[Name, Draft]
    ) -> tuple[int, int]:
        """Write drafts; how many there are, and how many entries somebody has changed."""
        if not drafts:
            return 0, 0
        run = locale.run
        path = run.paths.catalog(locale.locale, work.page.name)
        with only_this_run(run):
            locale.made_with.save()
            for _ in range(_ROUNDS):
                # Read anew each time: hours may lie between the plan and this moment.
                try:
                    before = path.read_bytes()
                    catalog = po.read_catalog(before, where=run.shown(path)).catalog
                except (OSError, InputError):
                    break  # it is gone, or broken since: the next update says so
                applied = apply(catalog, drafts)
                data = po.format_catalog(applied.catalog)
                # A stale draft may come out as it was.
                if data == before:
                    return applied.count, applied.passed_over
                if replace_if_unchanged(path, data, before=before):
                    self.changes.append(run.shown(path))
                    return applied.count, applied.passed_over
        return 0, len(drafts)
