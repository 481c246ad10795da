"""Blocks of docutils' tree: the kind of message in each block, and the parts that must not change.

:func:`has_words` is stricter here than in :mod:`pipeline.core.document.prose`: a name in backquotes
does not count as a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from docutils import nodes
from msgspec import Struct

from pipeline.core.document import prose
from pipeline.core.document.message import Kind, Signature
from pipeline.core.document.rst.directive_nodes import directive_node

# The kind of the paragraphs in a node, by the node's name.
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
# Attributes that a merge must not change. The names of sections and the widths of columns are not
# among them, because they depend on the words.
_ATTRIBUTES = (
    *("bullet", "enumtype", "prefix", "suffix", "start"),  # lists
    *("refuri", "refname", "anonymous", "auto"),  # targets and footnotes
    *("cols", "morerows", "morecols", "delimiter"),  # tables
)
_NAMED = (nodes.target, nodes.footnote, nodes.citation, nodes.substitution_definition)
_UNSEEN = (nodes.Invisible, nodes.system_message)
_CODE = (nodes.literal_block, nodes.doctest_block)
# A block whose ancestors have only these types is top-level.
_TOP_LEVEL = (nodes.section, nodes.title, nodes.paragraph)


class Context(Struct, frozen=True):
    """Context of a block, which depends on its ancestors."""

    kind: Kind = Kind.PARAGRAPH  # kind of its paragraphs
    is_top: bool = True  # outside of lists, quotes, tables and directives
    is_opaque: bool = False  # whether nothing in the block becomes a message

    def within(self, node: nodes.Element) -> Context:
        """Return the context of the blocks in ``node``."""
        return Context(
            kind=self._kind_in(node),
            is_top=self.is_top and isinstance(node, _TOP_LEVEL),
            is_opaque=self.is_opaque or isinstance(node, nodes.field_name),
        )

    def _kind_in(self, node: nodes.Element) -> Kind:
        """Return the kind of the paragraphs in ``node``."""
        if node.get("cell"):  # an item of a list-table
            return Kind.TABLE_CELL
        if isinstance(node, directive_node):
            # The table of directives defines the kind.
            kind: Kind = node["kind"]
            return kind
        # In other nodes, such as sections, the kind is that of the surrounding block.
        return _KINDS.get(node.tagname, self.kind)


def ancestors(node: nodes.Element) -> Iterator[nodes.Element]:
    """Yield the ancestors of a node, innermost first."""
    while node.parent is not None:
        node = node.parent
        yield node


def metadata(node: nodes.Element) -> nodes.Node | None:
    """Return the field list at the very start of a document, such as ``:orphan:``, or None.

    Its fields are metadata for programs. Return None if ``node`` is not a document.
    """
    if not isinstance(node, nodes.document):
        return None
    # Invisible blocks such as comments and targets may precede the list.
    seen = (child for child in node.children if not isinstance(child, _UNSEEN))
    first = next(seen, None)
    if isinstance(first, nodes.field_list):
        return first
    return None


def why_not_offered(node: nodes.Element) -> str:
    """Return why the words of a node are not translated although readers see them, or "".

    Only the names of fields and the classifiers of terms are such words. Words that Sphinx itself
    interprets are not reported: fields in the description of an object, and classifiers in a
    glossary.
    """
    if not isinstance(node, nodes.field_name | nodes.classifier):
        return ""
    if not has_words(node.astext()):
        return ""
    item = node.parent
    if isinstance(node, nodes.classifier):
        is_read = isinstance(item.parent, directive_node)
        return "" if is_read else "the classifier of a term is not translated"
    above = list(ancestors(item))
    is_of_object = any(one.get("kind") is Kind.DEFINITION for one in above)
    if is_of_object or metadata(above[1]) is above[0]:
        return ""
    return "the name of a field is not translated"


def code_of(node: nodes.Element) -> str | None:
    """Return the code of a block, or None if it is not code.

    The code of a directive is an attribute of its node.
    """
    if isinstance(node, _CODE):
        return node.astext()
    code: str | None = node.get("code")  # from a directive
    return code


def attributes(node: nodes.Element) -> Signature:
    """Return the parts of a node that a merge must not change, except its type and depth.

        * words                  ("bullet=*",)
        .. _here: https://a.b    ("refuri=https://a.b", "name=here")

    The node of a directive has further parts in its signature.
    """
    found = [f"{name}={node[name]}" for name in _ATTRIBUTES if name in node]
    if isinstance(node, _NAMED):
        # docutils moves a duplicate name from "names" to "dupnames".
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
    """Return whether a block has anything to translate.

    See `the guide`_.        yes
    :func:`jax.numpy.dot`    no: one name
    |version| [1]_           no
    """
    if not _WORD.search(text):
        return False
    # Remove atoms first, because the patterns of atoms need the role names, which are removed next.
    return bool(_WORD.search(_ROLE.sub(" ", _ATOM.sub(" ", text))))


def is_image_text(text: str) -> bool:
    """Return whether an image's text should be translated: not a file name or an identifier."""
    return has_words(text) and prose.is_image_text(text)


def is_caption(text: str) -> bool:
    """Return whether a caption has words to translate: a file name has none."""
    return has_words(text) and prose.is_caption(text)
