"""Edits of the Vitess connector change what they are about alone; each setting is ignored once."""

from __future__ import annotations

import re
from functools import cache

import pytest

from harness.codecs.connect.schema import Schema, SchemaType
from harness.codecs.debezium.schemas import INT64, STRING, fields
from harness.codecs.debezium_vitess.codec import bound_to
from harness.codecs.debezium_vitess.reference import CONNECTOR_SETTINGS
from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.workspace import workspace
from harness.engine.mutation.producers import ProducerOutcome, run_producers
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, applied
from harness.mutants.producers.records import BOUNDARY, CHANGE, at, dropped, named, put_before
from harness.mutants.producers.table import PRODUCERS
from harness.mutants.producers.vitess import edits
from harness.scenario.expand import Case
from tests.tree import ROOT

SPACE = workspace(ROOT)
# Settings that no row ignores, and why.
NOT_IGNORED = {
    "vitess.keyspace": "a connector without one follows nothing",
    "vitess.offset.storage.task.key.gen": "a connector without one does not start",
    "vitess.prev.num.tasks": "no scenario has offsets of a generation before",
    "notification.enabled.channels": "no clause is about notifications",
    "notification.sink.topic.name": "no clause is about notifications",
}


@cache
def chosen() -> tuple[Case, ...]:
    """The cases of one scenario: JSON with and without schemas, and Avro by two converters."""
    return selected(load(SPACE, (ROOT / "scenarios/encoding/converters.yaml",)), None)


@pytest.mark.parametrize(
    "edit",
    [
        edits.each(lambda record: (record,)),
        edits.values(CHANGE, dict),
        edits.keys(dict),
        edits.key_schema(lambda schema: schema),
        edits.moved(CHANGE, "no-such-field", "op"),
        edits.renamed(BOUNDARY, "status", "state"),
        edits.responses(iter),
        edits.ignoring("topic.delimiter"),
        edits.by_default(topic_delimiter="."),
    ],
)
def test_an_edit_of_nothing_changes_no_byte(edit: Patch) -> None:
    """Records that are not written by columns, or pass an edit, have the bytes that they had."""
    row = WrongProducer("m", "vitess.envelope.version", "It errs.", edit, equivalent="Nothing.")
    (found,) = run_producers(SPACE, [row], chosen(), 1, unsound=()).results
    assert found.outcome is ProducerOutcome.EQUIVALENT, found


def test_an_edit_reaches_schemas_and_values() -> None:
    """A field is left out, renamed and moved wherever it is, and others stay."""
    inner = Schema(SchemaType.STRUCT, fields=fields(("a", STRING), ("b", INT64)))
    outer = Schema(SchemaType.STRUCT, fields=fields(("x", STRING), ("y", inner)))
    for change, expected in (
        (lambda schema: dropped("a", schema), ["b"]),
        (lambda schema: named("a", "c", schema), ["c", "b"]),
        (lambda schema: put_before("b", "a", schema), ["b", "a"]),
    ):
        made = at(("y",), change)(outer)
        assert [field.name for field in made.fields] == ["x", "y"]
        assert [field.name for field in made.fields[1].schema.fields] == expected


def test_who_reads_is_told_the_settings_as_they_are() -> None:
    """A connector that ignores a setting does not hide it from those who decode its records."""
    given = {"topic.prefix": "p", "vitess.keyspace": "k", "topic.delimiter": "_"}
    with applied(edits.ignoring("topic.delimiter")):
        bound = bound_to(given, "current")
    assert bound.connector.text("topic.delimiter") == "."
    assert bound.values == given


def test_each_setting_is_ignored_by_a_wrong_producer() -> None:
    """A setting that decides records, or its rule, is named by a row; others say why not."""
    said = " ".join(row.difference for row in PRODUCERS.values() if "vitess" in row.of())
    deciding = {row.name for row in CONNECTOR_SETTINGS if not (row.without_effect or row.refused)}
    # Of a rule such as `column.mask.with.<n>.chars` rows name the beginning.
    beginnings = {name: name.partition("<")[0] for name in deciding}
    unnamed = {
        name
        for name, known in beginnings.items()
        if not re.search(rf"(?<![\w.]){re.escape(known)}(?![\w]|\.\w)", said)
    }
    assert unnamed == set(NOT_IGNORED)
