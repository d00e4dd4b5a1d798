"""Answers that once were explained by a neighbouring rule: each names its clause and its record."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.plans import planned_only
from harness.engine.catalogue.workspace import workspace
from harness.engine.mutation.prepared import Prepared
from harness.model.decoded import DecodedEvent, EventKind
from harness.model.finding import Finding
from harness.model.observed import DeadLetter, Observed, Outcome
from harness.mutants.delivery import Message
from harness.mutants.parts import Events, Known, Parts
from harness.mutants.table import MUTANTS
from harness.verdict.design import AS_EXPECTED
from harness.verdict.judge import judge_design
from tests.tree import ROOT


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scenarios are the repository's own."""
    monkeypatch.chdir(ROOT)


def prepared_case(case: str) -> Prepared:
    """Return a case of the catalogue, for three seeds."""
    (chosen,) = selected(load(workspace(ROOT)), f"'{case}'")
    (plan,) = planned_only(workspace(ROOT), [chosen], expectations=False)
    return Prepared(plan, range(3))


def first_finding(case: str, parts: Parts) -> Finding:
    """Return the first finding of a case that a consumer of these parts reads until it errs."""
    prepared = prepared_case(case)
    verdicts = (prepared.verdict(parts, seed) for seed in prepared.seeds)
    return next(verdict.findings[0] for verdict in verdicts if verdict.findings)


def losing(lost: Callable[[DecodedEvent], bool]) -> Parts:
    """Return the parts of a consumer that loses some events."""

    class Loses(Events):
        def __init__(self, known: Known) -> None:
            del known

        def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
            del message
            return () if lost(event) else (event,)

    return Parts(events=Loses)


