"""The encoder's settings, read by TiCDC's own names and refused where TiCDC refuses them.

Keys are parameters of a sink URI (plain) and keys of a changefeed file (dotted). Values may be
numbers and booleans, or their texts, as in a URI.

Source: tiflow c7b2588 pkg/sink/codec/common/config.go `Apply`, `Validate`; pkg/config
large_message.go:52 `AdjustAndValidate`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo
from difflib import get_close_matches
from typing import Any

from harness.codecs.open.dialect import DIALECTS, OpenDialect
from harness.codecs.open.reference import (
    BATCH_SIZE,
    COUNT,
    FLAG,
    SETTINGS,
    TEXT,
)
from harness.codecs.ticdc.settings import (
    FILE_KEYS,
    GO_BOOLEANS,
    LARGE,
    MAX_BATCH_SIZE,
    MAX_MESSAGE_BYTES,
    MESSAGE_BYTES,
    ONLY_UPDATED,
    SOURCE_KEYS,
    is_source_setting,
    server_zone,
)
from harness.contracts import Setting
from harness.errors import UsageError
from harness.model.settings import Settings

_KNOWN: Mapping[str, Setting] = {setting.name: setting for setting in SETTINGS}


@dataclass(frozen=True, slots=True)
class OpenSettings:
    """What decides the bytes of a changefeed's messages; sizes are in bytes, batches in events.

    TIMESTAMPs are in `zone`, None for UTC.
    """

    dialect: OpenDialect
    max_batch_size: int = BATCH_SIZE
    max_message_bytes: int = MAX_MESSAGE_BYTES
    output_old_value: bool = True
    delete_only_handle: bool = False
    only_updated: bool = False
    large: str = "none"
    compression: str = "none"
    storage_uri: str = ""
    zone: tzinfo | None = None


def settings(values: Settings, dialect: str) -> OpenSettings:
    """Read a scenario's `settings.open`; UsageError for what TiCDC or the dialect does not know."""
    if dialect not in DIALECTS:
        raise UsageError(
            f"unknown Open Protocol dialect {dialect!r}", expected="one of " + ", ".join(DIALECTS)
        )
    version = DIALECTS[dialect]
    found: dict[str, Any] = {
        name: _read(name, value) for name, value in values.items() if not is_source_setting(name)
    }
    read = OpenSettings(
        dialect=version,
        max_batch_size=_first(found, BATCH_SIZE, MAX_BATCH_SIZE),
        max_message_bytes=_first(found, MAX_MESSAGE_BYTES, MESSAGE_BYTES),
        output_old_value=found.get("sink.open.output-old-value", version.old_value),
        delete_only_handle=found.get(
            "sink.delete-only-output-handle-key-columns", version.delete_handle_only
        ),
        only_updated=_first(found, False, ONLY_UPDATED),  # noqa: FBT003
        large=found.get(LARGE + "large-message-handle-option") or "none",
        compression=found.get(LARGE + "large-message-handle-compression") or "none",
        storage_uri=found.get(LARGE + "claim-check-storage-uri", ""),
        zone=server_zone(values),
    )
    _refuse_what_is_at_odds(values, found, read)
    return read


def _first(found: Mapping[str, Any], default: Any, name: str) -> Any:  # noqa: ANN401
    # A zero or a false in the URI does not replace what the file says.
    return found.get(name) or found.get(FILE_KEYS[name]) or found.get(name, default)


def _read(name: str, value: object) -> Any:  # noqa: ANN401  (a setting's row says what it is)
    """Return a value as its setting's row says; UsageError when it is not of that kind."""
    setting = _KNOWN.get(name)
    if setting is None:
        close = get_close_matches(name, (*_KNOWN, *SOURCE_KEYS), n=1)
        raise UsageError(
            f"unknown Open Protocol setting {name!r}",
            expected="a parameter of the sink URI, or a dotted key of the changefeed file",
            hint=f"did you mean {close[0]!r}?" if close else "",
        )
    if setting.values == FLAG:
        return _boolean(setting, value)
    if setting.values == COUNT:
        return _count(setting, value)
    if isinstance(value, str) and (
        setting.values == TEXT or value in setting.values.split(" | ") or not value
    ):
        return value
    raise _wrong(setting, value)


def _boolean(setting: Setting, value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value in GO_BOOLEANS:
        return GO_BOOLEANS[value]
    raise _wrong(setting, value)


def _count(setting: Setting, value: object) -> int:
    if isinstance(value, str):
        try:
            value = int(value)
        except ValueError as error:
            raise _wrong(setting, value) from error
    if not isinstance(value, int) or isinstance(value, bool):
        raise _wrong(setting, value)
    if value < 1:
        raise UsageError(
            f"{setting.name} must be at least 1, not {value}",
            expected="a whole number from 1",
            hint="TiCDC refuses the changefeed with ErrCodecInvalidConfig",
        )
    return value


def _wrong(setting: Setting, value: object) -> UsageError:
    return UsageError(f"{setting.name} cannot be {value!r}", expected=setting.values)


def _refuse_what_the_version_has_not(read: OpenSettings) -> None:
    """Refuse old values where the version knows none (open.dialect.no-old-value)."""
    version = read.dialect
    wanted = {
        "sink.open.output-old-value": read.output_old_value and not version.old_value,
        "sink.delete-only-output-handle-key-columns": (
            version.delete_handle_only and not read.delete_only_handle
        ),
    }
    for name, impossible in wanted.items():
        if impossible:
            raise UsageError(
                f"`{name}` asks for old values, which dialect {version.name} does not have",
                expected=f"`{name}` left out, or another dialect",
                hint="old values came with v4.0.5 (open.dialect.no-old-value)",
            )


def _refuse_what_is_at_odds(values: Settings, found: Mapping[str, Any], read: OpenSettings) -> None:
    _refuse_what_the_version_has_not(read)
    forced = str(values.get("force-replicate", False)).lower() == "true"
    if forced and found.get("sink.delete-only-output-handle-key-columns"):
        raise UsageError(
            "`delete-only-output-handle-key-columns` and `force-replicate` are both switched on",
            expected="one of them",
            hint="TiCDC refuses the changefeed with ErrCodecInvalidConfig; switch one off",
        )
    if read.large == "none":
        return
    if forced:
        raise UsageError(
            f"`large-message-handle-option` {read.large} and `force-replicate` do not go together",
            expected="one of them",
            hint="TiCDC refuses the changefeed with ErrCodecInvalidConfig; switch one off",
        )
    if read.large == "claim-check" and not read.storage_uri:
        raise UsageError(
            "claim checks have no place to be kept",
            expected=f"{LARGE}claim-check-storage-uri",
            hint="TiCDC refuses the changefeed with ErrInvalidReplicaConfig",
        )
    if read.large == "claim-check" and found.get(LARGE + "claim-check-raw-value"):
        raise UsageError(
            "the Open Protocol has no claim checks of raw values",
            expected=f"{LARGE}claim-check-raw-value: false",
            hint="TiCDC refuses the changefeed with ErrInvalidReplicaConfig",
        )
