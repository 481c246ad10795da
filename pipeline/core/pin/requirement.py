"""The pin in ``pyproject.toml``: an upstream ref and the version of its package.

The version is in the package's dependency group. The ref refers to it as ``{version}``, so usually
one edit moves both. The invariant: moving the pin changes nothing else in the file, not even a
space. The newest release to move to is a final one whose package can be installed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

from pipeline.errors import ConfigError
from pipeline.naming import exact_pin, group_of

PLACEHOLDER = "{version}"
USUAL_REF = "v{version}"  # tags of most packages
_RELEASE_REFS = {"JAX": "jax-v{version}"}  # tags of packages with another convention
_VERSION = r"\d+(?:\.\d+)+(?:(?:a|b|rc)\d+)?(?:\.post\d+)?(?:\.dev\d+)?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """An upstream ref as configured, and the version of the package.

    ``{version}`` in the ref stands for the version.
    """

    template: str
    version: str  # empty if none is pinned
    package: str

    @property
    def ref(self) -> str:
        """Return the tag, branch or commit: ``jax-v{version}`` at 0.10.2 is ``jax-v0.10.2``."""
        return self.template.replace(PLACEHOLDER, self.version)

    @property
    def release_template(self) -> str:
        """Return the template of release tags: the pinned one, or the usual one."""
        return self.template if PLACEHOLDER in self.template else self.usual_template

    @property
    def usual_template(self) -> str:
        """Return the template of the package's own release tags."""
        return _RELEASE_REFS.get(self.package, USUAL_REF)


def read_pin(text: str, *, upstream: str, version: str, package: str) -> Pin:
    """Return the pin in ``text``, the content of ``pyproject.toml``.

    ``version`` is the configured version, or empty. The ref is empty for a folder.
    """
    table = tomllib.loads(text)["tool"]["pipeline"]["upstreams"][upstream]
    return Pin(template=table.get("ref", ""), version=version, package=package)


def pinned_names(text: str, package: str) -> tuple[str, ...]:
    """Return the distributions that the group of ``package`` pins together, in order."""
    name = group_of(package)
    if not name:
        return ()
    group = tomllib.loads(text)["dependency-groups"][name]
    pins = map(exact_pin, map(str, group))
    names = [group_of(pin[0]) for pin in pins if pin]
    return tuple(found for found in names if found.startswith(name))


def choose_pin(word: str, *, package_version: str | None, now: Pin) -> Pin:
    """Return the pin that ``word`` requests: a version, the ref of a release, or another ref.

    ``package_version`` gives the version for another ref. Raises ConfigError if the version is
    unknown, or if a release has another version than ``package_version``.
    """
    if package_version is not None and not re.fullmatch(_VERSION, package_version):
        raise ConfigError(
            f"{package_version!r} is not a {now.package or 'known'} version",
            hint="Write it as on PyPI, for example: --package-version 1.2.3",
        )
    template = now.release_template
    usual = now.usual_template
    version = _version_in(word, template) or _version_in(word, usual)
    if not now.package:
        # No version is pinned: "1.2" is the release with the usual tag.
        ref = template.replace(PLACEHOLDER, version) if version == word else word
        return _literal(ref, "", package="")
    if version is None:
        return _literal(word, package_version, package=now.package)
    if package_version is not None and package_version != version:
        package = now.package
        hint = (
            "Leave --package-version away, "
            f"or name the docs by their commit to pin them apart from {package}."
        )
        raise ConfigError(
            f"{word!r} is the docs of {package} {version}, "
            f"but --package-version says {package_version}",
            hint=hint,
        )
    # "0.10.2" uses the template of the pin. "jax-v0.10.2" is taken literally, even if the pin has
    # another template.
    if word not in (version, template.replace(PLACEHOLDER, version)):
        template = usual
    return Pin(template=template, version=version, package=now.package)


def move_pin(text: str, pin: Pin, *, upstream: str, where: str) -> str:
    """Return ``text`` with ``pin`` in place of the old one and everything else unchanged.

    If the release was shown beside the pin, it is taken out of that list.

    Raises ConfigError, naming ``where``, if the layout of the text makes that unsafe.
    """
    hint = "Edit it by hand: "
    if pin.package:
        name = group_of(pin.package)
        hint += f"{name}=={pin.version}, and what begins with {name}, in the dependency group, "
    hint += f'ref = "{pin.template}" for {upstream}; then sync.'

    def edit(document: Any, string: _Quoted) -> None:
        """Put the pin into a parsed file."""
        _edit(document, pin, upstream, string=string)

    return _edited(text, edit, where=where, hint=hint)


def add_beside(text: str, release: str, *, upstream: str, where: str) -> str:
    """Return ``text`` with a release beside the pin of ``upstream``.

    Raises ConfigError, naming ``where``, if the layout of the text makes that unsafe.
    """

    def edit(document: Any, string: _Quoted) -> None:
        """Add the release to a parsed file."""
        table = document["tool"]["pipeline"]["upstreams"][upstream]
        table["beside"] = [*table.get("beside", []), release]

    hint = f'Edit it by hand: beside = ["{release}"] for {upstream}; then sync.'
    return _edited(text, edit, where=where, hint=hint)


# Returns a string of a parsed file, given the old one and its new content.
_Quoted = Callable[[Any, str], Any]


