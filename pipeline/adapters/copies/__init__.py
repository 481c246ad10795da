"""Copies of pages as files: in whatever encoding and format people have them."""

from pipeline.adapters.copies.encoding import Decoded, decode
from pipeline.adapters.copies.html import html_to_markdown

__all__ = ["Decoded", "decode", "html_to_markdown"]
