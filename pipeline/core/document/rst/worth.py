"""What of a piece of reStructuredText is worth translating: the words outside its atoms.

Stricter than :func:`pipeline.core.document.prose.has_words`: this decides what becomes a message,
and a name in backquotes is none.
"""

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


def has_words(text: str) -> bool:
    """Whether a block holds anything to translate.

    See `the guide`_.        yes
    :func:`jax.numpy.dot`    no: one name
    |version| [1]_           no
    """
    if not _WORD.search(text):
        return False
    # Atoms go first: they are told by the roles before them.
    return bool(_WORD.search(_ROLE.sub(" ", _ATOM.sub(" ", text))))


def is_image_text(text: str) -> bool:
    """Whether the text of an image says something: file names and names do not."""
    return has_words(text) and prose.is_image_text(text)


def is_caption(text: str) -> bool:
    """Whether a caption says something: the name of a file does not."""
    return has_words(text) and prose.is_caption(text)
