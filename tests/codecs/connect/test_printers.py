"""The fast printers print what the exact one prints: over the catalogue, and over drawn structs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.codecs.connect import json_converter
from harness.codecs.connect.json_converter import JsonConverter
from harness.codecs.connect.json_text import JsonFormat, json_value
from harness.codecs.connect.logical import DECIMAL, scale_of
from harness.codecs.connect.schema import Field, Schema, SchemaType
from harness.codecs.debezium_vitess import codec
from harness.codecs.debezium_vitess.dialect import DIALECTS
from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.plans import planned_only
from harness.engine.catalogue.workspace import Workspace, workspace
from harness.errors import SourceStopped
from harness.protocols import PROTOCOLS
from harness.scenario.expand import Case
from tests.protocols.sending import Sender, name_of, values_of
from tests.protocols.setting_trials import TRIALS
from tests.tree import ROOT, hold

SURROGATES = st.text(st.characters(codec=None))
VALUES: Mapping[SchemaType, st.SearchStrategy[Any]] = {
    SchemaType.BOOLEAN: st.booleans(),
    SchemaType.INT16: st.integers(-(1 << 15), (1 << 15) - 1),
    SchemaType.INT64: st.integers(),
    SchemaType.FLOAT64: st.floats(),
    SchemaType.STRING: SURROGATES,
    SchemaType.BYTES: st.binary(),
}
# What a field of each type holds: the ordinary, and what JSON libraries print in their own ways.
SAMPLES: Mapping[SchemaType, Sequence[Any]] = {
    SchemaType.BOOLEAN: (True, False),
    SchemaType.INT8: (0, -128),
    SchemaType.INT16: (0, -(1 << 15)),
    SchemaType.INT32: (7, -(1 << 31)),
    SchemaType.INT64: (7, (1 << 63) - 1, 1 << 70),
    SchemaType.FLOAT32: (1.5, 1e30),
    SchemaType.FLOAT64: (1.5, -0.0, 1e7, 1e-300, float("nan")),
    SchemaType.STRING: ("", "plain", 'q"\\', "é", "\x1f", "\U0001f600", "\ud800"),
    SchemaType.BYTES: (b"", b"\xff\x00"),
}
DRAWS = 20


def _leaf(draw: st.DrawFn) -> tuple[Schema, st.SearchStrategy[Any]]:
    kind = draw(st.sampled_from(sorted(VALUES)))
    optional, values = draw(st.booleans()), VALUES[kind]
    schema = Schema(kind, optional=optional)
    if draw(st.booleans()):
        schema = Schema(kind, optional=optional, default=draw(values))
    # A null stands anywhere: where nothing may be null both refuse it.
    return schema, st.none() | values


@st.composite
def structs(draw: st.DrawFn, depth: int = 2) -> tuple[Schema, Any]:
    """Draw a struct's schema and a value of it, its fields in any order, some left out."""
    fields: list[Field] = []
    value: dict[str, Any] = {}
    for number in range(draw(st.integers(1, 4))):
        name = draw(st.sampled_from(("a", "é", 'q"', "b"))) + str(number)
        if depth and draw(st.booleans()):
            schema, inner = draw(structs(depth - 1))
            if draw(st.booleans()):
                schema = Schema(schema.kind, optional=True, fields=schema.fields)
                inner = draw(st.sampled_from((None, inner)))
            value[name] = inner
        else:
            schema, values = _leaf(draw)
            value[name] = draw(values)
        fields.append(Field(name, schema))
    names = draw(st.permutations(list(value)))[: draw(st.integers(0, len(value)))]
    kept = {name: value[name] for name in names}
    return Schema(SchemaType.STRUCT, fields=tuple(fields)), draw(st.sampled_from((value, kept)))


def printed(form: JsonFormat, schema: Schema, value: object, *, exact: bool) -> str:
    """Return what a printer prints, or how it refuses."""
    try:
        if exact:
            return json_value(schema, value, form)
        text = JsonConverter(schemas_enable=False, form=form).text(schema, value)
    except SourceStopped as stop:
        return repr(stop)
    return (text or b"").decode("utf-8", "surrogatepass")


