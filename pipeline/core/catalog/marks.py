"""Marks of a text (code, roles, links, numbers), and changes of a text that concern only its marks.

Two versions of a text correspond if they have equal words, and each mark of one has a partner in
the other. In that case the translation of the old version can follow the change: the new mark
replaces each old mark in the translation. Example: "See `tea`." becomes "See `hot_tea`.", so
"见 `tea`。" becomes "见 `hot_tea`。".

One pattern finds the marks of both markup languages, because upstream may convert a page from one
language to the other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

from pipeline.tables import read_table

_PATTERNS = read_table(__name__, "patterns")
# The matches cover the whole text. Words, numbers and URLs are ASCII only, because Chinese
# characters may follow them without a space.
_TOKEN = re.compile(_PATTERNS["token"], re.VERBOSE | re.DOTALL | re.ASCII)
_TITLED = re.compile(r"(?P<title>[^<>]+?)\s*<(?P<target>[^<>]+)>", re.DOTALL)
_ADDRESS = re.compile(r"https?://[^\s<>()\"'`]+", re.ASCII)
# By kind of token: one spelling that stands for all. English may spell these tokens in several
# ways, but the translation is the same.
_ONE_SPELLING = {"space": " ", "dash": "—", "quote": '"', "apostrophe": "'"}
_CODE_ROLES = frozenset(("code", "literal"))
_PAGE_ROLES = frozenset(("doc", "numref", "ref"))  # they show the title of their target
_REFERENCE = "reference"  # kind of a reST link
_HIDDEN = frozenset((*_PAGE_ROLES, "link", "url"))  # kinds whose targets readers do not see
# Spaces are significant inside these elements.
_VERBATIM = re.compile(r"<(?:pre|textarea|script|style)\b", re.IGNORECASE)
# By the final mark of an English text: the characters with which a translation may end.
_ENDS = {".": "。.", ":": "：:", "": ""}
_ANY_END = "".join(_ENDS.values())


class MarkChange(StrEnum):
    """The part of a page that looks different to readers after the change of a mark."""

    NOTHING = "nothing"  # another target, or another spelling of the same name
    CODE = "code"  # other code, or another formula
    NUMBER = "number"


class Token(Struct, frozen=True, kw_only=True):
    """A mark, a word, or another part of a text.

    ``kind`` is the name of a role, or of a group of ``_TOKEN``. If the token is a role, a link or
    code, readers see its ``title``, or its ``name`` if it has no title. Both are empty for a link
    that shows the title of its target, and for other tokens, such as numbers and spaces.
    """

    text: str
    kind: str
    name: str = ""
    title: str = ""
    target: str = ""
    frame: tuple[str, str] = ("", "")  # what is before and after title and target

    @property
    def shown(self) -> str:
        """Return the words that readers see, or "" if the page shows the title of the target."""
        return self.title or self.name

    @property
    def identity(self) -> tuple[str, str]:
        """Return a key that is the same for a mark in the English and this mark in a translation.

        The title of a role or link may be translated, so the key has only the target.
        """
        if self.kind == _REFERENCE:
            return self.kind, self.target.rstrip("_")
        if self.target:
            return self.kind, self.target.lstrip("~!")
        return self.kind, _ONE_SPELLING.get(self.kind, self.text)

    @property
    def is_code(self) -> bool:
        """Return whether the mark shows code or a name, not words."""
        if self.kind in ("code", "linked", "formula"):
            return True
        return self.target != "" and " " not in self.shown and not self.title

    def with_title(self, title: str) -> str:
        """Return the text of a role or link with another title, or without one."""
        opening, closing = self.frame
        content = f"{title} <{self.target}>" if title else self.target
        return f"{opening}{content}{closing}"


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of a text; joined, they give the text.

    "See {ref}`here <tea>`" has a word, a space, and a role with the title "here" and the target
    "tea".
    """
    return list(map(_token, _TOKEN.finditer(text)))


