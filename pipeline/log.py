"""Progress messages of a run, and the only writer to stdout and stderr.

Results go to stdout. Steps with their seconds, notes, warnings and progress go to stderr. A
terminal shows colours and progress bars, a pipe gets plain lines, and GitHub's runner gets groups
that people can fold.

Every line is escaped here, because it may contain text of pages and catalogues. That text must not
control the terminal, nor give commands to GitHub's runner.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from msgspec import Struct

if TYPE_CHECKING:
    from rich.console import Console

QUIET, NORMAL, VERBOSE = -1, 0, 1

# Control characters except tab and newline; characters that change the direction of text; line
# separators that only some programs recognize; lone surrogates, which streams cannot encode.
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
# Commands of GitHub's runner: "::error::…" at the start of a line, "##[group]…".
_COMMAND = re.compile(r"(?m)^(\s*):(?=:)|##(?=\[)")
_STYLE = re.compile(r"(\x1b\[[0-9;]*m)")  # a colour sequence
_STYLES = {
    "step": "\x1b[1m",
    "warning": "\x1b[33m",
    "failed": "\x1b[31m",
    "dim": "\x1b[2m",
}
_RESET = "\x1b[0m"


class Step(Struct):
    """A running step. ``result`` is printed when it ends."""

    name: str
    result: str = ""
    failed: bool = False


def printable(text: str) -> str:
    """Return ``text`` with control characters escaped, except newlines and tabs."""
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def disable_runner_commands(text: str) -> str:
    """Return ``text`` with the commands of GitHub's runner disabled: ``::error`` → ``: :error``."""
    return _COMMAND.sub(r"\g<0> ", text)


def write_text(stream: TextIO | None, text: str, *, styled: bool = False) -> None:
    """Write text for people, with control characters and runner commands disabled.

    With ``styled``, colour sequences are kept; they must come from the pipeline.
    """
    parts = _STYLE.split(text) if styled else [text]
    # Every second part is a colour sequence.
    parts[::2] = map(printable, parts[::2])
    write_raw(stream, disable_runner_commands("".join(parts)))


def write_json(stream: TextIO | None, text: str) -> None:
    """Write JSON, with control characters and runner commands as escapes such as ``\\u001b``.

    Programs that parse the JSON get the original values.
    """
    text = _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    write_raw(stream, text.replace("##[", "\\u0023#["))


def write_raw(stream: TextIO | None, text: str) -> None:
    """Write text as it is: commands for GitHub's runner, or text that is escaped already.

    Do nothing if the stream is closed, or if the program that reads it has ended (``| head``).
    """
    if stream is None:  # closed by the shell: ``>&-``
        return
    try:
        # Characters that the stream's encoding lacks are shown as escapes.
        encoding = stream.encoding or "utf-8"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except BrokenPipeError:
        # Python flushes the stream when it exits. That flush must not raise an error again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def command_message(text: str) -> str:
    """Return ``text`` escaped for a command of GitHub's runner, on one line."""
    return printable(text).replace("%", "%25").replace("\n", "%0A")


def is_terminal(stream: TextIO | None, environ: Mapping[str, str]) -> bool:
    """Return whether ``stream`` is a terminal. CI logs and ``TERM=dumb`` do not count."""
    if environ.get("CI") or environ.get("TERM") == "dumb":
        return False  # some CI systems provide a terminal
    return stream is not None and stream.isatty()


def has_colours(stream: TextIO | None, environ: Mapping[str, str]) -> bool:
    """Return whether to use colours: on a terminal, unless NO_COLOR is set (no-color.org)."""
    return is_terminal(stream, environ) and not environ.get("NO_COLOR")


