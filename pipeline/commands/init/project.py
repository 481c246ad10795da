"""Files of a new project: filled templates, validated, and written all or none.

The input is what the user says about the docs, as options or as answers. An existing file is never
overwritten.
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

PIPELINE = "pipeline"  # group of the pipeline itself in the skeleton
GLOSSARY = b"source,target,context,translator_comments\n"
# Files of the project, and their templates.
FILES = {
    "pyproject.toml": "pyproject.toml.in",
    "README.md": "README.md.in",
    ".gitignore": "gitignore.in",
    ".gitattributes": "gitattributes.in",
    ".github/workflows/docs.yml": "docs.yml.in",
}

_BARE = re.compile(r"[A-Za-z0-9_-]+")  # TOML key that needs no quotation marks


# Default titles of sites, by locale.
_TITLES = {"zh_CN": "{} 中文文档"}


class _Skeleton(Template):
    """Template with ``%{name}`` placeholders, because GitHub uses ``$`` and ``{{``."""

    delimiter = "%"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocs:
    """Description of a new project. ``package`` is ``flax==0.12.0``, or empty for no version."""

    name: str
    url: str
    docs: Folders
    origin: Origin
    locale: str = "zh_CN"
    ref: str = ""
    package: str = ""
    title: str = ""


def start_project(folder: Path, docs: NewDocs) -> dict[str, bool]:
    """Write the files of a project about ``docs`` into ``folder``, which is created if needed.

    Return the path of each file, and whether it was written. A second run with the same values
    writes nothing. Raises ConfigError, without writing, if a file exists with other content; raises
    UpstreamError if the docs do not exist.
    """
    files = skeleton(folder, docs)
    _validate(files)
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
    return {name: name in missing for name in files}


def skeleton(folder: Path, docs: NewDocs) -> dict[str, bytes]:
    """Return the files of a project by path. Raises ConfigError for an invalid package pin."""
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
    """Return the values of the templates' placeholders, as TOML where needed."""
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
    """Return the lines about the version: of the package if there is one, otherwise of the ref."""
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
    """Return the line with the URL for attributions, which is known for docs on GitHub."""
    repository = repository_on_github(docs.url)
    if not repository:
        return '# page-url = "https://example.org/{commit}/{path}" # what attributions link to'
    folder = "" if docs.docs.root == ALL else f"{docs.docs.root}/"
    url = f"https://github.com/{repository}/blob/{{commit}}/{folder}{{path}}"
    return f"page-url = {_toml(url)} # what attributions link to"


def _toml_folders(docs: Folders) -> str:
    """Return the folders as TOML: a string for one, a list for several."""
    names = list(map(_toml, docs.names))
    return f"[{', '.join(names)}]" if docs.has_several else names[0]


def _toml(text: str) -> str:
    """Return the text as TOML string: https://toml.io/en/v1.0.0#string."""
    # The escapes of JSON are the same, except for DEL.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _validate(files: dict[str, bytes]) -> None:
    """Parse the configuration as every run does. Raises ConfigError for invalid values."""
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
    """Write all ``files``; if one fails, remove the others. Raises WriteError."""
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


# What is asked, by the option that tells it; and the answer to an empty line.
_QUESTIONS = {
    "--url": "the URL of the repository with the English docs",
    "--docs": "the folder of the docs in it",
    "--name": "a short name for them: letters, digits, - and _",
    "--from": "the repository of the pipeline, as OWNER/NAME@REF",
}
_DEFAULTS = {"--docs": "."}


def complete(
    *,
    name: str | None = None,
    url: str | None = None,
    docs: tuple[str, ...] = (),
    source: str | None = None,
    **others: str,
) -> NewDocs:
    """Return the description of the project, and ask for missing values.

    ``source`` is the pipeline as ``owner/name@ref``; ``others`` are further fields of the record.
    Raises ConfigError for a missing value without a terminal.
    """
    # A user who gives --url without --docs means the whole repository.
    folders = docs or ((_DEFAULTS["--docs"],) if url else ())
    url = url or _ask("--url")
    return NewDocs(
        url=url,
        docs=_folders(folders or (_ask("--docs"),)),
        name=name or _ask("--name"),
        origin=_origin(source),
        **others,
    )


def _folders(names: tuple[str, ...]) -> Folders:
    """Return the docs folders. Raises ConfigError for invalid ones."""
    fault = fault_in(names)
    if fault is not None:
        raise ConfigError(f"--docs cannot be used: {fault.what}", hint=fault.hint)
    return Folders(names)


def _origin(source: str | None) -> Origin:
    """Return where the new project installs the pipeline from; by default as this one was."""
    found = None if source else origin()
    if found is not None:
        return found
    source = source or _ask("--from")
    match = _FROM.fullmatch(source)
    if match is None:
        raise ConfigError(
            f"{source!r} is no state of a repository on GitHub",
            hint="Write it as OWNER/NAME@REF, where REF is a tag, a branch or a commit.",
        )
    return Origin(repository=match[1], ref=match[2])


def _ask(option: str) -> str:
    """Ask on the terminal and return the answer. Raises ConfigError if there is none."""
    question, default = _QUESTIONS[option], _DEFAULTS.get(option, "")
    answer = ""
    if sys.stdin.isatty():
        shown = f" [{default}]" if default else ""
        answer = ask(f"{question[0].upper()}{question[1:]}{shown}: ") or default
    if not answer:
        raise ConfigError(
            f"init needs to know {question}", hint=f"Give it with {option}."
        )
    return answer
