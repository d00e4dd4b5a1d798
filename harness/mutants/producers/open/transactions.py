"""What a transaction nets to, and the order of its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from harness.model.change import Op, Transaction
from harness.model.source_events import RowEvent, SourceEvent
from harness.model.values import Row
from harness.mutants.producers.changefeed.edits import emitted
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.open.runs import runs
from harness.mutants.producers.patch import Patch, patch
from harness.sources.tidb.store import NetChange, TableStore

COMMIT = "harness.sources.tidb.cluster:Cluster.commit"
Steps = Sequence[NetChange]
# What `Cluster.commit` returns: net changes, table by table. Any: the patched method's types.
Netted = list[tuple[Any, list[NetChange]]]


def _statement_by_statement(several: Callable[[Steps], bool]) -> Patch:
    """Return the patch that sends each change of a key, where `several` says so of its changes."""

    def changed(original: Callable[[Any, Transaction], Netted]) -> Callable[..., Netted]:
        def commit(cluster: Any, transaction: Transaction) -> Netted:  # noqa: ANN401 - as patched
            before = _twin(cluster) if len(transaction.changes) > 1 else None
            netted = original(cluster, transaction)
            if before is None:
                return netted
            steps: dict[object, dict[object, list[NetChange]]] = {}
            for change in transaction.changes:
                for table, nets in original(before, replace(transaction, changes=(change,))):
                    for net in nets:
                        steps.setdefault(table.id, {}).setdefault(net.key, []).append(net)
            return [
                (table, [*_expanded(nets, steps.get(table.id, {}), several)])
                for table, nets in netted
            ]

        return commit

    return patch(COMMIT, changed)


def _twin(cluster: Any) -> Any:  # noqa: ANN401 - as patched
    """Return a cluster whose rows change apart from the other's."""
    twin = copy(cluster)
    stores = vars(cluster)["_stores"]
    vars(twin)["_stores"] = {table: _apart(store) for table, store in stores.items()}
    return twin


def _apart(store: TableStore) -> TableStore:
    twin = copy(store)
    for name, held in vars(store).items():
        if isinstance(held, dict):
            items = held.items()
            vars(twin)[name] = {k: [*v] if isinstance(v, list) else v for k, v in items}
    return twin


def _expanded(
    nets: Steps, steps: dict[object, list[NetChange]], several: Callable[[Steps], bool]
) -> Iterable[NetChange]:
    """Yield the net changes with the changes that `several` asks for in their places."""
    apart = {key: mine for key, mine in steps.items() if len(mine) > 1 and several(mine)}
    for net in nets:
        yield from apart.pop(net.key, (net,))
    for mine in apart.values():
        yield from mine


def _updates(steps: Steps) -> bool:
    return all(step.op is Op.UPDATE for step in steps)


def _born_and_gone(steps: Steps) -> bool:
    return (steps[0].op, steps[-1].op) == (Op.INSERT, Op.DELETE)


def _gone_and_back(steps: Steps) -> bool:
    return [step.op for step in steps[:2]] == [Op.DELETE, Op.INSERT]


def born_and_gone_sent() -> Patch:
    """Return the patch that sends a row that its transaction inserts and deletes again."""
    return _statement_by_statement(_born_and_gone)


def gone_and_back_sent() -> Patch:
    """Return the patch that sends a row that is deleted and inserted again as two changes."""
    return _statement_by_statement(_gone_and_back)


def replaced_kept() -> Patch:
    """Return the patch that leaves a row that REPLACE writes the id of the one before."""
    return patch(
        "harness.sources.tidb.store:TableStore.apply",
        lambda original: lambda store, change: original(store, replace(change, replaced=False)),
    )


def _ordered(*ops: Op) -> Patch:
    """Return the patch that sends the rows of each ts of a table by kind in this order."""

    def changed(events: Sequence[SourceEvent]) -> Iterable[SourceEvent]:
        for run in runs(events):
            mine = [event for event in run if isinstance(event, RowEvent)]
            yield from sorted(mine, key=lambda e: (e.commit_ts, ops.index(e.op))) or run

    return emitted(changed)


def _ids_kept(events: Sequence[SourceEvent]) -> Iterable[SourceEvent]:
    """Yield the events, the insert of a key with the row id of the delete before it in its ts."""
    gone: dict[object, int] = {}
    for event in events:
        if isinstance(event, RowEvent) and event.table.handle:
            image = event.after if event.before is None else event.before
            of = (event.commit_ts, event.table.table.id, *_handle(event, image))
            if event.op is Op.DELETE:
                gone[of] = event.row_id
            elif event.op is Op.INSERT and of in gone:
                yield replace(event, row_id=gone[of])
                continue
        yield event


def _handle(event: RowEvent, image: Row | None) -> Row:
    return () if image is None else tuple(image[ordinal] for ordinal in event.table.handle)


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "open-replacing-row-has-the-id-before",
        "open.row.replaced",
        "It gives the insert of a row that REPLACE puts in the place of another that one's row id.",
        emitted(_ids_kept),
    ),
    WrongProducer(
        "open-row-sent-twice-in-a-transaction",
        "open.txn.one-event-per-row",
        "It sends an event for each update of a row that a transaction updates several times.",
        _statement_by_statement(_updates),
    ),
    WrongProducer(
        "open-born-and-gone-sent",
        "open.txn.net-effect",
        "It sends a row that a transaction inserts and deletes again.",
        born_and_gone_sent(),
    ),
    WrongProducer(
        "open-gone-and-back-as-two-events",
        "open.txn.net-effect",
        "It sends a row that a transaction deletes and inserts again as a delete and an insert.",
        gone_and_back_sent(),
    ),
    WrongProducer(
        "open-replaced-row-keeps-its-id",
        "open.row.replaced",
        "It sends a row that REPLACE puts in the place of another as an update.",
        replaced_kept(),
    ),
    WrongProducer(
        "open-inserts-before-deletes",
        "open.txn.deletes-first",
        "It sends inserts of a ts before its deletes.",
        _ordered(Op.INSERT, Op.DELETE, Op.UPDATE),
    ),
    WrongProducer(
        "open-updates-before-deletes",
        "open.txn.deletes-first",
        "It sends updates of a ts before its deletes.",
        _ordered(Op.UPDATE, Op.DELETE, Op.INSERT),
    ),
    WrongProducer(
        "open-inserts-before-updates",
        "open.txn.deletes-first",
        "It sends inserts of a ts before its updates.",
        _ordered(Op.DELETE, Op.INSERT, Op.UPDATE),
    ),
)
