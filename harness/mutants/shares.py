"""How often a finding names what a mutant does wrong: the goal, the gate, what was measured."""

from __future__ import annotations

from collections.abc import Mapping

# The least share of failing cases whose first finding names the mutant's clause, and a record.
GOAL = 0.9
# Held for runs of all mutants: what was reached, less what another sample of cases may change.
# Fewer cases say too little.
REACHED = (0.95, 0.98)
ENOUGH = 1000
# The last run of all mutants that this page was written after: cases, clause named, record named.
MEASURED = (1969, 1889, 1939)
# Why single mutants stay below the goal: in some cases another rule, if broken, gives their answer.
# A run of all mutants fails where one is below it without a reason.
_LAST = (
    "Where the last message alone shows it, an end offset that is taken for a message does, too."
)
_UPDATES = "Where no row changes more than once, its answer is that of a consumer without updates."
_AHEAD = "A statement ahead of its rows leaves them, as one that is passed over."
_MARKS = "Where one mark lags, several wrong ways to take the marks complete the same rows."
_COPIES = "Where several statements have copies, any may be the one that ran twice."
ALIKE: Mapping[str, str] = {
    "null-value-skipped": _LAST,
    "old-row-wins": _LAST,
    "key-schema-for-both": "Behind a gap, or a schema that changes, bytes that do not fit look so.",
    "dedupe-by-key-only": f"{_UPDATES} {_LAST}",
    "first-of-a-batch-wins": f"{_UPDATES} With one delete, it has none.",
    "resolved-ignored": f"{_MARKS} A statement that runs too early may find no row to change.",
    "farthest-mark-counts": f"{_MARKS} {_LAST}",
    "first-partition-speaks-for-all": f"{_MARKS} {_LAST}",
    "ddl-runs-on-arrival": _AHEAD,
    "ddl-at-one-mark": _AHEAD,
    "last-arrival-wins": _AHEAD,
    "one-partition-after-the-other": _AHEAD,
    "one-event-a-message": "Where a message has rows of one table and ts, they look like copies.",
    "dropped-column-returns": "What the DROP had to take comes back at the ADD.",
    "delete-of-nothing-fails": "Where a filter leaves out the insert, the delete is no copy.",
    "drop-below-high-watermark": "What it drops may be what was in flight when it was stopped.",
    "held-rows-forgotten": "An ALTER that is forgotten is a statement that did not run.",
    "resumes-one-too-far": "The message that it skips may be the last one, a statement, or late.",
    "commit-offsets-first": "A partition that loses all its rows looks as if it were not read.",
    "end-offset-is-read": "Where the last message is an update, it looks as if none were applied.",
    "rows-lost-after-truncate": "Behind a restart the row looks like the message that is skipped.",
    "rows-lose-their-key": "A row that it cannot find to delete is a delete that was lost.",
    "one-table-a-message": "Of two events in a message, the other table's is the second one.",
    "insert-before-delete": "A row that is lost looks as if its partition were not read.",
    "later-millisecond-only": "A delete and an insert of one millisecond are two changes of a key.",
    "key-trims-blanks": "A word may have two neighbours, one by blanks and one by its letters.",
    "ascii-default": "A key beyond ASCII becomes another key, whose row is deleted all the same.",
    "empty-text-is-null": "In a column that was just added, NULL for a text looks like no column.",
    "bigint-in-32-bits": "What its column cannot hold is refused before a record is looked for.",
    "tables-without-database": "A row that is another table's now is missing without a record.",
    "blanks-trimmed": "A key without its blanks may be that of another row.",
    "batch-turned-round": "Of a row that changes once the older image is left, as else too.",
    "key-in-ascii": "A key beyond ASCII meets another key's tombstone.",
    "key-of-one-column": "The delete of a key that agrees in one column takes the row.",
    "truncated-rows-return": "Behind a TRUNCATE that is read first that looks like passing over.",
    "ddl-after-all-rows": "In dialect 4.0.4 the statement tells bytes from text; they are text.",
    "append-on-replay": "A deletion of a row that was written twice leaves one of them.",
    "ddl-replayed": _COPIES,
    "ddl-per-partition": _COPIES,
    "batch-written-twice": "A statement that ran twice is seen in the answer, not at a record.",
    "seconds-of-zero-lost": "A TIMESTAMP without its time looks like one of another zone.",
    "add-column-is-null": "A statement of several changes has a clause of its own.",
    "exchange-one-way": "The newer architecture names the other table in the statement's key.",
    "bytes-end-at-zero": "A delete by a key that is cut there leaves the row.",
    "base64-kept": "Bytes that are sent as Base64 are text to who reads them.",
}
