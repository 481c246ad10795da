"""Markdown guard: rejects translations that would change more than prose, and proves the result.

:func:`refusal` examines one translation alone and gives the reason. :func:`read_back` parses the
merged text again and compares it with upstream's.

Active markup is everything that a renderer turns into more than words: tags, link targets, images,
roles, formulas and footnotes. A translation must not add active markup that its English does not
have. Two searches find it: one in the raw text, because renderers differ, and one in the tokens of
the parser.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import lru_cache

from markdown_it.token import Token

from pipeline.core.document import atoms, guard
from pipeline.core.document.atoms import added_formulas, canonical_math
from pipeline.core.document.guard import Refusal, merged_messages, text_refusal
from pipeline.core.document.markdown import directives, front_matter, parser
from pipeline.core.document.markdown.splitter import split_text
from pipeline.core.document.markdown.template_syntax import evaluated_pieces
from pipeline.core.document.message import Kind, Message, Split
from pipeline.core.document.splice import Placed, translation_lines
from pipeline.errors import InputError
from pipeline.reading import MYST, Dialect, Reading

_LINE_END = re.compile(r"\r\n?")
# jupytext only looks at how the info string of a fence starts.
_CELLS = tuple(f"{{{name}}}" for name in directives.CELLS)


# Cache the reasons: both documents of a jupytext pair have the same messages, and the checks call
# this function as well.
@lru_cache(maxsize=1 << 14)
def refusal(msgid: str, kind: Kind, msgstr: str) -> Refusal | None:
    """Return the reason to refuse a translation on its own, or None.

    This function does not know the page; :func:`read_back` decides whether the page is intact.
    """
    lines = translation_lines(msgstr)
    is_html = kind is Kind.HTML
    # First the tests that are fast or have the most helpful messages.
    refused = text_refusal(msgid, msgstr) or _lines_refusal(msgid, lines)
    if not refused and is_html:
        refused = html_refusal(msgid, msgstr)
    refused = (
        refused
        or written_refusal(msgid, msgstr)
        or evaluated_refusal(msgid, msgstr, is_html=is_html)
    )
    if refused:
        return refused
    if kind is Kind.IMAGE:
        refused = image_refusal(msgid, msgstr)
    # Apply this test to HTML and image texts as well: a renderer may find formulas in them.
    return refused or inline_refusal(msgid, msgstr)


def read_back(
    split: Split,
    placed: Placed,
    *,
    page: bool,
    is_run: bool = False,
    reading: Reading = MYST,
) -> tuple[Message, ...] | None:
    """Return the messages of the merged text, parsed again, without the insertions of the merge.

    Return None if messages, blocks or code differ from those of upstream's text ``split``.
    ``is_run`` means that the page is a MyST notebook, whose code is executed.
    """
    # If upstream forgot to close a fence, jupytext may execute text that is prose here.
    dialect = reading.dialect
    if is_run and executable(placed.text, dialect) != executable(split.text, dialect):
        return None
    try:
        fresh = split_text(placed.text, page=page, reading=reading)
    except InputError:
        return None
    added: set[int] = set()
    for start, end in placed.inserted:
        added.update(range(start, end))
    return merged_messages(split, fresh, placed, added)


# Cache the blocks, because each try of a merge compares with upstream's text.
@lru_cache(maxsize=4)
def executable(text: str, dialect: Dialect = Dialect.MYST) -> tuple[tuple[str, str], ...]:
    """Return (info string, content) of every block that jupytext does not treat as prose.

    Parse with jupytext's syntax, in which other texts may be code than in MyST.
    """
    md = parser.plain_parser()
    tokens: list[Token] = []
    md.block.parse(_LINE_END.sub("\n", text), md, {}, tokens)
    blocks: list[tuple[str, str]] = []
    for token in tokens:
        if token.type == "front_matter":
            # Leave out the values that a translation may change.
            source = front_matter.without_words(token.content, dialect)
            blocks.append((token.info, source))
        elif token.type == "myst_block_break" or (
            token.type == "fence" and token.info.startswith(_CELLS)
        ):
            blocks.append((token.info, token.content))
    return tuple(blocks)


def _lines_refusal(msgid: str, lines: list[str]) -> Refusal | None:
    """Return a refusal if the translation has more lines than the English, or a blank line."""
    breaks = msgid.count("\n")
    if len(lines) > breaks + 1:
        return Refusal(
            "G102",
            f"has {len(lines) - 1} line breaks where the English has {breaks}",
            "Write it on one line, or break it only where the English does (\\n).",
        )
    if len(lines) > 1 and not all(line.strip() for line in lines):
        return Refusal("G102", "has an empty line", "Delete it: a message is one block.")
    return None


HTML, LINK, IMAGE, ROLE, FORMULA, FOOTNOTE = NAMES = (
    "HTML",
    "link target",
    "image",
    "role",
    "formula",
    "footnote",
)
# Sphinx's syntax for a title with a target.
_TITLED = re.compile(r".+<(?P<target>[^<]*)>", re.DOTALL)


def pieces_of(text: str) -> dict[str, Counter[str]]:
    """Return the pieces of active markup in ``text`` with their counts, by kind.

    "{ref}`a` and [b](c.md)" gives {"role": {"{ref}`a`": 1}, "link target": {"c.md": 1}}. A kind
    without pieces has an empty counter.
    """
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for token in parser.inline_tokens(text):
        for name, piece in _pieces(token):
            found[name][piece] += 1
    return found


def _pieces(token: Token) -> Iterator[tuple[str, str]]:
    """Yield (kind, piece) for the active markup in one token."""
    match token.type:
        case "html_inline":
            yield HTML, token.content
        case "link_open":
            yield LINK, str(token.attrGet("href"))
        case "image":
            yield IMAGE, str(token.attrGet("src"))
            yield from _image_pieces(token)
        case "math_inline" | "math_inline_double":
            yield FORMULA, canonical_math(token.content)
        case "myst_role":
            yield _role(str(token.meta["name"]), token.content)
        case "footnote_ref":
            yield FOOTNOTE, str(token.meta["label"])


def _image_pieces(image: Token) -> Iterator[tuple[str, str]]:
    """Yield (kind, piece) for the active markup in an image's text.

    CommonMark treats markup in this text as plain text, but some renderers do not: for them,
    ``![a <b>](c.png)`` has the HTML ``<b>``. A link counts as HTML with empty content, because its
    target does not matter.
    """
    for child in image.children or ():
        if child.type in ("html_inline", "link_open"):
            yield HTML, child.content
        else:
            yield from _pieces(child)


def _role(name: str, content: str) -> tuple[str, str]:
    """Return (kind, piece) for a role: its name with the part that must not change, or a formula.

    {kbd}`words`            {kbd}`…`
    {func}`words <~a.b>`    {func}`a.b`
    {math}`a + b`           a+b
    """
    if name.lower() == atoms.MATH:
        return FORMULA, canonical_math(content)
    titled = _TITLED.fullmatch(content)
    target = titled["target"] if titled else content
    fixed = atoms.fixed_part(name, content, target)
    return ROLE, f"{{{name}}}`{fixed or '…'}`"


# Three fast filters. If `_PARSED` matches nothing in a text, the parser finds no active markup.
_PARSED = re.compile(r"[<\[{$]")
# If `_KEPT` matches nothing in an English text, translations may drop all of its markup.
_KEPT = re.compile(r"[<{]|\[!")
# If `_ACTIVE` matches nothing in a text, no renderer finds active markup in it.
_ACTIVE = re.compile(r"[<\[{\\:&]|//|www\.", re.IGNORECASE)
_ESCAPE = re.compile(r"\\([:/.&;#])")
# A role whose target looks like HTML: {ref}`a <b>`
_TITLED_ROLE = re.compile(r"(\{[\w+:-]+\}`[^`<>\n]+)<([^`<>\n]+)>`")
_ROLE = re.compile(r"\{[\w+:-]+\}`(?:[^`<>]*<)?([^`<>]+)>?`")
_IMAGE_MARK = re.compile(r"[\\`<>\[\]$]")
# Pieces of these kinds must not occur more often than in the English. Pieces of other kinds may.
_COUNTED = frozenset(("HTML", "payload"))
# Kinds of raw text whose pieces must not disappear.
_WHOLE = ("attributes", "alert")
# Kinds whose pieces may disappear from a translation, in the order of the tests.
_OPTIONAL_KINDS = (LINK, IMAGE, ROLE, FORMULA, FOOTNOTE)
_NONE: Counter[str] = Counter()


def written_refusal(msgid: str, msgstr: str) -> guard.Refusal | None:
    """Return a refusal if any renderer could find active markup that the English does not have.

    Search the raw text:

    "a word"    "一个 <b>词"                   adds HTML “<b”
    "a word"    "见 www.a.b"                   adds URL “www.a.b”
    "a word"    "见 java&#115;cript&#58;x"     adds scheme “javascript:”
    """
    if not _ACTIVE.search(msgstr):
        return None
    text = _plain(msgstr, msgid)
    english = _plain(msgid, msgid)
    for name in guard.WRITTEN:
        ours = Counter(guard.find_written(name, text))
        if not ours:
            continue  # fast path: most translations have none
        theirs = Counter(guard.find_written(name, english))
        added = _added(ours, theirs, is_counted=name in _COUNTED)
        if added:
            return guard.change_refusal(name, added)
    refused = _changed(FORMULA, _NONE, Counter(added_formulas(english, text)))
    if refused:
        return refused
    return None


def evaluated_refusal(msgid: str, msgstr: str, *, is_html: bool) -> guard.Refusal | None:
    """Return a refusal if some program would evaluate text that is not in the English.

    "a word"    "见 {process.env.KEY}"         adds syntax of another program “{process…
    """
    ours = Counter(evaluated_pieces(msgstr, is_html=is_html))
    if not ours:
        return None  # fast path: most translations have none
    theirs = Counter(evaluated_pieces(msgid, is_html=is_html))
    added = _added(ours, theirs, is_counted=False)
    return guard.change_refusal("syntax of another program", added) if added else None


def image_refusal(msgid: str, msgstr: str) -> guard.Refusal | None:
    """Return a refusal if an image's text has other marks than the English.

    The text is inside of ``![text](source)``, so an additional mark could end the image too early
    or too late.
    """
    theirs = Counter(_IMAGE_MARK.findall(msgid))
    ours = Counter(_IMAGE_MARK.findall(msgstr))
    return _changed("mark", theirs, ours)


def html_refusal(msgid: str, msgstr: str) -> guard.Refusal | None:
    """Return a refusal if a block of HTML has other tags than the English, or an unclosed tag.

    The order of the tags may differ: ``<b>one</b> <i>two</i>`` may become ``<i>…</i> <b>…</b>``.
    """
    theirs = Counter(parser.html_tags(msgid))
    ours = Counter(parser.html_tags(msgstr))
    rest = msgstr
    for tag in ours:
        rest = rest.replace(tag, "")
    # `html_tags` does not find unclosed tags, such as "<img src=x onerror=…".
    if theirs == ours and "<" not in rest:
        return None
    return guard.change_refusal("HTML", ours - theirs, theirs - ours)


def inline_refusal(msgid: str, msgstr: str) -> guard.Refusal | None:
    """Return a refusal if the parser finds active markup that the English does not have.

    Some markup must not disappear either: HTML (without ``</b>``, the rest of the page is bold),
    attributes (links may lead to ``{#name}``), and the kind of an alert.

        "a [word](b.md)"    "[一个](b.md)[词](b.md)"    None
        "a [word](b.md)"    "一个[词](c.md)"            adds link target “c.md”
        "a <b>word</b>"     "一个 <b>词"                lacks HTML “</b>”
    """
    if not _PARSED.search(msgstr) and not _KEPT.search(msgid):
        return None
    for name in _WHOLE:
        refused = _changed(
            name,
            Counter(guard.find_written(name, msgid)),
            Counter(guard.find_written(name, msgstr)),
        )
        if refused:
            return refused
    theirs = pieces_of(msgid)
    ours = pieces_of(msgstr)
    refused = _changed(HTML, theirs[HTML], ours[HTML])
    if refused:
        return refused
    for name in _OPTIONAL_KINDS:
        added = _added(ours[name], theirs[name], is_counted=False)
        if added:
            return guard.change_refusal(name, added)
    return None


def _plain(text: str, msgid: str) -> str:
    """Return ``text`` as renderers interpret it, without the targets of roles.

    Resolve character references and backslash escapes: ``java&#115;cript\\:x`` becomes
    ``javascript:x``. Remove the target in "{ref}`词 <label>`", which looks like HTML, if a role
    of the English has the same target.
    """
    if "<" in text:
        targets = {target.lstrip("~!") for target in _ROLE.findall(msgid)}
        text = _TITLED_ROLE.sub(lambda role: role[1] + "`" if role[2] in targets else role[0], text)
    return _ESCAPE.sub(r"\1", guard.resolve_references(text))


def _added(ours: Counter[str], theirs: Counter[str], *, is_counted: bool) -> Counter[str]:
    """Return the pieces that the English lacks.

    If ``is_counted`` is true, return also those that occur more often than in the English.
    """
    if is_counted:
        return ours - theirs
    # Pieces may be repeated: a sentence that becomes two may have the link twice.
    return Counter(piece for piece in ours if piece not in theirs)


def _changed(name: str, theirs: Counter[str], ours: Counter[str]) -> guard.Refusal | None:
    """Return a refusal if any piece was added or removed, or None."""
    if theirs == ours:
        return None
    return guard.change_refusal(name, ours - theirs, theirs - ours)
