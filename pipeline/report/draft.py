"""What ``draft`` found out and did, and how that is told: the plan, what is stale, the outcome.

A command fills in a ``DraftResult``; text for people or JSON for programs comes out. Nothing of the
key is in it, nor of what the endpoint said besides its replies.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.core.drafting.money import Prices, Tokens
from pipeline.core.drafting.outcome import Outcome, PageOutcome, Plan
from pipeline.core.drafting.selecting import Stale
from pipeline.core.pin.lock import Lock
from pipeline.errors import FindingsError, PipelineError, worst
from pipeline.findings import Finding
from pipeline.log import printable
from pipeline.report.counts import counted
from pipeline.report.json import VERSION, finding_record, json_bytes
from pipeline.report.terminal import Table
from pipeline.report.text import findings_lines

_COLUMNS = ("page", "asked", "drafted", "refused", "unanswered")
_SHOWN = 60  # characters of a message in a list


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftResult:
    """What a run planned, and what came of it; ``outcome`` is None if nothing was asked."""

    name: str
    lock: Lock
    model: str
    prices: Prices
    plans: tuple[Plan, ...]
    outcome: Outcome | None = None
    only_stale: bool = False
    check_only: bool = False
    findings: tuple[Finding, ...] = ()
    errors: tuple[PipelineError, ...] = ()
    changes: tuple[str, ...] = ()
    is_told: bool = False  # the plan was shown before the question
    hint: str = ""  # why nothing was asked, and what to do

    @property
    def entries(self) -> int:
        """The entries that want a draft and can have one.

        Of all locales together.
        """
        return sum(plan.entries for plan in self.plans)

    @property
    def exit_code(self) -> int:
        """The worst of what went wrong; 1 if something is left for a person.

        That is work which the budget did not allow, a model that is no translator, or with
        ``--check`` any work at all. What is known by then may have been refused.
        """
        codes = [finding.exit_code for finding in self.findings if finding.is_error]
        codes += [error.exit_code for error in self.errors]
        is_checked = self.check_only and self.is_due
        has_failed = self.outcome and (self.outcome.stopped or self.outcome.is_vain)
        if is_checked or has_failed:
            codes.append(FindingsError.exit_code)
        return worst(codes)

    @property
    def is_due(self) -> bool:
        """Whether a run would ask anything, or find terms of the glossary.

        Both make drafts; the second costs nothing.
        """
        return any(plan.batches or plan.terms for plan in self.plans)


def plan_text(result: DraftResult) -> str:
    """What is to be asked, and what that takes, a paragraph for each locale.

    It is told before anything is sent.
    """
    lines: list[str] = []
    for plan in result.plans:
        lines += _plan_lines(plan, result)
    return "".join(f"{line}\n" for line in lines)


def _plan_lines(plan: Plan, result: DraftResult) -> Iterator[str]:
    """A heading, and a line for each thing that there is to say."""
    entries = counted(plan.entries, "entry", "entries")
    pages = counted(plan.pages, "page")
    yield f"{result.name} · {plan.locale}: {entries} on {pages}, {plan.words} English words"
    why = ", ".join(f"{count} {why}" for why, count in sorted(plan.by_why.items()))
    cost = result.prices.text(plan.tokens) or "no prices are configured"
    left_alone = f"{plan.left_alone} fuzzy, whose old translation stands nowhere else"
    # Whether each line is told, its name and what it says.
    lines = (
        (why, "why", why),
        (plan.terms, "glossary", f"{plan.terms} are terms of the glossary: no call"),
        (plan.known, "answered", f"{plan.known} before: no call"),
        (plan.left_alone, "left alone", left_alone),
        (True, "model", f"{result.model}, {counted(plan.batches, 'request')}"),
        (plan.batches, "estimated", f"{_tokens_text(plan.tokens)}; {cost}"),
    )
    for is_told, name, text in lines:
        if is_told:
            yield f"  {name:<11} {text}"


def draft_text(result: DraftResult, *, width: int, colour: bool) -> str:
    """What came of a run: a table of pages, refusals by reason, tokens and price.

    Without an outcome it is the plan, unless that was told before the question.
    """
    blocks: list[str] = []
    outcome = result.outcome
    if result.only_stale:
        blocks.append(stale_text(result))
    elif outcome:
        blocks.append(_table(outcome, result, width=width, colour=colour))
        blocks += [f"{line}\n" for line in _outcome_lines(outcome, result)]
    elif not result.is_told:
        blocks.append(plan_text(result))
    blocks += [f"{line}\n" for line in findings_lines(result.findings)]
    return "".join(blocks)


def stale_text(result: DraftResult) -> str:
    """Every draft that was made from what is not so any more, with the reason.

    With the number of them for each locale, also if that is none.
    """
    lines: list[str] = []
    for plan in result.plans:
        lines += [_stale_line(plan, stale) for stale in plan.stale]
        lines.append(f"{plan.locale}: {counted(len(plan.stale), 'stale draft')}")
    # English comes from pages, which strangers write.
    return "".join(f"{printable(line)}\n" for line in lines)


def _stale_line(plan: Plan, stale: Stale) -> str:
    """``zh_CN faq: the model was m: “Why is it slow?”``."""
    english = stale.entry.msgid.replace("\n", " ")
    if len(english) > _SHOWN:
        english = f"{english[:_SHOWN]}…"
    return f"{plan.locale} {stale.page}: {stale.reason}: “{english}”"


def _table(outcome: Outcome, result: DraftResult, *, width: int, colour: bool) -> str:
    """The table of pages, with the sums below."""
    rows = [(page.page, *_numbers([page])) for page in outcome.pages]
    table = Table(
        title=(f"{result.name} · drafts by {result.model}", ""),
        headings=_COLUMNS,
        rows=rows,
        footer=(counted(len(rows), "page"), *_numbers(outcome.pages)),
        words=frozenset(("page",)),
    )
    return table.to_text(width=width, colour=colour)


def _numbers(pages: Sequence[PageOutcome]) -> tuple[str, ...]:
    """The columns of numbers, of one page or of all; a zero is left out."""
    sums: Counter[str] = Counter()
    for page in pages:
        sums["asked"] += page.asked
        sums["drafted"] += page.drafted
        sums["refused"] += sum(page.refused.values())
        sums["unanswered"] += page.unanswered + page.passed_over
    return tuple(str(sums[name] or "") for name in _COLUMNS[1:])


def _outcome_lines(outcome: Outcome, result: DraftResult) -> Iterator[str]:
    # Refused is not lost: the entry is as empty as it was.
    """What there is to say below the table.

    Refused is not lost: the entry is as empty as it was.
    """
    for reason, count in outcome.refused.items():
        yield f"refused, {reason}: {count}"
    if outcome.passed_over:
        yield f"left as somebody has changed them meanwhile: {outcome.passed_over}"
    tokens = outcome.tokens
    cost = result.prices.text(tokens)
    calls = counted(outcome.calls, "request")
    spent = f"{calls}, {_tokens_text(tokens)}"
    if outcome.uncounted_calls:
        spent += f", of {outcome.uncounted_calls} estimated"
    yield f"{spent}; {cost or 'no prices are configured'}; {outcome.seconds:.1f} s"
    if outcome.stopped:
        left = counted(outcome.unanswered, "entry", "entries")
        yield f"{outcome.stopped}: {left} left; raise it, or run again for the rest"
    if outcome.is_vain:
        yield "not one answer could be kept: is the model one that translates?"
    yield f"{counted(outcome.drafted, 'draft')} made; a person has to confirm each of them"


def _tokens_text(tokens: Tokens) -> str:
    """``15,314 + 7,420 tokens``: those of requests, and those of replies."""
    return f"{tokens.prompt:,} + {tokens.reply:,} tokens"


def draft_json(result: DraftResult) -> bytes:
    """The same for programs. ``outcome`` is null if nothing was asked."""
    record = {
        "version": VERSION,
        "upstream": {"name": result.name, "commit": result.lock.commit},
        "model": result.model,
        "currency": result.prices.currency,
        "exit_code": result.exit_code,
        "plans": [_plan_record(plan, result.prices) for plan in result.plans],
        "outcome": _outcome_record(result),
        "findings": list(map(finding_record, result.findings)),
        "errors": [str(error) for error in result.errors],
        "written": list(result.changes),
    }
    return json_bytes(record)


def _outcome_record(result: DraftResult) -> dict[str, Any] | None:
    """What came of a run for programs, with what they would add up from the pages."""
    outcome = result.outcome
    if outcome is None:
        return None
    record = dataclasses.asdict(outcome)
    record["drafted"] = outcome.drafted
    record["refused"] = outcome.refused
    record["cost"] = result.prices.cost(outcome.tokens)
    record["seconds"] = round(outcome.seconds, 1)
    return record


def _plan_record(plan: Plan, prices: Prices) -> dict[str, Any]:
    """A plan for programs. Entries are told by their English, not with all that they hold."""
    record = dataclasses.asdict(dataclasses.replace(plan, stale=()))
    record["cost"] = prices.cost(plan.tokens)
    record["stale"] = [
        {"page": stale.page, "msgid": stale.entry.msgid, "reason": stale.reason}
        for stale in plan.stale
    ]
    return record
