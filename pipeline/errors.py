"""Every error the pipeline raises on purpose, with its exit code.

The text of an error says what happened, where (file, line or cell) and what to do next.
Exit codes are part of the command line's contract: scripts and CI tell failures apart by them.
``did_you_mean`` finds the word that somebody may have meant, for the hint of an error.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

INTERRUPTED = 130  # 128 + SIGINT, as shells count it
UNEXPECTED = 70  # an error that nobody raised on purpose: EX_SOFTWARE of sysexits.h

# A run that meets several errors ends with the first of these codes. Our own bugs come first, then
# what kept the run from its work, then what kept a page from readers, from running, from being
# read. Findings come last.
WORST_FIRST = (INTERRUPTED, UNEXPECTED, 5, 2, 3, 7, 6, 4, 1, 0)


def worst(codes: Iterable[int]) -> int:
    """The one exit code for a run that met ``codes``: 0 if there are none.

    A code that is not in the table counts as ``UNEXPECTED``.
    """
    met = set(codes)
    if not met <= set(WORST_FIRST):
        met.add(UNEXPECTED)
    for code in WORST_FIRST:
        if code in met:
            return code
    return 0


class PipelineError(Exception):
    """Base of all expected failures. ``where`` is ``file``, ``file:line`` or ``file, cell N``."""

    exit_code = UNEXPECTED

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        text = self.what
        if self.where:
            text = f"{self.where}: {text}"
        if self.hint:
            text = f"{text}\n  {self.hint}"
        return text


class FindingsError(PipelineError):
    """The run finished and found something that a person must look at."""

    exit_code = 1


class ConfigError(PipelineError):
    """Wrong command line or ``[tool.pipeline]`` table."""

    exit_code = 2


class UpstreamError(PipelineError):
    """Upstream cannot be reached, or has no such ref, folder or page."""

    exit_code = 3


class EndpointError(PipelineError):
    """The endpoint of a language model cannot be reached, or does not answer as one."""

    exit_code = 3


class SiteError(PipelineError):
    """A published site does not answer, or not as a web server should."""

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


_NAMED = 3  # words that are named, where one would be a guess


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``Did you mean 'sync'? `` with a space after it; empty if no known word is near."""
    nearest = difflib.get_close_matches(word, list(known), n=1)
    # Nothing at all rather than a guess: people follow it.
    if not nearest:
        return ""
    return f"Did you mean {nearest[0]!r}? "


def did_you_mean_any(word: str, known: Iterable[str]) -> str:
    """The same for one of many names, of which people know a part: up to three of them.

    ``Did you mean 'guide/arrays', 'guide/array-api'? ``
    """
    # Whoever copies a name has its suffix, or another system's separators.
    plain = {name: _simplified(name) for name in known}
    wanted = _simplified(word)
    parts = [name for name, text in plain.items() if wanted and wanted in text]
    parts.sort(key=len)  # "pytrees" before "custom_pytrees"
    names_by_text = {text: name for name, text in plain.items()}
    # A part of a name is short beside it, and would not count as near.
    near = difflib.get_close_matches(wanted, list(names_by_text), n=_NAMED)
    found = dict.fromkeys([*parts, *(names_by_text[text] for text in near)])
    names = ", ".join(map(repr, list(found)[:_NAMED]))
    return f"Did you mean {names}? " if names else ""


def _simplified(name: str) -> str:
    """``name`` without what people get wrong: case, dashes, the suffix, wildcards."""
    for suffix in (".ipynb", ".md", ".rst", ".po"):
        name = name.removesuffix(suffix)
    return name.casefold().replace("_", "-").replace("\\", "/").strip("*/. ")
