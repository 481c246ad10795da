"""core/catalog/matcher: texts that are a piece of another one."""

from __future__ import annotations

from pipeline.core.catalog.matcher import Text, find_pieces, joined_texts, split_texts

FIRST = "Every kettle that was filled in the evening is cold again by noon."
SECOND = "Whoever wants warm tea in the afternoon fills it once more."
NEAR = {"page": ("page", "kin", "far kin")}


def free(page: str, text: str) -> Text:
    return Text(page=page, text=text, free=True)


def test_one_text_that_is_gone_from_several_pages_is_one_piece() -> None:
    new = [Text(page="page", text=f"{FIRST} {SECOND}")]
    old = [free("far kin", FIRST), free("kin", FIRST), free("kin", SECOND)]
    found = find_pieces(new, old, NEAR)
    assert [(piece.new, piece.old) for piece in found] == [(0, 1), (0, 2)]
    assert joined_texts(new, old, found) == {0: (1, 2)}


def test_a_text_cut_up_is_one_piece_of_each_new_text() -> None:
    new = [Text(page="page", text=FIRST), Text(page="page", text=SECOND)]
    old = [free("page", f"{FIRST} {SECOND}"), free("kin", f"{FIRST} {SECOND}")]
    found = find_pieces(new, old, NEAR)
    assert [(piece.new, piece.old) for piece in found] == [(0, 0), (1, 0)]
    assert split_texts(new, old, found) == {0: (0,), 1: (0,)}


def test_texts_of_other_pages_are_no_pieces() -> None:
    new = [Text(page="page", text=f"{FIRST} {SECOND}")]
    assert find_pieces(new, [free("elsewhere", FIRST)], NEAR) == []


def test_what_still_stands_where_it_stood_is_no_piece() -> None:
    new = [Text(page="page", text=f"{FIRST} {SECOND}")]
    assert find_pieces(new, [Text(page="page", text=FIRST)], NEAR) == []
