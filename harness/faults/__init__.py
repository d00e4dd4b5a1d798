"""What a delivery may do to records and to those who read them: pure, seeded, keeping origins."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from harness.faults import (
    batches,
    broker,
    envelope,
    growth,
    marks,
    order,
    poison,
    repeat,
    run,
    schemas,
    tombstones,
    uncommitted,
)
from harness.faults.fault import Disturbance, Invariant
from harness.faults.option import Option, Takes
from harness.protocols.description import Claim, Permission

__all__ = ["FAULTS", "Claim", "Disturbance", "Invariant", "Option", "Permission", "Takes"]

# In groups, as the reference page shows them: title -> rows.
GROUPS: Mapping[str, tuple[Disturbance, ...]] = MappingProxyType(
    {
        "Sent again": repeat.ROWS,
        "Resolved events": marks.ROWS,
        "Order": order.ROWS,
        "Tombstones": tombstones.ROWS,
        "Batches": batches.ROWS,
        "Schemas": schemas.ROWS,
        "Headers and timestamps": envelope.ROWS,
        "The broker": (*broker.ROWS, *uncommitted.ROWS, *growth.ROWS),
        "Consumer and registry": run.ROWS,
        "Malformed messages": poison.ROWS,
    }
)

FAULTS: Mapping[str, Disturbance] = MappingProxyType(
    {fault.name: fault for faults in GROUPS.values() for fault in faults}
)
