"""Every expected error of the pipeline, with its exit code.

The text of an error states what happened, where (file, line or cell) and what to do. Exit codes are
part of the command-line interface: scripts and CI distinguish failures by them. ``did_you_mean``
makes a hint with the nearest known word.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from pipeline.limits import Limit

INTERRUPTED = 130  # 128 + SIGINT, the convention of shells
UNEXPECTED = 70  # an unexpected exception: EX_SOFTWARE in sysexits.h

# All exit codes, the worst first. A run with several errors ends with the worst of their codes. The
# order: an interruption, bugs of the pipeline, errors that stop a run, pages that were not
# published, executed or parsed, findings, success.
WORST_FIRST = (INTERRUPTED, UNEXPECTED, 5, 2, 3, 7, 6, 4, 1, 0)


def worst(codes: Iterable[int]) -> int:
    """Return the exit code for a run whose errors have ``codes``; 0 if there are none.

    A code that is not in ``WORST_FIRST`` counts as ``UNEXPECTED``.
    """
    known = [code if code in WORST_FIRST else UNEXPECTED for code in codes]
    return min(known, key=WORST_FIRST.index, default=0)


class PipelineError(Exception):
    """Base of all expected errors. ``where`` is ``file``, ``file:line`` or ``file, cell N``."""

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
    """The run completed, but with findings that a person must correct."""

    exit_code = 1


class ConfigError(PipelineError):
    """The command line or the ``[tool.pipeline]`` table is invalid."""

    exit_code = 2


class UpstreamError(PipelineError):
    """Upstream is unreachable, or does not have the ref, folder or page."""

    exit_code = 3


class EndpointError(PipelineError):
    """The endpoint of a language model is unreachable, or replies unexpectedly."""

    exit_code = 3


class SiteError(PipelineError):
    """A published site does not respond, or its response is invalid."""

    exit_code = 3


class InputError(PipelineError):
    """A page, notebook or catalogue cannot be parsed."""

    exit_code = 4


def check_limit(
    count: int,
    limit: Limit,
    *,
    where: str,
    hint: str = "Shorten it, or leave it out.",
) -> None:
    """Raise InputError if ``count`` exceeds ``limit``. ``where`` is the file's name."""
    if count > limit.most:
        raise InputError(
            f"has {count:,} {limit.things}; at most {limit.most:,} are read",
            where=where,
            hint=hint,
        )


class GuardError(PipelineError):
    """A merged page differs from upstream outside its prose: a bug. The page is not written."""

    exit_code = 5


class ExecutionError(PipelineError):
    """The code cells of a page failed, or could not be started."""

    exit_code = 6


class PublishError(PipelineError):
    """A page could not be rendered."""

    exit_code = 7


_NAMED = 3  # maximum number of names in a hint of ``did_you_mean_any``


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``Did you mean 'sync'? `` with a space at its end, or "" if no word is similar."""
    nearest = difflib.get_close_matches(word, list(known), n=1)
    # Suggest nothing if no word is similar, because people follow suggestions.
    if not nearest:
        return ""
    return f"Did you mean {nearest[0]!r}? "


def did_you_mean_any(word: str, known: Iterable[str]) -> str:
    """Return a hint with up to three known names that contain ``word`` or are similar to it.

    ``Did you mean 'guide/arrays', 'guide/array-api'? ``
    """
    # Ignore suffixes and separators: users may have copied the name from elsewhere.
    plain = {name: _simplified(name) for name in known}
    wanted = _simplified(word)
    parts = [name for name, text in plain.items() if wanted and wanted in text]
    parts.sort(key=len)  # "pytrees" before "custom_pytrees"
    names_by_text = {text: name for name, text in plain.items()}
    # Put names that contain ``word`` first, because get_close_matches may miss them.
    near = difflib.get_close_matches(wanted, list(names_by_text), n=_NAMED)
    found = dict.fromkeys([*parts, *(names_by_text[text] for text in near)])
    names = ", ".join(map(repr, list(found)[:_NAMED]))
    return f"Did you mean {names}? " if names else ""


def _simplified(name: str) -> str:
    """Return ``name`` in a form for comparisons: lower case, no suffix, no wildcards."""
    for suffix in (".ipynb", ".md", ".rst", ".po"):
        name = name.removesuffix(suffix)
    return name.casefold().replace("_", "-").replace("\\", "/").strip("*/. ")
