"""The converters' settings, read by Connect's own names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

from harness.codecs.connect.json_text import JsonFormat
from harness.codecs.connect.reference import (
    CONVERTER_SETTINGS,
    FLAG,
    JSON,
    NUMERIC,
)
from harness.contracts import Setting
from harness.errors import UsageError

_ROWS: Final[Mapping[str, Setting]] = {row.name: row for row in CONVERTER_SETTINGS}


@dataclass(frozen=True, slots=True)
class ConverterSettings:
    """One converter: its class, and what JsonConverter would do."""

    type: str
    schemas_enable: bool
    form: JsonFormat


@dataclass(frozen=True, slots=True)
class Converters:
    """The converters of a worker or a connector."""

    key: ConverterSettings
    value: ConverterSettings
    header: ConverterSettings


def is_json(settings: Converters) -> bool:
    """Tell whether keys and values are both JSON."""
    return settings.key.type == settings.value.type == JSON


def is_converter_setting(name: str) -> bool:
    """Tell whether a name is one of a converter's, known or not."""
    return name.startswith(("key.converter", "value.converter", "header.converter"))


def converter_settings(values: Mapping[str, Any]) -> Converters:
    """Read the converters' settings; UsageError for a name or a value that Connect does not know.

    Values may be booleans or texts, as in a properties file.
    """
    for name in values:
        if name not in _ROWS:
            close = get_close_matches(name, _ROWS, n=1)
            raise UsageError(
                f"unknown converter setting {name!r}",
                expected="a setting of key.converter, value.converter or header.converter",
                hint=f"did you mean {close[0]!r}?" if close else "",
            )
    read = {name: _read(row, values.get(name, row.default)) for name, row in _ROWS.items()}
    return Converters(_one(read, "key"), _one(read, "value"), _one(read, "header"))


def _one(read: Mapping[str, str], part: str) -> ConverterSettings:
    prefix = f"{part}.converter"
    return ConverterSettings(
        read[prefix],
        read[f"{prefix}.schemas.enable"] == "true",
        JsonFormat(
            decimal_numeric=read[f"{prefix}.decimal.format"] == NUMERIC,
            replace_null_with_default=read[f"{prefix}.replace.null.with.default"] == "true",
        ),
    )


def _read(row: Setting, value: object) -> str:
    text = str(value).strip()
    if row.values == FLAG:
        text = text.lower()
    elif row.name.endswith("decimal.format"):
        text = text.upper()
    if text not in row.values.split(" | "):
        raise UsageError(f"{row.name} cannot be {value!r}", expected=row.values)
    return text
