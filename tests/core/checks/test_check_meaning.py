"""How many mistakes of meaning are told, and how often a good translation is taken for one.

Mistakes of every class are put into finished translations. Always into the sample's; and into
those of the real docs, from the committed memory, which takes a minute:

    JAX_DOCS_UPSTREAM=... JAX_DOCS_WHOLE=1 pytest tests/core/checks/test_check_meaning.py -rP

``-rP`` shows the table, which stands in ``docs/checks-of-meaning.md``.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest
from msgspec import Struct
from msgspec.structs import replace
from places import ROOT

from pipeline.adapters import po
from pipeline.core.checks.engine import ignores_of, subjects_of
from pipeline.core.checks.masked import OTHER, WORD
from pipeline.core.checks.meaning.untranslated import count_han
from pipeline.core.checks.model import Check, Subject
from pipeline.core.checks.table import MEANING, SIMPLIFIED, glossary_checks
from pipeline.core.glossary.glossary import read_glossary

# --- mistakes that change the meaning: one replacement each, in prose without atoms

_ATOMS = re.compile(f"[{WORD}-{OTHER}]")
_CLAUSE = re.compile(r"[^，；：。！？（）\n]+[，；：。！？]")
_SHORTEST_CLAUSE = 6  # characters


class Defect(Struct, frozen=True, kw_only=True):
    """Class of mistakes, and the share of them that checks must detect at least."""

    name: str
    least: float
    changes: tuple[tuple[str, str], ...] = ()
    opposites: str = ""  # pairs, which white space separates
    # Whoever drops a word cannot be told unless the English has it.
    english: str = ""

    @property
    def all_changes(self) -> list[tuple[str, str]]:
        """Return all changes, with the opposites in both directions."""
        found: list[tuple[str, str]] = []
        for pair in self.opposites.split():
            first, second = pair.split("/")
            found += ((first, second), (second, first))
        return [*found, *self.changes]


_TABLE = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
DEFECTS = msgspec.convert(tomllib.loads(_TABLE)["defect"], tuple[Defect, ...])


def damage(subject: Subject, defect: Defect, chance: random.Random) -> Subject | None:
    """Return the entry with one mistake of this class, or None if none is possible."""
    if defect.english and not re.search(defect.english, subject.masked_english.lower()):
        return None
    changed = list(_changed(subject, defect.all_changes))
    return _with(subject, chance.choice(changed)) if changed else None


def _changed(subject: Subject, changes: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the msgstr with each possible single change."""
    msgstr = subject.msgstr
    for pattern, replacement in changes:
        for match in re.finditer(pattern, subject.masked_chinese):
            new = match.expand(replacement)
            yield msgstr[: match.start()] + new + msgstr[match.end() :]


def drop_clause(subject: Subject, chance: random.Random) -> Subject | None:
    """Return the entry without one of its clauses.

    Clauses with code are kept, because the checks M2… report lost code anyway.
    """
    text = subject.masked_chinese
    clauses = list(_CLAUSE.finditer(text))
    plain = [
        clause
        for clause in clauses
        if count_han(clause[0]) >= _SHORTEST_CLAUSE and not _ATOMS.search(clause[0])
    ]
    if len(clauses) < 2 or not plain:
        return None
    clause = chance.choice(plain)
    msgstr = subject.msgstr
    return _with(subject, msgstr[: clause.start()] + msgstr[clause.end() :])


def _with(subject: Subject, msgstr: str) -> Subject:
    return Subject(replace(subject.entry, msgstr=msgstr), subject.page)


# --- tests

WHOLE = bool(os.environ.get("JAX_DOCS_WHOLE"))
CATALOGS = ROOT / "translations" / "zh_CN"
GLOSSARY = ROOT / "translations" / "glossary" / "zh_CN.csv"
MOST = 1000  # mistakes of a class
MOST_FALSE = 0.005  # of the entries
LEAST_CLAUSES = 0.5
LEAST_SWAPS = 0.2
LEAST_NEGATIONS = 0.6
CODE = re.compile(r"(?<!`)`[^`\n]+`(?!`)")


def read_subjects(folder: Path) -> list[Subject]:
    found: list[Subject] = []
    for path in sorted(folder.rglob("*.po")):
        catalog = po.read_catalog(path.read_bytes(), where=path.name).catalog
        page = path.relative_to(folder).as_posix()
        found += subjects_of(catalog.entries, page)
    return [subject for subject in found if count_han(subject.msgstr)]


@pytest.fixture(scope="module")
def sample() -> list[Subject]:
    return read_subjects(CATALOGS / "sample")


@pytest.fixture(scope="module")
def finished(jax_docs_upstream: str, tmp_path_factory: pytest.TempPathFactory) -> list[Subject]:
    """The finished translations of the real docs, rejoined from the committed memory."""
    if not WHOLE:
        pytest.skip("takes a minute: set JAX_DOCS_WHOLE")
    clone = tmp_path_factory.mktemp("finished") / "clone"
    subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
    sync = [sys.executable, "-m", "pipeline", "sync", "--no-execute", "-q"]
    subprocess.run(sync, cwd=clone, check=True)
    return read_subjects(clone / "translations" / "zh_CN")


def codes_of(subject: Subject, checks: Sequence[Check] = MEANING) -> Counter[str]:
    """The codes of the checks that tell of an entry, by default of those of meaning."""
    return Counter(problem.code for check in checks for problem in check.look(subject))


