"""core/pin/requirement: the pin in pyproject.toml, and the release to move it to."""

from __future__ import annotations

import platform
import sys
import tomllib
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from wheels import make_index

from pipeline.adapters.upstream.indexes import python_fault, released_versions
from pipeline.core.pin.requirement import (
    Newest,
    Pin,
    add_beside,
    choose_pin,
    move_pin,
    newest_release,
    pinned_names,
    read_pin,
)
from pipeline.errors import ConfigError, UpstreamError

RELEASE_REF = "jax-v{version}"
GROUPS = """
[dependency-groups]
flax = ["flax==1.2", "flax-tools==1.2", "numpy==2.0", "flaxen>=1"]
"""
NOW = Pin(template=RELEASE_REF, version="1.1.0", package="JAX")
CONFIG = """\
# The project.
[dependency-groups]
jax = [
    "jax==1.0.0",  # the one pin
    'jaxlib==1.0.0',
    "numpy",
]

[tool.pipeline]
locales = ["zh_CN"]

[tool.pipeline.upstreams.jax]
url = "origin"  # where from
ref = "jax-v{version}"
docs = "docs"

[tool.pipeline.upstreams.other]
url = "elsewhere"
"""


def test_distributions_of_a_package_are_pinned_together() -> None:
    assert pinned_names(GROUPS, "Flax") == ("flax", "flax-tools")
    # Docs of no package pin no distribution.
    assert pinned_names(GROUPS, "") == ()


@pytest.mark.parametrize("told", ["1.x", "latest", "1.2; rm", " "])
def test_a_version_that_is_none_is_refused(told: str) -> None:
    now = Pin(template="v{version}", version="1.1", package="Flax")
    with pytest.raises(ConfigError, match="is not a Flax version"):
        choose_pin("main", package_version=told, now=now)


def test_docs_whose_package_is_not_known_have_versions_all_the_same() -> None:
    now = Pin(template="v{version}", version="", package="")
    with pytest.raises(ConfigError, match="is not a known version"):
        choose_pin("main", package_version="x", now=now)
    for word in ("1.2", "v1.2"):
        assert choose_pin(word, package_version=None, now=now).ref == "v1.2"


@pytest.mark.parametrize(
    ("word", "told", "template", "expected"),
    [
        ("1.0.0", None, RELEASE_REF, (RELEASE_REF, "1.0.0")),
        ("jax-v1.0.0", None, RELEASE_REF, (RELEASE_REF, "1.0.0")),
        ("jax-v1.0.0", "1.0.0", RELEASE_REF, (RELEASE_REF, "1.0.0")),
        ("0.4.1.post1", None, RELEASE_REF, (RELEASE_REF, "0.4.1.post1")),
        ("1.2.0rc1", None, RELEASE_REF, (RELEASE_REF, "1.2.0rc1")),
        ("main", "1.1.0", RELEASE_REF, ("main", "1.1.0")),
        ("a" * 40, "1.1.0", RELEASE_REF, ("a" * 40, "1.1.0")),
        ("1.0.0", None, "main", (RELEASE_REF, "1.0.0")),
        ("1.0.0", None, "v{version}", ("v{version}", "1.0.0")),
        ("v1.0.0", None, "v{version}", ("v{version}", "1.0.0")),
        ("jax-v1.0.0", None, "v{version}", (RELEASE_REF, "1.0.0")),
    ],
)
def test_a_word_and_a_version_give_a_pin(
    word: str, told: str | None, template: str, expected: tuple[str, str]
) -> None:
    now = replace(NOW, template=template)
    pin = choose_pin(word, package_version=told, now=now)
    assert (pin.template, pin.version) == expected
    assert pin.ref in (word, f"jax-v{word}", f"v{word}")


@pytest.mark.parametrize(
    ("word", "told", "what"),
    [
        ("main", None, "the ref 'main' does not name a JAX version"),
        ("v1.0.0", None, "does not name a JAX version"),
        (
            "jax-v1.0.0",
            "1.0.1",
            "'jax-v1.0.0' is the docs of JAX 1.0.0, but --package-version says 1.0.1",
        ),
        ("1.0.0", "1.0", "but --package-version says 1.0"),
        ("main", "newest", "'newest' is not a JAX version"),
        ("main", "1", "'1' is not a JAX version"),
        ("", "1.0.0", "'' is not a ref"),
        ("--upload-pack=x", "1.0.0", "is not a ref"),
        ("a{version}", "1.0.0", "is not a ref"),
    ],
)
def test_a_guessed_pin_is_refused(word: str, told: str | None, what: str) -> None:
    with pytest.raises(ConfigError) as caught:
        choose_pin(word, package_version=told, now=NOW)
    assert what in caught.value.what
    assert caught.value.hint


