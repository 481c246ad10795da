"""Marks in place of atoms: what goes out comes back, and nothing else does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.document.message import Markup
from pipeline.core.document.prose import atoms_of
from pipeline.core.drafting.question import LostMarksError, marked_like, mask, unmask

TEXTS = st.text(alphabet="ab `$[](){}<>:|_*\\⟦⟧1。译\n!#&;", max_size=60)


@pytest.mark.parametrize(
    ("text", "markup", "masked", "atoms"),
    [
        ("Call `f` on $x$.", Markup.MARKDOWN, "Call ⟦1⟧ on ⟦2⟧.", ("`f`", "$x$")),
        ("See [the guide](a.md).", Markup.MARKDOWN, "See [the guide⟦1⟧.", ("](a.md)",)),
        ("See [the guide][g].", Markup.MARKDOWN, "See [the guide]⟦1⟧.", ("[g]",)),
        ("Twice `f` `f`", Markup.MARKDOWN, "Twice ⟦1⟧ ⟦2⟧", ("`f`", "`f`")),
        ("A bracket ⟦ and ⟧", Markup.MARKDOWN, "A bracket ⟦1⟧ and ⟦2⟧", ("⟦", "⟧")),
        ("Call ``f``", Markup.RST, "Call ⟦1⟧", ("``f``",)),
        ("a [b][c]", Markup.RST, "a [b][c]", ()),
        ("Nothing.", Markup.MARKDOWN, "Nothing.", ()),
    ],
)
def test_atoms_become_marks(
    text: str, markup: Markup, masked: str, atoms: tuple[str, ...]
) -> None:
    found = mask(text, markup)
    assert (found.text, found.atoms) == (masked, atoms)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("对⟦2⟧调用⟦1⟧。", "对$x$调用`f`。"),
        ("⟦1⟧⟦2⟧", "`f`$x$"),
    ],
)
def test_marks_may_change_places(answer: str, text: str) -> None:
    assert unmask(answer, mask("Call `f` on $x$.")) == text


def test_an_older_version_gets_the_marks_of_the_new_one() -> None:
    masked = mask("Call `f(x)` on `x`, not `y`.")
    assert (
        marked_like("对 `x` 调用 `f(x)` 和 `z`。", masked) == "对 ⟦2⟧ 调用 ⟦1⟧ 和 `z`。"
    )


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ("调用⟦1⟧", "lacks ⟦2⟧"),
        ("⟦1⟧⟦2⟧⟦2⟧", "has ⟦2⟧ too often"),
        ("⟦1⟧⟦3⟧", "lacks ⟦2⟧ and has ⟦3⟧ too often"),
        ("⟦1⟧⟦2⟧⟦", "has a broken mark"),
        ("⟦1⟧⟦2⟧⟦x⟧", "has a broken mark"),
        ("⟦1⟧⟦2⟧⟦１⟧", "has a broken mark"),
        ("⟦1⟧⟦2⟧⟦00001⟧", "has a broken mark"),
    ],
)
def test_other_marks_are_refused(answer: str, complaint: str) -> None:
    with pytest.raises(LostMarksError, match=complaint):
        unmask(answer, mask("Call `f` on $x$."))


@given(TEXTS, st.sampled_from(Markup))
def test_unmasking_gives_the_message_back(text: str, markup: Markup) -> None:
    masked = mask(text, markup)
    assert unmask(masked.text, masked) == text


@given(TEXTS)
def test_no_atom_is_left_to_the_model(text: str) -> None:
    """What is unmasked from any text has the atoms in full, each as often as it was."""
    masked = mask(text)
    restored = unmask(
        "".join(f"⟦{at}⟧" for at in range(1, len(masked.atoms) + 1)), masked
    )
    assert restored == "".join(masked.atoms)
    assert set(atoms_of(text)) <= set(masked.atoms)
