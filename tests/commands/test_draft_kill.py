"""A draft that is killed: the next one sends nothing that was answered, and ends the same.

``JAX_DOCS_KILLS`` says how often.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from functools import partial
from pathlib import Path

import pytest
from draft_models import Exchange, model_server
from draft_project import DraftProject, prepared
from killing import killed_after

from pipeline.core.catalog.origins import is_draft
from pipeline.core.drafting.question import digest_of_texts

pytestmark = pytest.mark.usefixtures("only_localhost")

KILLS = int(os.environ.get("JAX_DOCS_KILLS", "2"))
PAGES = ("faq",)


def draft(project: DraftProject) -> None:
    """Draft what the project lacks."""
    os.chdir(project.root)
    from pipeline.cli import main

    main(["draft", "sample", "--yes", "-q"])


def keys_of(body: bytes) -> set[str]:
    """What the reply to a request is kept under, be it the first one or the second."""
    return {digest_of_texts([body.decode(), attempt]) for attempt in ("1", "2")}


def assert_whole(project: DraftProject) -> None:
    """Memory and catalogues agree, and nothing is left of what was being written."""
    assert project.run("memory", "verify", "sample").code == 0
    left = [*project.root.rglob("translations/**/.*.tmp")]
    left += project.root.rglob("build/cache/drafts/**/.*.tmp")
    left += project.root.rglob("build/**/memo/.drafts.*.tmp")
    assert left == []


@pytest.mark.slow
def test_what_was_answered_is_not_asked_again(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request is answered once its reply is here, and then it is on disk."""
    ready = prepared(project)
    ready.empty(*PAGES)
    chance = random.Random("kills")

    def behave(exchange: Exchange) -> None:
        time.sleep(0.02)
        exchange.well()

    with model_server(behave) as server:
        ready.configure(server.url, batch=5, concurrency=3)
        whole = DraftProject(tmp_path / "whole")
        shutil.copytree(ready.root, whole.root)
        monkeypatch.chdir(whole.root)
        began = time.perf_counter()
        assert whole.draft().code == 0
        took = time.perf_counter() - began
        expected = whole.entries()
        assert sum(map(is_draft, expected.values())) > 20
        killed = number = 0
        while killed < KILLS:
            number += 1
            assert number < 20 + 2 * KILLS, "the machine became too fast to hit a run"
            one = DraftProject(tmp_path / f"killed{number}")
            shutil.copytree(ready.root, one.root)
            server.bodies.clear()
            is_hit = killed_after(chance.random() * took, partial(draft, one))
            killed += is_hit
            if not is_hit:
                # The first run had to load everything, or the machine was busy.
                took *= 0.7
            kept = {path.stem for path in (one.root / "build/cache/drafts").rglob("*.json")}
            sent = len(server.bodies)
            # No more than was under way: three requests at a time.
            assert sent - len(kept) <= 3
            monkeypatch.chdir(one.root)
            assert one.draft().code == 0
            again = {key for body in server.bodies[sent:] for key in keys_of(body)}
            assert not again & kept
            assert one.entries() == expected
            assert_whole(one)
            shutil.rmtree(one.root)
    print(f"{killed} of {number} runs were killed at work")