class Log:
    """Writer of the log of a run, to stderr by default.

    ``level`` is QUIET (only warnings), NORMAL or VERBOSE (also details). ``sentence`` is a function
    that translates messages to the user's language. Annotations on GitHub stay English.
    """

    def __init__(
        self,
        level: int = NORMAL,
        *,
        stream: TextIO | None = None,
        environ: Mapping[str, str] = os.environ,
        sentence: Callable[[str], str] = str,
    ) -> None:
        self.level = level
        self._sentence = sentence
        self._stream = stream
        self._environ = environ
        self._depth = 0  # number of running steps, which may be nested
        # The console of the current progress bar, which prints lines above the bar; None without a
        # bar.
        self._console: Console | None = None

    @property
    def stream(self) -> TextIO:
        """Return the stream for lines: the given one, or the current stderr."""
        return self._stream or sys.stderr

    @contextmanager
    def step(self, name: str) -> Iterator[Step]:
        """Run one named step; print its result and wall seconds when it ends or fails."""
        step, start = Step(name), time.monotonic()
        is_folded = self._open_fold(name)
        self._depth += 1
        try:
            yield step
        except BaseException:
            step.failed = True
            raise
        finally:
            # End the group before the line with the result, so that a folded group does not hide
            # the result.
            self._depth -= 1
            if is_folded:
                self._command("::endgroup::")
            if self.level > QUIET:
                self._write_step(step, time.monotonic() - start)

    def note(self, text: str) -> None:
        """Print one line, unless ``--quiet`` is set."""
        if self.level > QUIET:
            self._write(self._sentence(text))

    def detail(self, text: str) -> None:
        """Print one line if ``--verbose`` is set."""
        if self.level >= VERBOSE:
            self._write(self._sentence(text), style="dim")

    def warn(self, text: str) -> None:
        """Print one warning at every level."""
        if self._is_on_github:
            self._command(f"::warning::{command_message(text)}")
        else:
            label = self._sentence("warning: ")
            self._write(f"{label}{self._sentence(text)}", style="warning")

    @contextmanager
    def progress(self, name: str, *, total: float | None) -> Iterator[Callable[..., None]]:
        """Show the progress of long work. Yield a thread-safe function ``advance(units, text)``.

        A terminal shows a bar. Elsewhere, each call with a text prints a line. ``total`` is the
        number of units, or None if it is unknown.
        """
        if self.level <= QUIET:
            yield lambda units=1, text="": None
        elif is_terminal(self.stream, self._environ):
            with self._bar(name, total) as advance:
                yield advance
        else:
            yield self._counter(name, total)

    @property
    def _is_on_github(self) -> bool:
        """Return whether GitHub's runner reads the output."""
        return bool(self._environ.get("GITHUB_ACTIONS"))

    def _open_fold(self, name: str) -> bool:
        """Open a foldable group on GitHub if possible; return whether one was opened."""
        # GitHub does not support nested groups, so only the outermost step opens one.
        is_folded = self._is_on_github and self._depth == 0 and self.level > QUIET
        if is_folded:
            self._command(f"::group::{command_message(name)}")
        return is_folded

    def _write_step(self, step: Step, seconds: float) -> None:
        """Print the line at the end of a step: ``  pull       v1 → v2  [0.3 s]``."""
        results = [step.result] if step.result else []
        style = "step" if self._depth == 0 else ""
        if step.failed:
            results.append("failed")
            style = "failed"
        indent = "  " * self._depth
        result = self._sentence(", ".join(results) or "done")
        text = f"{indent}{step.name:<10} {result}"
        self._write(f"{text}  [{seconds:.1f} s]", style=style)

    def _counter(self, name: str, total: float | None) -> Callable[..., None]:
        """Return a function that prints progress as lines.

        ``  execute 3/20  notebooks/quickstart: passed``
        """
        done = 0.0
        of_total = "" if total is None else f"/{total:g}"

        def advance(units: float = 1, text: str = "") -> None:
            nonlocal done
            done += units
            if text:
                self._write(f"  {name} {done:g}{of_total}  {text}")

        return advance

    @contextmanager
    def _bar(self, name: str, total: float | None) -> Iterator[Callable[..., None]]:
        """Show progress as a bar, which disappears at the end."""
        from rich import progress as bars
        from rich.console import Console

        console = Console(file=self.stream, highlight=False)
        columns = (
            bars.TextColumn("{task.description}"),
            bars.BarColumn(),
            bars.MofNCompleteColumn(),
            bars.TimeElapsedColumn(),
            # Texts come from pages. rich must not parse their brackets as markup.
            bars.TextColumn("{task.fields[text]}", markup=False),
        )
        with bars.Progress(*columns, console=console, transient=True) as progress:
            task = progress.add_task(name, total=total, text="")

            def advance(units: float = 1, text: str = "") -> None:
                # Without a text, the previous one remains beside the bar.
                progress.update(task, advance=units)
                if text:
                    progress.update(task, text=printable(text))
                    self.detail(f"  {text}")

            self._console = console
            try:
                yield advance
            finally:
                self._console = None

    def _command(self, line: str) -> None:
        """Write a command for GitHub's runner, where no bar is shown."""
        write_raw(self.stream, f"{line}\n")

    def _write(self, text: str, *, style: str = "") -> None:
        """Print one line in a single write, so that lines of several threads do not mix."""
        if self._console is not None:
            # rich prints above the bar, and synchronizes threads.
            from rich.text import Text

            line = disable_runner_commands(printable(text))
            self._console.print(Text(line), soft_wrap=True)
        elif style and has_colours(self.stream, self._environ):
            line = f"{_STYLES[style]}{printable(text)}{_RESET}\n"
            write_text(self.stream, line, styled=True)
        else:
            write_text(self.stream, f"{text}\n")
