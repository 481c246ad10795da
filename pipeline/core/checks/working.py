"""What Markdown and reStructuredText mark up in different ways.

Each function here looks at a message by the rules of its own language.
"""

from __future__ import annotations

from pipeline.core.checks import (
    blocks,
    emphasis,
    links,
    markup,
    rst_blocks,
    rst_code,
    rst_emphasis,
    rst_links,
    rst_markup,
)
from pipeline.core.checks.base import by_markup
from pipeline.core.checks.parsed import Atom, Parsed
from pipeline.core.document.message import Markup

find_other_block = by_markup(blocks.find_other_block, rst_blocks.find_other_block)
find_unrendered = by_markup(emphasis.find_unrendered, rst_emphasis.find_unrendered)
find_links = by_markup(links.find_links, rst_links.find_links)
find_code = by_markup(markup.find_code, rst_code.find_code)
find_math = by_markup(markup.find_math, rst_markup.find_math)
find_roles = by_markup(markup.find_roles, rst_markup.find_roles)
find_escapes = by_markup(markup.find_escapes, rst_markup.find_escapes)


def stands_elsewhere(chinese: Parsed, name: Atom, target: str) -> bool:
    """Whether a target that is lost shows as text, or belongs to something else."""
    if chinese.markup is Markup.RST:
        return rst_links.stands_elsewhere(chinese, name, target)
    return links.stands_elsewhere(chinese, name, target)
