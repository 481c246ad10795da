"""HTML parser for tests that rejects tags that do not match."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "input", "br", "img", "link", "hr"}


class StrictHtml(HTMLParser):
    """Tags with their attributes, and the text outside scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        self.text += " " if tag in ("dt", "dd", "li", "p", "td", "th") else ""
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self._open):
            self.text += data

    def all(self, tag: str) -> list[dict[str, str]]:
        """Return the attributes of each element called ``tag``."""
        return [attributes for name, attributes in self.tags if name == tag]

    def of(self, name: str) -> list[dict[str, str]]:
        """Return the attributes of each element of the class ``name``."""
        return [
            attributes
            for _, attributes in self.tags
            if name in attributes.get("class", "").split()
        ]
