"""Thousands of hostile replies: none makes an entry that is unsafe, or touches one of a person's.

``JAX_DOCS_HOSTILE`` says how many; with ``JAX_DOCS_UPSTREAM`` half of them are about the real docs.
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from draft_models import EXCHANGES, Exchange, good, hostile_text, model_server, text_of
from draft_project import prepared
from folders import read_tree
from msgspec import Struct
from msgspec.structs import replace
from places import ROOT
from repositories import Repository

from pipeline.core.catalog.origins import Machine, is_draft
from pipeline.core.catalog.update import wanted_entries
from pipeline.core.checks.engine import blocking_problem
from pipeline.core.checks.masked import keeps_atoms
from pipeline.core.checks.model import Subject
from pipeline.core.document.merge import merge
from pipeline.core.document.reader import Document, SplitPage, read_document
from pipeline.core.drafting.batch import RequestSettings, batches_of
from pipeline.core.drafting.drafts import AnswerStore, Draft, apply, refused_together
from pipeline.core.drafting.judge import Judge
from pipeline.core.drafting.question import DraftReason, Name, Question, ask
from pipeline.core.drafting.stub import translate
from pipeline.core.glossary.glossary import read_glossary
from pipeline.core.pin.lock import Page, SourceFile
from pipeline.entries import Catalog, Entry, translations_of

REPLIES = int(os.environ.get("JAX_DOCS_HOSTILE", "400"))
GLOSSARY = read_glossary(
    (ROOT / "translations/glossary/zh_CN.csv").read_text("utf-8"), where="zh_CN.csv"
)
ASKING = RequestSettings(model="m", locale="zh_CN", size=8)
ORIGIN = Machine(model="m", prompt=1, date="2026-05-01")


SUFFIXES = (".ipynb", ".md", ".rst")


def read_page(path: str, data: bytes) -> SplitPage:
    page = Page(name=path.rpartition(".")[0], files=(SourceFile(path=path, blob="0" * 40),))
    return SplitPage(page=page, documents=(read_document(path, data),))


def code_of(document: Document, data: bytes) -> tuple[object, ...]:
    return read_document(document.path, data).code


class Round(Struct):
    """One page, drafted by a model that means harm."""

    page: SplitPage
    chance: random.Random
    replies: int = 0

    def run(self) -> Counter[str]:
        """Draft the page; what became of its questions. Asserts all that must hold."""
        name = self.page.page.name
        entries = [self._state(entry) for entry in wanted_entries(name, self.page.documents)]
        questions = [
            ask(name, entry, DraftReason.NEW, model="m", glossary=GLOSSARY)
            for entry in entries
            if not entry.msgstr
        ]
        answers = self._answered(entries, questions)
        drafts: dict[Name, tuple[Question, str]] = {}
        counts: Counter[str] = Counter()
        for question in questions:
            verdict = answers.verdict(question)
            assert verdict.attempt == 0
            if verdict.judged.refused:
                counts[verdict.judged.refused] += 1
            else:
                drafts[question.name] = (question, verdict.judged.msgstr)
        refused = refused_together(name, self.page.documents, entries, drafts)
        counts.update(refused.values())
        catalog = Catalog(entries=tuple(entries))
        made = {
            key: Draft(before=question.entry, msgstr=msgstr, origin=ORIGIN)
            for key, (question, msgstr) in drafts.items()
            if key not in refused
        }
        changed, count = apply(catalog, made)
        assert count == len(made)
        counts["drafted"] += count
        self._assert_safe(catalog, changed)
        return counts

    def _state(self, entry: Entry) -> Entry:
        """Some entries are a person's: finished, begun, or remarked on."""
        dice = self.chance.random()
        if dice < 0.1:
            return replace(entry, msgstr=translate(entry.msgid))
        if dice < 0.2:
            return replace(entry, msgstr="有人写了一半", fuzzy=True, previous=entry.msgid)
        if dice < 0.25:
            return replace(entry, comments=("a remark",))
        return entry

    def _answered(self, entries: Sequence[Entry], questions: Sequence[Question]) -> AnswerStore:
        """A store with the replies of both attempts."""
        answers = AnswerStore(judge=Judge.of("zh_CN", GLOSSARY))
        for batch in batches_of(ASKING, entries, questions, examples={}, refused={}):
            ids = {name: question.key for name, question in batch.questions.items()}
            for attempt in (1, 2):
                text = hostile_text(json.loads(batch.body), self.chance)
                answers.add(ids, text, attempt=attempt)
                self.replies += 1
        return answers

    def _assert_safe(self, before: Catalog, after: Catalog) -> None:
        confirmed: list[Entry] = []
        for old, new in zip(before.entries, after.entries, strict=True):
            if old.msgstr:
                assert new is old  # a person's
            elif new is not old:
                assert is_draft(new)
                assert not new.is_translated
                confirmed.append(self._confirmed(new))
                continue
            confirmed.append(new)
        for document in self.page.documents:
            # As it is: not a byte of a draft is on any page.
            as_before = merge(document, translations_of(before)).data
            assert merge(document, translations_of(after)).data == as_before
            # Even if somebody confirms all of it unseen, code is upstream's.
            merged = merge(document, translations_of(Catalog(entries=tuple(confirmed))))
            assert code_of(document, merged.data) == code_of(document, document.raw.encode())
            drafted = {entry.msgid for entry in after.entries if is_draft(entry)}
            refused = {rejected.message.msgid for rejected in merged.rejected}
            assert not refused & drafted

    def _confirmed(self, draft: Entry) -> Entry:
        """A draft whose mark somebody takes off; it must be safe then, too."""
        entry = replace(draft, fuzzy=False, previous=None)
        subject = Subject(entry, self.page.page.name)
        assert subject.refusal is None
        assert blocking_problem(subject) is None
        assert keeps_atoms(entry.msgid, entry.msgstr, subject.markup)
        return entry