def moved(pin: Pin, text: str = CONFIG, *, upstream: str = "jax") -> str:
    return move_pin(text, pin, upstream=upstream, where="pyproject.toml")


def test_moving_the_pin_changes_nothing_else() -> None:
    assert moved(NOW) == CONFIG.replace('"jax==1.0.0"', '"jax==1.1.0"').replace(
        "'jaxlib==1.0.0'", '"jaxlib==1.1.0"'
    )
    assert moved(replace(NOW, version="1.0.0")) == CONFIG


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_ref_without_a_version_replaces_the_template(end: str) -> None:
    text, pin = (
        CONFIG.replace("\n", end),
        replace(NOW, template="main", version="1.0.0"),
    )
    found = moved(pin, text)
    assert found == text.replace('ref = "jax-v{version}"', 'ref = "main"')
    assert read_pin(found, upstream="jax", version="1.0.0", package="JAX") == pin


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('beside = ["1.1.0"]\n', ""),
        ('beside = ["1.2.0", "1.1.0"] # new\n', 'beside = ["1.2.0"] # new\n'),
        ('beside = ["1.2.0"]\n', 'beside = ["1.2.0"]\n'),
    ],
)
def test_the_pinned_release_is_not_beside_the_pin(before: str, after: str) -> None:
    line = 'ref = "jax-v{version}"\n'
    found = moved(NOW, CONFIG.replace(line, line + before))
    assert found == moved(NOW).replace(line, line + after)


def test_an_upstream_without_a_ref_gets_one() -> None:
    found = moved(NOW, upstream="other")
    assert read_pin(found, upstream="other", version="1.1.0", package="JAX") == NOW
    assert read_pin(CONFIG, upstream="other", version="1.0.0", package="JAX").ref == ""


@pytest.mark.parametrize(
    "text",
    [
        (
            'dependency-groups.jax = ["jax==1.0.0", "jaxlib==1.0.0"]\n'
            'tool.pipeline.upstreams.jax = {url = "u", ref = "jax-v{version}"}\n'
        ),
        (
            '[tool.pipeline.upstreams.jax]\nurl = "u"\n[dependency-groups]\n'
            'jax = ["jaxlib==1.0.0", "x", "jax==1.0.0"]\n[tool.pipeline]\n'
        ),
    ],
    ids=["dotted and inline", "tables out of order"],
)
def test_the_pin_moves_in_odd_layouts_as_well(text: str) -> None:
    found = moved(replace(NOW, template="main", version="2.0.0"), text)
    data = tomllib.loads(found)
    assert {"jax==2.0.0", "jaxlib==2.0.0"} <= set(data["dependency-groups"]["jax"])
    assert data["tool"]["pipeline"]["upstreams"]["jax"]["ref"] == "main"


