"""What ``draft`` shows: its plan before anything is sent, and what came of it."""

from __future__ import annotations

from pipeline.commands.showing import complain, print_text, terminal
from pipeline.report.draft import DraftResult, draft_json, draft_text, plan_text
from pipeline.run import Run


def tell_plan(run: Run, result: DraftResult) -> None:
    """The plan, on stderr: stdout is for what comes of it."""
    for line in plan_text(result).rstrip("\n").split("\n"):
        run.log.note(line)


def show_draft(run: Run, result: DraftResult, *, as_json: bool) -> None:
    """The result on stdout; why nothing was asked, and what went wrong, on stderr."""
    if as_json:
        print_text(draft_json(result).decode("utf-8"))
    elif run.log.level >= 0:
        screen = terminal()
        print_text(draft_text(result, width=screen.width, colour=screen.colour))
    if result.hint:
        run.log.note(result.hint)
    if result.error:
        complain(str(result.error))