def drafted_by_enemies(files: Mapping[str, bytes], replies: int, seed: str) -> None:
    chance = random.Random(seed)
    counts: Counter[str] = Counter()
    sent = 0
    while sent < replies:
        for path in chance.sample(sorted(files), len(files)):
            work = Round(read_page(path, files[path]), chance)
            counts += work.run()
            sent += work.replies
            if sent >= replies:
                break
    print(f"{sent} hostile replies: {dict(counts.most_common())}")
    # A catalogue that refuses all, or nothing, would prove little.
    assert counts["drafted"] > sent // 10
    assert sum(counts.values()) - counts["drafted"] > sent // 10


@pytest.mark.slow
def test_hostile_replies_do_no_harm_to_the_sample() -> None:
    files = {
        path: data
        for path, data in read_tree(ROOT / "upstream/sample").items()
        if path.endswith(SUFFIXES)
    }
    drafted_by_enemies(files, REPLIES // 2, "sample")


@pytest.mark.slow
@pytest.mark.realdocs
def test_hostile_replies_do_no_harm_to_the_real_docs(repository: Repository) -> None:
    blobs = repository.pages_at("jax-v0.10.2", SUFFIXES)
    assert len(blobs) > 100
    contents = repository.read(list(blobs.values()))
    files = {path: data for path, (_, data) in zip(blobs, contents, strict=True)}
    drafted_by_enemies(files, REPLIES // 2, "jax")


@pytest.mark.slow
@pytest.mark.usefixtures("only_localhost", "no_waiting")
def test_hostile_servers_do_no_harm(project: Path) -> None:
    """The whole loop against a server that answers well, badly or not at all, by chance."""
    sample = prepared(project)
    pages = ("faq", "guides/vmap", "reference", "arrays")
    sample.empty(*pages)
    before = sample.entries()
    faults = sorted(name for name in EXCHANGES if name not in ("ten megabytes", "gzip bomb"))
    chance = random.Random("servers")

    def behave(exchange: Exchange) -> None:
        dice = chance.random()
        if dice < 0.3:
            EXCHANGES[chance.choice(faults)](exchange)
        elif dice < 0.7:
            exchange.reply(hostile_text(exchange.request, chance))
        else:
            exchange.reply(text_of(good(exchange.request)))

    with model_server(behave) as server:
        for model in range(3):
            sample.configure(server.url, model=f"m{model}", batch=4, tries=3)
            told = sample.draft()
            assert told.code in (0, 1, 3), told.err
    print(f"{len(server.bodies)} requests, {len(sample.drafts())} drafts")
    assert len(sample.drafts()) > 50
    for key, entry in sample.entries().items():
        if before[key].msgstr:
            assert entry == before[key]
        else:
            assert not entry.is_translated
    assert sample.run("memory", "verify", "sample").code == 0
    assert sample.run("merge", "sample").code == 0
