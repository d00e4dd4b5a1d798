"""The fast printers print what the exact one prints: over the catalogue, and over drawn structs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.codecs.connect import json_converter
from harness.codecs.connect.json_converter import JsonConverter
from harness.codecs.connect.json_text import JsonFormat, json_value
from harness.codecs.connect.schema import Field, Schema, SchemaType
from harness.codecs.debezium_vitess import codec
from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.plans import planned_only
from harness.engine.catalogue.workspace import workspace
from harness.errors import SourceStopped
from harness.model.record import Record
from tests.tree import ROOT

SURROGATES = st.text(st.characters(codec=None))
VALUES: Mapping[SchemaType, st.SearchStrategy[Any]] = {
    SchemaType.BOOLEAN: st.booleans(),
    SchemaType.INT16: st.integers(-(1 << 15), (1 << 15) - 1),
    SchemaType.INT64: st.integers(),
    SchemaType.FLOAT64: st.floats(),
    SchemaType.STRING: SURROGATES,
    SchemaType.BYTES: st.binary(),
}
# A documented block has the rank before the epoch in its schema and behind it in its struct: the
# exact printer follows the schema, the fast one the struct, and the goldens hold the latter.
BY_STRUCT = frozenset({"dialects.vitess-as-documented", "encoding.vitess-as-documented"})


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
    """Draw a struct's schema and a value of it, its fields in the schema's order."""
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
    return Schema(SchemaType.STRUCT, fields=tuple(fields)), value


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


def test_the_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every record of every case has the exact printer's text, but for the order of two fields."""
    space = workspace(ROOT)
    chosen = [
        case
        for case in selected(load(space), "vitess")
        if case.protocol == "vitess" and case.delivery is None
    ]
    fast = planned_only(space, chosen, expectations=False)
    monkeypatch.setattr(json_converter, "printer", lambda _schema, _form: None)
    monkeypatch.setattr(codec, "is_json", lambda _settings: False)
    differing: set[str] = set()
    for plan, exact in zip(fast, planned_only(space, chosen, expectations=False), strict=True):
        if exact.records != plan.records:
            assert [*map(_data, exact.records)] == [*map(_data, plan.records)], plan.case.id
            differing.add(plan.case.scenario.id)
    assert len(fast) > 100
    assert differing == BY_STRUCT


def _data(record: Record) -> object:
    """Return a record as data, in which fields have no order."""
    texts = [None if text is None else json.loads(text) for text in (record.key, record.value)]
    return record.topic, record.partition, texts, record.headers, record.origins
