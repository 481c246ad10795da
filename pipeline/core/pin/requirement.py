"""The pin in ``pyproject.toml``: an upstream ref, and the version of the package.

The version is in a dependency group with the name of the package: ``jax==0.10.2``. The ref may
contain the version as ``{version}``: ``jax-v{version}``. ``move_pin`` changes the ref and the
version, and nothing else in the file, not even a space. ``newest_release`` returns the newest final
release whose package can be installed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import Any

from msgspec import Struct

from pipeline.errors import ConfigError
from pipeline.naming import exact_pin, group_of

PLACEHOLDER = "{version}"
USUAL_REF = "v{version}"  # release tags of most packages
_RELEASE_REFS = {"JAX": "jax-v{version}"}  # release tags of other packages
_VERSION = r"\d+(?:\.\d+)+(?:(?:a|b|rc)\d+)?(?:\.post\d+)?(?:\.dev\d+)?"


class Pin(Struct, frozen=True, kw_only=True):
    """An upstream ref, and the version of the package."""

    template: str  # the configured ref: "jax-v{version}", "main", or "" for a folder
    version: str  # "" if none is pinned
    package: str  # display name: "JAX"

    @property
    def ref(self) -> str:
        """Return the tag, branch or commit: ``jax-v{version}`` at 0.10.2 is ``jax-v0.10.2``."""
        return self.template.replace(PLACEHOLDER, self.version)

    @property
    def release_template(self) -> str:
        """Return the template of release tags: the pinned ref, or the usual one.

        The pinned ref is a template if it contains ``{version}``.
        """
        return self.template if PLACEHOLDER in self.template else self.usual_template

    @property
    def usual_template(self) -> str:
        """Return the template of the package's own release tags."""
        return _RELEASE_REFS.get(self.package, USUAL_REF)


def read_pin(text: str, *, upstream: str, version: str, package: str) -> Pin:
    """Return the pin in ``text``, the content of ``pyproject.toml``.

    ``upstream`` is the name of the upstream; ``version`` is the configured version, or "".
    """
    table = tomllib.loads(text)["tool"]["pipeline"]["upstreams"][upstream]
    return Pin(template=table.get("ref", ""), version=version, package=package)


def pinned_names(text: str, package: str) -> tuple[str, ...]:
    """Return the distributions that are pinned to the version of ``package``: ``jax``, ``jaxlib``.

    The dependency group of the package lists these distributions, and their names begin with the
    name of the package.
    """
    name = group_of(package)
    if not name:
        return ()
    group = tomllib.loads(text)["dependency-groups"][name]
    pins = map(exact_pin, map(str, group))
    names = [group_of(pin[0]) for pin in pins if pin]
    return tuple(found for found in names if found.startswith(name))


def choose_pin(word: str, *, package_version: str | None, now: Pin) -> Pin:
    """Return the pin for ``word``, the argument of ``upgrade``.

    ``word`` is a version (``0.10.2``), the tag of a release, or another ref. Another ref needs
    ``package_version``. ``now`` is the current pin. Raises ConfigError if the version is unknown,
    or if ``package_version`` contradicts the release.
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
        # Without a package, "1.2" is the release with that tag, and no version is pinned.
        ref = template.replace(PLACEHOLDER, version) if version == word else word
        return _literal(ref, "", package="")
    if version is None:
        return _literal(word, package_version, package=now.package)
    if package_version is not None and package_version != version:
        package = now.package
        hint = (
            "Leave out --package-version, "
            f"or give the commit of the docs, which works with any version of {package}."
        )
        raise ConfigError(
            f"{word!r} is the docs of {package} {version}, "
            f"but --package-version says {package_version}",
            hint=hint,
        )
    # Keep the template of the pin for "0.10.2", and for a tag that fits this template. Otherwise
    # ``word`` is a tag that fits the usual template.
    if word not in (version, template.replace(PLACEHOLDER, version)):
        template = usual
    return Pin(template=template, version=version, package=now.package)


def move_pin(text: str, pin: Pin, *, upstream: str, where: str) -> str:
    """Return ``text``, the content of ``pyproject.toml``, with ``pin`` instead of the old pin.

    If the list ``beside`` (releases that are shown beside the pin) contains the release, remove the
    release from the list. Raises ConfigError that names ``where`` if the layout of the text makes
    the edit unsafe.
    """
    hint = "Edit it by hand: "
    if pin.package:
        name = group_of(pin.package)
        hint += (
            f"{name}=={pin.version} in the dependency group, with the same version for all "
            f"packages whose names begin with {name}, "
        )
    hint += f'ref = "{pin.template}" for {upstream}; then sync.'

    edit = partial(_edit, pin=pin, upstream=upstream)
    return _edited(text, edit, where=where, hint=hint)


def add_beside(text: str, release: str, *, upstream: str, where: str) -> str:
    """Return ``text`` with ``release`` added to the list ``beside`` of ``upstream``.

    Raises ConfigError that names ``where`` if the layout of the text makes the edit unsafe.
    """

    def edit(document: Any) -> None:
        """Add the release to a parsed file."""
        table = document["tool"]["pipeline"]["upstreams"][upstream]
        table["beside"] = [*table.get("beside", []), release]

    hint = f'Edit it by hand: beside = ["{release}"] for {upstream}; then sync.'
    return _edited(text, edit, where=where, hint=hint)


def _edited(text: str, edit: Callable[[Any], None], *, where: str, hint: str) -> str:
    """Return the TOML ``text`` after ``edit``, with everything else unchanged.

    Raises ConfigError with ``hint`` if that is impossible in the layout of the text.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    unsafe = ConfigError(
        "has a layout in which the pin cannot be changed safely", where=where, hint=hint
    )
    try:
        document = tomlkit.parse(text)
        edit(document)
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
    # tomlkit loses data in some layouts. So make the same edit in plain dictionaries, and compare
    # the results.
    expected_table = tomllib.loads(text)
    edit(expected_table)
    if edited_table != expected_table:
        raise unsafe
    return edited


