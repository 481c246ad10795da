"""Python source as pieces with names of styles, for HTML that follows the reader's theme."""

from __future__ import annotations

from pipeline.report.ansi import Piece

_STYLES = (  # types of Pygments' tokens → names of styles; the first that fits
    ("Comment", "comment"),
    ("Keyword", "keyword"),
    ("Operator.Word", "keyword"),  # "and", "in"; an operator of signs has no style
    ("Literal.String", "string"),
    ("Literal.Number", "number"),
    ("Name.Function", "name"),
    ("Name.Class", "name"),
    ("Name.Decorator", "name"),
    ("Name.Builtin", "builtin"),
    ("Name.Exception", "builtin"),
)


def source_pieces(source: str) -> list[Piece]:
    """``source`` cut where its style changes. Put together, the pieces are the source.

    ``return 1`` → ``("return", "keyword"), (" ", ""), ("1", "number")``
    """
    from pygments.lexers.python import PythonLexer

    pieces: list[Piece] = []
    # As they are by default, the options would strip empty lines and add a newline.
    lexer = PythonLexer(stripnl=False, ensurenl=False)
    for kind, text in lexer.get_tokens(source):
        style = _style_of(".".join(kind))
        if pieces and pieces[-1][1] == style:
            pieces[-1] = (pieces[-1][0] + text, style)
        else:
            pieces.append((text, style))
    return pieces


def _style_of(kind: str) -> str:
    """The style of a type of tokens: ``Name.Function.Magic`` → ``name``; none for plain names."""
    for prefix, style in _STYLES:
        if kind.startswith(prefix):
            return style
    return ""
