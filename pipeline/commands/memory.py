"""memory: verify the translation memory, update its commits, or let git merge it.

``verify`` writes nothing; reviewers and CI run it on every change of the memory. ``restamp``
replaces commits that upstream no longer has. ``setup`` registers the merge driver with git, and git
then calls ``merge``.
"""

from __future__ import annotations

import re
import shlex
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pipeline.commands.options import add_shared, run_of
from pipeline.commands.run_lock import marked, run_lock
from pipeline.errors import ConfigError, FindingsError
from pipeline.findings import Severity
from pipeline.limits import LARGEST_MARKER, LEAST_MARKER
from pipeline.log import Log
from pipeline.packages import how_to_run
from pipeline.report.result import RunResult
from pipeline.run import Run
from pipeline.stages.pull.stage import read_pulled

# Name in .gitattributes for the files of the memory: "merge=…".
DRIVER = "translation-memory"
_FOLDER = "translations/memory"
_TITLE = "translation memory, entry by entry"
# Placeholders that git replaces with file names, marker size and labels. Git before 2.45 does not
# know %X and %Y, and leaves them as they are.
_WORDS = "%O %A %B %L %P %X %Y"
_LABELS = ("ours", "theirs")
_NUMBER = re.compile("[0-9]{1,10}")


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of ``memory``."""
    parser.add_argument(
        "action",
        choices=("verify", "restamp", "setup", "merge"),
        help="what to do with it",
    )
    parser.add_argument(
        "words",
        metavar="NAME | WORD",
        nargs="*",
        help="the upstream (default: the first one configured); for merge: what git says",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="for verify: end with 1 if a page could not be checked",
    )
    add_shared(parser, "--release", "--check")


def run_command(arguments: Namespace, log: Log) -> RunResult | int:
    """Run the action, and return its result or exit code.

    ``setup`` and ``merge`` read no configuration: the merge may concern that very file.
    """
    match arguments.action:
        case "setup":
            return _set_up(arguments, log)
        case "merge":
            # git runs drivers at the root of the working tree.
            with marked(Path()):
                conflicts = merge_versions(arguments.words)
            for conflict in conflicts:
                log.warn(conflict)
            return FindingsError.exit_code if conflicts else 0
        case "restamp":
            return restamp_memory(run_of(arguments, log, names=arguments.words))
        case _:
            run = run_of(arguments, log, names=arguments.words)
            return verify_memory(run, strict=arguments.strict)


def _set_up(arguments: Namespace, log: Log) -> int:
    """Register the merge driver in this clone, and report what is still missing.

    Raises ConfigError outside of a repository.
    """
    if arguments.words:
        raise ConfigError(
            f"memory setup is about all of the clone, not {arguments.words[0]!r}",
            hint=f"Run: {how_to_run('memory', 'setup')}",
        )
    from pipeline.adapters.version_control import merge_attribute, set_merge_driver

    root = arguments.config.resolve().parent
    is_new = set_merge_driver(root, DRIVER, title=_TITLE, command=_driver_command())
    since = "from now on" if is_new else "already"
    log.note(f"git merges the memory entry by entry in this clone {since}")
    # An example of a file name in the memory: the attribute may be set by any pattern.
    if merge_attribute(root, f"{_FOLDER}/locale/name/page.po") != DRIVER:
        line = f"/{_FOLDER}/**/*.po merge={DRIVER}"
        log.warn(f"it will, once .gitattributes has the line: {line}")
    return 0


def verify_memory(run: Run, *, strict: bool) -> RunResult:
    """Return a result with one finding for each difference, and for each unchecked page.

    ``strict`` makes unchecked pages an error.
    """
    from pipeline.stages.update.verification import verify_memory as verify

    # No lock is needed: nothing is written, so a build may run at the same time.
    lock = read_pulled(run)
    findings = verify(run)
    # A difference is an error. A warning is about a page whose English is unavailable.
    severities = [finding.severity for finding in findings]
    unchecked = severities.count(Severity.WARNING)
    result = RunResult.of(run, lock, findings=findings)
    return replace(result, unchecked=unchecked, strict=strict)


def restamp_memory(run: Run) -> RunResult:
    """Replace the memory's commits that upstream no longer has by commits that it has."""
    from pipeline.stages.update.verification import restamp_memory as restamp

    with run_lock(run):
        lock = read_pulled(run)
        result = restamp(run, lock)
    return RunResult.of(run, lock, changes=result.changes, findings=result.findings)


def merge_versions(words: Sequence[str]) -> tuple[str, ...]:
    """Merge a memory file for git, and return one line for each conflict.

    ``words`` are the values of ``_WORDS``. Raises ConfigError for other arguments, and InputError
    for a file that is not a memory.
    """
    from pipeline.stages.update.merge_driver import Versions, merge_memory_files

    if len(words) != len(_WORDS.split()) or not _NUMBER.fullmatch(words[3]):
        raise ConfigError(
            "memory merge is for git, which hands it three versions of a file",
            hint=f"Run: {how_to_run('memory', 'setup')}",
        )
    base, ours, theirs, size, name, *labels = words
    our_label, their_label = (
        default if label in ("", "%X", "%Y") else label
        for label, default in zip(labels, _LABELS, strict=True)
    )
    versions = Versions(
        base=Path(base),
        ours=Path(ours),
        theirs=Path(theirs),
        name=name,
        marker_size=min(max(int(size), LEAST_MARKER), LARGEST_MARKER),
        labels=(our_label, their_label),
    )
    return merge_memory_files(versions)


def _driver_command() -> str:
    """Return the shell command that git runs for each memory file changed on both sides.

    The command uses this Python and this code by absolute path, because git may have checked out
    other code. If it fails (the environment is gone, or the file is no memory), ``git merge-file``
    merges by lines: otherwise git would keep our side without conflict markers.
    """
    code = Path(__file__).resolve().parents[2]
    ours = (
        f"PYTHONPATH={shlex.quote(str(code))} {shlex.quote(sys.executable)} -m pipeline"
    )
    # Conflict markers show that our command ran, so its failure is final. Without any it could not
    # run at all, and git merges by lines.
    lines = "git merge-file -L ours -L base -L theirs %A %O %B"
    return (
        f"{ours} memory merge -- {_WORDS} || "
        f"{{ grep -q '^<<<<<<<' %A && exit 1; {lines}; }}"
    )
