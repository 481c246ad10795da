"""The command line: arguments in, exit code out. The namespace ends here, and every error is caught
here."""

from __future__ import annotations

import argparse
import dataclasses
import os
import shutil
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NoReturn, TextIO

from pipeline.arguments import READING, parse
from pipeline.config import Settings, Upstream, read_settings
from pipeline.config.suggesting import did_you_mean
from pipeline.errors import ConfigError, PipelineError
from pipeline.log import Log, is_terminal, printable
from pipeline.report.result import RunResult
from pipeline.run import KernelOptions, Run

if TYPE_CHECKING:
    from pipeline.commands.build import BuildOptions

INTERRUPTED, UNEXPECTED = 130, 70
PIPE_WIDTH = 140  # columns of a table that goes into a file


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code (see README). Nothing but ``--help`` raises SystemExit."""
    verbose = False
    try:
        with _terminated_like_interrupted():
            arguments = parse(sys.argv[1:] if argv is None else argv)
            verbose = arguments.verbose > 0
            return _run(arguments)
    except PipelineError as error:
        _complain(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        _complain("interrupted\n  No file was left half-written: run the same command again.")
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the one place that turns bugs into an exit code
        _complain(_bug(error, verbose=verbose))
        return UNEXPECTED


def _run(arguments: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    log = Log(max(-1, min(1, arguments.verbose - arguments.quiet)))
    if arguments.command in _OF_FILES:
        return _OF_FILES[arguments.command](arguments, log)
    settings = read_settings(arguments.config)
    run = Run(
        settings=settings,
        upstream=_upstream(settings, arguments),
        log=log,
        locales=_locales(arguments, settings),
        pages=tuple(getattr(arguments, "pages", ())),
        dry=getattr(arguments, "check", False),
    )
    result = _OF_UPSTREAMS[arguments.command](run, arguments)
    _show(arguments.command, result, log, as_json=arguments.json)
    return result.exit_code


# Commands on one upstream. Each function knows which words of the command line are its verb's own.


def _sync(run: Run, arguments: argparse.Namespace) -> RunResult:
    from pipeline.commands.sync import sync

    return sync(run, _build_options(run, arguments), ref=arguments.ref)


def _pull(run: Run, arguments: argparse.Namespace) -> RunResult:
    from pipeline.commands.pull import pull

    return pull(run, ref=arguments.ref)


def _split(run: Run, arguments: argparse.Namespace) -> RunResult:
    from pipeline.commands.split import split

    return split(run)


def _build(run: Run, arguments: argparse.Namespace) -> RunResult:
    from pipeline.commands.build import build

    return build(run, _build_options(run, arguments))


def _site(run: Run, arguments: argparse.Namespace) -> RunResult:
    from pipeline.commands.site import site

    return site(run, _build_options(run, arguments), show_fuzzy=arguments.show_fuzzy)


def _upgrade(run: Run, arguments: argparse.Namespace) -> RunResult:
    from pipeline.commands.upgrade.upgrading import UpgradeOptions, upgrade

    options = UpgradeOptions(
        target=arguments.target,
        config=arguments.config,
        jax=arguments.jax,
        dry_run=arguments.dry_run,
        is_run_after=not arguments.execute,
    )
    result = upgrade(run, options)
    _summarise_upgrade(result, _summaries(arguments.summary))
    return result


def _status(run: Run, arguments: argparse.Namespace) -> RunResult:
    from pipeline.commands.status import StatusOptions, status

    return status(run, StatusOptions(against=arguments.against, badges=arguments.badges))


def _memory(run: Run, arguments: argparse.Namespace) -> RunResult:
    from pipeline.commands.memory import verify_memory

    return verify_memory(run)


_OF_UPSTREAMS: dict[str, Callable[[Run, argparse.Namespace], RunResult]] = {
    "sync": _sync,
    "pull": _pull,
    "split": _split,
    "merge": _build,
    "execute": _build,
    "build": _build,
    "site": _site,
    "upgrade": _upgrade,
    "status": _status,
    "memory": _memory,
}

# Commands on files, of any project: they need no upstream.


def _check(arguments: argparse.Namespace, log: Log) -> int:
    """``check`` works on files, of any project: it needs no configuration and no upstream."""
    from pipeline.commands.check import check_catalogs
    from pipeline.report.check import render

    settings = read_settings(arguments.config, needed=not arguments.words)
    locales, fix = _locales(arguments, settings), arguments.fix
    result = check_catalogs(
        settings,
        arguments.words,
        locales=locales,
        pages=arguments.pages,
        fix=fix,
        strict=arguments.strict,
        log=log,
    )
    colour, width = _terminal()
    form = "json" if arguments.json else arguments.format
    _print(render(result, form, width=width, colour=colour, level=log.level))
    return result.exit_code


def _cache(arguments: argparse.Namespace, log: Log) -> int:
    from pipeline.commands.report import tell_cache

    settings = read_settings(arguments.config)
    lines, code = tell_cache(settings, arguments.action)
    _print("".join(f"{line}\n" for line in lines))
    return code


def _report(arguments: argparse.Namespace, log: Log) -> int:
    from pipeline.commands.report import merge_files

    colour, width = _terminal()
    text, code = merge_files(
        read_settings(arguments.config),
        arguments.words,
        width=width,
        colour=colour,
        as_json=arguments.json,
    )
    _print(text)
    return code


_OF_FILES: dict[str, Callable[[argparse.Namespace, Log], int]] = {
    "check": _check,
    "cache": _cache,
    "report": _report,
}


def _upstream(settings: Settings, arguments: argparse.Namespace) -> Upstream:
    """The upstream that is named, with another address if one is given."""
    upstream = settings.upstream(arguments.words)
    url: str | None = getattr(arguments, "upstream", None)
    if url is None:
        return upstream
    if not url:
        raise ConfigError(
            "--upstream is empty", hint="Give a URL, a bundle, a repository or a folder."
        )
    return dataclasses.replace(upstream, url=url, url_replaced=True)


def _locales(arguments: argparse.Namespace, settings: Settings) -> tuple[str, ...]:
    for locale in arguments.locale:
        if locale not in settings.locales:
            hint = f"{did_you_mean(locale, settings.locales)}Configured: {', '.join(settings.locales)}."
            raise ConfigError(f"no locale is called {locale!r}", hint=hint)
    return tuple(dict.fromkeys(arguments.locale)) or settings.locales


def _build_options(run: Run, arguments: argparse.Namespace) -> BuildOptions:
    """How far ``merge``, ``execute``, ``build``, ``sync`` and ``site`` go, and how they run code."""
    from pipeline.commands.build import BuildOptions

    if arguments.command == "merge":
        return BuildOptions(last="merge")
    runs_code = arguments.command == "execute" or arguments.execute
    kernels = KernelOptions(
        jobs=arguments.jobs or run.settings.execution.jobs,
        retry_failed=arguments.retry_failed,
        use_cache=arguments.use_cache,
        offline=_is_offline(arguments.offline),
        shard=getattr(arguments, "shard", None),  # the site shows all pages
        scheduler=arguments.scheduler,
    )
    return BuildOptions(
        last="publish" if runs_code else "merge",
        kernels=kernels,
        summaries=_summaries(arguments.summary),
    )


def _summaries(asked: Path | None) -> tuple[Path, ...]:
    """The file that was asked for, and the one that GitHub shows on the page of a workflow run."""
    shown = os.environ.get("GITHUB_STEP_SUMMARY")
    return (*((asked,) if asked else ()), *((Path(shown),) if shown else ()))


def _summarise_upgrade(result: RunResult, summaries: Sequence[Path]) -> None:
    """What moving means, as Markdown; nothing if there is nothing to move."""
    if not summaries or result.comparison is None:
        return
    from pipeline.adapters.files import append_text
    from pipeline.report.upgrade import upgrade_summary

    for path in summaries:
        append_text(path, upgrade_summary(result))


def _is_offline(asked: bool | None) -> bool:
    """Whether code must do without a network. In CI it must, unless told otherwise: what runs there
    must run anywhere."""
    return bool(os.environ.get("CI")) if asked is None else asked


def _show(command: str, result: RunResult, log: Log, *, as_json: bool) -> None:
    """The report to stdout; with ``--quiet`` only what needs a person, to stderr."""
    if as_json:
        from pipeline.report.json import run_json

        _print(run_json(result).decode("utf-8"))
    elif log.level < 0:
        from pipeline.report.text import failure_lines, findings_lines

        for line in (*findings_lines(result.all_findings), *failure_lines(result.executions)):
            log.stream.write(f"{line}\n")
    else:
        colour, width = _terminal()
        _print(_to_text(command)(result, width=width, colour=colour, verbose=log.level > 0))
    if command not in READING or result.changes:
        for path in result.changes:
            log.detail(
                f"{'would write' if result.check_only or result.dry_run else 'wrote'} {path}"
            )
        log.note(_changes_line(result))


def _terminal() -> tuple[bool, int]:
    """Whether to use colours, and how many columns there are."""
    colour = is_terminal(sys.stdout, os.environ) and not os.environ.get("NO_COLOR")
    return colour, shutil.get_terminal_size().columns if sys.stdout.isatty() else PIPE_WIDTH


def _to_text(command: str) -> Callable[..., str]:
    """What turns the result of ``command`` into text."""
    if command == "upgrade":
        from pipeline.report.upgrade import upgrade_text

        return upgrade_text
    if command == "status":
        from pipeline.report.status import status_text

        return status_text
    from pipeline.report.text import run_text

    return run_text


def _changes_line(result: RunResult) -> str:
    count = f"{len(result.changes)} file{'' if len(result.changes) == 1 else 's'}"
    if not result.changes:
        return "nothing to write: everything is up to date"
    return (
        f"{count} would be written" if result.check_only or result.dry_run else f"{count} written"
    )


def _print(text: str) -> None:
    """Print to stdout. A reader that has gone away (``| head``) or never was (``>&-``) is no error."""
    stream: TextIO | None = sys.stdout
    if stream is None:
        return
    try:
        stream.write(text.encode(stream.encoding, "backslashreplace").decode(stream.encoding))
        stream.flush()
    except BrokenPipeError:
        os.dup2(
            os.open(os.devnull, os.O_WRONLY), stream.fileno()
        )  # so that Python's own last flush is silent


def _complain(text: str) -> None:
    sys.stderr.write(f"error: {printable(text)}\n")


def _bug(error: Exception, *, verbose: bool) -> str:
    if verbose:
        return "".join(traceback.format_exception(error)).strip()
    frame = traceback.extract_tb(error.__traceback__)[-1]
    what = f"unexpected {type(error).__name__}: {error}"
    return f"{Path(frame.filename).name}:{frame.lineno}: {what}\n  This is a bug. Run again with -v for the traceback, and report it."


@contextmanager
def _terminated_like_interrupted() -> Iterator[None]:
    """Let SIGTERM unwind like Ctrl-C, so that kernels are stopped and locks released."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(signum: int, frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
