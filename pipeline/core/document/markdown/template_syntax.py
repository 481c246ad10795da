"""Template syntax in Markdown: text that another program evaluates before readers see it.

Examples are ``{{ name }}`` of Jinja and ``{process.env.KEY}`` of MDX. A translation could inject
code into such a program. Therefore a page with template syntax outside of its code stays English,
and no translation may add such syntax. A translation must not add it in code either: some of these
programs evaluate code as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from markdown_it.token import Token

from pipeline.core.document import guard, prose
from pipeline.core.document.atoms import without_words
from pipeline.core.document.guard import find_templates, quoted, resolve_references
from pipeline.core.document.markdown.parser import inline_tokens
from pipeline.reading import Dialect, Reading
from pipeline.tables import read_table

BRACES = "braces of Liquid, Vue or Jinja"
# The pattern of each syntax, by its name in messages. The first one that matches is reported.
_SYNTAX = {
    name: re.compile(pattern)
    for name, pattern in read_table(guard.__name__, "patterns")["evaluated"].items()
}
# Statements of MDX at the start of a block. The pattern must not match prose with the same first
# words: "import data from a file".
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
# Statements of MDX at the start of a line, and inclusions: --8<-- "a.md" of PyMdown, <<< @/a of
# VitePress.
_STATEMENT = re.compile(
    rf"^[ \t]*(?: {_MODULE.pattern} | ;*-+8<- | <<<[ \t]*[@./\w] )",
    re.VERBOSE | re.MULTILINE,
)
_MAYBE_BRACE = re.compile("[{&]")
_PIECE = re.compile(r"\{[^{}]*\}?")
_NO_WORDS = frozenset(("code_inline", "math_inline", "math_inline_double", "myst_role"))
_END = Token("", "", 0)  # after the last token
_BREAKS = frozenset(("softbreak", "hardbreak"))


def find_evaluated(block: str, reading: Reading, *, is_html: bool) -> tuple[int, str] | None:
    """Find the first piece that another program evaluates in a block of prose or HTML.

    Return its 0-based line in the block, and the reason why the page is not translated. In HTML,
    backquotes do not mark code. Pages of MkDocs are exempt, because there such syntax needs a
    plugin that few projects use.
    """
    if reading.dialect is Dialect.MKDOCS:
        return None
    if module := _MODULE.match(block):
        return 0, _reason("an import or export of MDX", module[0])
    # Fast path: the patterns below need a brace, and most blocks have none.
    if "{" not in block:
        return None
    text = block if is_html else _without_code(inline_tokens(block))
    text = prose.HTML_CODE.sub("", text)
    for name, pattern in _SYNTAX.items():
        if name == BRACES and reading.has_substitutions:
            continue
        if found := pattern.search(text):
            line = block.count("\n", 0, max(block.find(found[0]), 0))
            return line, _reason(name, found[0])
    return None


def _reason(name: str, piece: str) -> str:
    """Return the reason not to translate a page with this piece; ``name`` is its syntax."""
    shown = quoted(" ".join(piece.split()))
    return f"the page has {name}, {shown}, which another program evaluates"


def evaluated_pieces(text: str, *, is_html: bool) -> list[str]:
    """Return the pieces of a message that some program may evaluate, in order.

    These are statements at the start of a line, braces outside of code, formulas and roles, and the
    syntax of template languages outside of formulas:

        "see {a.b} and {func}`c`, `{d}`"    ["{a.b}"]
        "write `{{ a }}`"                   ["{{ a }}"]
        "import './a.css'"                  ["import './a.css'"]
    """
    pieces = [match[0] for match in _STATEMENT.finditer(text)]
    if not _MAYBE_BRACE.search(text):
        return pieces
    tokens = () if is_html else inline_tokens(text)
    words = resolve_references(_without_code(tokens) or text)
    pieces += _PIECE.findall(without_words(words))
    for part in (words, *_codes(tokens)):
        pieces += find_templates(part)
    return pieces


def _without_code(tokens: Iterable[Token]) -> str:
    """Return the text of a block with a space in the place of code, formulas and roles.

    Keep a role before a backquote, as in "{ref}`{a.b}``". MyST ends this role at the first
    backquote after "{a.b}". For other programs, this text is no code, because two backquotes do not
    end code that begins with one.
    """
    parts: list[str] = []
    for token, following in pairwise((*tokens, _END)):
        is_code = token.type in _NO_WORDS
        if token.type == "myst_role" and following.type == "text":
            is_code = not following.content.startswith("`")
        if token.children:
            parts.append(_without_code(token.children))
        elif token.type in _BREAKS:
            parts.append("\n")
        else:
            parts.append(" " if is_code else token.content)
    return "".join(parts)


def _codes(tokens: Iterable[Token]) -> Iterator[str]:
    """Yield each code span, and the content of each role."""
    for token in tokens:
        yield from _codes(token.children or ())
        if token.type in ("code_inline", "myst_role"):
            yield token.content
