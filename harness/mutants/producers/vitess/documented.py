"""The connector as its page describes it: where the two differ, each difference left out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from decimal import Decimal
from functools import partial
from itertools import pairwise
from typing import Any, Final

from harness.codecs.connect.schema import ConnectRecord, Field, Schema
from harness.codecs.debezium import schemas
from harness.codecs.debezium.schemas import EnvelopeForm
from harness.codecs.debezium_vitess.dialect import (
    CURRENT,
    DOCUMENTED_BOUNDARY,
    FOUR_SNAPSHOT,
    VitessDialect,
)
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, adjusted, entry, instead, patch
from harness.mutants.producers.records import CHANGE, at, kind, put_before
from harness.mutants.producers.vitess.edits import one

DIALECT: Final = "harness.codecs.debezium_vitess.dialect"
VGTID_ENTRY: Final = "harness.codecs.debezium_vitess.vgtid:_shard"
COLLECTION: Final = "harness.codecs.debezium_vitess.encode:_without_shard"
TIMES: Final = ("ts_us", "ts_ns")
ALLOWED: Final = dict(FOUR_SNAPSHOT.parameters)["allowed"].split(",")


def _dialect(change: Callable[[VitessDialect], VitessDialect]) -> Patch:
    """Return the patch that changes the dialect of the page."""
    return entry(f"{DIALECT}:DIALECTS", "documented", change)


def _envelope(change: Callable[[EnvelopeForm], EnvelopeForm]) -> Patch:
    """Return the patch that changes the form of the page's envelopes."""
    return adjusted(
        f"{DIALECT}:VitessDialect.envelope",
        lambda form, dialect: change(form) if dialect.documented else form,
    )


def _always(form: EnvelopeForm) -> EnvelopeForm:
    if "transaction" in form.fields:
        return form
    return replace(form, fields=(*form.fields, "transaction"))


def _never(form: EnvelopeForm) -> EnvelopeForm:
    return replace(form, fields=tuple(name for name in form.fields if name != "transaction"))


def _fourth(form: EnvelopeForm) -> EnvelopeForm:
    if "transaction" not in form.fields:
        return form
    return replace(form, fields=schemas.ENVELOPE.fields)


def _source(change: Callable[[Schema], Schema]) -> Patch:
    return _dialect(lambda dialect: replace(dialect, source=change(dialect.source)))


def _with_field(name: str, of: Schema, schema: Schema) -> Schema:
    """Return a struct's schema with another schema for a field."""
    return at((name,), lambda _: of)(schema)


def _last_times(schema: Schema) -> Schema:
    for name in TIMES:
        schema = put_before(name, "keyspace", schema)
    return schema


def _optional(names: Collection[str], schema: Schema) -> Schema:
    return replace(
        schema,
        fields=tuple(
            Field(f.name, replace(f.schema, optional=True)) if f.name in names else f
            for f in schema.fields
        ),
    )


def _epoch_first(dialect: VitessDialect) -> VitessDialect:
    block = put_before("transaction_epoch", "transaction_rank", dialect.ordered_block)
    return replace(dialect, ordered_block=block)


def _decimal_rank(record: ConnectRecord) -> ConnectRecord:
    """Return a record with the rank of its transaction as the connector sends it."""
    block: dict[str, Any] | None = record.value.get("transaction")
    if kind(record) != CHANGE or not block or not isinstance(block.get("transaction_rank"), int):
        return record
    assert record.value_schema is not None
    rank = {**block, "transaction_rank": Decimal(block["transaction_rank"])}
    schema = at(
        ("transaction", "transaction_rank"),
        lambda _: schemas.WHOLE_DECIMAL,
    )(record.value_schema)
    return replace(record, value={**record.value, "transaction": rank}, value_schema=schema)


def _boundary_order() -> Iterator[tuple[str, str, str, Patch]]:
    """Yield, for each two neighbours of the page's boundaries, one that turns them round."""
    order = DOCUMENTED_BOUNDARY
    for n, (first, second) in enumerate(pairwise(order)):
        turned = (*order[:n], second, first, *order[n + 2 :])
        yield (
            f"boundary-{second}-before-{first}".replace("_", "-"),
            "boundary-order",
            f"It writes `{second}` of a boundary before `{first}`, by the page's dialect.",
            _dialect(partial(_with_boundary, turned)),
        )


def _with_boundary(order: tuple[str, ...], dialect: VitessDialect) -> VitessDialect:
    return replace(dialect, boundary=order)


def _entry_fields() -> Iterator[tuple[str, str, str, Patch]]:
    """Yield, for each member of the page's VGTIDs, one that leaves it out."""
    for name in ("keyspace", "shard", "gtid"):
        yield (
            f"vgtid-without-{name}",
            "vgtid",
            f"It leaves `{name}` out of an entry of a VGTID, by the page's dialect.",
            patch(VGTID_ENTRY, partial(_entry_without, name)),
        )


