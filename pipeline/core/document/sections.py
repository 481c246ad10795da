"""The first sections of a page: all that is translated of one that grows for ever.

A change log is read from its top, and nobody translates the releases of years. What comes behind
stays English, and is no message.
"""

from __future__ import annotations

from dataclasses import replace

from pipeline.core.document.split import Split

_WHY = "only the first {count} sections of the page are translated"


def first_sections(split: Split, count: int) -> Split:
    """Return a split whose messages are those of the first ``count`` sections.

    The others are its ``rest``. Sections are those of the outermost level that has several: below
    a title that stands alone those of the second.
    """
    starts = _starts(split)
    if len(starts) <= count:
        return split
    end = starts[count]
    line = split.text.count("\n", 0, end) + 1
    told = [(number, reason) for number, reason in split.unsafe if number < line]
    return replace(
        split,
        messages=tuple(found for found in split.messages if found.start < end),
        rest=tuple(found for found in split.messages if found.start >= end),
        unsafe=(*told, (line, _WHY.format(count=count))),
    )


def _starts(split: Split) -> list[int]:
    """Return where the sections begin."""
    by_level: dict[int, list[int]] = {}
    for start, signature in split.skeleton:
        # Of Markdown: ("heading_open", "h2", "##"); of reST: ("1", "section").
        if signature[0] == "heading_open":
            by_level.setdefault(int(signature[1][1:]), []).append(start)
        elif signature[1:2] == ("section",):
            by_level.setdefault(int(signature[0]), []).append(start)
    several = [level for level, starts in by_level.items() if len(starts) > 1]
    return by_level[min(several)] if several else []
