"""Which addresses of upstream's own site are those of the docs that are shown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pipeline.config import SitePolicy
from pipeline.core.pin.lock import Lock
from pipeline.folders import WHOLE
from pipeline.site.configuration import english_places

LOCK = Lock(
    url="x",
    ref="lamps-v1.2",
    commit="f" * 40,
    date="2026-06-15T00:00:00+00:00",
    version="1.2",
    package="Lamps",
    docs=WHOLE,
    files=(),
)
SHOWN = ["latest", "stable", "1.2", "v1.2", "lamps-v1.2"]


@pytest.mark.parametrize(
    ("url", "host", "root", "base", "paths"),
    [
        (
            "https://a.org/en/latest/",
            "a.org",
            "/",
            "/en/",
            [f"/en/{v}/" for v in SHOWN],
        ),
        ("https://A.org/stable", "a.org", "/", "/", [f"/{v}/" for v in SHOWN]),
        (
            "http://a.org:80/x/v1.2/",
            "a.org:80",
            "/",
            "/x/",
            [f"/x/{v}/" for v in SHOWN],
        ),
        # No version in it: it is the only one.
        ("https://a.org/lamps/", "a.org", "/lamps/", "/lamps/", ["/lamps/"]),
        ("https://a.org/1.1/", "a.org", "/1.1/", "/1.1/", ["/1.1/"]),
        ("https://a.org/", "a.org", "/", "/", ["/"]),
        ("https://a.org", "a.org", "/", "/", ["/"]),
    ],
)
def test_versions_of_the_shown_docs_are_told_by_the_address(
    url: str, host: str, root: str, base: str, paths: list[str]
) -> None:
    policy = SitePolicy(english_url=url, english_hosts=("B.org",))
    assert english_places(policy, LOCK) == {
        "hosts": [host, "b.org"],
        "root": root,
        "base": base,
        "paths": paths,
    }


@pytest.mark.parametrize("url", ["", "/english/", "english.html"])
def test_a_site_without_an_address_has_no_hosts(url: str) -> None:
    policy = SitePolicy(english_url=url, english_hosts=("b.org",))
    assert english_places(policy, LOCK)["hosts"] == ()


def test_docs_without_a_version_have_the_newest_and_their_ref() -> None:
    policy = SitePolicy(english_url="https://a.org/latest/")
    places = english_places(policy, replace(LOCK, version="", ref=""))
    assert places["paths"] == ["/latest/", "/stable/"]
