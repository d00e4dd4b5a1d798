"""Settings under the vendor's names: what is taken, what TiCDC refuses, what cannot be."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from harness.codecs.avro.codec import AVRO, bind, carries_default
from harness.codecs.avro.dialect import DIALECTS
from harness.codecs.avro.reference import SETTINGS, TYPES
from harness.codecs.avro.settings import settings
from harness.errors import SourceStopped, UsageError
from harness.model.columns import BINARIES, Column, ColumnKind, Default
from tests.codecs.avro.rows import CHECKSUM, EXTENSION, STRINGS

CORRECT = {"integrity.integrity-check-level": "correctness"}
# Settings that TiCDC refuses -> a part of what it says (vectors avro_config_errors).
REFUSED: Mapping[str, tuple[Mapping[str, object], str]] = {
    "decimal": ({"avro-decimal-handling-mode": "foo"}, 'could only be "string" or "precise"'),
    "bigint": ({"avro-bigint-unsigned-handling-mode": "foo"}, 'could only be "long" or "string"'),
    "force": ({"force-replicate": True}, "force-replicate must be disabled"),
    "checksum": (CORRECT, "with row level checksum"),
    "checksum without strings": ({**CORRECT, **EXTENSION}, "with row level checksum"),
    "checksum without extension": ({**CORRECT, **STRINGS}, "with row level checksum"),
    "size": ({"max-message-bytes": 0}, "invalid max-message-bytes 0"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    """What TiCDC refuses ends with its own code and words."""
    values, said = REFUSED[name]
    with pytest.raises(SourceStopped) as caught:
        settings(values, "current")
    assert caught.value.code == "ErrCodecInvalidConfig"
    assert said in caught.value.what


LARGE = "sink.kafka-config.large-message-handle.large-message-handle-option"


@pytest.mark.parametrize("way", ["handle-key-only", "claim-check"])
def test_large_messages_are_refused(way: str) -> None:
    """Neither way with large messages goes together with Avro; none of them does."""
    with pytest.raises(SourceStopped) as caught:
        settings({LARGE: way}, "current")
    assert caught.value.code == "ErrInvalidReplicaConfig"
    assert f"set to {way}, protocol is avro, it's not supported" in caught.value.what
    assert settings({LARGE: "none"}, "current") == settings({}, "current")


IMPOSSIBLE: tuple[tuple[Mapping[str, object], str], ...] = (
    ({}, "7"),
    ({"enable-tidb-extension": "yes"}, "current"),
    ({"enable-tidb-extension": 1}, "current"),
    ({"max-message-bytes": "many"}, "current"),
    ({"integrity.integrity-check-level": "all"}, "current"),
)


@pytest.mark.parametrize(("values", "dialect"), IMPOSSIBLE)
def test_impossible(values: Mapping[str, object], dialect: str) -> None:
    """What cannot be is the author's mistake, and told with what was expected."""
    with pytest.raises(UsageError) as caught:
        settings(values, dialect)
    assert caught.value.expected


def test_taken() -> None:
    """Truths and numbers may be text, as in a sink URI; an empty mode is the default."""
    found = settings({"enable-tidb-extension": "true", "max-message-bytes": "60"}, "current")
    assert found.extension
    assert found.max_message_bytes == 60
    assert not settings({"avro-decimal-handling-mode": ""}, "current").decimal_string
    assert settings(CHECKSUM, "current").checksum


def test_watermark_needs_the_extension() -> None:
    """Without the extension the watermark is passed over, as TiCDC does."""
    assert not settings({"avro-enable-watermark": True}, "current").watermark
    assert settings({**EXTENSION, "avro-enable-watermark": True}, "current").watermark


def test_version_6_has_neither_watermark_nor_checksum() -> None:
    """What came after version 6 is passed over there; a table without a key is allowed."""
    values = {**EXTENSION, **CORRECT, "avro-enable-watermark": True, "force-replicate": True}
    found = settings(values, "6")
    assert not found.watermark
    assert not found.checksum


def test_codec() -> None:
    """The codec offers its dialects, the default first; it always needs a registry."""
    assert AVRO.dialects == tuple(DIALECTS)
    assert AVRO.dialects[0] == "current"
    assert AVRO.needs_registry({})
    assert not bind({}, "current").row_ids


def test_carried_defaults() -> None:
    """A field's default is the column's, but for a precise DECIMAL and bytes that TiDB lost."""
    strings = {"avro-decimal-handling-mode": "string"}
    for kind in ColumnKind:
        column = Column(1, "c", kind)
        assert carries_default(column, strings)
        assert carries_default(column, {}) == (kind is not ColumnKind.DECIMAL)
    for kind in BINARIES | {ColumnKind.BIT}:
        lost = Column(1, "c", kind, length=8, default=Default("ff00", is_binary=True))
        assert carries_default(lost, {}) == (kind is ColumnKind.BIT)


def test_checkpoints_promise() -> None:
    """A checkpoint promises what is at or below it; without the watermark there is none."""
    assert bind({**EXTENSION, "avro-enable-watermark": True}, "current").complete == "at-or-below"
    assert bind(EXTENSION, "current").complete is None


def test_reference() -> None:
    """The reference names every column kind, and defaults that the settings take."""
    assert set(TYPES) == set(ColumnKind)
    plain = settings({one.name: one.default for one in SETTINGS}, "current")
    assert plain == settings({}, "current")
