"""Read ``.po`` text in exactly the layout that ``po.format_catalog`` writes, several times faster than any ``.po`` file.

Nothing is checked here: the caller writes the catalogue again and compares. What differs is read the long way.
"""

from __future__ import annotations

import re

from pipeline.entries import Catalog, Entry

_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def read_canonical(text: str) -> Catalog | None:
    """The catalogue in ``text``, or None as soon as anything looks different."""
    number = 1
    head: Entry | None = None
    entries: list[Entry] = []
    for block in text.removesuffix("\n").split("\n\n"):
        lines = block.split("\n")
        entry = _entry(lines, number)
        number += len(lines) + 1
        if entry is None:
            return None
        if head is None:
            head = entry
        else:
            entries.append(entry)
    if (
        head is None
        or head.msgid
        or head.fuzzy
        or head.notes
        or "charset=UTF-8\n" not in head.msgstr
    ):
        return None
    rows = [row.partition(": ") for row in head.msgstr.removesuffix("\n").split("\n")]
    header = {name: value for name, _, value in rows}
    return (
        Catalog(header=header, comment=head.comments, entries=tuple(entries))
        if len(header) == len(rows)
        else None
    )


def _entry(lines: list[str], number: int) -> Entry | None:
    above: dict[str, list[str]] = {"# ": [], "#.": [], "#:": [], "#,": []}
    strings: dict[str, list[str]] = {}
    part: list[str] = []
    start = number
    obsolete = False
    for at, line in enumerate(lines, number):
        if line.startswith("#~"):
            obsolete = True
            line = f"#{line[2:]}" if line.startswith("#~|") else line[3:]  # noqa: PLW2901 - read as if it were live
        mark = line[:2]
        if mark in above:
            above[mark].append(line.removeprefix(mark).removeprefix(" "))
            continue
        previous = mark == "#|"
        keyword, quote, rest = line.removeprefix("#| ").partition('"')
        if not quote or rest[-1:] != '"':
            return None
        if keyword:
            if (
                keyword in ("msgctxt ", "msgid ")
                and not previous
                and not strings.keys() & {"msgctxt ", "msgid "}
            ):
                start = at
            part = strings.setdefault(f"#| {keyword}" if previous else keyword, [])
        part.append(rest[:-1])
    if not strings.keys() >= {"msgid ", "msgstr "}:
        return None
    texts = {keyword: _unescape("".join(parts)) for keyword, parts in strings.items()}
    flags = [flag for line in above["#,"] for flag in line.split(", ")]
    return Entry(
        msgid=texts["msgid "],
        msgstr=texts["msgstr "],
        fuzzy="fuzzy" in flags,
        previous=texts.get("#| msgid "),
        context=texts.get("msgctxt "),
        obsolete=obsolete,
        comments=tuple(above["# "]),
        notes=tuple(above["#."]),
        references=tuple(above["#:"]),
        flags=tuple(flag for flag in flags if flag != "fuzzy"),
        line=start,
    )


def _unescape(text: str) -> str:
    return (
        _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), text) if "\\" in text else text
    )
