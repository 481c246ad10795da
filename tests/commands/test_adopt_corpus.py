"""Copies of every page of the sample, at three versions, damaged in every way there is."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
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
    reads_the_sample,
)
from copies import DAMAGES, WRITERS, Row, score
from msgspec import Struct

from pipeline.adapters.copies import encoder
from pipeline.commands.adopt.adoption import Matcher
from pipeline.commands.adopt.catalogs import translations_in
from pipeline.commands.adopt.copy_files import read_file
from pipeline.core.pin.lock import blob_id

pytestmark = pytest.mark.slow


class Case(Struct, frozen=True, kw_only=True):
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


def adopt_case(
    case: Case, project: AdoptionProject, matcher: Matcher
) -> tuple[Counter[str], str]:
    """Return what was found of a case, and what is wrong with its page or version."""
    file = project.write(f"copies/{case.file}", WRITERS[case.file](case.row))
    copy, choice = matcher.match(read_file(Path(file)))
    said = {
        message: found.chinese
        for found in translations_in(copy, choice)
        for message in found.english
    }
    found = score(case.row, said)
    for message, got, wanted in found.wrong:
        print(f"{case}: {message[:60]!r} has {got[:60]}, not {wanted[:60]}")
    counts = Counter(
        there=found.there, found=found.found, said=found.said, right=found.right
    )
    page = choice.candidate.version.page.name
    if page not in {case.page, RENAMED.get(case.page, case.page)}:
        return counts, f"{case}: taken for {page}"
    if case.page in WITH_CODE and case.damage != "no code":
        blobs = {version.blob for version in choice.as_good}
        if blob_id(old_page(case.page, case.release).data) not in blobs:
            return counts, f"{case}: taken for another version"
        if case.damage == "none" and len(blobs) != 1:
            return counts, f"{case}: {len(blobs)} versions fit"
    return counts, ""


def test_pages_and_versions_are_found_whatever_became_of_them(
    project: AdoptionProject,
) -> None:
    counts: Counter[str] = Counter()
    with project.matcher(reads_the_sample) as matcher:
        found = [adopt_case(case, project, matcher) for case in cases()]
    for count, _ in found:
        counts += count
    assert [wrong for _, wrong in found if wrong] == []
    assert counts["there"] > 2000
    assert counts["found"] >= 0.98 * counts["there"]
    assert counts["right"] == counts["said"]


def test_the_encoder_finds_translations_and_takes_no_wrong_one(
    project: AdoptionProject,
) -> None:
    counts: Counter[str] = Counter()
    with project.matcher(encoder()) as matcher:
        for case in cases():
            if case.damage in ("none", "remarks"):
                count, wrong = adopt_case(case, project, matcher)
                assert not wrong
                counts += count
    assert counts["found"] >= 0.95 * counts["there"] > 300
    assert counts["right"] == counts["said"]
