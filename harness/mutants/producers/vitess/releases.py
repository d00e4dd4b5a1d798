"""What other releases of the connector do otherwise, done as 3.3.1 does it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from harness.codecs.debezium_vitess.dialect import (
    CURRENT,
    ContextHeaders,
    EpochRules,
    FirstEpoch,
    VitessDialect,
)
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, entry, patch

DIALECT: Final = "harness.codecs.debezium_vitess.dialect"
ORDERING: Final = "harness.codecs.debezium_vitess.ordering"


def _release(name: str, change: Callable[[VitessDialect], VitessDialect]) -> Patch:
    return entry(f"{DIALECT}:DIALECTS", name, change)


def _begun(original: Callable[..., dict[str, int]]) -> Callable[..., dict[str, int]]:
    """Return what begins a shard that the position before lacks at the epoch 0."""

    def epochs(before: Any, previous: Any, now: Any, shard: str) -> dict[str, int]:  # noqa: ANN401 as the original
        known = previous is not None and previous.shard(shard) is not None
        return original(before, previous if known else None, now, shard)

    return epochs


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "vitess-epochs-from-the-start-too-early",
        "vitess.ordered.epoch-of-transactions",
        "It counts epochs from the stream's start as 2.7.0.",
        _release(
            "2.7", lambda one: replace(one, epochs=replace(one.epochs, first=FirstEpoch.START))
        ),
    ),
    WrongProducer(
        "vitess-new-shards-too-early",
        "vitess.ordered.new-shard-stops",
        "It begins an epoch for a new shard as 2.7.0.",
        patch(f"{ORDERING}:transaction_epoch", _begun),
    ),
    WrongProducer(
        "vitess-servers-exchanged-too-early",
        "vitess.ordered.exchange-stops",
        "It goes on where a GTID set exchanges servers as 3.0.0.",
        _release("3.0", lambda one: replace(one, epochs=EpochRules())),
    ),
    WrongProducer(
        "vitess-servers-exchanged-as-2-7",
        "vitess.ordered.exchange-stops",
        "It goes on where a GTID set exchanges servers as 2.7.0.",
        _release("2.7", lambda one: replace(one, epochs=replace(one.epochs, exchange_stops=False))),
    ),
    WrongProducer(
        "vitess-bytes-cut-too-early",
        "vitess.column.truncate-json-whole",
        "It cuts bytes in JSON as 2.7.0.",
        _release("2.7", lambda one: replace(one, bytes_cut=True)),
    ),
    *(
        WrongProducer(
            f"vitess-context-headers-as-{name.replace('.', '-')}",
            "vitess.header.none-before",
            f"It writes context headers as {name}.0.",
            _release(name, lambda one: replace(one, context=ContextHeaders.ALWAYS)),
        )
        for name in ("2.7", "3.0", "3.1")
    ),
    *(
        WrongProducer(
            f"vitess-snapshot-allows-seven-as-{name.replace('.', '-')}",
            "vitess.source.snapshot-four",
            f"It allows seven values of `snapshot` as {name}.0.",
            _release(name, lambda one: replace(one, source=CURRENT.source)),
        )
        for name in ("2.7", "3.0")
    ),
    WrongProducer(
        "vitess-context-headers-too-late",
        "vitess.header.always",
        "It writes no context headers as 3.2.0.",
        _release("3.2", lambda one: replace(one, context=ContextHeaders.NEVER)),
    ),
    WrongProducer(
        "vitess-no-run-id",
        "vitess.header.run-id",
        "It leaves the run's id out as 3.4.0.",
        _release("3.4", lambda one: replace(one, run_id=False)),
    ),
)
