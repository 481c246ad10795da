"""What the command line does not say about a new project: asked, where somebody can answer."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass

from pipeline.adapters.installed import Origin, origin
from pipeline.commands.init.starting import NewDocs
from pipeline.commands.showing import ask
from pipeline.errors import ConfigError
from pipeline.folders import Folders, fault_in

_FROM = re.compile(r"([\w.-]+/[\w.-]+)@([\w./-]+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Question:
    option: str
    text: str
    default: str = ""


_URL = _Question("--url", "the URL of the repository with the English docs")
_DOCS = _Question("--docs", "the folder of the docs in it", ".")
_NAME = _Question("--name", "a short name for them: letters, digits, - and _")
_FROM_WHERE = _Question("--from", "the repository of the pipeline, as OWNER/NAME@REF")


def complete(
    *,
    name: str | None = None,
    url: str | None = None,
    docs: tuple[str, ...] = (),
    source: str | None = None,
    **others: str,
) -> NewDocs:
    """Return the words of the command line as a record, and ask for those that are missing.

    ``source`` is the pipeline as ``owner/name@ref``, ``others`` are further fields of the record.
    Raises ConfigError where nobody can be asked.
    """
    # It may be all of the repository: who gives options and leaves this one out means that.
    folders = docs or ((_DOCS.default,) if url else ())
    url = url or _ask(_URL)
    return NewDocs(
        url=url,
        docs=_folders(folders or (_ask(_DOCS),)),
        name=name or _ask(_NAME),
        origin=_origin(source),
        **others,
    )


def _folders(names: tuple[str, ...]) -> Folders:
    """The docs folders. Raises ConfigError for what cannot be some."""
    fault = fault_in(names)
    if fault is not None:
        raise ConfigError(f"--docs cannot be used: {fault.what}", hint=fault.hint)
    return Folders(names)


def _origin(source: str | None) -> Origin:
    """Where the new project gets the pipeline from: as told, or as this one was installed."""
    found = None if source else origin()
    if found is not None:
        return found
    source = source or _ask(_FROM_WHERE)
    match = _FROM.fullmatch(source)
    if match is None:
        raise ConfigError(
            f"{source!r} is no state of a repository on GitHub",
            hint="Write it as OWNER/NAME@REF, where REF is a tag, a branch or a commit.",
        )
    return Origin(repository=match[1], ref=match[2])


def _ask(question: _Question) -> str:
    """An answer from the terminal. Raises ConfigError if there is none, or nobody answers."""
    answer = ""
    if sys.stdin.isatty():
        default = f" [{question.default}]" if question.default else ""
        words = f"{question.text[0].upper()}{question.text[1:]}{default}: "
        answer = ask(words) or question.default
    if not answer:
        raise ConfigError(
            f"init has to be told {question.text}",
            hint=f"Give it with {question.option}.",
        )
    return answer
