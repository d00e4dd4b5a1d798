"""The registry of protocols is whole: every protocol is found under its own name."""

from __future__ import annotations

import pytest

from harness.protocols import PROTOCOLS


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_protocol_is_found_under_its_own_name(name: str) -> None:
    """The registry's key is the protocol's name, and it has a default dialect."""
    protocol = PROTOCOLS[name]
    assert protocol.name == name
    assert protocol.codec.dialects
    assert set(protocol.description.dialects) == set(protocol.codec.dialects)
