"""What a program would evaluate, injected into every message of a page, in every dialect.

Whatever the merge accepts leaves the page, for other parsers, with the blocks that it had, and adds
nothing that acts or that some program evaluates.
"""

from __future__ import annotations

import os
import random
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import pytest
from corpus import msgids, page, translated
from evaluated import structures_of
from msgspec import Struct
from notebooks import notebook, prose

from pipeline.core.document.merge import merge
from pipeline.core.document.reader import Document
from pipeline.reading import MYST, Dialect, Reading

# --- translations: the English with a payload at a random position

_TABLE = Path(__file__).with_name("payloads.toml").read_text(encoding="utf-8")
PAYLOADS: tuple[str, ...] = tuple(chain.from_iterable(tomllib.loads(_TABLE).values()))
_WORD = re.compile(r"\w+|\W")
# What an attack is likely to go for: the inside of an atom.
_INSIDE = re.compile(r"(?<=[`{$(<\[\"])[^`}$)>\]\"\n]+(?=[`}$)>\]\"])")


def attacks(seed: int | str, payloads: Sequence[str] = PAYLOADS) -> Callable[[str], str]:
    """Return a function that inserts a payload into a message. Equal seeds give equal results."""
    chance = random.Random(seed)

    def attack(msgid: str) -> str:
        text = msgid
        for _ in range(chance.choice((1, 1, 1, 2))):
            payload = chance.choice(payloads)
            if chance.random() < 0.2:
                payload += chance.choice(payloads)
            start, end = chance.choice(list(_places(text)))
            text = f"{text[:start]}{payload}{text[end:]}"
        return f"译文 {text}" if chance.random() < 0.5 else text

    return attack


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of a text where a payload can go: empty ones, and those inside atoms."""
    yield 0, 0
    yield len(text), len(text)
    for match in _WORD.finditer(text):
        yield match.start(), match.start()
    for match in _INSIDE.finditer(text):
        yield match.span()
        yield match.end(), match.end()


# --- tests

# How many translations, and which: for longer runs.
WANTED = int(os.environ.get("JAX_DOCS_EVALUATED", "2400"))
SEED = int(os.environ.get("JAX_DOCS_EVALUATED_SEED", "1"))
MESSAGES = 12  # of a page, at least

DATA = Path(__file__).parent / "data"
# Each "…" becomes a message with something that tempts an attack.
_MARKDOWN = (DATA / "evaluated.md").read_text(encoding="utf-8")
_DEFINITIONS = """
… thirteen
: …: fourteen.

A note.[^1]

[^1]: …: fifteen.
"""
_DIRECTIVES = """
:::{admonition} … sixteen

…: seventeen.

:::

