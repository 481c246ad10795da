"""Random texts that contain the difficult cases of Markdown parsers."""

from __future__ import annotations

from hypothesis import strategies as st

# Pieces that mean something to the parser, so that random texts hit its corners.
# They stand between bars and in lines; the bar itself is one of ``SPACES``.
_PIECES = r"""- |> |1. |# |```|~~~|:::|{note}|{figure} a
{code-cell}|word |words here|---|===|: |~ |[^1]
[^1]: |[a]: b|(t)=|% |+++|$$|$|\
<div>|<!--|-->|</div>|<b>|`|![a picture](a.png)|[x](y)|{func}`x`|\begin{a}|\end{a}|:class: y
- [ ] |*|**|_"""
PIECES = _PIECES.replace("\n", "|").split("|")
SPACES = (
    "\n¦\n\n¦\n    ¦ ¦  \n¦\\\n¦\t¦\r\n¦\r¦"
    "|¦|---|---|\n¦| a | b |\n¦\u2028¦\x0b¦\x0c¦\xa0¦\ufeff¦\x85¦🧪"
).split("¦")
WEIRD = [*PIECES, *SPACES, "data:image/png;base64," + "A" * 24]

texts = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(WEIRD), max_size=25).map("".join),
    st.lists(st.one_of(st.sampled_from(WEIRD), st.text(max_size=5)), max_size=25).map("".join),
)