# Case and consumer -> the clause, and the kind of the record.
EXAMPLES: dict[str, tuple[str, Parts, str, str]] = {
    "a lost update": (
        "dml.insert-update-delete[open,p1]",
        losing(lambda event: event.kind is EventKind.UPDATE),
        "open.row.update",
        "update",
    ),
    "a lost row without a key": (
        "keys.no-key-multiset[vitess,p1]",
        losing(lambda event: event.kind is EventKind.INSERT and "tock" in str(event.after)),
        "vitess.row.create",
        "insert",
    ),
    "a watermark that is taken as exclusive": (
        "duplicates.ddl-and-marks-again[avro,p3]",
        MUTANTS["resolved-is-exclusive"].parts,
        "avro.watermark.extension",
        "resolved",
    ),
    "NULL in the place of a default": (
        "evolution.column-with-default-added[avro,p1]",
        MUTANTS["schema-default-ignored"].parts,
        "registry.avro.resolution",
        "insert",
    ),
    "an unsigned number beyond 63 bits": (
        "types.integers[avro,p1]",
        MUTANTS["signed-64"].parts,
        "avro.type.bigint.unsigned-overflow",
        "insert",
    ),
    "a row that statements changed": (
        "ddl.columns-forced[open,p1]",
        losing(lambda event: event.kind is EventKind.INSERT and event.commit_ts > 0),
        "open.row.insert",
        "insert",
    ),
    "a resolved ts that is taken as exclusive": (
        "ordering.mark-at-the-commit[open,p1]",
        MUTANTS["resolved-is-exclusive"].parts,
        "open.resolved.inclusive",
        "resolved",
    ),
    "a moment in a key that is read by another clock": (
        "keys.moments-as-keys[avro,p1]",
        MUTANTS["session-tz"].parts,
        "avro.value.timestamp-zone",
        "update",
    ),
    "a row that was stored behind a statement that ran too early": (
        "ordering.marks-are-missing[open,p1]",
        MUTANTS["ddl-runs-on-arrival"].parts,
        "open.ddl.after-rows",
        "insert",
    ),
    "a row of another database": (
        "keys.same-name-in-two-databases[avro,p1]",
        MUTANTS["tables-without-database"].parts,
        "avro.schema.namespace",
        "insert",
    ),
    "a row that is left over from a dropped table": (
        "ddl.drop-and-recreate[open,p1]",
        MUTANTS["drop-ignored"].parts,
        "open.ddl.type.drop-table",
        "ddl",
    ),
    "a statement that was read again behind a stop": (
        "restart.killed-between-writes[open,p1]",
        MUTANTS["batch-written-twice"].parts,
        "kafka.at-least-once",
        "ddl",
    ),
    "a statement that was executed again behind a stop": (
        "ddl.views[open,+forced,p2]",
        MUTANTS["batch-written-twice"].parts,
        "kafka.at-least-once",
        "ddl",
    ),
    "a statement that is refused where a replay ends": (
        "duplicates.tail-replayed[open,p1,from-the-start]",
        MUTANTS["ddl-replayed"].parts,
        "open.ddl.once",
        "ddl",
    ),
    "an older copy that looks like an update's old row": (
        "duplicates.old-version-comes-late[avro,p1,old-again]",
        MUTANTS["last-arrival-wins"].parts,
        "avro.delivery.at-least-once",
        "update",
    ),
    "an event whose key was misread": (
        "sharding.two-shards[vitess,p1]",
        MUTANTS["integers-through-double"].parts,
        "vitess.bigint-unsigned.string",
        "insert",
    ),
    "a column that comes back with a default": (
        "ddl.drop-and-readd-column[avro,p1]",
        MUTANTS["schema-default-ignored"].parts,
        "registry.avro.resolution",
        "update",
    ),
    "rows behind a TRUNCATE that the last message ends": (
        "ddl.truncate[open,p1]",
        MUTANTS["rows-lost-after-truncate"].parts,
        "open.ddl.type.truncate-table",
        "insert",
    ),
    "a new partition whose rows waited for a stop": (
        "transport.open-broker-and-partitions[open,p2,grown]",
        MUTANTS["ignore-new-partition"].parts,
        "kafka.partitions-grow",
        "update",
    ),
    "a row that changes twice behind its transaction's END": (
        "transactions.one-row-many-times[vitess,+bare,p1]",
        MUTANTS["end-closes-transaction"].parts,
        "kafka.no-order-across-partitions",
        "update",
    ),
    "a column that waits for a mark that went back": (
        "duplicates.tail-replayed[open,p3,below-the-mark]",
        MUTANTS["last-mark-counts"].parts,
        "open.resolved.may-regress",
        "ddl",
    ),
    "deletions that are the last of each partition": (
        "deletes.only-the-key-is-sent[avro,p3]",
        losing(lambda event: event.kind is EventKind.DELETE),
        "avro.consumer.null-is-delete",
        "delete",
    ),
    "a number within 63 bits that was rounded": (
        "dialects.avro-versions-agree[avro,p2]",
        MUTANTS["integers-through-double"].parts,
        "avro.type.bigint.unsigned-long",
        "update",
    ),
    "rows that were stored before a statement ahead of them": (
        "ordering.marks-are-missing[open,p1,one-mark]",
        MUTANTS["ddl-after-all-rows"].parts,
        "open.ddl.after-rows",
        "ddl",
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_clause_and_the_record(name: str) -> None:
    """The finding names the rule that decides, and the one record that carries it."""
    case, parts, clause, kind = EXAMPLES[name]
    finding = first_finding(case, parts)
    assert finding.clause == clause
    (place,) = finding.places
    assert place.origin.kind == kind


def by_tables_alone(name: str) -> tuple[Observed, tuple[Finding, ...]]:
    """Return what an example answers and what is found, as of a consumer that lists no events."""
    case, parts, *_ = EXAMPLES[name]
    prepared = prepared_case(case)
    answer = replace(prepared.read_by(parts, 0), events=None, ddl=None)
    plan = prepared.plan
    return answer, judge_design(plan.judged, plan.folding, answer, AS_EXPECTED).findings


def test_the_plainest_of_equal_causes_is_named() -> None:
    """Who ignores updates has the tables of who writes their old rows, which is less likely."""
    _, findings = by_tables_alone("a lost update")
    assert {finding.cause for finding in findings} == {"updates are ignored"}


def test_silence_is_explained_by_what_the_scenario_is_about() -> None:
    """No row, and no list of events: of many causes only the scenario's own point is believed."""
    answer, (finding,) = by_tables_alone("a resolved ts that is taken as exclusive")
    assert not any((answer.tables or {}).values())
    assert finding.clause == "open.resolved.inclusive"
    assert finding.cause == "a resolved event is taken not to complete its own ts"


# Case, row and column -> the record with the column as the table has it at the end.
SHAPES = {
    "dropped and added again": ("evolution.dropped-column-comes-back[avro,p1]", "2", "n", 2),
    "of another type": ("ddl.drop-and-readd-column[avro,p1]", "3", "size", 3),
    "not a deletion, which has the key alone": ("timezones.server-zone[avro,p1]", "2", "since", 6),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_missing_column_is_shown_by_a_record_that_has_it(name: str) -> None:
    """A row that lacks a column is not explained by a record of before that column came."""
    case, key, column, offset = SHAPES[name]
    prepared = prepared_case(case)
    right = replace(prepared.read_by(Parts(), 0), events=None, ddl=None)
    tables = {table: tuple(map(dict, rows)) for table, rows in (right.tables or {}).items()}
    (row,) = (row for rows in tables.values() for row in rows if str(row["id"]) == key)
    del row[column]
    plan = prepared.plan
    spoiled = replace(right, tables=tables)
    (finding,) = judge_design(plan.judged, plan.folding, spoiled, AS_EXPECTED).findings
    assert (finding.column, [place.offset for place in finding.places]) == (column, [offset])


def test_a_consumer_that_gives_up_may_name_the_record_in_its_messages() -> None:
    """Its own words say nothing of a place: what it names in `messages` is shown, with its rule."""
    plan = prepared_case("duplicates.old-schema-again[avro,p1]").plan
    letter = DeadLetter("harness-1-480213.ticdc", 0, 3)
    gave_up = Observed(Outcome.ERROR, "EOFError()", stopped_at=(letter,))
    (finding,) = judge_design(plan.judged, plan.folding, gave_up, AS_EXPECTED).findings
    assert finding.clause == "avro.consumer.schema-by-id"
    assert [str(place) for place in finding.places] == ["ticdc/0@3"]
