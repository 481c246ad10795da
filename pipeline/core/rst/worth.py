"""What of a piece of reStructuredText is worth translating: the words that are left once its atoms are taken away."""

from __future__ import annotations

import re

from pipeline.core.document import prose

_ATOM = re.compile(
    r"""
      ``.+?``(?!`)                                    # literal
    | :(?:math|code|raw[\w-]*):`[^`]*`                # role whose text is code
    | :[\w+.:-]+:`(?![^`]*\s<[^`<>]*>`)[^`]*`         # role without a text of its own
    | \s<[^`<>]*>(?=`)                                # target of a role or a reference
    | `[^`\s]+`(?![_\w])                              # interpreted text of one word: a name
    | \|[^|\s](?:[^|]*[^|\s])?\|_{0,2}                # substitution
    | \[[^\]\s]+\]_ | (?:https?://|mailto:)\S+        # footnote, URI
    """,
    re.VERBOSE | re.DOTALL,
)
_WORD = re.compile(rf"[^\W\d_]{{2,}}|[{prose.CJK}]")
_ROLE = re.compile(r":[\w+.:-]+:(?=`)")
_SENTENCE = re.compile(rf"\s|[{prose.CJK}]")
_FILE_NAME = re.compile(r"\.(?:png|jpe?g|gif|svg|webp)$", re.IGNORECASE)


def has_words(text: str) -> bool:
    """Whether a block holds anything to translate."""
    return bool(_WORD.search(text)) and bool(_WORD.search(_ROLE.sub(" ", _ATOM.sub(" ", text))))


def is_sentence(text: str) -> bool:
    """Whether the text of an image says something: file names and single words do not."""
    return has_words(text) and bool(_SENTENCE.search(text)) and not _FILE_NAME.search(text)
