"""The command line: arguments in, exit code out.

The namespace of arguments ends here: each verb turns its words into one typed call. Every error is
caught here, and nowhere else.
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pipeline.arguments import READING, complete, parse
from pipeline.commands.showing import (
    bug_text,
    complain,
    complain_of,
    language,
    print_in_form,
    print_json,
    print_report,
    print_text,
    show,
    show_findings,
    tell_of_changes,
    tell_where_to_look,
    terminal,
)
from pipeline.commands.signals import terminated_like_interrupted
from pipeline.config import Settings, Upstream, read_settings
from pipeline.config.suggesting import did_you_mean
from pipeline.errors import (
    UNEXPECTED,
    ConfigError,
    FindingsError,
    PipelineError,
    worst,
)
from pipeline.log import Log
from pipeline.packages import how_to_run, missing_text
from pipeline.paths import Paths
from pipeline.report.result import RunResult
from pipeline.run import KernelOptions, Run

if TYPE_CHECKING:
    from pipeline.commands.build import BuildOptions
    from pipeline.report.hub import HubRow

INTERRUPTED = 130  # 128 + SIGINT, as shells count it


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code (see README).

    Nothing but ``--help`` and ``--version`` raises SystemExit.
    """
    # A run builds trees and records, and drops them whole: next to nothing of it is garbage that
    # only the collector finds. Looking for that less often saves time, as it does for mypy.
    gc.set_threshold(1_000_000, 20, 20)
    complete()
    words = sys.argv[1:] if argv is None else argv
    with terminated_like_interrupted():
        return _caught(partial(_parse_and_run, words), verbose=False)


def _parse_and_run(words: Sequence[str]) -> int:
    arguments = parse(words)
    return _caught(partial(_run, arguments), verbose=arguments.verbose > 0)


def _caught(run: Callable[[], int], *, verbose: bool) -> int:
    """The exit code of ``run``, or that of the error that ended it, which is told."""
    try:
        return run()
    except PipelineError as error:
        complain_of(error)
        return error.exit_code
    except KeyboardInterrupt:
        complain(
            "interrupted\n  No file was left half-written: run the same command again."
        )
        return INTERRUPTED
    except ImportError as error:
        text = missing_text(error)
        complain(text or bug_text(error, verbose=verbose))
        return ConfigError.exit_code if text else UNEXPECTED
    except Exception as error:  # noqa: BLE001 - the one place that turns bugs into an exit code
        complain(bug_text(error, verbose=verbose))
        return UNEXPECTED


