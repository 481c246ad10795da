"""What several test files share: a scratch project, the real docs, Hypothesis profiles."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from places import ROOT

from pipeline.config import UPSTREAM_VARIABLE

# No deadlines: a busy machine is not a bug. In CI a red example must come back red on the next run.
settings.register_profile("dev", deadline=None)
settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ci" if os.environ.get("CI") else "dev")

# Whoever runs the tests in the background has them ignore Ctrl-C, and so would all that they start in order to interrupt it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scratch copy of the project: configuration, sample docs, sample translations. It is the current folder."""
    root = tmp_path / "project"
    root.mkdir()
    shutil.copy(ROOT / "pyproject.toml", root)
    shutil.copytree(ROOT / "upstream" / "sample", root / "upstream" / "sample")
    if (ROOT / "translations").exists():
        shutil.copytree(
            ROOT / "translations", root / "translations", ignore=shutil.ignore_patterns("jax")
        )
    monkeypatch.chdir(root)
    monkeypatch.setenv(
        "PYTHONPATH", str(ROOT)
    )  # so that `python -m pipeline` works here without being installed
    return root


@pytest.fixture(scope="session")
def jax_docs_upstream() -> str:
    """URL, bundle or repository of the real JAX docs; skips the test where there is none."""
    url = os.environ.get(UPSTREAM_VARIABLE)
    if not url:
        pytest.skip(
            f"{UPSTREAM_VARIABLE} is not set: set it to a clone or a bundle of the JAX docs"
        )
    return url
