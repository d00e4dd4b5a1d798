"""What a reader who knows the column makes of a value that the wire leaves half told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.model.columns import BINARIES, CHARACTERS, ColumnKind
from harness.model.decoded import settled
from harness.model.values import Value
from tests.strategies import EACH_KIND, narrow


@pytest.mark.parametrize("kind", ColumnKind)
@EACH_KIND
@given(value=st.none() | st.integers() | st.text() | st.binary() | st.floats(0, 1))
def test_only_text_bytes_and_floats_change(kind: ColumnKind, value: Value) -> None:
    """Text becomes bytes in a binary column, bytes text in a character column, all else stays."""
    try:
        got = settled(kind, value)
    except ValueError:
        assert kind in CHARACTERS
        assert isinstance(value, bytes)
        return
    if kind in BINARIES:
        assert got == (value.encode() if isinstance(value, str) else value)
    elif kind in CHARACTERS:
        assert got == (value.decode() if isinstance(value, bytes) else value)
    elif kind is ColumnKind.FLOAT and isinstance(value, float):
        assert got == narrow(value)
    else:
        assert got == value


def test_float_beyond_32_bits() -> None:
    """A number that no 32-bit float holds is refused."""
    with pytest.raises(ValueError, match="out of the range of float"):
        settled(ColumnKind.FLOAT, 1e39)
