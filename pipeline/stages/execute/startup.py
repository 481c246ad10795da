"""Reader of start-up code: Python files that run in a kernel before the first cell.

A mode in the configuration, such as ``interpret``, may name a start-up file, and a rule chooses the
modes of a page. This module returns the text of the files, because kernels may be on other
machines. A file that cannot be used is a configuration error, reported before any page runs.
"""

from __future__ import annotations

import os
import stat
import warnings
from collections.abc import Iterable
from pathlib import Path

from pipeline.adapters import files, kernel
from pipeline.adapters.kernel import sandbox
from pipeline.config.settings import Mode
from pipeline.errors import ConfigError, InputError
from pipeline.findings import Finding
from pipeline.run import Run


def startup_of(modes: Iterable[Mode], root: Path) -> tuple[kernel.Startup, ...]:
    """Return the start-up code of ``modes``, in order. Raises ConfigError.

    Modes without code are skipped. ``root`` is the project's root.
    """
    with_code = [mode for mode in modes if mode.startup]
    return tuple(_read(mode, root) for mode in with_code)


def startup_findings(run: Run) -> tuple[Finding, ...]:
    """Return an error for each start-up file in the upstream's rules that cannot be used.

    ``plan`` does not run the pages that need such a file.
    """
    modes = {mode.name: mode for rule in run.upstream.run for mode in rule.modes}
    findings = []
    for mode in modes.values():
        try:
            startup_of([mode], run.settings.root)
        except ConfigError as error:
            findings.append(Finding.of(error))
    return tuple(findings)


def _read(mode: Mode, root: Path) -> kernel.Startup:
    """Return the start-up code of ``mode``, which names a file. Raises ConfigError."""
    if mode.is_built_in:
        data = files.read_bytes(sandbox.STARTUP / mode.startup)
        return kernel.Startup(name=mode.startup, text=data.decode("utf-8"))
    data = _bytes_in_project(mode, root)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _error(mode, "is not UTF-8", line=line) from error
    _check_python(mode, data)
    return kernel.Startup(name=mode.startup, text=text)


def _bytes_in_project(mode: Mode, root: Path) -> bytes:
    """Return the content of a start-up file in the project. Raises ConfigError."""
    path = root / mode.startup
    # ``config`` has already checked the path itself. But a symbolic link may lead out of the
    # project, to code that is not committed.
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root)):
        raise _error(mode, "is a link that leads out of the project")
    try:
        # Reading a named pipe would block.
        if not stat.S_ISREG(path.stat().st_mode):
            raise _error(mode, "is not a file")
        return files.read_bytes(path)
    except OSError as error:
        raise _error(mode, f"cannot be read: {error.strerror}") from error
    except InputError as error:
        raise _error(mode, error.what) from error


def _check_python(mode: Mode, data: bytes) -> None:
    """Raise ConfigError if Python cannot compile the code."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # code with warnings can run
            compile(data, mode.startup, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise _error(mode, f"is not Python: {error.msg}", line=error.lineno or 0) from error
    # The text has NUL characters, or is nested too deeply.
    except (ValueError, RecursionError, MemoryError) as error:
        raise _error(mode, f"is not Python: {error}") from error


def _error(mode: Mode, what: str, *, line: int = 0) -> ConfigError:
    """Return an error about a mode's start-up file; ``line`` counts from 1, and 0 is no line."""
    return ConfigError(
        f"the start-up file of the mode {mode.name!r} {what}",
        where=f"{mode.startup}:{line}" if line else mode.startup,
        hint=f"Mend it, or change tool.pipeline.modes.{mode.name}.startup.",
    )
