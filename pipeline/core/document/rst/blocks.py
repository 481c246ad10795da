"""Blocks of docutils' tree: the kind of message that a block holds, and what of it must stay.

What is worth translating is decided more strictly than by
:func:`pipeline.core.document.prose.has_words`: a name in backquotes makes no message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from docutils import nodes

from pipeline.core.document import prose
from pipeline.core.document.message import Kind, Signature
from pipeline.core.document.rst.directive_nodes import held

# What the paragraphs within a node are.
_KINDS = {
    "list_item": Kind.LIST_ITEM,
    "block_quote": Kind.QUOTE,
    "attribution": Kind.QUOTE,
    "footnote": Kind.FOOTNOTE,
    "citation": Kind.FOOTNOTE,
    "term": Kind.TERM,
    "definition": Kind.DEFINITION,
    "field_body": Kind.DEFINITION,
    "description": Kind.DEFINITION,
    "entry": Kind.TABLE_CELL,
    "title": Kind.HEADING,
}
# What of a node must be the same after a merge. The names of sections are not among it, which are
# their titles', nor the widths of columns, which depend on words.
_ATTRIBUTES = (
    *("bullet", "enumtype", "prefix", "suffix", "start"),  # lists
    *("refuri", "refname", "anonymous", "auto"),  # targets and footnotes
    *("cols", "morerows", "morecols", "delimiter"),  # tables
)
_NAMED = (nodes.target, nodes.footnote, nodes.citation, nodes.substitution_definition)
_UNSEEN = (nodes.Invisible, nodes.system_message)
_CODE = (nodes.literal_block, nodes.doctest_block)
# What may stand around a block that still counts as one of the page itself.
_TOP_LEVEL = (nodes.section, nodes.title, nodes.paragraph)


@dataclass(frozen=True, slots=True)
class Where:
    """What a block stands in: the kind of its paragraphs.

    ``is_opaque``: nothing in it is a message.
    """

    kind: Kind = Kind.PARAGRAPH
    is_top: bool = True
    is_opaque: bool = False

    def within(self, node: nodes.Element) -> Where:
        """The same for what stands in ``node``."""
        return Where(
            kind=self._kind_in(node),
            is_top=self.is_top and isinstance(node, _TOP_LEVEL),
            is_opaque=self.is_opaque or isinstance(node, nodes.field_name),
        )

    def _kind_in(self, node: nodes.Element) -> Kind:
        """What the paragraphs in ``node`` are."""
        if node.get("cell"):  # an item of a list that is drawn as a table
            return Kind.TABLE_CELL
        if isinstance(node, held):  # a directive, by its row in the table
            kind: Kind = node["kind"]
            return kind
        # Most blocks leave it at what they stand in: the lists of definitions, sections.
        return _KINDS.get(node.tagname, self.kind)


def ancestors(node: nodes.Element) -> Iterator[nodes.Element]:
    """What a block stands in, innermost first."""
    while node.parent is not None:
        node = node.parent
        yield node


def metadata(node: nodes.Element) -> nodes.Node | None:
    """The fields at the very start of a document, as ``:orphan:``.

    They say things about it, to programs. None if ``node`` is no document, or does not begin so.
    """
    if not isinstance(node, nodes.document):
        return None
    # Comments and targets may stand above them. The first block that is seen decides.
    seen = (child for child in node.children if not isinstance(child, _UNSEEN))
    first = next(seen, None)
    if isinstance(first, nodes.field_list):
        return first
    return None


def code_of(node: nodes.Element) -> str | None:
    """The code that a block is; None of any other.

    docutils has nodes of its own for it; a directive keeps its code as an attribute.
    """
    if isinstance(node, _CODE):
        return node.astext()
    code: str | None = node.get("code")  # of a directive
    return code


def attributes(node: nodes.Element) -> Signature:
    """What of a node must be the same after a merge, besides its type and place.

        * words                  ("bullet=*",)
        .. _here: https://a.b    ("refuri=https://a.b", "name=here")

    A directive adds the signature of its node.
    """
    found = [f"{name}={node[name]}" for name in _ATTRIBUTES if name in node]
    if isinstance(node, _NAMED):
        # docutils moves a name that stands twice on the page from the one to the other.
        found += [f"name={name}" for name in node["names"] + node["dupnames"]]
    return (*found, *node.get("signature", ()))


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
