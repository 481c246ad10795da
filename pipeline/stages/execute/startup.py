"""Start-up code: what the modes of a rule have a kernel run before the first cell.

In go modes of the configuration, out comes code as it travels to kernels, which may be on other
machines. A file that cannot be used is an error of the configuration, and told before it is run.
"""

from __future__ import annotations

import os
import stat
import warnings
from collections.abc import Iterable
from pathlib import Path

from pipeline.adapters import files, kernel
from pipeline.adapters.kernel import sandbox
from pipeline.config import Mode
from pipeline.errors import ConfigError, InputError
from pipeline.findings import Finding
from pipeline.run import Run


def startup_of(modes: Iterable[Mode], root: Path) -> tuple[kernel.Startup, ...]:
    """Return the start-up code of ``modes``, in their order; ``root`` is the project's.

    Raises ConfigError.
    """
    with_code = [mode for mode in modes if mode.startup]
    return tuple(_read(mode, root) for mode in with_code)


def startup_findings(run: Run) -> tuple[Finding, ...]:
    """Return start-up files that rules of the upstream name and that cannot be used, each once.

    They are errors of the configuration. A page that needs one is not run.
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
    """Return the start-up code of a mode that has some. Raises ConfigError."""
    if mode.comes_along:
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
    """Return the content of a start-up file, which must lie in the project. Raises ConfigError."""
    path = root / mode.startup
    # The configuration has made sure of the path. A link may lead out all the same, and the code
    # of another place is not what was committed.
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root)):
        raise _error(mode, "is a link that leads out of the project")
    try:
        # A pipe would be waited for.
        if not stat.S_ISREG(path.stat().st_mode):
            raise _error(mode, "is not a file")
        return files.read_bytes(path)
    except OSError as error:
        raise _error(mode, f"cannot be read: {error.strerror}") from error
    except InputError as error:
        raise _error(mode, error.what) from error


def _check_python(mode: Mode, data: bytes) -> None:
    """Refuse what Python does not compile. Raises ConfigError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it may run with them
            compile(data, mode.startup, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise _error(
            mode, f"is not Python: {error.msg}", line=error.lineno or 0
        ) from error
    except (ValueError, RecursionError, MemoryError) as error:  # NUL; nested too deeply
        raise _error(mode, f"is not Python: {error}") from error


def _error(mode: Mode, what: str, *, line: int = 0) -> ConfigError:
    """Return an error about the start-up file of a mode, in a ``line`` of it (from 1; 0: none)."""
    return ConfigError(
        f"the start-up file of the mode {mode.name!r} {what}",
        where=f"{mode.startup}:{line}" if line else mode.startup,
        hint=f"Mend it, or change tool.pipeline.modes.{mode.name}.startup.",
    )
