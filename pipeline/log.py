"""What a run says while it works, and the one door to stdout and stderr.

Named steps with result and seconds, notes, warnings and progress go to stderr; stdout belongs to
results. A terminal gets colours and bars, a pipe gets plain lines, GitHub's runner gets lines that
it can fold. Whatever a line says, it drives no terminal and gives no command to GitHub's runner:
pages and catalogues are written by strangers. So nothing else writes to the two streams. rich is
imported when the first bar is drawn, not before.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console

QUIET, NORMAL, VERBOSE = -1, 0, 1

# Control characters but tab and newline; marks that turn the direction of text around; separators
# of lines that only some programs know; halves of surrogate pairs, which no stream can encode.
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
# What GitHub's runner takes for a command: "::error::…" at the start of a line, "##[group]…".
_COMMAND = re.compile(r"(?m)^(\s*):(?=:)|##(?=\[)")
_STYLE = re.compile(r"(\x1b\[[0-9;]*m)")  # a sequence that sets colours
_STYLES = {
    "step": "\x1b[1m",
    "warning": "\x1b[33m",
    "failed": "\x1b[31m",
    "dim": "\x1b[2m",
}
_RESET = "\x1b[0m"


@dataclass(slots=True)
class Step:
    """A step under way. What is put into ``result`` is printed when it ends."""

    name: str
    result: str = ""
    failed: bool = False


def printable(text: str) -> str:
    """``text`` with control characters escaped: what comes from a page must not drive a terminal.

    Newlines and tabs stay.
    """
    return _CONTROL.sub(
        lambda match: match[0].encode("unicode_escape").decode("ascii"), text
    )


def without_commands(text: str) -> str:
    """``text`` without what GitHub's runner takes for a command: ``::error`` → ``: :error``."""
    return _COMMAND.sub(r"\g<0> ", text)


def write_text(stream: TextIO | None, text: str, *, styled: bool = False) -> None:
    """Write text for people: it drives no terminal, and gives no command to GitHub's runner.

    ``styled`` text keeps sequences that set a colour, which we have put there.
    """
    parts = _STYLE.split(text) if styled else [text]
    # Every second part is a style.
    parts[::2] = map(printable, parts[::2])
    _write(stream, without_commands("".join(parts)))


def write_json(stream: TextIO | None, text: str) -> None:
    """Write JSON: what would drive a terminal, or command the runner, becomes ``\\u001b``.

    Programs read the same values.
    """
    text = _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    _write(stream, text.replace("##[", "\\u0023#["))


def write_commands(stream: TextIO | None, text: str) -> None:
    """Write commands for GitHub's runner, whose parts went through ``command_message``."""
    _write(stream, text)


def _write(stream: TextIO | None, text: str) -> None:
    """Write to a stream. A reader that has gone (``| head``) or never was (``>&-``) is no error."""
    if stream is None:  # a shell has closed it
        return
    try:
        # A terminal that is not UTF-8 shows what it lacks as escapes.
        encoding = stream.encoding or "utf-8"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except BrokenPipeError:
        # So that Python's own last flush is silent.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def command_message(text: str) -> str:
    """``text`` as the message of a workflow command: one line, escaped as the runner wants it."""
    return printable(text).replace("%", "%25").replace("\n", "%0A")


def is_terminal(stream: TextIO | None, environ: Mapping[str, str]) -> bool:
    """Whether a person watches ``stream``: CI logs and dumb terminals get plain lines."""
    if environ.get("CI") or environ.get("TERM") == "dumb":
        return False  # some CI systems give a terminal all the same
    return stream is not None and stream.isatty()


