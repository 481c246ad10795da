"""The pin in ``pyproject.toml``: which upstream ref and which version of its package are meant.

The version stands in the dependency group of the package. An upstream's ref refers to it as
``{version}``, so that in the common case moving the one moves the other. Moving the pin changes
nothing else in the file, not even a space. The newest release to move to is a final one whose
package can be installed.
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
USUAL_REF = "v{version}"  # how most packages name their releases
_RELEASE_REFS = {"JAX": "jax-v{version}"}  # and how others do
_VERSION = r"\d+(?:\.\d+)+(?:(?:a|b|rc)\d+)?(?:\.post\d+)?(?:\.dev\d+)?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """An upstream ref as the configuration writes it, and the version of the package.

    In the ref ``{version}`` stands for the version.
    """

    template: str
    version: str  # empty if none is pinned
    package: str

    @property
    def ref(self) -> str:
        """The tag, branch or commit: ``jax-v{version}`` of 0.10.2 is ``jax-v0.10.2``."""
        return self.template.replace(PLACEHOLDER, self.version)

    @property
    def release_template(self) -> str:
        """How the tags of releases are written: as the pinned one is, or as is usual."""
        return self.template if PLACEHOLDER in self.template else self.usual_template

    @property
    def usual_template(self) -> str:
        """How the package names its releases by itself."""
        return _RELEASE_REFS.get(self.package, USUAL_REF)


def read_pin(text: str, *, upstream: str, version: str, package: str) -> Pin:
    """The pin in force in ``text``, the ``pyproject.toml`` that the configuration was read from.

    ``version`` is the one that the configuration says, perhaps none. A folder has no ref.
    """
    table = tomllib.loads(text)["tool"]["pipeline"]["upstreams"][upstream]
    return Pin(template=table.get("ref", ""), version=version, package=package)


def pinned_names(text: str, package: str) -> tuple[str, ...]:
    """The distributions that the group of ``package`` pins together, in its order; perhaps none."""
    name = group_of(package)
    if not name:
        return ()
    group = tomllib.loads(text)["dependency-groups"][name]
    pins = map(exact_pin, map(str, group))
    names = [group_of(pin[0]) for pin in pins if pin]
    return tuple(found for found in names if found.startswith(name))


def choose_pin(word: str, *, told: str | None, now: Pin) -> Pin:
    """The pin that ``word`` asks for.

    It is a version, the ref of a release, or any ref with its version ``told``.

    Raises ConfigError for a ref that says nothing about the version, or another one than was told.
    """
    if told is not None and not re.fullmatch(_VERSION, told):
        raise ConfigError(
            f"{told!r} is not a {now.package or 'known'} version",
            hint="Write it as on PyPI, for example: --package-version 1.2.3",
        )
    template = now.release_template
    usual = now.usual_template
    version = _version_in(word, template) or _version_in(word, usual)
    if not now.package:
        # No version is pinned: "1.2" is the release with the tag that is usual.
        ref = template.replace(PLACEHOLDER, version) if version == word else word
        return _literal(ref, "", package="")
    if version is None:
        return _literal(word, told, package=now.package)
    if told is not None and told != version:
        package = now.package
        hint = (
            "Leave --package-version away, "
            f"or name the docs by their commit to pin them apart from {package}."
        )
        raise ConfigError(
            f"{word!r} is the docs of {package} {version}, but --package-version says {told}",
            hint=hint,
        )
    # "0.10.2" follows the habit of the pin. "jax-v0.10.2" is taken by its word, even where the pin
    # names its releases in another way.
    if word not in (version, template.replace(PLACEHOLDER, version)):
        template = usual
    return Pin(template=template, version=version, package=now.package)


def move_pin(text: str, pin: Pin, *, upstream: str, where: str) -> str:
    """``text`` with ``pin`` in place of the old one; comments, layout and everything else stay.

    Raises ConfigError, naming ``where``, if the text is laid out so that this cannot be done
    safely.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    def quoted(old: Any, new: str) -> Any:
        """A string as tomlkit writes it; an equal one keeps its own kind of quotation marks."""
        return old if old == new else tomlkit.string(new)

    try:
        document = tomlkit.parse(text)
        _edit(document, pin, upstream, string=quoted)
        moved = tomlkit.dumps(document)
        moved_table = tomllib.loads(moved)
    except (
        TOMLKitError,
        tomllib.TOMLDecodeError,
        KeyError,
        TypeError,
        AttributeError,
    ) as error:
        raise _odd_layout(pin, upstream, where) from error
    # tomlkit loses things in some layouts. So the same edit is made in plain dictionaries, and
    # compared.
    expected_table = tomllib.loads(text)
    _edit(expected_table, pin, upstream, string=lambda old, new: new)
    if moved_table != expected_table:
        raise _odd_layout(pin, upstream, where)
    return moved


