"""Wrong producers of the MariaDB connector, by theme."""

from __future__ import annotations

from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.mysql import (
    broken_copies,
    connector,
    copies,
    ddl,
    decimals,
    declared,
    described,
    early,
    envelope,
    heartbeats,
    keys,
    logged,
    members,
    rows,
    settings,
    snapshots,
    temporal,
    transactions,
    transforms,
    types,
    written,
)

ROWS: tuple[WrongProducer, ...] = (
    *broken_copies.ROWS,
    *connector.ROWS,
    *copies.ROWS,
    *ddl.ROWS,
    *decimals.ROWS,
    *declared.ROWS,
    *described.ROWS,
    *early.ROWS,
    *envelope.ROWS,
    *heartbeats.ROWS,
    *keys.ROWS,
    *logged.ROWS,
    *members.ROWS,
    *rows.ROWS,
    *settings.ROWS,
    *snapshots.ROWS,
    *temporal.ROWS,
    *transactions.ROWS,
    *transforms.ROWS,
    *types.ROWS,
    *written.ROWS,
)
