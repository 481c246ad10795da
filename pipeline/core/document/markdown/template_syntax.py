"""Template syntax in Markdown: text that another program evaluates before readers see it.

A translation could inject code into that program. Therefore a page with such syntax outside its
code stays English, and no translation may add braces.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipeline.core.document import prose
from pipeline.core.document.atoms import without_words
from pipeline.core.document.guard import quoted
from pipeline.reading import Dialect, Reading

BRACES = "braces of Liquid, Vue or Jinja"
# Readable name and pattern. The first pattern that matches is reported.
_SYNTAX = {
    "a shortcode of Hugo": re.compile(r"\{\{[<%].*?[%>]\}\}", re.DOTALL),
    "an inclusion of mdBook": re.compile(r"\{\{\s*#\w[^{}]*\}\}"),
    BRACES: re.compile(r"\{\{.*?\}\}", re.DOTALL),
    "a tag of Liquid": re.compile(r"\{%-?\s*\w.*?%\}", re.DOTALL),
    # {/* a comment */}, {process.env.KEY}, {shown(1)}; but not a set in prose: {a, b}
    "an expression of MDX": re.compile(
        r"\{\s*(?:/\*.*?\*/|[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+(?:\([^{}]*\))?"
        r"|[A-Za-z_$][\w$]*\([^{}]*\))\s*\}",
        re.DOTALL,
    ),
}
# MDX statements at the start of a block. Prose may begin alike: "import data from a file".
_MODULE = re.compile(
    r"""
    import\s+(?:[\w$*{][^'"`]*?\sfrom\s*)?(?P<quote>['"])[^'"\n]+(?P=quote)\s*;?[ \t]*(?:\n|$)
    | export\s+(?:
        (?:const|let|var)\s+[\w$]+\s*= | (?:async\s+)?function\b\*?\s*[\w$]*\s*\(
      | class\s+\w+\s*[{]
      | default\s*(?:[({\[<]|function\b|class\b|[\w$]+;?[ \t]*(?:\n|$)) | \*\s+from\s*['"]
      | \{[^{}]*\}\s*(?:;|from\b|\n|$)
      )
    """,
    re.VERBOSE,
)
_PIECE = re.compile(r"\{[^{}]*\}?")
_HTML_CODE = re.compile(
    r"<(?P<tag>script|style|pre|code)\b.*?</(?P=tag)\s*>|<!--.*?-->",
    re.DOTALL | re.IGNORECASE,
)
_NO_NEWLINE = re.compile(r"[^\n]")


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A piece of evaluated syntax: its readable name, its text and its 0-based line."""

    name: str
    piece: str
    line: int

    @property
    def reason(self) -> str:
        """Return the reason why the page is not translated."""
        return (
            f"the page has {self.name}, {quoted(self.piece)}, "
            "which another program evaluates"
        )


def find_evaluated(block: str, reading: Reading) -> Evaluated | None:
    """Return the first evaluated syntax in a block of prose or HTML, or None.

    MkDocs pages are exempt: macros there are a rare plugin, and no part of the dialect.
    """
    if reading.dialect is Dialect.MKDOCS:
        return None
    if module := _MODULE.match(block):
        return Evaluated("an import or export of MDX", " ".join(module[0].split()), 0)
    # Everything below needs a brace, and most blocks have none.
    if "{" not in block:
        return None
    text = _without_code(block)
    for name, pattern in _SYNTAX.items():
        if name == BRACES and reading.has_substitutions:
            continue
        if found := pattern.search(text):
            line = text.count("\n", 0, found.start())
            return Evaluated(name, " ".join(found[0].split()), line)
    return None


def braces_in(text: str) -> list[str]:
    """Return the pieces in braces outside code, formulas and role names.

    ``"see {a.b} and {func}`c`"`` gives ``["{a.b}"]``.
    """
    if "{" not in text:
        return []
    return _PIECE.findall(_without_code(without_words(text)))


def _without_code(text: str) -> str:
    """Return ``text`` with code, formulas and roles blanked by spaces; line ends stay."""
    text = _HTML_CODE.sub(lambda match: _blank(match[0]), text)
    return prose.replace_atoms(text, _blank_code)


def _blank_code(atom: str) -> str:
    is_role = atom.startswith("{") and not atom.startswith("{{")
    return _blank(atom) if is_role or atom.startswith(("`", "$", "\\")) else atom


# Line ends stay, so that offsets and line numbers remain valid.
def _blank(text: str) -> str:
    return _NO_NEWLINE.sub(" ", text)
