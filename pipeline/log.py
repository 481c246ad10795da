"""What a run says while it works: named steps with result and seconds, notes, warnings, progress.

Everything goes to stderr; stdout belongs to results. A terminal gets colours and bars, a pipe gets plain
lines, GitHub's runner gets lines that it can fold. rich is imported when the first bar is drawn, not before.
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


_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_STYLES = {"step": "\x1b[1m", "warning": "\x1b[33m", "failed": "\x1b[31m", "dim": "\x1b[2m"}


@dataclass(slots=True)
class Step:
    """A step under way. What is put into ``result`` is printed when it ends."""

    name: str
    result: str = ""
    failed: bool = False


def printable(text: str) -> str:
    """``text`` with control characters escaped: what comes from a page must not drive the terminal."""
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def is_terminal(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether a person watches ``stream``: CI logs and dumb terminals get plain lines."""
    return stream.isatty() and not environ.get("CI") and environ.get("TERM") != "dumb"


class Log:
    """Tells what happens. ``level`` is QUIET (warnings only), NORMAL or VERBOSE (details too)."""

    def __init__(
        self,
        level: int = NORMAL,
        *,
        stream: TextIO | None = None,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self.level = level
        self._stream = stream
        self._environ = environ
        self._depth = 0
        self._console: Console | None = (
            None  # set while a bar is on the screen, so that lines go above it
        )

    @property
    def stream(self) -> TextIO:
        """Where lines go: the stream given, else whatever stderr is now."""
        return self._stream or sys.stderr

    @contextmanager
    def step(self, name: str) -> Iterator[Step]:
        """One named step: its result and wall seconds are printed when it ends, also when it fails."""
        step, start = Step(name), time.monotonic()
        folded = self._fold_open(name)
        self._depth += 1
        try:
            yield step
        except BaseException:
            step.failed = True
            raise
        finally:
            self._depth -= 1
            if folded:
                self._write("::endgroup::", raw=True)
            if self.level > QUIET:
                self._say_step(step, time.monotonic() - start)

    def note(self, text: str) -> None:
        """One line for everybody but ``--quiet``."""
        if self.level > QUIET:
            self._write(text)

    def detail(self, text: str) -> None:
        """One line for ``--verbose``."""
        if self.level >= VERBOSE:
            self._write(text, style="dim")

    def warn(self, text: str) -> None:
        """One line for everybody."""
        if self._on_github:
            escaped = printable(text).replace("%", "%25").replace("\n", "%0A")
            self._write(f"::warning::{escaped}", raw=True)
        else:
            self._write(f"warning: {text}", style="warning")

    @contextmanager
    def progress(self, name: str, *, total: float | None) -> Iterator[Callable[..., None]]:
        """Progress of long work: call ``advance(units, text)``, from any thread.

        A bar on a terminal; elsewhere each text that is not empty is a line. ``total`` None: not known.
        """
        if self.level <= QUIET:
            yield lambda units=1, text="": None
        elif is_terminal(self.stream, self._environ):
            with self._bar(name, total) as advance:
                yield advance
        else:
            yield self._counter(name, total)

    @property
    def _on_github(self) -> bool:
        return bool(self._environ.get("GITHUB_ACTIONS"))

    def _fold_open(self, name: str) -> bool:
        # Groups do not nest on GitHub: only the outermost step opens one.
        fold = self._on_github and self._depth == 0 and self.level > QUIET
        if fold:
            self._write(f"::group::{printable(name)}", raw=True)
        return fold

    def _say_step(self, step: Step, seconds: float) -> None:
        results = [step.result, "failed"] if step.failed else [step.result or "done"]
        text = f"{'  ' * self._depth}{step.name:<10} {', '.join(filter(None, results))}"
        self._write(
            f"{text}  [{seconds:.1f} s]",
            style="failed" if step.failed else "step" if self._depth == 0 else "",
        )

    def _counter(self, name: str, total: float | None) -> Callable[..., None]:
        done = 0.0

        def advance(units: float = 1, text: str = "") -> None:
            nonlocal done
            done += units
            if text:
                self._write(f"  {name} {done:g}{'' if total is None else f'/{total:g}'}  {text}")

        return advance

    @contextmanager
    def _bar(self, name: str, total: float | None) -> Iterator[Callable[..., None]]:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
        )

        console = Console(file=self.stream, highlight=False)
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        with Progress(
            *columns,
            TextColumn("{task.fields[text]}", markup=False),
            console=console,
            transient=True,
        ) as progress:
            task = progress.add_task(name, total=total, text="")

            def advance(units: float = 1, text: str = "") -> None:
                progress.update(task, advance=units)
                if text:
                    progress.update(task, text=printable(text))
                    self.detail(f"  {text}")

            self._console = console
            try:
                yield advance
            finally:
                self._console = None

    def _write(self, text: str, *, style: str = "", raw: bool = False) -> None:
        """One line, written in one piece so that threads do not mix theirs."""
        line = text if raw else printable(text)
        if self._on_github and not raw:
            line = re.sub(
                r"(?m)^(\s*):(?=:)|##(?=\[)", r"\g<0> ", line
            )  # no workflow commands from page texts
        if self._console is not None:
            from rich.text import Text

            self._console.print(Text(line), soft_wrap=True)
            return
        if style and is_terminal(self.stream, self._environ) and not self._environ.get("NO_COLOR"):
            line = f"{_STYLES[style]}{line}\x1b[0m"
        self.stream.write(f"{line}\n")
        self.stream.flush()