```{note}
…: eighteen.
```
"""
_MKDOCS = """
!!! note "… sixteen"
"""
_RST = (DATA / "evaluated.rst").read_text(encoding="utf-8")
_ENGLISH = (
    "Plain words",
    "The set {a, b} of words",
    "Write `{{ a }}` or `{a.b}`",
    "It costs $5 or $6",
    r"Take $\frac{{a}}{b} \text{ if } y$",
    "See <code>the words</code>",
    "Read {ref}`a title <label>`",
    "Some <b>bold</b> words",
    "A [link](a.md) and **bold**",
    r"Use {math}`x \text{ if } y`",
)
_ENGLISH_RST = (
    "Plain words",
    "The set {a, b} of words",
    "Write ``{{ a }}`` or ``{a.b}``",
    r"Take :math:`\frac{{a}}{b} \text{ if } y`",
    "Read :ref:`a title <label>`",
    "A `link <a.html>`__ and **bold**",
)


class Sample(Struct, frozen=True, kw_only=True):
    """A page in one dialect."""

    path: str = "page.md"
    text: str
    english: tuple[str, ...] = _ENGLISH
    reading: Reading = MYST

    @property
    def is_myst(self) -> bool:
        return self.reading.dialect is Dialect.MYST

    def read(self, first: int) -> Document:
        """Return the page, with another English in each of its messages for each ``first``."""
        start, *rest = self.text.split("…")
        parts = [start]
        for number, words in enumerate(rest, first):
            parts += [self.english[number % len(self.english)], words]
        text = "".join(parts)
        if self.path.endswith(".ipynb"):
            head, tail = text[: text.index("\n> ")], text[text.index("\n> ") :]
            text = notebook(prose(head), prose(tail), language_info={"name": "x"})
        return page(text, self.reading, path=self.path)


SAMPLES = {
    "myst": Sample(text=_MARKDOWN + _DEFINITIONS + _DIRECTIVES),
    "substitutions": Sample(text=_MARKDOWN + _DIRECTIVES, reading=Reading(has_substitutions=True)),
    "commonmark": Sample(text=_MARKDOWN, reading=Reading(dialect=Dialect.COMMONMARK)),
    "mkdocs": Sample(
        text=_MARKDOWN + _DEFINITIONS + _MKDOCS, reading=Reading(dialect=Dialect.MKDOCS)
    ),
    "rst": Sample(path="page.rst", text=_RST, english=_ENGLISH_RST),
    "cells": Sample(path="page.ipynb", text=_MARKDOWN + _DEFINITIONS),
}
SYNTAX = {
    "MDX": ("{process.env.KEY}", "{1+1}", "{/*", "*/}", "{`${k}`}", "{", "{a}", "}"),
    "MDX modules": (
        "import A from '@a/b'",
        "import './a.css'",
        "export const a = 1",
        "export default () => 1",
        "export * from 'a'",
    ),
    "JSX": ("<A b={c} />", "<A {...b}>", "</A>", "<>", "<a.b>"),
    "Liquid": (
        "{% include a.html %}",
        "{%- assign a = 1 -%}",
        "{% raw %}",
        "{{ site.key }}",
    ),
    "Vue": ("{{ a.b }}", "{{a}}", "{{", "}}", "<a v-html=b>", "<<< @/a.js", "[[toc]]"),
    "Hugo": ('{{< figure src="a" >}}', "{{% note %}}", "{{</* a */>}}"),
    "mdBook": ("{{#include /etc/hosts}}", "{{#playground a.rs}}", r"\{{#title a}}"),
    "Jinja": ("{{ config }}", "{% for a in b %}", "{# hidden #}", "{#", "#}", "# for a"),
    "kramdown": ("{: onclick=a}", "{::nomarkdown}", "{:toc}", "{::options a=b /}"),
    "MkDocs": ('--8<-- "a.md"', "--8<--\na.md\n--8<--", ";--8<-- 'a'", "::: a.b", "{.a}"),
    "directives": (
        "```{eval-rst}\n.. raw:: html\n```",
        "```{raw} html\n<b>\n```",
        ":::{include} a.md",
        "```{code-cell}\n1\n```",
        "\n\n.. raw:: html\n\n   <b>\n",
        ".. include:: /etc/hosts",
        "\n\n.. eval-rst::",
        "%%bash",
        "+++",
    ),
    "roles": (
        "{eval}`k`",
        "{raw-html}`<b>`",
        "{download}`/etc/hosts`",
        ":raw-html:`<b>`",
        ":eval:`k`",
        "|evil|",
        "`x`:eval:",
        "{ref}`{k.a} <label>`",
    ),
    "browsers": PAYLOADS,
}  # fmt: skip

# The same number in each cell of the table.
ROUNDS = -(-WANTED // (MESSAGES * len(SAMPLES) * len(SYNTAX)))


def disguised(payloads: tuple[str, ...]) -> Iterator[str]:
    """Yield each payload as it is, and in spellings that hide it from some parsers."""
    for payload in payloads:
        yield payload
        yield payload
        yield payload.replace("{", "\\{")
        yield payload.replace("{", "&#123;").replace("<", "&lt;")
        yield payload.replace("{", "&lbrace;", 1)
        yield f"`{payload}`"
        yield f"\\`{payload}`"
        yield f"`` {payload} ` "
        yield f"<code>{payload}</code>"
        yield f"**{payload}**"
        yield f"$ {payload} $"
        yield f"[{payload}](a.md)"
        yield f"<!-- {payload} -->"


@pytest.mark.parametrize("program", SYNTAX)
@pytest.mark.parametrize("dialect", SAMPLES)
def test_no_translation_adds_what_a_program_evaluates(dialect: str, program: str) -> None:
    sample = SAMPLES[dialect]
    payloads, rounds = tuple(disguised(SYNTAX[program])), ROUNDS
    if program == "browsers":
        # They are many, and have their disguises already.
        payloads, rounds = PAYLOADS, 4 * ROUNDS
    for number in range(SEED, SEED + rounds):
        document = sample.read(number)
        attack = attacks(f"{dialect} {program} {number}", payloads)
        assert len(msgids(document)) >= MESSAGES
        merged = merge(document, translated(document, attack)).data
        before, after = (
            structures_of(sample.path, data, is_myst=sample.is_myst)
            for data in (document.raw.encode(), merged)
        )
        for theirs, ours in zip(before, after, strict=True):
            text = merged.decode()
            assert not ours.evaluated - theirs.evaluated, (number, text)
            assert not ours.acts - theirs.acts, (number, text)
            assert ours.blocks == theirs.blocks, (number, text)