class Log:
    """Tells what happens. ``level`` is QUIET (warnings only), NORMAL or VERBOSE (details too).

    ``sentence`` says what is told in the language of the reader; GitHub's annotations stay English.
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
        self._depth = 0  # steps that are under way
        # Set while a bar is shown: lines go above it.
        self._console: Console | None = None

    @property
    def stream(self) -> TextIO:
        """Where lines go: the stream given, else whatever stderr is now."""
        return self._stream or sys.stderr

    @contextmanager
    def step(self, name: str) -> Iterator[Step]:
        """One named step: its result and wall seconds are printed when it ends, or fails."""
        step, start = Step(name), time.monotonic()
        is_folded = self._open_fold(name)
        self._depth += 1
        try:
            yield step
        except BaseException:
            step.failed = True
            raise
        finally:
            # The group ends before the line with the result: that line stays to be seen.
            self._depth -= 1
            if is_folded:
                self._command("::endgroup::")
            if self.level > QUIET:
                self._write_step(step, time.monotonic() - start)

    def note(self, text: str) -> None:
        """One line for everybody but ``--quiet``."""
        if self.level > QUIET:
            self._write(self._sentence(text))

    def detail(self, text: str) -> None:
        """One line for ``--verbose``."""
        if self.level >= VERBOSE:
            self._write(self._sentence(text), style="dim")

    def warn(self, text: str) -> None:
        """One line for everybody."""
        if self._is_on_github:
            self._command(f"::warning::{command_message(text)}")
        else:
            label = self._sentence("warning: ")
            self._write(f"{label}{self._sentence(text)}", style="warning")

    @contextmanager
    def progress(
        self, name: str, *, total: float | None
    ) -> Iterator[Callable[..., None]]:
        """Progress of long work: call ``advance(units, text)``, from any thread.

        A terminal shows a bar; elsewhere each text that is not empty is a line. ``total`` is None
        if it is not known.
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
        """Whether GitHub's runner reads along."""
        return bool(self._environ.get("GITHUB_ACTIONS"))

    def _open_fold(self, name: str) -> bool:
        """Open a group of lines that GitHub folds; whether one was opened."""
        # Groups do not nest on GitHub: only the outermost step opens one.
        is_folded = self._is_on_github and self._depth == 0 and self.level > QUIET
        if is_folded:
            self._command(f"::group::{command_message(name)}")
        return is_folded

    def _write_step(self, step: Step, seconds: float) -> None:
        """The line at the end of a step: ``  pull       v1 → v2  [0.3 s]``."""
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
        """Progress as lines: ``  execute 3/20  notebooks/quickstart: passed``."""
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
        """Progress as a bar, which vanishes at the end."""
        from rich import progress as bars
        from rich.console import Console

        console = Console(file=self.stream, highlight=False)
        columns = (
            bars.TextColumn("{task.description}"),
            bars.BarColumn(),
            bars.MofNCompleteColumn(),
            bars.TimeElapsedColumn(),
            # Texts come from pages: brackets in them are no markup.
            bars.TextColumn("{task.fields[text]}", markup=False),
        )
        with bars.Progress(*columns, console=console, transient=True) as progress:
            task = progress.add_task(name, total=total, text="")

            def advance(units: float = 1, text: str = "") -> None:
                # An empty text leaves the last one beside the bar.
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
        """A command for GitHub's runner. It has no terminal, so there is no bar to go above."""
        write_commands(self.stream, f"{line}\n")

    def _write(self, text: str, *, style: str = "") -> None:
        """One line, written in one piece so that threads do not mix theirs."""
        if self._console is not None:
            # The bar moves down by a line; rich takes care that threads do not meet there.
            from rich.text import Text

            line = without_commands(printable(text))
            self._console.print(Text(line), soft_wrap=True)
        elif style and self._has_colours:
            line = f"{_STYLES[style]}{printable(text)}{_RESET}\n"
            write_text(self.stream, line, styled=True)
        else:
            write_text(self.stream, f"{text}\n")

    @property
    def _has_colours(self) -> bool:
        """Whether a person watches, and wants colours (https://no-color.org)."""
        return is_terminal(self.stream, self._environ) and not self._environ.get(
            "NO_COLOR"
        )
