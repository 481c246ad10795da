"""Terminal output of commands: results on stdout; changes, warnings and errors on stderr.

Results are printed as text in the user's language, or as JSON. Printing does not fail if a pipe is
closed (``… | head``), or if the terminal cannot show a character.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sys
import threading
import traceback
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pipeline.errors import INTERRUPTED, UNEXPECTED, ConfigError, PipelineError
from pipeline.log import (
    Log,
    has_colours,
    is_terminal,
    write_json,
    write_raw,
    write_text,
)
from pipeline.packages import missing_text
from pipeline.paths import Paths
from pipeline.report.chinese import CHINESE, is_chinese_wanted
from pipeline.report.counts import counted, name_some, written_text
from pipeline.report.result import RunResult
from pipeline.report.value import ENGLISH, Language, Screen

if TYPE_CHECKING:
    from pipeline.core.adoption.result import AdoptResult
    from pipeline.report.value import Report

# Commands that usually write nothing. For these, "nothing to write" is not printed.
READ_ONLY_COMMANDS = ("status", "memory")


def terminal() -> Screen:
    """Return width, colours and language of stdout. ``NO_COLOR`` disables colours."""
    screen = Screen(colour=has_colours(sys.stdout, os.environ), language=language())
    if is_terminal(sys.stdout, {}):
        return replace(screen, width=shutil.get_terminal_size().columns)
    return screen


def language() -> Language:
    """Return the language for messages, by the locale in the environment."""
    return CHINESE if is_chinese_wanted(os.environ) else ENGLISH


def show_result(arguments: Namespace, result: RunResult, log: Log) -> None:
    """Print a command's report, the number of files written, and the main files to look at.

    With ``--quiet``, print only findings and failures, on stderr.
    """
    command: str = arguments.command
    # Programs read the JSON, so --quiet does not shorten it.
    if arguments.json:
        from pipeline.report.json import run_json

        print_json(run_json(result).decode("utf-8"))
    elif log.level < 0:
        show_findings(result, log)
    else:
        report = _report_of(command)(result, verbose=log.level > 0)
        print_report(report, terminal())
    show_changes(command, result, log)
    paths = Paths(arguments.config.resolve().parent, result.name)
    report_output_paths(command, result, paths, log)


def show_changes(command: str, result: RunResult, log: Log) -> None:
    """Report the files written. For a command that usually writes none, skip an empty report."""
    if command not in READ_ONLY_COMMANDS or result.changes:
        report_changes(result, log)


def print_report(report: Report, screen: Screen) -> None:
    """Print a report to stdout."""
    from pipeline.report.terminal import to_text

    print_text(to_text(report, screen))


def show_findings(result: RunResult, log: Log) -> None:
    """Print findings and failures to stderr, not to stdout, which may carry other output."""
    from pipeline.report.run import failure_lines
    from pipeline.report.terminal import to_text
    from pipeline.report.value import Findings, Lines

    report = (
        Findings(findings=result.all_findings, has_notes=log.level > 0),
        Lines(failure_lines(result.failed)),
    )
    text = to_text(report, Screen(language=language()))
    write_text(log.stream, text)


def _report_of(command: str) -> Callable[..., Report]:
    """Return the function that makes the report of ``command``, importing only its module."""
    if command == "upgrade":
        from pipeline.report.upgrade import upgrade_report

        return upgrade_report
    if command == "status":
        from pipeline.report.status import status_report

        return status_report
    from pipeline.report.run import run_report

    return run_report


def report_changes(result: RunResult | AdoptResult, log: Log) -> None:
    """Report how many files were written, or would be. With ``--verbose``, also list them."""
    # ``--check`` and ``--dry-run`` are both dry runs, with different exit codes.
    is_dry = result.check_only or result.dry_run
    each = "would write" if is_dry else "wrote"
    for path in result.changes:
        log.detail(f"{each} {path}")
    if not result.changes:
        log.note("nothing to write: everything is up to date")
        return
    if not is_dry:
        log.note(written_text(len(result.changes)))
        return
    named = name_some(result.changes, most=10)
    log.note(f"{counted(len(result.changes), 'file')} would be written: {named}")


def report_output_paths(command: str, result: RunResult, paths: Paths, log: Log) -> None:
    """Report the paths of the files that ``command`` made for people to look at."""
    if result.check_only or result.dry_run:
        return
    places: list[Path] = []
    for locale in result.pages:
        places += _made_for(command, locale, paths)
    if command == "pull":
        places.append(paths.docs)
    # Name the report page only after a run of code: other runs do not write it, so it is out of
    # date.
    if result.executions:
        places.append(paths.report_page)
    shown = [_from_here(path) for path in dict.fromkeys(places) if path.exists()]
    if shown:
        log.note(f"look at {', '.join(shown)}")


def _made_for(command: str, locale: str, paths: Paths) -> tuple[Path, ...]:
    """Return the files and folders of one locale that ``command`` makes for people."""
    match command:
        case "sync" | "build" | "execute":
            return (paths.preview(locale),)
        case "merge":
            return (paths.merged(locale),)
        case "split" | "upgrade":
            return (paths.catalogs(locale),)
        case "site":
            # The first locale's site contains the sites of the other locales, and links to them.
            return (paths.site / "index.html",)
        case _:
            return ()


def _from_here(path: Path) -> str:
    """Return ``path`` relative to the current folder if it is in that folder."""
    if path.is_relative_to(Path.cwd()):
        return path.relative_to(Path.cwd()).as_posix()
    return str(path)


def print_text(text: str) -> None:
    """Print text to stdout, with colours if the terminal shows them."""
    write_text(sys.stdout, text, styled=terminal().colour)


def print_json(text: str) -> None:
    """Print JSON to stdout."""
    write_json(sys.stdout, text)


def print_in_form(text: str, form: str) -> None:
    """Print text in one of the formats of ``--format``."""
    match form:
        case "json" | "sarif":
            print_json(text)
        case "github":
            write_raw(sys.stdout, text)
        case _:
            print_text(text)


def exit_code_of(run: Callable[[], int], *, verbose: bool) -> int:
    """Run a command and return its exit code. Print an exception, and return its exit code."""
    try:
        return run()
    except PipelineError as error:
        print_error(error)
        return error.exit_code
    except KeyboardInterrupt:
        print_error_text(
            "interrupted\n  No file was left half-written: run the same command again."
        )
        return INTERRUPTED
    except OSError as error:
        expected = error_of_system(error)
        if expected is None:
            print_error_text(bug_text(error, verbose=verbose))
        else:
            print_error(expected)
        return UNEXPECTED
    except ImportError as error:
        text = missing_text(error)
        print_error_text(text or bug_text(error, verbose=verbose))
        return ConfigError.exit_code if text else UNEXPECTED
    except Exception as error:  # noqa: BLE001 - the one place that turns bugs into an exit code
        print_error_text(bug_text(error, verbose=verbose))
        return UNEXPECTED


@contextmanager
def terminated_like_interrupted() -> Iterator[None]:
    """Raise KeyboardInterrupt on SIGTERM, so that kernels stop and locks are released."""
    # Python allows only the main thread to set handlers.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # If a job is cancelled, CI sends SIGTERM first, and kills the job some seconds later.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def print_error_text(text: str) -> None:
    """Print an error to stderr."""
    _print_to_stderr(f"error: {text}\n")


def print_error(error: PipelineError) -> None:
    """Print an expected error to stderr, in the user's language."""
    sentence = language().sentence
    translated = PipelineError(sentence(error.what), where=error.where, hint=sentence(error.hint))
    _print_to_stderr(f"{sentence('error: ')}{translated}\n")


