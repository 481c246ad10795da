"""The pin in ``pyproject.toml``: which upstream ref and which JAX version are meant.

The version stands in the dependency group ``jax``. An upstream's ref refers to it as ``{jax}``, so
that in the common case moving the one moves the other. Moving the pin changes nothing else in the
file, not even a space.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pipeline.errors import ConfigError

RELEASE_REF = "jax-v{jax}"  # how JAX names its releases
_VERSION = r"\d+(?:\.\d+)+(?:(?:a|b|rc)\d+)?(?:\.post\d+)?(?:\.dev\d+)?"
_PIN = re.compile(r"(jax|jaxlib)==[\w.]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """An upstream ref as the configuration writes it, and the JAX version.

    In the ref ``{jax}`` stands for the version.
    """

    template: str
    jax: str

    @property
    def ref(self) -> str:
        """The tag, branch or commit: ``jax-v{jax}`` of 0.10.2 is ``jax-v0.10.2``."""
        return self.template.replace("{jax}", self.jax)

    @property
    def release_template(self) -> str:
        """How the tags of releases are written: as the pinned one is, or as JAX does."""
        return self.template if "{jax}" in self.template else RELEASE_REF


def read_pin(text: str, *, upstream: str, jax: str) -> Pin:
    """The pin in force in ``text``, the ``pyproject.toml`` that the configuration was read from.

    ``jax`` is the version that the configuration says. A folder as upstream has no ref.
    """
    table = tomllib.loads(text)["tool"]["pipeline"]["upstreams"][upstream]
    return Pin(template=table.get("ref", ""), jax=jax)


def choose_pin(word: str, *, told: str | None, now: Pin) -> Pin:
    """The pin that ``word`` asks for.

    It is a JAX version, the ref of a release, or any ref with its version ``told``.

    Raises ConfigError for a ref that says nothing about the JAX version, or another one than was
    told.
    """
    if told is not None and not re.fullmatch(_VERSION, told):
        raise ConfigError(
            f"{told!r} is not a JAX version",
            hint="Write it as on PyPI, for example: --jax 0.10.2",
        )
    template = now.release_template
    version = _version_in(word, template) or _version_in(word, RELEASE_REF)
    if version is None:
        return _literal(word, told)
    if told is not None and told != version:
        hint = "Leave --jax away, or name the docs by their commit to pin them apart from JAX."
        raise ConfigError(
            f"{word!r} is the docs of JAX {version}, but --jax says {told}", hint=hint
        )
    # "0.10.2" follows the habit of the pin. "jax-v0.10.2" is taken by its word, even where the pin
    # names its releases in another way.
    if word not in (version, template.replace("{jax}", version)):
        template = RELEASE_REF
    return Pin(template=template, jax=version)


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
    """The version that ``word`` names: by itself, or in the place of ``{jax}`` in ``template``.

    ``0.10.2`` → ``0.10.2``, ``jax-v0.10.2`` → ``0.10.2``, ``main`` → None.
    """
    before, _, after = template.partition("{jax}")
    in_template = rf"{re.escape(before)}({_VERSION}){re.escape(after)}"
    match = re.fullmatch(in_template, word) or re.fullmatch(f"({_VERSION})", word)
    return match[1] if match else None


def _literal(word: str, told: str | None) -> Pin:
    """The pin of a ref that is no release: a branch, or a commit.

    It needs the version ``told``, as nothing else says one. Raises ConfigError.
    """
    if not word or "{" in word or word.startswith("-"):
        raise ConfigError(
            f"{word!r} is not a ref",
            hint="Give a release, for example: upgrade jax-v0.10.2",
        )
    if told is None:
        hint = (
            "Say which JAX its code is to run on: --jax VERSION."
            " A release (jax-v0.10.2, or 0.10.2) says so itself."
        )
        raise ConfigError(f"the ref {word!r} does not tell a JAX version", hint=hint)
    return Pin(template=word, jax=told)


def _edit(
    document: Any, pin: Pin, upstream: str, *, string: Callable[[Any, str], Any]
) -> None:
    """Put ``pin`` into a parsed ``pyproject.toml``: plain dictionaries or tomlkit's.

    Raises KeyError.
    """
    group = document["dependency-groups"]["jax"]
    for index, item in enumerate(group):
        match = _PIN.fullmatch(
            str(item)
        )  # others of the group have no exact version, or are tables
        if match:
            group[index] = string(item, f"{match[1]}=={pin.jax}")
    table = document["tool"]["pipeline"]["upstreams"][upstream]
    table["ref"] = string(table.get("ref", ""), pin.template)


def _odd_layout(pin: Pin, upstream: str, where: str) -> ConfigError:
    """The complaint that a person has to move the pin, and to what."""
    hint = (
        f"Edit it by hand: jax=={pin.jax} and jaxlib=={pin.jax} in the dependency group,"
        f' ref = "{pin.template}" for {upstream}; then sync.'
    )
    return ConfigError(
        "is laid out so that the pin cannot be moved safely", where=where, hint=hint
    )
