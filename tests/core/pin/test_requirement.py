"""core/pin/requirement: which release docs are pinned to, and what is asked for in its place."""

from __future__ import annotations

import pytest

from pipeline.core.pin.requirement import Pin, choose_pin, pinned_names
from pipeline.errors import ConfigError

GROUPS = """
[dependency-groups]
flax = ["flax==1.2", "flax-tools==1.2", "numpy==2.0", "flaxen>=1"]
"""


def test_distributions_of_a_package_are_pinned_together() -> None:
    assert pinned_names(GROUPS, "Flax") == ("flax", "flax-tools")


def test_docs_of_no_package_pin_no_distribution() -> None:
    assert pinned_names(GROUPS, "") == ()


@pytest.mark.parametrize("told", ["1.x", "latest", "1.2; rm", " "])
def test_a_version_that_is_none_is_refused(told: str) -> None:
    now = Pin(template="v{version}", version="1.1", package="Flax")
    with pytest.raises(ConfigError, match="is not a Flax version"):
        choose_pin("main", told=told, now=now)


def test_docs_whose_package_is_not_known_have_versions_all_the_same() -> None:
    now = Pin(template="v{version}", version="", package="")
    with pytest.raises(ConfigError, match="is not a known version"):
        choose_pin("main", told="x", now=now)
    assert choose_pin("1.2", told=None, now=now).ref == "v1.2"
    assert choose_pin("v1.2", told=None, now=now).ref == "v1.2"