def _token(match: re.Match[str]) -> Token:
    """Return the token of a match of ``_TOKEN``."""
    text, kind = match[0], str(match.lastgroup)
    match kind:
        case "content":
            return _role(match)
        case "target" | "name":
            title = match["title"] or match["name"]
            target = match["target"] or match["name"]
            return Token(
                text=text,
                kind=_REFERENCE,
                title=title,
                target=target,
                frame=("`", "`_"),
            )
        case "linked" | "code" | "formula" | "word":
            return Token(text=text, kind=kind, name=match[kind])
        case _:
            return Token(text=text, kind=kind)


def _role(match: re.Match[str]) -> Token:
    """Return the token of a role, such as "{ref}`here <tea>`" or ":func:`~tea.stir`"."""
    text, content, tick = match[0], match["content"], match["tick"]
    role = match["myst"] or match["rst"]
    if role in _CODE_ROLES:
        return Token(text=text, kind="code", name=content)
    frame = (text.removesuffix(f"{content}{tick}"), tick)
    if titled := _TITLED.fullmatch(content):
        return Token(text=text, kind=role, frame=frame, **titled.groupdict())
    name = ""
    if role not in _PAGE_ROLES:
        # "~" shows only the last part of a name, and "!" makes no link.
        name = content.rpartition(".")[2] if content.startswith("~") else content
    return Token(text=text, kind=role, frame=frame, name=name.lstrip("~!"), target=content)


class Followed(Struct, frozen=True, kw_only=True):
    """A translation after a change of its English.

    A translation that ``is_certain`` needs no review: readers see no changed code or number, the
    translation ends as the English does, and no changed link in it has a title of its own.
    """

    msgstr: str
    is_certain: bool


class Correspondence(Struct, frozen=True, kw_only=True):
    """An old and a new text that have equal words.

    ``changed`` maps the identity of each changed old mark to the new mark. ``end`` is the final
    punctuation of the new text, or None if both texts end alike.
    """

    old: Sequence[Token]
    changed: Mapping[tuple[str, str], Token]
    changes: frozenset[MarkChange]
    end: str | None

    def follow(self, msgstr: str) -> Followed | None:
        """Return ``msgstr`` with the new marks; None if its marks are not those of the old text.

        If a link in the translation has a title of its own, the title stays.
        """
        has_end = self.end is None or _has_end(msgstr, self.end)
        tokens = tokens_of(msgstr)
        if self._count_changed(tokens) != self._count_changed(self.old):
            return None
        replaced = list(map(self._replaced, tokens))
        if None in replaced:
            return None
        is_same_to_readers = self.changes <= {MarkChange.NOTHING}
        has_own_titles = any(map(self._has_own_title, tokens))
        return Followed(
            msgstr="".join(filter(None, replaced)),
            is_certain=is_same_to_readers and has_end and not has_own_titles,
        )

    def _count_changed(self, tokens: Sequence[Token]) -> Counter[tuple[str, str]]:
        """Return how often each changed mark occurs among ``tokens``."""
        return Counter(token.identity for token in tokens if token.identity in self.changed)

    def _has_own_title(self, token: Token) -> bool:
        """Return whether ``token`` has a title, but the new mark that replaces it has none.

        ``token`` is a mark in a translation. If its link leads to another page now, the title may
        be wrong.
        """
        new = self.changed.get(token.identity)
        return new is not None and token.title != "" and not new.shown

    def _replaced(self, token: Token) -> str | None:
        """Return the new text of a token; None if it has a title that the new mark cannot have."""
        new = self.changed.get(token.identity)
        if new is None:
            return token.text
        if token.shown == new.shown or not (token.title or new.title):
            return new.text
        return new.with_title(token.title) if new.target else None