def is_told(before: Subject, after: Subject, checks: Sequence[Check] = MEANING) -> bool:
    """Whether a check tells of an entry what it did not tell before."""
    return bool(codes_of(after, checks) - codes_of(before, checks))


def mistakes(subjects: Sequence[Subject], defect: Defect) -> Iterator[tuple[Subject, Subject]]:
    """Entries, each with one mistake of a class beside it."""
    chance = random.Random(defect.name)
    for subject in chance.sample(subjects, len(subjects)):
        if wrong := damage(subject, defect, chance):
            yield subject, wrong


def told_of(subjects: Sequence[Subject], defect: Defect) -> tuple[int, int]:
    """How many mistakes of a class are told, and how many there are."""
    pairs = list(mistakes(subjects, defect))[:MOST]
    return sum(is_told(before, after) for before, after in pairs), len(pairs)


def false_alarms(subjects: Sequence[Subject]) -> dict[str, set[int]]:
    """By code which good translations are told, also those that a comment silences."""
    alarms: dict[str, set[int]] = {}
    for number, subject in enumerate(subjects):
        for code in codes_of(subject):
            alarms.setdefault(code, set()).add(number)
    return alarms


def without_clauses(subjects: Sequence[Subject]) -> list[tuple[Subject, Subject]]:
    """Entries, each with a clause less beside it."""
    chance = random.Random("clauses")
    shuffled = chance.sample(subjects, len(subjects))
    pairs = ((subject, drop_clause(subject, chance)) for subject in shuffled)
    return [(before, after) for before, after in pairs if after][:MOST]


def every_check() -> tuple[Check, ...]:
    """Those of terms and lengths as well."""
    glossary = read_glossary(GLOSSARY.read_text(encoding="utf-8"), where=GLOSSARY.name)
    return (*SIMPLIFIED.checks, *glossary_checks(glossary))


def show(name: str, told: int, of: int) -> None:
    share = f"{told / of:4.0%}" if of else "    "
    print(f"{name:36} {told:5} of {of:5} {share}")


def test_mistakes_in_the_sample_are_told(sample: list[Subject]) -> None:
    told = made = 0
    for defect in DEFECTS:
        caught, of = told_of(sample, defect)
        show(defect.name, caught, of)
        told, made = told + caught, made + of
    assert made > 100
    assert told / made >= 0.7


def test_good_translations_of_the_sample_are_left_alone(sample: list[Subject]) -> None:
    silenced = [number for number, subject in enumerate(sample) if any(ignores_of(subject.entry))]
    alarms = set().union(*false_alarms(sample).values())
    assert alarms <= set(silenced)


def test_mistakes_in_finished_docs_are_told(finished: list[Subject]) -> None:
    results = {defect.name: told_of(finished, defect) for defect in DEFECTS}
    for name, (told, of) in results.items():
        show(name, told, of)
    negations = [results["a negation lost"], results["a negation added"]]
    assert sum(told for told, _ in negations) >= LEAST_NEGATIONS * sum(of for _, of in negations)
    too_few = {
        defect.name: results[defect.name]
        for defect in DEFECTS
        if results[defect.name][0] < defect.least * results[defect.name][1]
    }
    assert not too_few


def test_lost_clauses_in_finished_docs_are_told(finished: list[Subject]) -> None:
    pairs = without_clauses(finished)
    by_meaning = sum(is_told(before, after) for before, after in pairs)
    show("a clause lost", by_meaning, len(pairs))
    checks = every_check()
    by_any = sum(is_told(before, after, checks) for before, after in pairs)
    show("a clause lost, by any check", by_any, len(pairs))
    assert by_meaning >= LEAST_CLAUSES * len(pairs)


def test_finished_docs_are_left_alone(finished: list[Subject]) -> None:
    alarms = false_alarms(finished)
    for check in MEANING:
        show(f"{check.code} {check.name}", len(alarms.get(check.code, ())), len(finished))
    swaps = alarms.pop("M711", set())
    every = set().union(*alarms.values())
    show("false alarms, all together", len(every), len(finished))
    assert len(every) <= MOST_FALSE * len(finished)
    assert len(swaps) <= MOST_FALSE * len(finished)


def swapped(subject: Subject, chance: random.Random) -> Subject | None:
    """The entry with two pieces of code of one sentence swapped; None if it has no such two."""
    sentences = re.split("(?<=[。！？])", subject.msgstr)
    for sentence in chance.sample(sentences, len(sentences)):
        code = sorted(set(CODE.findall(sentence)) & set(CODE.findall(subject.msgid)))
        code = [piece for piece in code if subject.msgstr.count(piece) == 1]
        if len(code) > 1:
            one, other = chance.sample(code, 2)
            words = subject.msgstr.replace(one, "\0").replace(other, one)
            entry = replace(subject.entry, msgstr=words.replace("\0", other))
            return replace(subject, entry=entry)
    return None


def test_swapped_code_in_finished_docs_is_told(finished: list[Subject]) -> None:
    chance = random.Random("swaps")
    pairs = [(subject, swapped(subject, chance)) for subject in finished]
    wrong = [(before, after) for before, after in pairs if after]
    chosen = chance.sample(wrong, min(MOST, len(wrong)))
    told = sum(is_told(before, after) for before, after in chosen)
    show("two pieces of code swapped", told, len(chosen))
    assert told >= LEAST_SWAPS * len(chosen)
