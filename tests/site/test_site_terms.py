"""Terms in a translation: where they stand is what a pattern of all of them would find."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from pipeline.site.extension.bilingual.placement import term_places

# Few letters, so that terms begin alike, share letters and lie within each other.
texts = st.text("热水壶", max_size=30)
terms = st.sets(st.text("热水壶", min_size=1, max_size=4), min_size=1, max_size=6)


@given(texts, terms)
def test_places_of_terms_are_those_of_a_pattern(text: str, terms: set[str]) -> None:
    longest_first = sorted(terms, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, longest_first)))
    expected = [(match.start(), match[0]) for match in pattern.finditer(text)]
    assert list(term_places(text, terms)) == expected
