"""Translations that insert active markup.

Each translation is the English with a payload at a random position: before, after or between words,
or inside an atom.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

_TABLE = Path(__file__).with_name("payloads.toml").read_text(encoding="utf-8")
PAYLOADS: tuple[str, ...] = tuple(chain.from_iterable(tomllib.loads(_TABLE).values()))
_WORD = re.compile(r"\w+|\W")
# What an attack is likely to go for: the inside of an atom.
_INSIDE = re.compile(r"(?<=[`{$(<\[\"])[^`}$)>\]\"\n]+(?=[`}$)>\]\"])")


def attacks(
    seed: int | str, payloads: Sequence[str] = PAYLOADS
) -> Callable[[str], str]:
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
