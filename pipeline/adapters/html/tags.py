"""The tags of a piece of HTML, read without a tree: for counting, and for changing some of them."""

from __future__ import annotations

from html.parser import HTMLParser


class TagReader(HTMLParser):
    """Python's reader of HTML, which stops at no text: ``<![x[`` is a comment to browsers."""

    def parse_marked_section(self, i: int, report: int = 1) -> int:
        """Return where the section ends that begins at ``i``; -1 if it does not end."""
        del report
        return self.rawdata.find(">", i) + 1 or -1
