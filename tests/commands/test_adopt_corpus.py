"""Copies of every page of the sample, at three versions, damaged in every way there is."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from adoption_project import (
    PAGES,
    RELEASES,
    RENAMED,
    WITH_CODE,
    AdoptionProject,
    make_sample_history,
    old_page,
)
from copies import DAMAGES, WRITERS, Row, score

from pipeline.adapters.encoder import encoder, has_encoder
from pipeline.commands.adopt.copies import read_file
from pipeline.commands.adopt.filling import translations_in
from pipeline.commands.adopt.matching import Asked, Matcher
from pipeline.core.pin.lock import blob_id
from pipeline.errors import InputError

pytestmark = pytest.mark.slow


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A page as it was in a release, damaged, in some format."""

    page: str
    release: str
    damage: str
    file: str
    row: Row

    def __str__(self) -> str:
        return f"{self.page} {self.release}, {self.damage}, {self.file}"


def cases() -> Iterator[Case]:
    """Every page as it is, and with every other damage; releases and formats take turns."""
    number = -1
    for first, page in enumerate(PAGES):
        for turn, damage in enumerate(("none", *DAMAGES)):
            number += 1
            if turn and (first + turn) % 2:
                continue  # neighbouring pages have it
            release = RELEASES[number % len(RELEASES)]
            # Not in step with the releases: else a format would only ever be of one of them.
            file = list(WRITERS)[(number // 2 + number) % len(WRITERS)]
            row = old_page(page, release).row
            if damage in DAMAGES:
                chance = random.Random(f"{page} {damage}")
                row = DAMAGES[damage](row, chance)
            yield Case(page=page, release=release, damage=damage, file=file, row=row)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> AdoptionProject:
    root = tmp_path_factory.mktemp("adoption")
    origin = make_sample_history(root / "origin")
    return AdoptionProject(root / "project", origin)


def adopt_all(
    project: AdoptionProject, matcher: Matcher
) -> tuple[Counter[str], list[str]]:
    """Adopt every case; return the counts, and what went wrong with versions, one line each."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    for case in cases():
        file = project.write(f"copies/{case.file}", WRITERS[case.file](case.row))
        try:
            copy, choice = matcher.match(read_file(Path(file)), Asked())
        except InputError as error:
            wrong.append(f"{case}: {error}")
            continue
        said = {
            message: found.chinese
            for found in translations_in(copy, choice)
            for message in found.english
        }
        found = score(case.row, said)
        counts.update(
            there=found.there, found=found.found, said=found.said, right=found.right
        )
        for message, got, wanted in found.wrong:
            print(f"{case}: {message[:60]!r} has {got[:60]}, not {wanted[:60]}")
        page = choice.candidate.version.page.name
        names = {case.page, RENAMED.get(case.page, case.page)}
        if page not in names:
            wrong.append(f"{case}: taken for {page}")
        if case.page in WITH_CODE and case.damage != "no code":
            blobs = {version.blob for version in choice.as_good}
            if blob_id(old_page(case.page, case.release).data) not in blobs:
                wrong.append(f"{case}: taken for another version")
            if case.damage == "none" and len(blobs) != 1:
                wrong.append(f"{case}: {len(blobs)} versions fit")
    return counts, wrong


def test_translations_and_versions_are_found(project: AdoptionProject) -> None:
    with project.matcher() as (matcher, _):
        counts, wrong = adopt_all(project, matcher)
    print(counts, *wrong, sep="\n")
    assert wrong == []
    assert counts["there"] > 2000
    assert counts["found"] >= 0.97 * counts["there"]
    assert counts["right"] >= 0.99 * counts["said"]


@pytest.mark.skipif(
    not has_encoder(), reason="no sentence encoder: dependency group adopt"
)
def test_they_are_found_with_an_encoder(project: AdoptionProject) -> None:
    with project.matcher() as (matcher, _):
        matcher.encoder = encoder()
        counts, wrong = adopt_all(project, matcher)
    print(counts)
    assert wrong == []
    assert counts["found"] >= 0.97 * counts["there"]
    assert counts["right"] >= 0.99 * counts["said"]
