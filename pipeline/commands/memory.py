"""memory: verify the translation memory, update its commits, or let git merge it.

The memory has one file per page. The file has the digest and the translation of each message, and
upstream's commit. ``verify`` compares the memory with catalogues and upstream; CI runs it on every
change. ``restamp`` replaces commits that upstream no longer has by commits that it has. ``setup``
registers a merge driver in this clone: git then runs ``memory merge`` for memory files.
"""

from __future__ import annotations

import re
import shlex
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

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

# Name of the merge driver. .gitattributes assigns it to memory files: "merge=translation-memory".
DRIVER = "translation-memory"
_FOLDER = "translations/memory"
_TITLE = "translation memory, entry by entry"
# Arguments of `memory merge`. git replaces these placeholders with three file names (base, ours,
# theirs), the size of conflict markers, the path, and two labels. git before 2.45 leaves %X and %Y
# as they are.
_WORDS = "%O %A %B %L %P %X %Y"
_LABELS = ("ours", "theirs")
_NUMBER = re.compile("[0-9]{1,10}")


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of ``memory``."""
    parser.add_argument(
        "action",
        choices=("verify", "restamp", "setup", "merge"),
        help="compare it with catalogues and upstream, replace commits that upstream no longer has,"
        " register the merge driver, or merge a file for git",
    )
    parser.add_argument(
        "words",
        metavar="NAME | WORD",
        nargs="*",
        help="the upstream (default: the first one configured); for merge: git's arguments",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="for verify: exit with 1 if a page could not be checked",
    )
    add_shared(parser, "--release", "--check")


def run_command(arguments: Namespace, log: Log) -> RunResult | int:
    """Run the action, and return its result or exit code.

    ``setup`` and ``merge`` do not read the configuration: git may be merging that file, too.
    """
    match arguments.action:
        case "setup":
            return _set_up(arguments, log)
        case "merge":
            # git runs a merge driver at the root of the working tree.
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
    """Register the merge driver in this clone. Warn if .gitattributes does not use it.

    Raises ConfigError outside of a repository.
    """
    if arguments.words:
        raise ConfigError(
            f"memory setup applies to the whole clone, not to {arguments.words[0]!r}",
            hint=f"Run: {how_to_run('memory', 'setup')}",
        )
    from pipeline.adapters.version_control import merge_attribute, set_merge_driver

    root = arguments.config.resolve().parent
    is_new = set_merge_driver(root, DRIVER, title=_TITLE, command=_driver_command())
    since = "from now on" if is_new else "already"
    log.note(f"git merges the memory entry by entry in this clone {since}")
    # Ask git about an example of a memory file: any pattern in .gitattributes may match it.
    if merge_attribute(root, f"{_FOLDER}/locale/name/page.po") != DRIVER:
        line = f"/{_FOLDER}/**/*.po merge={DRIVER}"
        log.warn(f"git uses the merge driver once .gitattributes has the line: {line}")
    return 0


def verify_memory(run: Run, *, strict: bool) -> RunResult:
    """Compare the memory with the catalogues and with upstream, and return the result.

    Each difference is a finding. Each page whose English is unavailable is a finding as well; with
    ``strict``, such pages cause exit code 1.
    """
    from pipeline.stages.update.verification import verify_memory as verify

    # No lock is needed: nothing is written, so a build may run at the same time.
    lock = read_pulled(run)
    findings = verify(run)
    # Differences are errors. Warnings are only about pages whose English is unavailable.
    severities = [finding.severity for finding in findings]
    unchecked = severities.count(Severity.WARNING)
    result = RunResult.of(run, lock, findings=findings)
    return replace(result, unchecked=unchecked, strict=strict)


def restamp_memory(run: Run) -> RunResult:
    """Replace commits in the memory that upstream no longer has, and return the result."""
    from pipeline.stages.update.verification import restamp_memory as restamp

    with run_lock(run):
        lock = read_pulled(run)
        result = restamp(run, lock)
    return RunResult.of(run, lock, changes=result.changes, findings=result.findings)


def merge_versions(words: Sequence[str]) -> tuple[str, ...]:
    """Merge three versions of a memory file for git, and return one line for each conflict.

    ``words`` are the values of the placeholders in ``_WORDS``. Raises ConfigError for any other
    number of arguments, and InputError for a file that is not a memory.
    """
    from pipeline.stages.update.merge_driver import Versions, merge_memory_files

    if len(words) != len(_WORDS.split()) or not _NUMBER.fullmatch(words[3]):
        raise ConfigError(
            "memory merge is for git, which gives it three versions of a file",
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

    The command names this Python and this code by absolute path, because git may have checked out
    other code. If Python cannot start, ``git merge-file`` merges by lines. Without that fallback,
    git would keep our side without conflict markers.
    """
    code = Path(__file__).resolve().parents[2]
    ours = f"PYTHONPATH={shlex.quote(str(code))} {shlex.quote(sys.executable)} -m pipeline"
    # If our command fails and the file has conflict markers, the command has found conflicts: exit
    # with 1. If the file has no markers, the command could not run: merge by lines.
    lines = "git merge-file -L ours -L base -L theirs %A %O %B"
    return f"{ours} memory merge -- {_WORDS} || {{ grep -q '^<<<<<<<' %A && exit 1; {lines}; }}"
