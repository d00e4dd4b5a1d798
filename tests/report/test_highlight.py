"""What differs between two similar lines is found from both ends."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harness.report.highlight import differing_part


@given(st.text("ab"), st.text("ab"))
def test_the_differing_part_is_all_that_differs(one: str, other: str) -> None:
    """Without its differing part either line is the same."""
    (a, b), (c, d) = differing_part(one, other), differing_part(other, one)
    assert one[:a] + one[b:] == other[:c] + other[d:]
