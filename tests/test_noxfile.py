"""What sessions install, and where: large environments are shared, and previews need no JAX."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import Struct, field
from places import ROOT
from sessions import SESSIONS


class Session(Struct):
    """A session that installs and runs nothing, and keeps what it was asked for."""

    name: str
    posargs: list[str] = field(default_factory=list)
    virtualenv: object = None
    env: dict[str, str] = field(default_factory=dict)
    installed: dict[str, set[str]] = field(default_factory=dict)  # by environment
    environment: str = ""

    def install(self, *words: str, **_: Any) -> None:
        requirements = {word for word in words if "=" in word or word[0].isalpha()}
        self.installed.setdefault(self.environment, set()).update(requirements)

    def run(self, *_: object, **__: object) -> str:
        return ""

    def warn(self, *_: object) -> None:
        pass

    def create_tmp(self) -> str:
        return "."


def installed_by(name: str, monkeypatch: pytest.MonkeyPatch, *posargs: str) -> dict[str, set[str]]:
    """What a session installs, by environment."""
    session = Session(name, posargs=list(posargs), environment=name)

    def enter(entered: Session, environment: str) -> None:
        entered.environment = environment

    run: Any = SESSIONS[name]
    names = run.func.__globals__
    monkeypatch.chdir(ROOT)
    monkeypatch.setitem(names, "enter", enter)
    monkeypatch.setitem(names, "chromium", lambda _: None)
    run(session)
    return session.installed


def has_jax(requirements: set[str]) -> bool:
    return any(requirement.startswith("jax==") for requirement in requirements)


# The others write a file of the project, and ask the network, without installing anything of it.
@pytest.mark.parametrize("name", sorted(SESSIONS.keys() - {"pins", "workflows"}))
def test_what_has_jax_is_in_one_of_two_environments(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JAX and what comes with it take more than a gigabyte."""
    # What they are to work on, where they want to be told.
    words = {"upgrade": ("0.10.2",), "screenshots": ("build",)}.get(name, ())
    for environment, requirements in installed_by(name, monkeypatch, *words).items():
        if has_jax(requirements):
            assert environment in ("sync", "tests")


def test_the_encoder_is_not_among_what_runs_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Outputs are kept for a set of packages: one more would have all of them made again."""
    ((environment, requirements),) = installed_by("adopt", monkeypatch, "page.md").items()
    assert environment == "adopt"
    assert any(name.startswith("fast-universal") for name in requirements)


@pytest.mark.parametrize("name", ["sync", "build"])
def test_a_run_that_runs_no_code_installs_no_jax(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ((environment, requirements),) = installed_by(
        name, monkeypatch, "sample", "--no-execute"
    ).items()
    assert environment == "sync"
    assert not has_jax(requirements)
    assert not any(name.startswith("ipykernel") for name in requirements)
    assert any(name.startswith("nbconvert") for name in requirements)
    ((_, whole),) = installed_by(name, monkeypatch, "sample").items()
    assert has_jax(whole)
    # The same environment: nothing of it may be another version then.
    assert requirements <= whole
