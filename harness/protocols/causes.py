"""Why an answer may be wrong: the causes that a protocol's file gives a clause, in words."""

from __future__ import annotations

from collections.abc import Mapping

# Group -> its causes, each in words.
GROUPS: Mapping[str, Mapping[str, str]] = {
    "Rows": {
        "insert": "an insert was lost",
        "update": "an update was lost, or applied by halves",
        "delete": "a delete was lost",
        "delete-by-key": "a delete that carries the key alone was lost",
        "null-value": "a message without a value was not understood",
        "tombstone": "a tombstone took away more than its delete",
        "tombstone-alone": "a tombstone without its delete was lost",
        "upsert": "a put was not recognised as one of a row that is there",
        "handle": "a key is more, or other, than what was compared",
        "row-id": "equal rows without a key were not kept apart",
        "table-names": "the table's name was taken for another's",
        "database": "the table's database was ignored",
    },
    "Columns": {
        "column-names": "a value was given to another column, or to none",
        "large": "the handle columns of a row that was too large were taken for the whole row",
        "added-column": "older rows lack the default of a new column",
        "schema": "a record was read by another record's schema",
        "key-schema": "a value was read by the schema of its key",
        "schema-id": "the number of a schema was not read as it is written",
    },
    "Copies and order": {
        "repeated": "a copy was taken for news, or news for a copy",
        "late-copy": "an older copy replaced what is newer",
        "same-ts": "rows of one ts were taken for one",
        "order": "an older version was applied behind a newer one",
        "deletes-first": "at one ts a put was applied before a delete",
        "below-watermark": "what is below a greater ts was dropped although it is new",
        "batch": "of a message only the first event was read",
        "mixed-batch": "of a message only one table's events were read",
    },
    "Transactions, shards and heartbeats": {
        "boundary": "the boundary of a transaction was taken for the end of its rows",
        "rank": "ranks were not compared as numbers",
        "rank-of-shards": "ranks of different shards were compared",
        "boundary-repeated": "the boundary of a transaction was refused when it came again",
        "epoch": "a rank was compared across epochs",
        "total-order": "changes of one epoch and rank were taken for one",
        "shard": "a shard was not read",
        "heartbeat": "a heartbeat was taken for more than a sign of life",
    },
    "Resolved events": {
        "resolved-inclusive": "a resolved event was taken not to complete its own ts",
        "resolved-exclusive": "a resolved event was taken to complete its own ts",
        "resolved-ignored": "events were applied that no resolved event completes",
        "resolved-global": "one partition's resolved ts was taken for that of all",
        "behind-mark": "a DDL right behind the resolved event of its ts was taken for a copy",
        "resolved-back": "a resolved ts that went back was believed",
    },
    "DDL": {
        "ddl": "a statement ran twice, or not at all",
        "ddl-same-ts": "statements of one ts were taken for one",
        "ddl-order": "a statement ran before or behind its rows",
        "truncate": "a TRUNCATE among rows was passed over",
        "truncate-order": "a TRUNCATE among rows was applied by its place, not by its age",
        "ddl-type": "what a statement of its type does was not done; the type's name is appended",
    },
    "Kafka": {
        "partition": "a partition was not read, or not from its beginning",
        "gap": "an offset that nobody sees was waited for, or taken for lost data",
        "position": "a position was taken for one too many or too few",
        "lost-at-stop": "what was in flight when the consumer was stopped is lost",
        "read-again": "what was in flight when the consumer was stopped was applied twice",
        "interleaved": "partitions were read one behind the other",
    },
}
CAUSES: Mapping[str, str] = {
    cause: words for causes in GROUPS.values() for cause, words in causes.items()
}