def correspond(old: str, new: str) -> Correspondence | None:
    """Return how the marks of two texts correspond, or None if any words differ.

    "See `tea`." and "See `hot_tea`." differ in one code span. Return None also if equal marks
    change in different ways, because it is then unknown which change applies to a mark in the
    translation.
    """
    if _VERBATIM.search(old) or _VERBATIM.search(new):
        return None
    old_end, new_end = _end_of(old), _end_of(new)
    old_tokens = tokens_of(old.removesuffix(old_end))
    new_tokens = tokens_of(new.removesuffix(new_end))
    if len(old_tokens) != len(new_tokens):
        return None
    pairs = list(zip(old_tokens, new_tokens, strict=True))
    changed: dict[tuple[str, str], Token] = {}
    changes: set[MarkChange] = set()
    for before, after in pairs:
        if before.text == after.text or _is_one_spelling(before, after):
            continue
        change = _change_of(before, after)
        if change is None:
            return None
        changes.add(change)
        changed[before.identity] = after
    for before, after in pairs:
        target = changed.get(before.identity)
        if target and target.identity != after.identity:
            return None
    return Correspondence(
        old=old_tokens,
        changed=changed,
        changes=frozenset(changes),
        end=None if old_end == new_end else new_end,
    )


def _is_one_spelling(before: Token, after: Token) -> bool:
    """Return whether two spaces, dashes or quotation marks are the same to a translation."""
    return before.kind in _ONE_SPELLING and before.identity == after.identity


def _change_of(before: Token, after: Token) -> MarkChange | None:
    """Return what looks different to readers after the change of one token.

    Return None if the change is not only a change of a mark. Examples, with the result on the
    right::

        [`stir`](a.md)    {func}`~tea.stir`    nothing
        {ref}`tea`        {doc}`hot-tea`       nothing
        stir              `stir`               nothing
        `stir`            `tea.stir`           code
        2                 3                    number
    """
    kinds = (before.kind, after.kind)
    if kinds == ("number", "number"):
        return MarkChange.NUMBER
    # A mark must not become a word: the translation would have to translate it. A word may become
    # code.
    if after.kind == "word" or (before.kind == "word" and not after.is_code):
        return None
    if before.shown and before.shown == after.shown:
        return MarkChange.NOTHING
    if before.shown == after.shown and _is_hidden_pair(before, after):
        return MarkChange.NOTHING
    if not (before.is_code and after.is_code):
        return None
    is_same = before.identity == after.identity
    if is_same or _without_addresses(before) == _without_addresses(after):
        return MarkChange.NOTHING
    return MarkChange.CODE


def _is_hidden_pair(before: Token, after: Token) -> bool:
    """Return whether two marks differ only in targets that readers do not see."""
    if before.kind in _PAGE_ROLES and after.kind in _PAGE_ROLES:
        return True
    if before.kind != after.kind:
        return False
    is_same_tag = _without_addresses(before) == _without_addresses(after)
    return before.kind in _HIDDEN or (before.kind == "html" and is_same_tag)


def _without_addresses(token: Token) -> str:
    """Return the text of a mark without its URLs."""
    return _ADDRESS.sub("", token.text)


def _end_of(text: str) -> str:
    """Return the final stop or colon of an English text, or ""."""
    return text[-1:] if text[-1:] in _ENDS else ""


def _has_end(msgstr: str, end: str) -> bool:
    """Return whether a translation ends like an English text with the final mark ``end``."""
    last = msgstr[-1:]
    return last in _ENDS[end] if end else last not in _ANY_END


def follow_change(old: str, new: str, msgstr: str) -> Followed | None:
    """Return ``msgstr`` with the change from ``old`` to ``new``, or None if a person must apply it.

    The words of both texts must be equal, and each changed mark must be in ``msgstr`` as often as
    in ``old``. The change from ``"See http://tea.org/x."`` to ``"See https://tea.org/x."`` turns
    ``"见 http://tea.org/x。"`` into ``"见 https://tea.org/x。"``.

    If code or numbers have changed, the result is not certain. For example, the only 6 in a
    translation of "6 times in June" may be the month: ``"6 月六次"``.
    """
    if old == new:
        return Followed(msgstr=msgstr, is_certain=True)
    correspondence = correspond(old, new)
    return correspondence.follow(msgstr) if correspondence else None