@pytest.mark.parametrize(
    "text",
    [
        CONFIG.replace("dependency-groups", "other-groups"),
        "jax = 1",
        "= broken",
        f"odd = nan\n{CONFIG}",
    ],
)
def test_a_text_that_cannot_be_edited_is_refused(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        moved(NOW, text)
    assert caught.value.where == "pyproject.toml"
    assert "jax==1.1.0" in caught.value.hint


def test_docs_of_no_package_have_a_ref_to_move_and_no_version() -> None:
    pin = Pin(template="v2", version="", package="")
    assert moved(pin) == CONFIG.replace('ref = "jax-v{version}"', 'ref = "v2"')
    with pytest.raises(ConfigError) as caught:
        moved(pin, "= broken")
    assert caught.value.hint == 'Edit it by hand: ref = "v2" for jax; then sync.'


newest = partial(newest_release, template="jax-v{version}")


def tags(*versions: str) -> list[str]:
    return [f"jax-v{version}" for version in versions]


@pytest.mark.parametrize(
    ("released", "pinned", "expected"),
    [
        ("1.0.0 1.1.0", "1.0.0", "1.1.0"),
        ("1.9.0 1.10.0", "1.0.0", "1.10.0"),  # numbers, not letters
        ("0.9.0", "1.0.0", "1.0.0"),  # never back
        ("1.0", "1.0.0", "1.0.0"),
        ("1.1.0rc1 1.1.0.dev3 1.1.0a0", "1.0.0", "1.0.0"),
        ("1.0.0.1 1.0.0", "1.0.0", "1.0.0.1"),
        ("1.1.0 1.1.0.post1", "1.0.0", "1.1.0.post1"),
        ("1.1.0", "1.1.0rc1", "1.1.0"),  # from a pre-release, whatever is final
    ],
)
def test_newest_release(released: str, pinned: str, expected: str) -> None:
    versions = released.split()
    assert newest(tags(*versions), versions, version=pinned) == Newest(version=expected)
    found = newest(reversed(tags(*versions)), set(versions), version=pinned)
    assert found == Newest(version=expected)


@pytest.mark.parametrize(
    ("tagged", "installable", "expected"),
    [
        # Tagged, not yet on the index.
        ("1.1.0 1.2.0", "1.1.0", Newest(version="1.1.0", waiting=("1.2.0",))),
        ("1.1.0", "", Newest(version="1.0.0", waiting=("1.1.0",))),
        # On the index, not tagged.
        ("1.0.0", "1.0.0 1.1.0", Newest(version="1.0.0")),
        ("", "1.1.0", Newest(version="1.0.0")),
        # What is pinned is not waited for.
        ("1.0.0", "", Newest(version="1.0.0")),
    ],
)
def test_a_release_has_to_be_tagged_and_on_the_index(
    tagged: str, installable: str, expected: Newest
) -> None:
    found = newest(tags(*tagged.split()), installable.split(), version="1.0.0")
    assert found == expected


def test_other_tags_do_not_count() -> None:
    others = "v2.0.0 jaxlib-v2.0.0 jax-v2.0.0-old old-jax-v2.0.0 jax-v2 jax-vnext nightly"
    found = newest([*others.split(), "", "jax-v1.1.0"], ["2.0.0", "2", "1.1.0"], version="1.0.0")
    assert found == Newest(version="1.1.0")


def test_tags_of_another_form() -> None:
    found = newest_release(
        ["r1.1.0-docs", "jax-v1.2.0"],
        ["1.1.0", "1.2.0"],
        version="1.0.0",
        template="r{version}-docs",
    )
    assert found == Newest(version="1.1.0")


VERSIONS = st.lists(st.integers(0, 12), min_size=2, max_size=4).map(
    lambda numbers: ".".join(map(str, numbers))
)


@given(st.lists(VERSIONS), st.sets(VERSIONS), VERSIONS)
def test_what_is_chosen_is_tagged_and_installable_or_pinned(
    tagged: list[str], extra: set[str], pinned: str
) -> None:
    installable = extra | set(tagged[::2])
    found = newest(tags(*tagged), installable, version=pinned)
    assert found.version == pinned or (found.version in tagged and found.version in installable)
    assert set(found.waiting) <= set(tagged) - installable


# --- the package index, as pip sees it


@pytest.mark.slow
def test_released_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_index(
        tmp_path / "index",
        monkeypatch,
        "jax 1.9.0",
        "jax 1.10.0",
        "jax 1.11.0rc1",
        "jax 1.12.0 cp27-cp27m-win32",
        "jax 1.13.0 py3-none-any >=3.99",
        "jax 1.14.0 py3-none-any ==3.98.*",
        "jaxlib 2.0.0",
    )
    assert released_versions("jax") == ("1.10.0", "1.9.0")
    this = f"this is {platform.python_version()}"
    for version, fault in (
        ("1.10.0", ""),
        ("1.12.0", ""),  # for another system, not for another Python
        ("1.13.0", f"jax 1.13.0 needs Python 3.99 or later; {this}"),
        ("1.14.0", f"jax 1.14.0 needs Python ==3.98.*; {this}"),
        ("1.15.0", ""),
    ):
        assert python_fault("jax", version) == fault


@pytest.mark.slow
def test_an_unknown_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_index(tmp_path / "index", monkeypatch)
    what = "index has no jax that can be installed here, or cannot be reached"
    with pytest.raises(UpstreamError, match=what) as caught:
        released_versions("jax")
    assert "No matching distribution found" in caught.value.hint


def test_without_pip(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\necho "$0: No module named pip" >&2\nexit 1\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    with pytest.raises(ConfigError, match="pip is not installed"):
        released_versions("jax")


def test_a_release_is_added_beside_the_pin() -> None:
    once = add_beside(CONFIG, "1.1.0", upstream="jax", where="x")
    twice = add_beside(once, "1.2.0", upstream="jax", where="x")
    jax = tomllib.loads(twice)["tool"]["pipeline"]["upstreams"]["jax"]
    assert jax["beside"] == ["1.1.0", "1.2.0"]
    assert set(CONFIG.splitlines()) <= set(twice.splitlines())