def _entry_without(name: str, original: Callable[..., dict[str, Any]]) -> Callable[..., Any]:
    def shard(given: object, *, documented: bool) -> dict[str, Any]:
        entry = original(given, documented=documented)
        return {n: v for n, v in entry.items() if not documented or n != name}

    return shard


def _allowed() -> Iterator[tuple[str, str, str, Patch]]:
    """Yield, for each value that the page allows of `snapshot`, one that does not allow it."""
    for one_of in ALLOWED:
        rest = ",".join(other for other in ALLOWED if other != one_of)
        schema = replace(FOUR_SNAPSHOT, parameters=(("allowed", rest),))
        yield (
            f"snapshot-allows-no-{one_of}",
            "snapshot-allowed",
            f"It does not allow `snapshot` to be {one_of}, by the page's dialect.",
            _source(partial(_with_field, "snapshot", schema)),
        )


def _all_keys(original: Callable[..., Any]) -> Callable[..., Any]:
    def shard(given: object, *, documented: bool) -> object:
        del documented
        return original(given, documented=False)

    return shard


# Name of a row, its clause below `vitess.documented`, what is wrong, and how.
_DIFFERENCES: Final = (
    (
        "boundary-time-last",
        "boundary-order",
        "It writes the time of a boundary last, by the page's dialect.",
        _dialect(partial(_with_boundary, schemas.BOUNDARY)),
    ),
    *_boundary_order(),
    (
        "collection-with-shard",
        "collection-name",
        "It names a data collection with its shard, by the page's dialect.",
        instead(COLLECTION, str),
    ),
    (
        "collection-by-table-alone",
        "collection-name",
        "It names a data collection by its table alone, by the page's dialect.",
        instead(COLLECTION, lambda table: table.table),
    ),
    (
        "collection-by-keyspace-alone",
        "collection-name",
        "It names a data collection by its keyspace alone, by the page's dialect.",
        instead(COLLECTION, lambda table: table.schema),
    ),
    (
        "collection-table-first",
        "collection-name",
        "It names the table of a data collection before its keyspace, by the page's dialect.",
        instead(COLLECTION, lambda table: f"{table.table}.{table.schema}"),
    ),
    (
        "transaction-always",
        "envelope",
        "It has a transaction field without transaction metadata, by the page's dialect.",
        _envelope(_always),
    ),
    (
        "transaction-never",
        "envelope",
        "It has no transaction field with transaction metadata either, by the page's dialect.",
        _envelope(_never),
    ),
    (
        "transaction-fourth",
        "transaction-last",
        "It writes `transaction` before `op`, by the page's dialect.",
        _envelope(_fourth),
    ),
    (
        "envelope-version",
        "no-version",
        "It gives the envelope's schema a version, by the page's dialect.",
        _envelope(lambda form: replace(form, version=schemas.ENVELOPE.version)),
    ),
    (
        "source-version",
        "no-version",
        "It gives the source's schema a version, by the page's dialect.",
        _source(lambda schema: replace(schema, version=CURRENT.source.version)),
    ),
    (
        "epoch-first",
        "rank-first",
        "It writes the epoch before the rank, by the page's dialect.",
        _dialect(_epoch_first),
    ),
    (
        "rank-decimal",
        "rank-number",
        "It sends the rank as a Decimal, by the page's dialect.",
        one(CHANGE, _decimal_rank),
    ),
    (
        "snapshot-allows-more",
        "snapshot-allowed",
        "It allows of `snapshot` what the connector does, by the page's dialect.",
        _source(partial(_with_field, "snapshot", schemas.SNAPSHOT)),
    ),
    *_allowed(),
    (
        "source-times-apart",
        "source-order",
        "It writes the finer times before the keyspace, by the page's dialect.",
        _source(_last_times),
    ),
    (
        "source-ts-ms-behind-snapshot",
        "source-order",
        "It writes the time in milliseconds behind `snapshot`, by the page's dialect.",
        _source(partial(put_before, "ts_ms", "db")),
    ),
    (
        "source-times-optional",
        "source-order",
        "It calls the finer times optional, by the page's dialect.",
        _source(partial(_optional, TIMES)),
    ),
    (
        "source-ts-ms-optional",
        "source-order",
        "It calls the time in milliseconds optional, by the page's dialect.",
        _source(partial(_optional, ("ts_ms",))),
    ),
    (
        "vgtid-with-table-keys",
        "vgtid",
        "It gives an entry of a VGTID table keys, by the page's dialect.",
        patch(VGTID_ENTRY, _all_keys),
    ),
    *_entry_fields(),
)
ROWS: tuple[WrongProducer, ...] = tuple(
    WrongProducer(f"vitess-documented-{name}", f"vitess.documented.{clause}", says, change)
    for name, clause, says, change in _DIFFERENCES
)
