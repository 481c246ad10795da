"""Making a copy's text fit to be read: what converters, web pages and editors left in it.

Markdown, or plain text, goes in; Markdown comes out, with code in fences and a paragraph a block.
No word is changed.
"""

from __future__ import annotations

import html
import re
import unicodedata

from pipeline.core.adoption.evidence import HAN
from pipeline.core.document.prose import CJK

_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,}|:{3,}|\$\$)")
# A fence and all that stood in it, made a single line.
_ONE_LINE = re.compile(r"^[ \t]*`{3,}(?:python|py)?[ \t]*(\S.*?)[ \t]*`{3,}[ \t]*$")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2028-\u202e\u2060\ufeff]")
_WIDE_SPACE = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_PERMALINK = re.compile(r"\s*(?:\[[¶#\uf0c1]\]\([^()]*\)|[¶\uf0c1])\s*$")
_NUMBERING = re.compile(
    r"^(?:第?[一二三四五六七八九十百]+[章节、.．]|第\d+[章节]|\d+(?:[.．]\d+)*[.．、)]?(?=\s)|[（(]?\d+[)）、])\s*"
)
_FOLDED = re.compile(rf"(?<=[{CJK}，。；：！？、）】」』”]) +(?=[{CJK}（【「『“])")
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d+|#x[0-9a-fA-F]+);")
_NEEDLESS = re.compile(r"\\([_\[\]()#+.!<>{}|~-])")
_CODE_SPAN = re.compile(r"(`[^`]*`|\$[^$]*\$)")
_ONLY_CODE = re.compile(r"`[^`]+`|``.+``")
_INDENTED = re.compile(r"[ \t]+\S")
_EDGE = re.compile(r"^(?:#{1,6}\s|[-*+]\s|\d+[.)]\s|>|\|)")
_ENDED = tuple("。！？：；.!?:;…”）)")
_WRAPPED, _LONGEST_WRAPPED = 40, 130  # columns of a line that may go on in the next one
_MARKS = re.compile(r"[=()\[\]._:{}+*/<>@]")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)|<?https?://\S+>?")
_MANY_MARKS = 0.13  # share of a text; in prose they are fewer
# What a line of code looks like that has lost its fence.
_CODE_LINE = re.compile(
    r"""
      ^\s*(?:>>>|\.\.\.|In\s?\[|Out\s?\[)                    # prompts
    | ^\s*(?:from\s+[\w.]+\s+import\s|import\s+[\w.]+(?:\s+as\s+\w+)?\s*$|@[\w.]+(?:\(.*\))?\s*$)
    | ^\s*(?:def|class|for|while|if|elif|with|try|except|else|lambda)\b.*:\s*(?:\#.*)?$
    | ^\s*(?:return|assert|raise|yield|print|del|global)\b[\s(]
    | ^\s*[A-Za-z_][\w.,\s\[\]*:]*\s*(?:[-+*/|&@%]|//|\*\*)?=(?!=)\s*\S
    | ^\s*[A-Za-z_][\w.]*\(.*\)?[\w.()\[\]]*\s*(?:\#.*)?$
    | ^\s*[\[\](){}]+[,\s]*$
    | ^\s*[\[({]?\s*-?\d[\d.eE+\-,\s\[\]]*[\])}]?,?\s*$        # numbers that were printed
    | ^\s*(?:Array|DeviceArray|ShapedArray|Traceback|array|\w+Error)\b[(:\[]
    | ^\s*\{\s*(?:lambda|'|").*
    | ^\s*(?:\$|%|!)\s?(?:pip|conda|git|python|cd|export)\b
    """,
    re.VERBOSE,
)
_PLAIN_WORDS = re.compile(
    r"[A-Za-z']{2,}(?:\s+[A-Za-z']{2,}){4}"
)  # five words in a row are prose


def tidied_text(text: str, *, is_plain: bool) -> str:
    """A copy's text as Markdown. ``is_plain``: a line may be a paragraph of its own.

    Invisible characters go, wide spaces become plain ones, line ends are one character, and code
    that stands without a fence gets one.
    """
    text = _WIDE_SPACE.sub(" ", _INVISIBLE.sub("", text))
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if is_plain:
        lines = [_without_indent(line) for line in lines]
    fencing = _Fencing(is_plain=is_plain)
    for line in lines:
        fencing.add(line)
    fencing.end()
    return "\n".join(fencing.lines)


def looks_like_code(line: str) -> bool:
    """Whether a line is code, or what code has printed, and no prose.

    ``x = f(y)  # 中文`` and ``[0. 1.2]`` are, ``Here x is an array`` and ``这里 x = 1`` are not.
    """
    code = line.partition("#")[0]
    is_prose = HAN.search(code) or _PLAIN_WORDS.search(code)
    return not is_prose and _CODE_LINE.match(line) is not None


def is_code_without_fence(text: str) -> bool:
    """Whether a paragraph is code that was made a single line, or is nothing but a code span.

    ``x = 1 y = f(x)`` has more marks than any sentence has.
    """
    if HAN.search(text):
        return False
    if _ONLY_CODE.fullmatch(text) or looks_like_code(text):
        return True
    # A sentence that is nothing but a link has as many marks.
    plain = _LINK.sub(" link ", text)
    return len(_MARKS.findall(plain)) > _MANY_MARKS * len(plain)


