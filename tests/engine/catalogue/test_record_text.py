"""A golden shows each inline schema once, and every payload whole."""

from __future__ import annotations

from harness.engine.catalogue.record_text import RecordPrinter


def test_a_schema_is_shown_once_and_named_by_number() -> None:
    """Equal schemas share a number; a changed one gets the next."""
    found = RecordPrinter()
    one = '{"schema":{"type":"int32","x":"a,b}"},"payload":{"a":1}}'
    two = '{"schema":{"type":"int64"},"payload":null}'
    assert [found.short(text) for text in (one, two, one)] == [
        '[s1] {"a":1}',
        "[s2] null",
        '[s1] {"a":1}',
    ]
    assert list(found.inline_schemas()) == [
        *("", "schema s1", '  {"type":"int32","x":"a,b}"}'),
        *("", "schema s2", '  {"type":"int64"}'),
    ]


def test_other_texts_are_left_alone() -> None:
    """What only looks like an envelope is shown as it is."""
    found = RecordPrinter()
    for text in ("", "null", '{"schema":1,"other":2}', '{"a":{"schema":1,"payload":2}}'):
        assert found.short(text) == text
    assert list(found.inline_schemas()) == []
