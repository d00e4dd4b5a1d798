"""What a transaction nets to, and where the messages of a key go."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from harness.model.change import Transaction
from harness.mutants.producers.avro.rows import AVRO
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.open.order import other_rows_elsewhere, unique_sent_or_not
from harness.mutants.producers.open.transactions import (
    COMMIT,
    born_and_gone_sent,
    gone_and_back_sent,
    replaced_kept,
)
from harness.mutants.producers.patch import instead, patch


def _write_by_write(original: Any) -> Any:  # noqa: ANN401 - patched
    """Return a commit that nets nothing: each write of a transaction is a change of its own."""

    def commit(cluster: object, transaction: Transaction) -> list[tuple[Any, list[Any]]]:
        found: dict[Any, tuple[Any, list[Any]]] = {}
        for write in transaction.changes:
            for table, changes in original(cluster, replace(transaction, changes=(write,))):
                found.setdefault(table.id, (table, []))[1].extend(changes)
        return [*found.values()]

    return commit


ROWS: tuple[WrongProducer, ...] = (
    *(
        WrongProducer(
            f"avro-key-in-two-partitions-under-{words}",
            "avro.order.per-key",
            f"It sends updates and deletes to another partition under `{words}` alone.",
            other_rows_elsewhere(hashed=hashed),
            protocols=AVRO,
        )
        for words, hashed in (("table", False), ("index-value", True))
    ),
    WrongProducer(
        "avro-each-write-is-sent",
        "avro.txn.net-effect",
        "It sends a row once for each time that a transaction wrote it.",
        patch(COMMIT, _write_by_write),
        protocols=AVRO,
    ),
    WrongProducer(
        "avro-born-and-gone-sent",
        "avro.txn.net-effect",
        "It sends a row that a transaction inserts and deletes again.",
        born_and_gone_sent(),
        protocols=AVRO,
    ),
    WrongProducer(
        "avro-gone-and-back-as-two-messages",
        "avro.txn.net-effect",
        "It sends a row that a transaction deletes and inserts again as a delete and an insert.",
        gone_and_back_sent(),
        protocols=AVRO,
    ),
    WrongProducer(
        "avro-null-is-no-text",
        "avro.row.pk-update-split",
        "It splits an update of a unique key from NULL to the text null.",
        instead("harness.sources.tidb.split:_same_text", lambda one, other: False),  # noqa: ARG005
        protocols=AVRO,
    ),
    WrongProducer(
        "avro-split-by-virtual-columns",
        "avro.row.pk-update-split",
        "It splits an update that changes a virtual column alone of a unique key.",
        instead("harness.sources.tidb.split:unique_ordinals", unique_sent_or_not),
        protocols=AVRO,
    ),
    WrongProducer(
        "avro-replaced-row-as-an-update",
        "avro.row.replaced",
        "It sends a row that REPLACE puts in the place of another as an update.",
        replaced_kept(),
        protocols=AVRO,
    ),
)