def _print_to_stderr(text: str) -> None:
    # If stderr itself is full, only the exit code can report the error.
    with suppress(OSError):
        write_text(sys.stderr, text)


def ask(question: str) -> str:
    """Ask a question on stderr, and return the answer without surrounding spaces."""
    write_text(sys.stderr, question)
    return sys.stdin.readline().strip()


def error_of_system(error: OSError) -> PipelineError | None:
    """Return the error to print for a full disk and the like; None if ``error`` may be a bug."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return PipelineError(
            "the current folder no longer exists",
            hint="Change to an existing folder and run again.",
        )
    match error.errno:
        case errno.EMFILE | errno.ENFILE:
            return PipelineError(
                "too many files are open",
                hint="Raise the limit (ulimit -n 1024) and run again.",
            )
        case errno.ENOSPC | errno.EDQUOT:
            return PipelineError(
                "no space is left on the project's disk, or where the output is redirected to",
                hint="Free some space and run again; no file was left half-written.",
            )
        case _:
            return None


def bug_text(error: Exception, *, verbose: bool) -> str:
    """Return the message for an unexpected exception; with ``verbose``, its traceback."""
    if verbose:
        return "".join(traceback.format_exception(error)).strip()
    # Show the innermost frame: the line that raised the exception.
    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(frame.filename).name}:{frame.lineno}"
    return (
        f"{where}: unexpected {type(error).__name__}: {error}\n"
        "  This is a bug. Run again with -v for the traceback, and report it."
    )