def _run(arguments: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    log = _log_of(arguments)
    command: str = arguments.command
    if command in _ON_FILES:
        return _ON_FILES[command](arguments, log)
    if getattr(arguments, "every", False):
        return _run_every(arguments, log)
    if command == "memory" and arguments.action in _WITH_GIT:
        return _WITH_GIT[arguments.action](arguments, log)
    call = _Call(arguments=arguments, settings=read_settings(arguments.config), log=log)
    if command == "draft":
        return _draft(call)
    result = _ON_UPSTREAMS[command](call)
    show(command, result, log, as_json=arguments.json)
    # That nothing was written goes without saying where a command only reads.
    if command not in READING or result.changes:
        tell_of_changes(result, log)
    tell_where_to_look(command, result, Paths(call.settings.root, result.name), log)
    return result.exit_code


def _log_of(arguments: argparse.Namespace) -> Log:
    # "-vv" is no more than "-v", and "-q" takes one "-v" back.
    level = max(-1, min(1, arguments.verbose - arguments.quiet))
    return Log(level, sentence=language().sentence)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """A command on one upstream: the words of the command line, and what they are about."""

    arguments: argparse.Namespace
    settings: Settings
    log: Log
    in_hub: bool = False  # one of several, each on another upstream

    def run(
        self,
        *,
        address: str | None = None,
        pages: Sequence[str] = (),
        dry: bool = False,
    ) -> Run:
        """The run that a verb is handed. What is given here are options that not all verbs have.

        ``address`` replaces that of the upstream, ``pages`` are patterns.
        """
        upstream = self.settings.upstream(_one_name(self.arguments.words))
        if address is not None:
            upstream = _with_address(upstream, address)
        return Run(
            settings=self.settings,
            upstream=upstream,
            log=self.log,
            locales=_locales(self.arguments, self.settings),
            pages=tuple(pages),
            dry=dry,
            in_hub=self.in_hub,
        )


# Commands on one upstream. Each function reads the words that are its verb's own: "arguments" has
# rows for them all. Imports are local, so that a verb loads what it needs and no more.


def _sync(call: _Call) -> RunResult:
    from pipeline.commands.sync import sync

    words = call.arguments
    run = call.run(address=words.upstream, pages=words.pages, dry=words.check)
    options = _build_options(call, runs_code=words.execute)
    return sync(run, options, ref=words.ref)


def _pull(call: _Call) -> RunResult:
    from pipeline.commands.pull import pull

    words = call.arguments
    return pull(call.run(address=words.upstream, dry=words.check), ref=words.ref)


def _split(call: _Call) -> RunResult:
    from pipeline.commands.split import split

    return split(call.run(pages=call.arguments.pages, dry=call.arguments.check))


def _merge(call: _Call) -> RunResult:
    from pipeline.commands.build import BuildOptions, build

    run = call.run(pages=call.arguments.pages, dry=call.arguments.check)
    return build(run, BuildOptions(last="merge"))


def _execute(call: _Call) -> RunResult:
    from pipeline.commands.build import build

    words = call.arguments
    run = call.run(pages=words.pages, dry=words.check)
    return build(run, _build_options(call, runs_code=True))


def _build(call: _Call) -> RunResult:
    from pipeline.commands.build import build

    words = call.arguments
    run = call.run(pages=words.pages, dry=words.check)
    return build(run, _build_options(call, runs_code=words.execute))


def _site(call: _Call) -> RunResult:
    from pipeline.commands.site import site

    words = call.arguments
    options = _build_options(call, runs_code=words.execute)
    return site(call.run(pages=words.pages), options, show_fuzzy=words.show_fuzzy)


def _upgrade(call: _Call) -> RunResult:
    from pipeline.commands.upgrade.upgrading import UpgradeOptions, upgrade

    words = call.arguments
    options = UpgradeOptions(
        target=words.target,
        config=words.config,
        version=words.package_version,
        dry_run=words.dry_run,
        runs_code=words.execute,
    )
    result = upgrade(call.run(address=words.upstream, dry=words.check), options)
    # A workflow goes on if there is a summary: its file is for moves only.
    asked = words.summary if result.comparison else None
    _summarise_upgrade(result, _summaries(asked))
    return result


def _status(call: _Call) -> RunResult:
    from pipeline.commands.status import StatusOptions, status

    words = call.arguments
    run = call.run(address=words.upstream, pages=words.pages)
    options = StatusOptions(
        against=words.against,
        badges=words.badges,
        lists_all=words.every_page,
    )
    return status(run, options)


def _memory(call: _Call) -> RunResult:
    from pipeline.commands.memory import restamp_memory, verify_memory

    if call.arguments.action == "restamp":
        return restamp_memory(call.run(dry=call.arguments.check))
    return verify_memory(call.run())


def _export(call: _Call) -> RunResult:
    from pipeline.commands.exchange.exporting import export_catalogs

    words = call.arguments
    run = call.run(pages=words.pages, dry=words.check)
    return export_catalogs(run, folder=words.to or run.paths.exported)


def _import(call: _Call) -> RunResult:
    from pipeline.commands.exchange.importing import import_catalogs

    words = call.arguments
    files, words.words = words.words, words.name
    return import_catalogs(call.run(dry=words.check), files)


_ON_UPSTREAMS: dict[str, Callable[[_Call], RunResult]] = {
    "sync": _sync,
    "pull": _pull,
    "split": _split,
    "merge": _merge,
    "execute": _execute,
    "build": _build,
    "site": _site,
    "upgrade": _upgrade,
    "status": _status,
    "export": _export,
    "import": _import,
    "memory": _memory,
}


# Commands on every upstream.


def _run_every(arguments: argparse.Namespace, log: Log) -> int:
    """Run a command on every upstream, one after the other, and print one table.

    One that fails stops no other; Ctrl-C stops all.
    """
    from pipeline.commands.every import write_front_page
    from pipeline.report.hub import exit_code_of, hub_json, hub_report

    _check_words_of_every(arguments)
    settings = read_settings(arguments.config)
    locales = _locales(arguments, settings)
    rows = []
    for number, name in enumerate(settings.upstreams, start=1):
        log.note(f"{name} ({number} of {len(settings.upstreams)})")
        rows.append(_run_one_of_all(arguments, name))
        if rows[-1].exit_code == INTERRUPTED:
            return INTERRUPTED
        # What a run drops whole, the next one need not carry along.
        gc.collect()
    if arguments.json:
        print_json(hub_json(rows))
    else:
        print_report(hub_report(rows, locales), language())
    if arguments.command == "site":
        page = write_front_page(settings, locales)
        if page is not None:
            log.note(f"look at {page.relative_to(settings.root).as_posix()}")
    return exit_code_of(rows)


def _check_words_of_every(arguments: argparse.Namespace) -> None:
    """Raise ConfigError for what is about one upstream alone."""
    if arguments.words is not None:
        raise ConfigError(
            f"--all is every upstream, not {arguments.words!r} alone",
            hint="Leave one of the two out.",
        )
    for name in ("upstream", "ref", "pages", "against"):
        if getattr(arguments, name, None):
            raise ConfigError(
                f"--{name} is about one upstream, and --all about every one",
                hint="Name the upstream instead of --all.",
            )


def _run_one_of_all(arguments: argparse.Namespace, name: str) -> HubRow:
    """Run the command on the upstream ``name``; return its row."""
    from pipeline.report.hub import HubRow, row_of
    from pipeline.report.json import run_json

    arguments = argparse.Namespace(**{**vars(arguments), "words": name})
    row = HubRow(name=name)

    def run() -> int:
        nonlocal row
        settings = read_settings(arguments.config)
        log = _log_of(arguments)
        call = _Call(arguments=arguments, settings=settings, log=log, in_hub=True)
        result = _ON_UPSTREAMS[arguments.command](call)
        show_findings(result, log)
        report = run_json(result).decode("utf-8") if arguments.json else ""
        row = row_of(result, report=report)
        if arguments.command not in READING or result.changes:
            tell_of_changes(result, log)
        return result.exit_code

    code = _caught(run, verbose=arguments.verbose > 0)
    # It may have failed when all was done but the telling.
    return dataclasses.replace(row, exit_code=worst((row.exit_code, code)))


def _draft(call: _Call) -> int:
    """``draft`` tells its plan before it asks, and prints in a way of its own."""
    from pipeline.commands.draft.drafting import DraftOptions, draft, show_draft
    from pipeline.commands.draft.rehearsing import rehearsal
    from pipeline.core.drafting import pseudo

    words = call.arguments
    run = call.run(pages=words.pages, dry=words.check)
    options = DraftOptions(
        limit=words.limit,
        is_agreed=words.yes or words.stub,
        only_stale=words.stale,
        answer=pseudo.answer if words.stub else None,
    )
    result = draft(rehearsal(run) if words.stub else run, options)
    show_draft(run, result, as_json=words.json)
    return result.exit_code


# Commands on files: they ask no upstream, and print in ways of their own.


def _check(arguments: argparse.Namespace, log: Log) -> int:
    """``check`` works on files, of any project: it needs no configuration if they are named."""
    from pipeline.commands.check.choosing import (
        MARKUPS,
        CheckOptions,
        check_catalogs,
    )
    from pipeline.report.check import render

    # Without words it is all catalogues of the project, so that there must be one.
    settings = read_settings(arguments.config, needed=not arguments.words)
    options = CheckOptions(
        locales=_locales(arguments, settings),
        pages=tuple(arguments.pages),
        fix=arguments.fix,
        strict=arguments.strict,
        markup=MARKUPS.get(arguments.markup),
    )
    result = check_catalogs(settings, arguments.words, options, log)
    form = "json" if arguments.json else arguments.format
    screen = terminal()
    text = render(
        result,
        form,
        width=screen.width,
        colour=screen.colour,
        level=log.level,
        language=language(),
    )
    print_in_form(text, form)
    return result.exit_code


def _review(arguments: argparse.Namespace, log: Log) -> int:
    """``review`` compares two states of the memory, and never fails for what it finds."""
    from pipeline.commands.review.reviewing import ReviewOptions, review_changes
    from pipeline.commands.review.telling import summarise_review, write_review
    from pipeline.report.review.markdown import review_markdown

    if arguments.json:
        raise ConfigError(
            "review prints no JSON",
            hint="Look at build/review.html, or give --format markdown.",
        )
    settings = read_settings(arguments.config)
    options = ReviewOptions(
        locales=_locales(arguments, settings), pages=tuple(arguments.pages)
    )
    review = review_changes(settings, arguments.words, options)
    write_review(review, Paths(settings.root, ""), log)
    if arguments.format == "markdown":
        print_text(review_markdown(review))
    for path in _summaries(arguments.summary):
        summarise_review(review, path)
    return review.exit_code


def _cache(arguments: argparse.Namespace, log: Log) -> int:
    from pipeline.commands.cache import tell_cache

    told = tell_cache(read_settings(arguments.config), arguments.action)
    print_text("".join(f"{line}\n" for line in told.lines))
    return told.exit_code


def _serve(arguments: argparse.Namespace, log: Log) -> int:
    from pipeline.commands.serve.serving import ServeOptions, serve

    settings = read_settings(arguments.config)
    names, pages = [], list(arguments.words)
    # "serve sample arrays", "serve sample" and "serve arrays" are all understood.
    if pages and pages[0] in settings.upstreams:
        names.append(pages.pop(0))
    if len(pages) > 1:
        raise ConfigError(
            f"one page at a time, not {' '.join(pages)}",
            hint="The list of pages is one key away.",
        )
    run = Run(
        settings=settings,
        upstream=settings.upstream(_one_name(names)),
        log=log,
        locales=_locales(arguments, settings),
    )
    options = ServeOptions(
        page=pages[0] if pages else "",
        port=arguments.port,
        opens_browser=arguments.browser,
        base=arguments.review,
    )
    serve(run, options)
    return 0


def _verify_site(arguments: argparse.Namespace, log: Log) -> int:
    from pipeline.commands.verify_site import verify_site
    from pipeline.report.verified import verified_json, verified_text

    result = verify_site(read_settings(arguments.config), arguments.words, log)
    if arguments.json:
        print_json(verified_json(result))
    else:
        print_text(verified_text(result, verbose=log.level > 0))
    return result.exit_code


def _adopt(arguments: argparse.Namespace, log: Log) -> int:
    """``adopt`` takes files, and the name of an upstream among them."""
    from pipeline.commands.adopt.adopting import AdoptOptions, adopt
    from pipeline.commands.adopt.matching import Asked
    from pipeline.report.adoption import adoption_json, adoption_text

    settings = read_settings(arguments.config)
    names = [
        word
        for word in arguments.words
        if word in settings.upstreams and not Path(word).exists()
    ]
    files = tuple(word for word in arguments.words if word not in names)
    if len(names) > 1 or not files:
        raise ConfigError(
            "which copies are to be adopted, and into which upstream?",
            hint="Give files or folders, and at most one upstream: adopt page.ipynb NAME",
        )
    arguments.words = names[0] if names else None
    call = _Call(arguments=arguments, settings=settings, log=log)
    options = AdoptOptions(
        files=files,
        asked=Asked(page=arguments.page, ref=arguments.at),
        author=arguments.author,
        licence=arguments.license,
        dry_run=arguments.dry_run,
        audit=arguments.audit,
    )
    result = adopt(call.run(address=arguments.upstream), options)
    if arguments.json:
        print_text(adoption_json(result))
    else:
        print_text(adoption_text(result, width=terminal().width))
    if not options.audit:
        tell_of_changes(result, log)
    return result.exit_code


def _init(arguments: argparse.Namespace, log: Log) -> int:
    """``init`` makes the configuration that all other commands read."""
    from pipeline.commands.init.asking import Told, complete
    from pipeline.commands.init.starting import start_project

    told = Told(
        name=arguments.name,
        url=arguments.url,
        docs=tuple(arguments.docs or ()),
        locale=_one_locale(arguments.locale),
        ref=arguments.ref,
        package=arguments.package,
        title=arguments.title,
        source=arguments.source,
    )
    folder: Path = arguments.folder
    started = start_project(folder, complete(told))
    if arguments.json:
        rows = {"files": started.files, "written": started.changes}
        print_json(f"{json.dumps(rows, indent=2)}\n")
    for name in started.files:
        verb = "wrote" if name in started.changes else "there already:"
        log.note(f"{verb} {(folder / name).as_posix()}")
    if not started.changes:
        log.note("nothing to write: everything is up to date")
    log.note(f"go on with the steps of {(folder / 'README.md').as_posix()}")
    return 0


_ON_FILES: dict[str, Callable[[argparse.Namespace, Log], int]] = {
    "adopt": _adopt,
    "init": _init,
    "check": _check,
    "review": _review,
    "serve": _serve,
    "verify-site": _verify_site,
    "cache": _cache,
}

# What git has to do with the memory. No configuration is read: a merge may be about that.


def _memory_setup(arguments: argparse.Namespace, log: Log) -> int:
    from pipeline.commands.memory import set_up_merging

    if arguments.words:
        raise ConfigError(
            f"memory setup is about all of the clone, not {arguments.words[0]!r}",
            hint=f"Run: {how_to_run('memory', 'setup')}",
        )
    merging = set_up_merging(arguments.config.resolve().parent)
    since = "from now on" if merging.is_new else "already"
    log.note(f"git merges the memory entry by entry in this clone {since}")
    if merging.lacks:
        log.warn(f"it will, once .gitattributes has the line: {merging.lacks}")
    return 0


def _memory_merge(arguments: argparse.Namespace, log: Log) -> int:
    from pipeline.commands.memory import merge_versions

    conflicts = merge_versions(arguments.words)
    for conflict in conflicts:
        log.warn(conflict)
    return FindingsError.exit_code if conflicts else 0


_WITH_GIT: dict[str, Callable[[argparse.Namespace, Log], int]] = {
    "setup": _memory_setup,
    "merge": _memory_merge,
}

# From words to values.


def _one_name(words: str | list[str] | None) -> str | None:
    """The upstream that is named; None if none is."""
    if not isinstance(words, list):
        return words
    if len(words) > 1:
        raise ConfigError(
            f"one upstream at a time, not {' '.join(words)}",
            hint="Run it once for each of them.",
        )
    return words[0] if words else None


def _one_locale(locales: Sequence[str]) -> str:
    """The locale of a new project; others can be added to its configuration."""
    if len(locales) > 1:
        raise ConfigError(
            f"one locale to begin with, not {' '.join(locales)}",
            hint="Add others to tool.pipeline.locales afterwards.",
        )
    return locales[0] if locales else "zh_CN"


def _with_address(upstream: Upstream, address: str) -> Upstream:
    """The upstream, to be had from another address for this once."""
    # An empty one would mean the folder one is in: most likely a variable in a script is not set.
    if not address:
        raise ConfigError(
            "--upstream is empty",
            hint="Give a URL, a bundle, a repository or a folder.",
        )
    return msgspec.structs.replace(upstream, url=address, url_replaced=True)


def _locales(arguments: argparse.Namespace, settings: Settings) -> tuple[str, ...]:
    """The locales that are named, each once; all of the project if none is."""
    for locale in arguments.locale:
        if locale not in settings.locales:
            meant = did_you_mean(locale, settings.locales)
            configured = ", ".join(settings.locales)
            raise ConfigError(
                f"no locale is called {locale!r}",
                hint=f"{meant}Configured: {configured}.",
            )
    return tuple(dict.fromkeys(arguments.locale)) or settings.locales


def _build_options(call: _Call, *, runs_code: bool) -> BuildOptions:
    """How far a build goes, and how it runs code, by the options of all verbs that run any."""
    from pipeline.commands.build import BuildOptions

    words = call.arguments
    kernels = KernelOptions(
        jobs=words.jobs or call.settings.execution.jobs,
        retry_failed=words.retry_failed,
        use_cache=words.use_cache,
        offline=_is_offline(words.offline),
        scheduler=words.scheduler,
    )
    return BuildOptions(
        runs_code=runs_code,
        kernels=kernels,
        summaries=_summaries(words.summary),
    )


def _is_offline(asked: bool | None) -> bool:
    """Whether code must do without a network.

    In CI it must, unless told otherwise: what runs there must run anywhere.
    """
    if asked is None:
        return bool(os.environ.get("CI"))
    return asked


def _summaries(asked: Path | None) -> tuple[Path, ...]:
    """The file that was asked for, and the one that GitHub shows on the page of a workflow run."""
    paths = []
    if asked:
        paths.append(asked)
    # An empty variable means no file, and would be the folder one is in.
    if shown := os.environ.get("GITHUB_STEP_SUMMARY"):
        paths.append(Path(shown))
    return tuple(paths)


def _summarise_upgrade(result: RunResult, summaries: Sequence[Path]) -> None:
    """What moving means, as Markdown, and which releases were passed over."""
    if not summaries:
        return
    from pipeline.adapters.files import append_text
    from pipeline.report.upgrade import upgrade_summary

    for path in summaries:
        append_text(path, upgrade_summary(result))