@given(structs(), st.booleans())
def test_drawn_structs(drawn: tuple[Schema, Any], defaults: bool) -> None:  # noqa: FBT001 drawn
    """Whatever stands in a struct, both print it, or both refuse it."""
    form = JsonFormat(replace_null_with_default=defaults)
    assert printed(form, *drawn, exact=False) == printed(form, *drawn, exact=True)


def _compared() -> Collection[Schema]:
    """Return every schema of the catalogue, once each record has the exact printer's text."""
    found: dict[Schema, None] = {}

    def collected(schema: Schema, form: JsonFormat) -> None:
        del form
        found[schema] = None

    space, chosen = _cases()
    fast = planned_only(space, chosen, expectations=False)
    assert len(fast) > 100
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(json_converter, "printer", collected)
        patched.setattr(codec, "is_json", lambda _settings: False)
        exact = planned_only(space, chosen, expectations=False)
    hold(
        f"{plan.case.id}: the fast printer's records are others"
        for plan, other in zip(fast, exact, strict=True)
        if plan.records != other.records
    )
    return found


# Tracing each line of the whole catalogue would take minutes.
@pytest.mark.no_cover
def test_the_catalogue() -> None:
    """Every record of every case, and whatever stands in structs of its schemas, print the same."""
    schemas = _compared()
    names = {(schema.name or "").rpartition(".")[2] for schema in schemas}
    assert names > {"Envelope", "Key", "TransactionMetadataValue", "Heartbeat", "SchemaChangeValue"}
    blocks = {inner.schema for schema in schemas for inner in schema.fields}
    orders = [
        [f.name for f in block.fields][-2:] for block in blocks if block.name == "event.block"
    ]
    epoch_and_rank = ["transaction_epoch", "transaction_rank"]
    assert epoch_and_rank in orders
    assert epoch_and_rank[::-1] in orders
    random = Random(0)
    for schema in schemas:
        for number in range(DRAWS):
            form = JsonFormat(decimal_numeric=bool(number & 1))
            value = _sample(schema, random)
            assert printed(form, schema, value, exact=False) == printed(
                form, schema, value, exact=True
            )


@pytest.mark.no_cover
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dialect: str) -> None:
    """Whatever is set, both print the same records."""
    rows = {row.name: row for row in PROTOCOLS["vitess"].settings}
    asked = [
        (trial, {**trial.base, name_of(rows[name]): value})
        for name, trial in TRIALS["vitess"].items()
        for value in values_of(rows[name], trial)
    ]
    send = Sender(tmp_path)
    fast = [send("vitess", trial, settings, dialect) for trial, settings in asked]
    monkeypatch.setattr(json_converter, "printer", lambda _schema, _form: None)
    monkeypatch.setattr(codec, "is_json", lambda _settings: False)
    for (trial, settings), made in zip(asked, fast, strict=True):
        assert send("vitess", trial, settings, dialect) == made, settings


def _cases() -> tuple[Workspace, list[Case]]:
    space = workspace(ROOT)
    return space, [
        case
        for case in selected(load(space), "vitess")
        if case.protocol == "vitess" and case.delivery is None
    ]


def _sample(schema: Schema, random: Random) -> Any:
    """Return a value of a schema: any field first, one in eight left out or null."""
    if schema.optional and random.random() < 1 / 8:
        return None
    if schema.kind is SchemaType.STRUCT:
        order = random.sample(schema.fields, len(schema.fields))
        kept = [field for field in order if random.random() < 7 / 8]
        fields = random.choice((schema.fields, order, kept))
        return {field.name: _sample(field.schema, random) for field in fields}
    if schema.items is not None:
        items = [_sample(schema.items, random) for _ in range(random.randrange(3))]
        return items if schema.kind is SchemaType.ARRAY else dict(zip("ab", items, strict=False))
    if schema.name == DECIMAL:
        return Decimal(random.choice((0, 68, -(1 << 70)))).scaleb(-scale_of(schema))
    return random.choice(SAMPLES[schema.kind])