def _version_in(word: str, template: str) -> str | None:
    """The version that ``word`` names: by itself, or in its place in ``template``.

    ``0.10.2`` → ``0.10.2``, ``jax-v0.10.2`` → ``0.10.2``, ``main`` → None.
    """
    before, _, after = template.partition(PLACEHOLDER)
    in_template = rf"{re.escape(before)}({_VERSION}){re.escape(after)}"
    match = re.fullmatch(in_template, word) or re.fullmatch(f"({_VERSION})", word)
    return match[1] if match else None


def _literal(word: str, told: str | None, *, package: str) -> Pin:
    """The pin of a ref that is no release: a branch, or a commit.

    It needs the version ``told``, as nothing else says one. Raises ConfigError.
    """
    if not word or "{" in word or word.startswith("-"):
        raise ConfigError(
            f"{word!r} is not a ref",
            hint="Give a release, for example: upgrade v1.2.3",
        )
    if told is None:
        hint = (
            f"Say which {package} its code is to run on: --package-version VERSION."
            " A release (v1.2.3, or 1.2.3) says so itself."
        )
        raise ConfigError(
            f"the ref {word!r} does not tell a {package} version", hint=hint
        )
    return Pin(template=word, version=told, package=package)


def _edit(
    document: Any, pin: Pin, upstream: str, *, string: Callable[[Any, str], Any]
) -> None:
    """Put ``pin`` into a parsed ``pyproject.toml``: plain dictionaries or tomlkit's.

    Raises KeyError.
    """
    # Without a package there is nothing but the ref to move.
    name = group_of(pin.package)
    group = document["dependency-groups"][name] if name else []
    for index, item in enumerate(group):
        # Others of the group have no exact version, or are tables.
        pinned = exact_pin(str(item))
        if pinned and group_of(pinned[0]).startswith(name):
            group[index] = string(item, f"{pinned[0]}=={pin.version}")
    table = document["tool"]["pipeline"]["upstreams"][upstream]
    table["ref"] = string(table.get("ref", ""), pin.template)


def _odd_layout(pin: Pin, upstream: str, where: str) -> ConfigError:
    """The complaint that a person has to move the pin, and to what."""
    versions = ""
    if pin.package:
        name = group_of(pin.package)
        versions = f"{name}=={pin.version}, and what begins with {name}, in the dependency group, "
    hint = (
        f'Edit it by hand: {versions}ref = "{pin.template}" for {upstream}; then sync.'
    )
    return ConfigError(
        "is laid out so that the pin cannot be moved safely", where=where, hint=hint
    )


LATEST = "latest"  # what `upgrade` takes in place of a release: the newest one
# No alpha, beta, release candidate or development version.
_FINAL = re.compile(r"(\d+(?:\.\d+)+)(?:\.post(\d+))?")

# What final versions are sorted by: the numbers, and that of the post-release.
_Order = tuple[tuple[int, ...], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Newest:
    """The version to move to, and the releases above it that cannot be installed yet.

    Those come newest first.
    """

    version: str
    waiting: tuple[str, ...] = ()


def newest_release(
    tags: Iterable[str],
    installable: Collection[str] | None,
    *,
    version: str,
    template: str,
) -> Newest:
    """The newest release among ``tags`` whose package is ``installable``.

    Without an ``installable`` every one is. It is never one below ``version``, the version that is
    pinned. ``template`` says how releases are tagged, with ``{version}`` in it.
    Pre-releases and other tags do not count.
    """
    pinned = _order(version)
    orders: dict[str, _Order] = {}
    for tagged in _versions(tags, template):
        order = _order(tagged)
        # A development version that is pinned is below any release.
        if order and (pinned is None or order > pinned):
            orders[tagged] = order
    waiting: list[str] = []
    for found in sorted(orders, key=lambda found: orders[found], reverse=True):
        if installable is None or found in installable:
            return Newest(version=found, waiting=tuple(waiting))
        waiting.append(found)
    return Newest(version=version, waiting=tuple(waiting))


def _versions(tags: Iterable[str], template: str) -> list[str]:
    """The versions that ``tags`` name: "jax-v0.10.2" → "0.10.2"."""
    before, _, after = template.partition(PLACEHOLDER)
    release = re.compile(f"{re.escape(before)}(.+){re.escape(after)}")
    matches = map(release.fullmatch, tags)
    return [match[1] for match in matches if match]


def _order(version: str) -> _Order | None:
    """What a final version is sorted by, as pip sorts it; None for other texts.

    ``1.0`` and ``1.0.0`` are one version: ``((1,), -1)``. ``0.10.2.post1`` is
    ``((0, 10, 2), 1)``, and ``0.10.2rc1`` none.
    """
    match = _FINAL.fullmatch(version)
    if not match:
        return None
    numbers = [int(number) for number in match[1].split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    post = int(match[2]) if match[2] else -1  # 1.0 is below 1.0.post0
    return tuple(numbers), post
