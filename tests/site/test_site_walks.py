"""Looking for nodes: what docutils finds, in its order, also in a page that changes meanwhile."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from docutils import nodes
from hypothesis import given
from hypothesis import strategies as st

from pipeline.site.extension import walks

docutils_findall = walks._find_as_docutils
our_findall = walks._findall
Find = Callable[..., Iterator[nodes.Node]]

texts = st.builds(nodes.Text, st.sampled_from(["a", "b"]))


def _element(parts: tuple[type[nodes.Element], list[nodes.Node]]) -> nodes.Element:
    kind, children = parts
    return kind("", *children)


kinds = st.sampled_from([nodes.paragraph, nodes.emphasis, nodes.section])
trees = st.recursive(
    texts, lambda below: st.tuples(kinds, st.lists(below, max_size=4)).map(_element)
)
pages = st.lists(trees, max_size=5).map(lambda children: nodes.section("", *children))
CONDITIONS = [None, nodes.Text, nodes.Element, nodes.emphasis, nodes.image]


def _is_longer_than_one(node: nodes.Node) -> bool:
    return len(node.astext()) > 1


@given(page=pages, condition=st.sampled_from([*CONDITIONS, _is_longer_than_one]))
def test_the_same_nodes_are_found_in_the_same_order(
    page: nodes.section, condition: Any
) -> None:
    found = list(our_findall(page, condition))
    assert list(map(id, found)) == list(map(id, docutils_findall(page, condition)))


@pytest.mark.parametrize(
    "flags",
    [{"include_self": False}, {"descend": False}, {"siblings": True}, {"ascend": True}],
)
def test_docutils_looks_for_what_is_beside_and_above(flags: dict[str, bool]) -> None:
    words = nodes.emphasis("", "one")
    nodes.section(
        "", nodes.paragraph("", "", words, nodes.Text("two")), nodes.section()
    )
    expected = list(map(id, docutils_findall(words, None, **flags)))
    assert list(map(id, our_findall(words, None, **flags))) == expected


def test_flags_may_be_given_by_place() -> None:
    page = nodes.section("", nodes.paragraph("", "one"))
    assert page not in list(our_findall(page, nodes.Element, False))


def _seen_while_changing(find: Find, page: nodes.section) -> list[str]:
    """What a caller meets who takes out every third element, and puts in others."""
    seen = []
    for number, node in enumerate(find(page, nodes.Element)):
        seen.append(f"{type(node)} {node.astext()!r}")
        if node is page or number > 50:
            continue
        place = node.parent.index(node)
        if number % 3 == 1:
            node.parent.remove(node)
        elif number % 3 == 2:
            node.parent.insert(place + 1, nodes.strong("", "new"))
        else:
            node.children = node.children[:1]
    return seen


@given(page=pages)
def test_changes_meanwhile_are_met_as_with_docutils(page: nodes.section) -> None:
    other = page.deepcopy()
    expected = _seen_while_changing(docutils_findall, other)
    assert _seen_while_changing(our_findall, page) == expected
    assert page.pformat() == other.pformat()


def test_nothing_is_looked_at_before_it_is_asked_for() -> None:
    looked: list[nodes.Node] = []

    def looks(node: nodes.Node) -> bool:
        looked.append(node)
        return True

    page = nodes.section("", nodes.paragraph("", "one"), nodes.paragraph("", "two"))
    assert next(our_findall(page, looks)) is page
    assert looked == [page]


class lamp(nodes.Element):  # noqa: N801 - docutils names nodes so
    """A rare kind."""


class tall_lamp(lamp):  # noqa: N801
    """Which is one, too."""


@pytest.mark.parametrize("kind", [lamp, tall_lamp])
def test_a_rare_kind_is_found_however_it_comes_into_a_page(kind: type[lamp]) -> None:
    def found(page: nodes.section) -> int:
        return len(list(our_findall(page, lamp)))

    walks._watch(lamp)
    page = nodes.section("", nodes.paragraph("", "one"))
    assert found(page) == 0
    assert lamp in walks._unseen
    page += kind("", number=1)
    assert found(page) == 1
    assert found(page.deepcopy()) == 1
    # As another process reads it, which has made none.
    stored = pickle.dumps(page)
    walks._unseen.add(lamp)
    assert found(pickle.loads(stored)) == 1


def test_kinds_that_are_called_rare_are_watched_without_a_change_to_them() -> None:
    for kind in walks._RARE:
        walks._watch(kind)
        assert kind in walks._unseen
        assert type(kind.__new__(kind)) is kind
        assert kind not in walks._unseen
