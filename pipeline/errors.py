"""Every error the pipeline raises on purpose, with its exit code.

Texts say what happened, where (file, line or cell) and what to do next.
"""

from __future__ import annotations

from collections.abc import Iterable

# When a run meets several: first what is our own bug, then what kept the run from its work, then what
# kept a page from readers, from running, from being read; findings last.
WORST_FIRST = (130, 70, 5, 2, 3, 7, 6, 4, 1, 0)


def worst(codes: Iterable[int]) -> int:
    """The one exit code for a run that met several. 0 if there are none, 70 counts for unknown ones."""
    return min(
        (code if code in WORST_FIRST else 70 for code in codes), key=WORST_FIRST.index, default=0
    )


class PipelineError(Exception):
    """Base of all expected failures. ``where`` is ``file``, ``file:line`` or ``file, cell N``."""

    exit_code = 70

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text}\n  {self.hint}" if self.hint else text


class FindingsError(PipelineError):
    """The run finished and found something that a person must look at."""

    exit_code = 1


class ConfigError(PipelineError):
    """Wrong command line or ``[tool.pipeline]`` table."""

    exit_code = 2


class UpstreamError(PipelineError):
    """Upstream cannot be reached, or has no such ref, folder or page."""

    exit_code = 3


class InputError(PipelineError):
    """A page, notebook or catalogue that cannot be read as what it claims to be."""

    exit_code = 4


class GuardError(PipelineError):
    """A merged page differs from upstream outside prose: a bug of ours; the page is not written."""

    exit_code = 5


class ExecutionError(PipelineError):
    """A page's code cells did not run as they should, or could not be started."""

    exit_code = 6


class PublishError(PipelineError):
    """A page could not be rendered."""

    exit_code = 7
