"""Settings are read by TiCDC's names, and refused where TiCDC refuses them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from harness.codecs.open.dialect import DIALECTS
from harness.codecs.open.reference import COUNT, FLAG, LARGE, SETTINGS, TYPES
from harness.codecs.open.settings import settings
from harness.errors import UsageError
from harness.model.columns import ColumnKind
from harness.protocols.clauses import CLAUSES

OPTION = LARGE + "large-message-handle-option"
URI = LARGE + "claim-check-storage-uri"
# A value for each kind of row that a setting may have.
GIVEN = {FLAG: "true", COUNT: "7", "text": "file:///checks", "a zone": "Asia/Shanghai"}


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_each_row_is_read(setting: Any) -> None:
    """Every row of the table takes its values, and refuses what is none of them."""
    words = [GIVEN[setting.values]] if setting.values in GIVEN else setting.values.split(" | ")
    for word in words:
        settings({URI: "file:///checks", setting.name: word}, "current")
    with pytest.raises(UsageError):
        settings({setting.name: ["no", "list"]}, "current")


def test_each_type_has_a_row() -> None:
    """The table of types covers every column kind, and cites clauses that exist."""
    assert set(TYPES) == set(ColumnKind)
    cited = {clause for row in (*SETTINGS, *TYPES.values()) for clause in row.clauses}
    assert cited <= set(CLAUSES)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_defaults(dialect: str) -> None:
    """Without settings each dialect has its own defaults."""
    read = settings({}, dialect)
    assert (read.max_batch_size, read.max_message_bytes) == (16, 10485760)
    assert read.output_old_value == (dialect != "4.0.4") != read.delete_only_handle
    assert (read.large, read.compression, read.only_updated) == ("none", "none", False)


def test_texts() -> None:
    """Numbers and booleans may be given as a URI gives them."""
    read = settings(
        {
            "max-batch-size": "4",
            "only-output-updated-columns": "T",
            "sink.open.output-old-value": "FALSE",
        },
        "current",
    )
    assert (read.max_batch_size, read.only_updated, read.output_old_value) == (4, True, False)


def test_the_uri_wins() -> None:
    """Of two places for one setting the sink URI wins, but its `false` does not undo the file's."""
    file = {"sink.kafka-config.codec-config.max-batch-size": 2}
    assert settings(file, "current").max_batch_size == 2
    assert settings({**file, "max-batch-size": 3}, "current").max_batch_size == 3
    on = {"sink.only-output-updated-columns": True, "only-output-updated-columns": False}
    assert settings(on, "current").only_updated


# Settings that TiCDC refuses -> part of what is said.
REFUSED: dict[str, tuple[Mapping[str, Any], str]] = {
    "no event in a batch": ({"max-batch-size": 0}, "must be at least 1, not 0"),
    "a negative size": ({"max-message-bytes": "-1"}, "must be at least 1, not -1"),
    "a size in words": ({"max-message-bytes": "10MB"}, "cannot be '10MB'"),
    "a fraction": ({"max-batch-size": 1.5}, "cannot be 1.5"),
    "a truth as a number": ({"max-batch-size": True}, "cannot be True"),
    "yes": ({"sink.open.output-old-value": "yes"}, "cannot be 'yes'"),
    "forced and handle only": (
        {"sink.delete-only-output-handle-key-columns": True, "force-replicate": True},
        "are both switched on",
    ),
    "forced and large": (
        {OPTION: "handle-key-only", "force-replicate": True},
        "do not go together",
    ),
    "an unknown option": ({OPTION: "claim"}, "cannot be 'claim'"),
    "an unknown compression": (
        {LARGE + "large-message-handle-compression": "gzip"},
        "cannot be 'gzip'",
    ),
    "claim checks without a place": ({OPTION: "claim-check"}, "no place to be kept"),
    "raw claim checks": (
        {OPTION: "claim-check", URI: "file:///c", LARGE + "claim-check-raw-value": True},
        "no claim checks of raw values",
    ),
    "an unknown name": ({"max-batchsize": 1}, "unknown Open Protocol setting 'max-batchsize'"),
}


@pytest.mark.parametrize(("given", "said"), REFUSED.values(), ids=REFUSED)
def test_refused(given: Mapping[str, Any], said: str) -> None:
    """What TiCDC refuses is refused, in words, with what was expected or what to do."""
    with pytest.raises(UsageError, match=said) as refusal:
        settings(given, "current")
    assert refusal.value.expected or refusal.value.hint


@pytest.mark.parametrize(
    "given",
    [
        {"sink.open.output-old-value": True},
        {"sink.delete-only-output-handle-key-columns": False},
    ],
)
def test_old_values_before_there_were_any(given: Mapping[str, Any]) -> None:
    """A version that has no old values cannot be set to send them."""
    settings(given, "current")
    with pytest.raises(UsageError, match="asks for old values"):
        settings(given, "4.0.4")


def test_the_nearest_name() -> None:
    """An unknown name is answered with the nearest one that is known."""
    with pytest.raises(UsageError) as refusal:
        settings({"max-batchsize": 1}, "current")
    assert refusal.value.hint == "did you mean 'max-batch-size'?"


def test_settings_of_the_upstream() -> None:
    """What is decided before encoding is not the encoder's to refuse."""
    plain = settings({}, "current")
    upstream = {"filter.rules": ["*.*"], "case-sensitive": True, "sink.dispatchers": []}
    assert settings(upstream, "current") == plain