def _edited(
    text: str, edit: Callable[[Any, _Quoted], None], *, where: str, hint: str
) -> str:
    """Return ``text`` after ``edit``, with everything else unchanged.

    Raises ConfigError with ``hint``, naming ``where``, if the layout makes that unsafe.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    def quoted(old: Any, new: str) -> Any:
        """Return a tomlkit string; an unchanged one keeps its kind of quotation marks."""
        return old if old == new else tomlkit.string(new)

    unsafe = ConfigError(
        "is laid out so that the pin cannot be moved safely", where=where, hint=hint
    )
    try:
        document = tomlkit.parse(text)
        edit(document, quoted)
        edited = tomlkit.dumps(document)
        edited_table = tomllib.loads(edited)
    except (
        TOMLKitError,
        tomllib.TOMLDecodeError,
        KeyError,
        TypeError,
        AttributeError,
    ) as error:
        raise unsafe from error
    # tomlkit loses data in some layouts. The same edit is therefore made in plain dictionaries, and
    # the results are compared.
    expected_table = tomllib.loads(text)
    edit(expected_table, lambda old, new: new)
    if edited_table != expected_table:
        raise unsafe
    return edited


def _version_in(word: str, template: str) -> str | None:
    """Return the version in ``word``: the whole word, or its part in ``template``.

    ``0.10.2`` → ``0.10.2``, ``jax-v0.10.2`` → ``0.10.2``, ``main`` → None.
    """
    before, _, after = template.partition(PLACEHOLDER)
    in_template = rf"{re.escape(before)}({_VERSION}){re.escape(after)}"
    match = re.fullmatch(in_template, word) or re.fullmatch(f"({_VERSION})", word)
    return match[1] if match else None


def _literal(word: str, package_version: str | None, *, package: str) -> Pin:
    """Return the pin of a ref that is no release: a branch or a commit.

    Only ``package_version`` can supply its version. Raises ConfigError.
    """
    if not word or "{" in word or word.startswith("-"):
        raise ConfigError(
            f"{word!r} is not a ref",
            hint="Give a release, for example: upgrade v1.2.3",
        )
    if package_version is None:
        hint = (
            f"Say which {package} its code is to run on: --package-version VERSION."
            " A release (v1.2.3, or 1.2.3) says so itself."
        )
        raise ConfigError(
            f"the ref {word!r} does not tell a {package} version", hint=hint
        )
    return Pin(template=word, version=package_version, package=package)


def _edit(document: Any, pin: Pin, upstream: str, *, string: _Quoted) -> None:
    """Put ``pin`` into a parsed ``pyproject.toml``: plain dictionaries or tomlkit's.

    Raises KeyError.
    """
    # Without a package, only the ref has to be moved.
    name = group_of(pin.package)
    group = document["dependency-groups"][name] if name else []
    for index, item in enumerate(group):
        # Other items of the group have no exact version, or are tables.
        pinned = exact_pin(str(item))
        if pinned and group_of(pinned[0]).startswith(name):
            group[index] = string(item, f"{pinned[0]}=={pin.version}")
    table = document["tool"]["pipeline"]["upstreams"][upstream]
    table["ref"] = string(table.get("ref", ""), pin.template)
    # The pinned release is no longer one beside the pin.
    beside = table.get("beside", [])
    if pin.version in beside:
        beside.remove(pin.version)
        if not beside:
            del table["beside"]


LATEST = "latest"  # the argument of `upgrade` for the newest release
# No alpha, beta, release candidate or development version.
_FINAL = re.compile(r"(\d+(?:\.\d+)+)(?:\.post(\d+))?")

# Sort key of final versions: the numbers, and the post-release number.
_Order = tuple[tuple[int, ...], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Newest:
    """The version to move to, and newer releases that cannot be installed yet, newest first."""

    version: str
    waiting: tuple[str, ...] = ()


def newest_release(
    tags: Iterable[str],
    installable: Collection[str] | None,
    *,
    version: str,
    template: str,
) -> Newest:
    """Return the newest release among ``tags`` whose package is ``installable``.

    If ``installable`` is None, every release is. The result is never older than ``version``, the
    pinned one. ``template`` is the format of release tags, with ``{version}`` in it. Pre-releases
    and other tags are ignored.
    """
    pinned = _order(version)
    orders: dict[str, _Order] = {}
    for tagged in _versions(tags, template):
        order = _order(tagged)
        # A pinned development version sorts below any release.
        if order and (pinned is None or order > pinned):
            orders[tagged] = order
    waiting: list[str] = []
    for found in sorted(orders, key=lambda found: orders[found], reverse=True):
        if installable is None or found in installable:
            return Newest(version=found, waiting=tuple(waiting))
        waiting.append(found)
    return Newest(version=version, waiting=tuple(waiting))


def _versions(tags: Iterable[str], template: str) -> list[str]:
    """Return the versions in ``tags``: "jax-v0.10.2" → "0.10.2"."""
    before, _, after = template.partition(PLACEHOLDER)
    release = re.compile(f"{re.escape(before)}(.+){re.escape(after)}")
    matches = map(release.fullmatch, tags)
    return [match[1] for match in matches if match]


def _order(version: str) -> _Order | None:
    """Return the sort key of a final version, as pip sorts it; None for other texts.

    ``1.0`` and ``1.0.0`` are equal: ``((1,), -1)``. ``0.10.2.post1`` gives ``((0, 10, 2), 1)``, and
    ``0.10.2rc1`` None.
    """
    match = _FINAL.fullmatch(version)
    if not match:
        return None
    numbers = [int(number) for number in match[1].split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    post = int(match[2]) if match[2] else -1  # 1.0 sorts below 1.0.post0
    return tuple(numbers), post
