"""What the wire may do to records on their way: pure functions, seeded, keeping every origin."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from harness.contracts import Fault
from harness.faults.repeat import duplicate, replay

FAULTS: Mapping[str, Fault] = MappingProxyType({"duplicate": duplicate, "replay": replay})
