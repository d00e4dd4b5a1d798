"""The encoder's settings, under TiCDC's own names and with its defaults, and what TiCDC refuses.

Source: tiflow c7b2588 pkg/sink/codec/common/config.go `Apply`, `Validate`; vectors
`avro_config_errors`; pkg/config/large_message.go:52 `AdjustAndValidate`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo

from harness.codecs.avro.dialect import DIALECTS, AvroDialect
from harness.codecs.ticdc.settings import (
    BIGINT,
    DECIMAL,
    EXTENSION,
    INTEGRITY,
    LARGE,
    MAX_MESSAGE_BYTES,
    WATERMARK,
    server_zone,
)
from harness.errors import SourceStopped, UsageError
from harness.model.settings import Settings

INVALID = "ErrCodecInvalidConfig"
# Setting -> its values, the default first; TiCDC names them the other way round.
MODES: Mapping[str, tuple[str, str]] = {DECIMAL: ("precise", "string"), BIGINT: ("long", "string")}
_AS_SAID = {DECIMAL: '"string" or "precise"', BIGINT: '"long" or "string"'}
_CHECK_LEVELS = ("none", "correctness")


@dataclass(frozen=True, slots=True)
class AvroSettings:
    """What decides the bytes of a changefeed's messages and the texts of its schemas.

    `watermark` is only ever true together with `extension`, `checksum` only with that and both
    string modes. TIMESTAMPs of rows are in `zone`, None for
    UTC; defaults are in UTC.
    """

    dialect: AvroDialect
    namespace: str = "default"
    extension: bool = False
    watermark: bool = False
    checksum: bool = False
    decimal_string: bool = False
    bigint_string: bool = False
    max_message_bytes: int = MAX_MESSAGE_BYTES
    zone: tzinfo | None = None


def settings(values: Settings, dialect: str) -> AvroSettings:
    """Read a scenario's `settings.avro`.

    Raises UsageError for a dialect or a form that cannot be, and SourceStopped where TiCDC
    refuses to create the changefeed.
    """
    if dialect not in DIALECTS:
        raise UsageError(
            f"unknown Avro dialect {dialect!r}", expected="one of " + ", ".join(DIALECTS)
        )
    version = DIALECTS[dialect]
    if version.forbids_keyless and _switch(values, "force-replicate"):
        raise SourceStopped(
            INVALID,
            "force-replicate must be disabled, when using avro protocol",
            expected="`force-replicate: false`, or none",
        )
    option = LARGE + "large-message-handle-option"
    large = str(values.get(option) or "none")
    if large != "none":
        raise SourceStopped(
            "ErrInvalidReplicaConfig",
            f"{option} is set to {large}, protocol is avro, it's not supported",
            expected=f"`{option}: none`, or none",
        )
    extension = _switch(values, EXTENSION)
    found = AvroSettings(
        dialect=version,
        namespace=str(values.get("namespace", "default")),
        extension=extension,
        watermark=version.watermark and extension and _switch(values, WATERMARK),
        checksum=version.checksum and _check_level(values) != "none",
        decimal_string=_mode(values, DECIMAL) == "string",
        bigint_string=_mode(values, BIGINT) == "string",
        max_message_bytes=_size(values),
        zone=server_zone(values),
    )
    if found.checksum and not (extension and found.decimal_string and found.bigint_string):
        raise SourceStopped(
            INVALID,
            "Avro protocol with row level checksum,\n"
            f'\t\t\t\t\tshould set "{EXTENSION}" to "true", and set "{DECIMAL}" to "string"'
            f' and "{BIGINT}" to "string"',
            expected=f"`{EXTENSION}: true`, `{DECIMAL}: string` and `{BIGINT}: string`",
        )
    return found


def _switch(values: Settings, name: str) -> bool:
    value = values.get(name, False)
    known = {True: True, False: False, "true": True, "false": False}
    if not isinstance(value, bool | str) or value not in known:
        raise UsageError(f"{name} is {value!r}", expected="true or false")
    return known[value]


def _mode(values: Settings, name: str) -> str:
    # TiCDC takes the empty text for the default.
    value = str(values.get(name) or MODES[name][0])
    if value not in MODES[name]:
        raise SourceStopped(
            INVALID,
            f"{name} value could only be {_AS_SAID[name]}",
            expected="one of " + ", ".join(f"`{mode}`" for mode in MODES[name]),
        )
    return value


def _check_level(values: Settings) -> str:
    value = str(values.get(INTEGRITY, "none"))
    if value not in _CHECK_LEVELS:
        raise UsageError(f"{INTEGRITY} is {value!r}", expected="one of " + ", ".join(_CHECK_LEVELS))
    return value


def _size(values: Settings) -> int:
    value = values.get("max-message-bytes", MAX_MESSAGE_BYTES)
    try:
        # A number, or its text as in a URI.
        size = int(value if isinstance(value, int | float) else str(value))
    except (OverflowError, ValueError) as error:
        raise UsageError(f"max-message-bytes is {value!r}", expected="a number") from error
    if size < 1:
        raise SourceStopped(INVALID, f"invalid max-message-bytes {size}")
    return size