def _version_in(word: str, template: str) -> str | None:
    """Return the version in ``word``, which is a version or a ref in the form of ``template``.

    ``0.10.2`` → ``0.10.2``, ``jax-v0.10.2`` → ``0.10.2``, ``main`` → None.
    """
    return _version_of(word, template) or _version_of(word, PLACEHOLDER)


def _version_of(ref: str, template: str) -> str | None:
    """Return the version in a ref in the form of ``template``: ``jax-v0.10.2`` → ``0.10.2``."""
    before, _, after = template.partition(PLACEHOLDER)
    match = re.fullmatch(f"{re.escape(before)}({_VERSION}){re.escape(after)}", ref)
    return match[1] if match else None


def _literal(word: str, package_version: str | None, *, package: str) -> Pin:
    """Return the pin of a ref that is not a release, such as a branch or a commit.

    Raises ConfigError for an invalid ref, and if ``package_version`` is None.
    """
    if not word or "{" in word or word.startswith("-"):
        raise ConfigError(
            f"{word!r} is not a ref",
            hint="Give a release, for example: upgrade v1.2.3",
        )
    if package_version is None:
        hint = (
            f"Name the {package} that its code runs on: --package-version VERSION."
            " A release (v1.2.3 or 1.2.3) does not need this option."
        )
        raise ConfigError(f"the ref {word!r} does not name a {package} version", hint=hint)
    return Pin(template=word, version=package_version, package=package)


def _edit(document: Any, pin: Pin, upstream: str) -> None:
    """Put ``pin`` into a parsed ``pyproject.toml``: plain dictionaries, or a document of tomlkit.

    Raises KeyError if the file lacks the dependency group or the upstream.
    """
    # Without a package, only the ref changes.
    name = group_of(pin.package)
    group = document["dependency-groups"][name] if name else []
    for index, item in enumerate(group):
        # Skip items without an exact version, and tables.
        pinned = exact_pin(str(item))
        if not pinned or not group_of(pinned[0]).startswith(name):
            continue
        # An unchanged string keeps its quotation marks.
        if item != f"{pinned[0]}=={pin.version}":
            group[index] = f"{pinned[0]}=={pin.version}"
    table = document["tool"]["pipeline"]["upstreams"][upstream]
    if table.get("ref") != pin.template:
        table["ref"] = pin.template
    # The pinned release is not shown beside the pin any more.
    beside = table.get("beside", [])
    if pin.version in beside:
        beside.remove(pin.version)
        if not beside:
            del table["beside"]


LATEST = "latest"  # the argument of `upgrade` for the newest release
# A final version, or a post-release of one: no alpha, beta, release candidate or development
# version.
_FINAL = re.compile(r"(\d+(?:\.\d+)+)(?:\.post(\d+))?")

# Sort key of final versions: the numbers, and the number of the post-release.
_Order = tuple[tuple[int, ...], int]


class Newest(Struct, frozen=True, kw_only=True):
    """The newest release that can be installed."""

    version: str
    # Newer releases that cannot be installed yet, newest first.
    waiting: tuple[str, ...] = ()


def newest_release(
    tags: Iterable[str],
    installable: Collection[str] | None,
    *,
    version: str,
    template: str,
) -> Newest:
    """Return the newest release among ``tags`` whose version is ``installable``.

    If ``installable`` is None, every version can be installed. The result is never older than
    ``version``, the pinned one. ``template`` is the form of release tags: ``v{version}``.
    Pre-releases and other tags are ignored.
    """
    pinned = _order(version)
    orders: dict[str, _Order] = {}
    for tag in tags:
        tagged = _version_of(tag, template) or ""
        order = _order(tagged)
        # If the pinned version is not final, any release is newer.
        if order and (pinned is None or order > pinned):
            orders[tagged] = order
    waiting: list[str] = []
    for found in sorted(orders, key=lambda found: orders[found], reverse=True):
        if installable is None or found in installable:
            return Newest(version=found, waiting=tuple(waiting))
        waiting.append(found)
    return Newest(version=version, waiting=tuple(waiting))


def _order(version: str) -> _Order | None:
    """Return the sort key of a final version, as pip sorts it; None for other texts.

    ``1.0`` and ``1.0.0`` are equal: ``((1,), -1)``. ``0.10.2.post1`` gives ``((0, 10, 2), 1)``, and
    ``0.10.2rc1`` None.
    """
    match = _FINAL.fullmatch(version)
    if not match:
        return None
    numbers = list(map(int, match[1].split(".")))
    while numbers and numbers[-1] == 0:
        numbers.pop()
    post = int(match[2]) if match[2] else -1  # 1.0 comes before 1.0.post0
    return tuple(numbers), post
