"""The files of a new project: made of the skeleton, proved, and written all or none.

What a person says about the docs comes in, on the command line or as an answer; the paths of the
files go out. A file that is there already is never written over.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from string import Template

from pipeline.adapters.files import WriteError, write_atomic
from pipeline.adapters.installed import Origin, origin
from pipeline.adapters.upstream.address import read_address
from pipeline.commands.showing import ask
from pipeline.config import read_settings
from pipeline.errors import ConfigError
from pipeline.folders import ALL, Folders, fault_in
from pipeline.naming import exact_pin, group_of, repository_on_github
from pipeline.paths import glossary_path

PIPELINE = "pipeline"  # the dependency group of the skeleton
GLOSSARY = b"source,target,context,translator_comments\n"
# Files of the project, and what of the skeleton they are made of.
FILES = {
    "pyproject.toml": "pyproject.toml.in",
    "README.md": "README.md.in",
    ".gitignore": "gitignore.in",
    ".gitattributes": "gitattributes.in",
    ".github/workflows/docs.yml": "docs.yml.in",
}

_BARE = re.compile(r"[A-Za-z0-9_-]+")  # a key of TOML that needs no quotation marks


# What a site is called by its locale, where nobody has said it.
_TITLES = {"zh_CN": "{} 中文文档"}


class _Skeleton(Template):
    """A file with ``%{name}`` in it: ``$`` and ``{{`` are GitHub's."""

    delimiter = "%"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocs:
    """What a new project is about. ``package`` is ``flax==0.12.0``, or empty: no version."""

    name: str
    url: str
    docs: Folders
    origin: Origin
    locale: str = "zh_CN"
    ref: str = ""
    package: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """The files of a project by path, and those among them that were written."""

    files: tuple[str, ...]
    changes: tuple[str, ...]


def start_project(folder: Path, docs: NewDocs) -> Started:
    """Write the skeleton of a project about ``docs`` into ``folder``, which is made if need be.

    A second run with the same words writes nothing. Raises ConfigError, with nothing written, if
    one of the files is there and holds something else; UpstreamError if the docs are nowhere.
    """
    files = skeleton(folder, docs)
    _prove(files)
    read_address(docs.url, base=folder)
    missing, other = [], []
    for name, data in files.items():
        path = folder / name
        if not path.exists():
            missing.append(name)
        elif not path.is_file() or path.read_bytes() != data:
            other.append(name)
    if other:
        named = ", ".join((folder / name).as_posix() for name in other)
        raise ConfigError(
            f"there already, and not overwritten: {named}; nothing was written",
            hint="Give a folder without them, or move them away and run again.",
        )
    _write_all(folder, {name: files[name] for name in missing})
    return Started(files=tuple(files), changes=tuple(missing))


def skeleton(folder: Path, docs: NewDocs) -> dict[str, bytes]:
    """The files of a project by path. Raises ConfigError for words that cannot stand in one."""
    values = _values(docs)
    source = resources.files(__package__) / "skeleton"
    files = {}
    for name, template in FILES.items():
        text = (source / template).read_text("utf-8")
        files[name] = _Skeleton(text).substitute(values).encode("utf-8")
    glossary = glossary_path(folder, docs.locale).relative_to(folder)
    files[glossary.as_posix()] = GLOSSARY
    return files


def _values(docs: NewDocs) -> dict[str, str]:
    """What is put into the skeleton, by name. Values of TOML are written as TOML."""
    title = " ".join(docs.title.split()) or f"{docs.name} ({docs.locale})"
    if not docs.title and docs.locale in _TITLES:
        title = _TITLES[docs.locale].format(docs.name)
    return {
        "repository": docs.origin.repository,
        "revision": docs.origin.ref,
        "name": docs.name,
        "key": docs.name if _BARE.fullmatch(docs.name) else _toml(docs.name),
        "locale": _toml(docs.locale),
        "plain_locale": docs.locale,
        "url": _toml(docs.url),
        "plain_url": docs.url,
        "docs": _toml_folders(docs.docs),
        "title": _toml(title),
        "plain_title": title,
        "page_url": _page_url(docs),
        **_pin(docs),
    }


def _pin(docs: NewDocs) -> dict[str, str]:
    """The lines about the version: that of a package, or that of the ref alone."""
    ref = docs.ref
    if not docs.package:
        ref_line = f"ref = {_toml(ref)}" if ref else '# ref = "v1.2.3"'
        return {
            "pin": "",
            "included": "",
            "ref": f"{ref_line} # tag, branch or commit; without one, the newest",
            "package": '# package = "flax" # whose version, that of its group, is {version} in ref',
        }
    pin = exact_pin(docs.package)
    if pin is None:
        raise ConfigError(
            f"{docs.package!r} pins no package to a version",
            hint="Give --package as pip has it, for example flax==0.12.0.",
        )
    package, _ = pin
    group = group_of(package)
    if group == PIPELINE:
        raise ConfigError(
            f"{docs.package!r} takes the place of the group that the pipeline is in",
            hint="Leave --package out, and write the tag with --ref.",
        )
    return {
        "pin": (
            "# The release that is translated, and that its code runs with: `upgrade` moves it.\n"
            f"{group} = [{_toml(docs.package)}]\n"
        ),
        "included": f"    {{ include-group = {_toml(group)} }},\n",
        "ref": f"ref = {_toml(ref or 'v{version}')} # tag, branch or commit",
        "package": f"package = {_toml(package)} # whose version is {{version}}",
    }


def _page_url(docs: NewDocs) -> str:
    """What attributions link to: known of docs on GitHub."""
    repository = repository_on_github(docs.url)
    if not repository:
        return '# page-url = "https://example.org/{commit}/{path}" # what attributions link to'
    folder = "" if docs.docs.root == ALL else f"{docs.docs.root}/"
    url = f"https://github.com/{repository}/blob/{{commit}}/{folder}{{path}}"
    return f"page-url = {_toml(url)} # what attributions link to"


def _toml_folders(docs: Folders) -> str:
    """One folder is a string, several are a list."""
    names = list(map(_toml, docs.names))
    return f"[{', '.join(names)}]" if docs.are_several else names[0]


def _toml(text: str) -> str:
    """A string as TOML writes it: https://toml.io/en/v1.0.0#string."""
    # JSON escapes the same, but for DEL.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _prove(files: dict[str, bytes]) -> None:
    """Read the configuration as every run will. Raises ConfigError for words that do not fit."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "pyproject.toml"
        path.write_bytes(files["pyproject.toml"])
        try:
            read_settings(path, environ={})
        except ConfigError as error:
            raise ConfigError(
                f"no project can be made of these words: {error.what}", hint=error.hint
            ) from error


def _write_all(folder: Path, files: dict[str, bytes]) -> None:
    """Write all ``files`` or, if one cannot be written, none. Raises WriteError."""
    written: list[Path] = []
    try:
        for name, data in files.items():
            write_atomic(folder / name, data)
            written.append(folder / name)
    except WriteError:
        for path in written:
            path.unlink(missing_ok=True)
        raise


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
