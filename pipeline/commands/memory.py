"""memory: prove that it opens, name other commits in it, and let git merge it.

``verify`` writes nothing: whoever reviews a change of the memory needs to know that it opens, and
CI asks it of every commit. ``setup`` tells git of the merge driver, which is ``merge``.
"""

from __future__ import annotations

import shlex
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.commands.holding import only_this_run
from pipeline.commands.options import add_shared, run_of
from pipeline.errors import ConfigError, FindingsError
from pipeline.log import Log
from pipeline.packages import how_to_run
from pipeline.report.result import RunResult
from pipeline.run import Run
from pipeline.stages.pull.stage import read_pulled

# What .gitattributes gives the files of the memory: "merge=…".
DRIVER = "translation-memory"
_FOLDER = "translations/memory"
_TITLE = "translation memory, entry by entry"
# What git puts for the places of its files, and other things that a driver is told. An older git
# than 2.45 does not know the labels, and leaves them as they are.
_WORDS = "%O %A %B %L %P %X %Y"
_LABELS = ("ours", "theirs")


def add_options(parser: ArgumentParser) -> None:
    """Declare what ``memory`` takes."""
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
    add_shared(parser, "--check")


def run_command(arguments: Namespace, log: Log) -> RunResult | int:
    """Do what the action says. What git asks for reads no configuration: a merge may be of that."""
    match arguments.action:
        case "setup":
            return _set_up(arguments, log)
        case "merge":
            conflicts = merge_versions(arguments.words)
            for conflict in conflicts:
                log.warn(conflict)
            return FindingsError.exit_code if conflicts else 0
        case "restamp":
            return restamp_memory(run_of(arguments, log, names=arguments.words))
        case _:
            return verify_memory(run_of(arguments, log, names=arguments.words))


def _set_up(arguments: Namespace, log: Log) -> int:
    """Let git merge the memory by entry in this clone, and report it."""
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


def verify_memory(run: Run) -> RunResult:
    """Every difference is a finding."""
    from pipeline.stages.update.verification import verify_memory as verify

    # No lock is held: nothing is written, and a build may go on beside it.
    lock = read_pulled(run)
    return RunResult(name=run.name, lock=lock, findings=verify(run))


def restamp_memory(run: Run) -> RunResult:
    """Name commits that the upstream has, in place of those that it has not."""
    from pipeline.stages.update.verification import restamp_memory as restamp

    with only_this_run(run):
        lock = read_pulled(run)
        result = restamp(run, lock)
    return RunResult(
        name=run.name,
        lock=lock,
        findings=result.findings,
        changes=result.changes,
        check_only=run.dry,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Merging:
    """Whether git merges the memory by entry: ``is_new`` if it did not before.

    ``lacks`` is the line that ``.gitattributes`` needs for it, if that is not there.
    """

    is_new: bool
    lacks: str = ""


def set_up_merging(root: Path) -> Merging:
    """Let git merge the memory below ``root`` entry by entry, in this clone.

    Raises ConfigError where there is no repository.
    """
    from pipeline.adapters.version_control import merge_attribute, set_merge_driver

    is_new = set_merge_driver(root, DRIVER, title=_TITLE, command=_driver_command())
    # A name that every memory file could have.
    if merge_attribute(root, f"{_FOLDER}/locale/name/page.po") == DRIVER:
        return Merging(is_new=is_new)
    return Merging(is_new=is_new, lacks=f"/{_FOLDER}/**/*.po merge={DRIVER}")


def merge_versions(words: Sequence[str]) -> tuple[str, ...]:
    """What git calls to merge a file; ``words`` are those of ``_WORDS``. A line for each conflict.

    Raises ConfigError for other words, InputError for a file that is no memory.
    """
    from pipeline.stages.update.merge_driver import Versions, merge_memory_files

    if len(words) != len(_WORDS.split()) or not words[3].isdecimal():
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
        marker_size=int(size),
        labels=(our_label, their_label),
    )
    return merge_memory_files(versions)


def _driver_command() -> str:
    """What git hands to a shell for each file of the memory that both sides have changed.

    It begins with this very Python and this very code, wherever git stands meanwhile. If that does
    not run (the environment is gone, or the file is no memory), git merges lines as it always does:
    ours alone, without a mark, would look like a merge.
    """
    code = Path(__file__).resolve().parents[2]
    ours = (
        f"PYTHONPATH={shlex.quote(str(code))} {shlex.quote(sys.executable)} -m pipeline"
    )
    lines = "git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B"
    return (
        f"{ours} memory merge -- {_WORDS} || "
        f"{{ grep -q '^<<<<<<<' %A && exit 1; {lines}; }}"
    )