def tidied_words(text: str, *, is_heading: bool) -> str:
    """The words of a block without what is no part of them: escapes, permalinks, numbering.

    ``"3.1 编译 [¶](#a)"`` as a heading → ``"编译"``
    """
    text = _INVISIBLE.sub("", _WIDE_SPACE.sub(" ", text))
    text = _PERMALINK.sub("", text)
    if is_heading:
        text = _NUMBERING.sub("", text, count=1) or text
    parts = _outside_code(text)
    return unicodedata.normalize("NFC", _FOLDED.sub("", parts)).strip()


def _outside_code(text: str) -> str:
    """``text`` with entities and needless backslashes undone, but in code and formulas.

    There ``\\_`` and ``&lt;`` are what the author wrote.
    """
    parts = _CODE_SPAN.split(text)
    # Every other part is code: the pattern is a group, so that split keeps what it matches.
    parts[::2] = map(_unescaped, parts[::2])
    return "".join(parts)


def _unescaped(prose: str) -> str:
    """Prose as it was before a converter: ``a\\_b &lt; c`` → ``a_b < c``."""
    prose = _ENTITY.sub(lambda entity: html.unescape(entity[0]), prose)
    return _NEEDLESS.sub(r"\1", prose).replace("\u00a0", " ")


def _without_indent(line: str) -> str:
    """A line of prose without the spaces it begins with.

    Chinese paragraphs begin with two wide spaces, which Markdown takes for code.
    """
    return line.lstrip() if HAN.search(line) else line


class _Fencing:
    """Walks the lines of a text, and puts code that has lost its fence into one."""

    def __init__(self, *, is_plain: bool) -> None:
        self._is_plain = is_plain
        self._fence = ""  # what the open fence closes with
        self._run: list[str] = []  # lines of code so far
        self._before = ""
        self.lines: list[str] = []

    def add(self, line: str) -> None:
        """Take the next line."""
        if self._fence:
            self._keep(line)
            if self._closes(line):
                self._fence = ""
        elif code := _ONE_LINE.match(line):
            self.end()
            self.lines += ["", "```", code[1], "```", ""]
        elif opening := _FENCE.match(line):
            self._open(line, opening[1])
        elif self._is_code(line):
            self._add_code(line)
        else:
            self._add_prose(line)

    def _open(self, line: str, mark: str) -> None:
        """Take a line that opens a fence; a formula may begin and end on one line."""
        self.end()
        self._keep(line)
        if line.count(mark) == 1:
            self._fence = mark

    def _add_code(self, line: str) -> None:
        """Take a line of code without a fence.

        In plain text a line with ``#`` above the first one is a comment, and no heading.
        """
        is_first = not self._run and self._is_plain
        if is_first and self._before.startswith("# "):
            self._run.append(self.lines.pop())
        self._run.append(line)

    def _add_prose(self, line: str) -> None:
        """Take a line of prose; of plain text it may begin a paragraph.

        Markdown would join the two lines to one.
        """
        self.end()
        if self._is_plain and _begins_paragraph(self._before, line):
            self._keep("")
        self._keep(line)

    def end(self) -> None:
        """Close a run of code.

        Also at the end of the text: code may be the last of it.
        """
        if self._run:
            self.lines += ["", "```", *self._run, "```", ""]
            self._run, self._before = [], ""

    def _keep(self, line: str) -> None:
        """Write a line as it is.

        It is what the next one is compared with.
        """
        self.lines.append(line)
        self._before = line

    def _closes(self, line: str) -> bool:
        """Whether a line ends the open fence: it has nothing but as many marks, or more.

        Of a fence in a quotation the mark of that stands before it.
        """
        marks = line.strip(" >\t")
        return marks.startswith(self._fence) and not marks.strip(self._fence[0])

    def _is_code(self, line: str) -> bool:
        """Whether a line outside of fences belongs into one.

        Within a paragraph of Markdown code is a part of that, which somebody has wrapped.
        """
        if self._goes_on(line):
            return True
        is_within = self._before.strip() and not self._is_plain
        return not is_within and looks_like_code(line)

    def _goes_on(self, line: str) -> bool:
        """Whether a line belongs to the run of code before it: it is indented, or a comment.

        In Markdown a line with ``#`` would be a heading, in plain text it is a comment.
        """
        if not self._run or HAN.search(line.partition("#")[0]):
            return False
        is_comment = self._is_plain and line.startswith("# ")
        return is_comment or _INDENTED.match(line) is not None


def _begins_paragraph(before: str, line: str) -> bool:
    """Whether a line of plain text does not go on with the one before it.

    A line that is as long as wrapped ones are, and ends in no full stop, goes on.
    """
    if not before.strip() or not line.strip():
        return False
    edges = {_EDGE.match(before) is not None, _EDGE.match(line) is not None}
    if True in edges:
        return False in edges  # items of one list stay together
    if before.rstrip().endswith(_ENDED):
        return True
    width = len(before) + len(HAN.findall(before))
    return not _WRAPPED <= width <= _LONGEST_WRAPPED
