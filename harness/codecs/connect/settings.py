"""The converters' settings, one row a setting, read by Connect's own names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from harness.codecs.connect.json_text import JsonFormat
from harness.contracts import Setting
from harness.errors import UsageError
from harness.model.settings import Settings

JSON: Final = "org.apache.kafka.connect.json.JsonConverter"
AVRO: Final = "io.confluent.connect.avro.AvroConverter"
APICURIO: Final = "io.apicurio.registry.utils.converter.AvroConverter"
SIMPLE: Final = "org.apache.kafka.connect.storage.SimpleHeaderConverter"
FLAG: Final = "true | false"
BASE64, NUMERIC = "BASE64", "NUMERIC"


def _json_rows(part: str) -> tuple[Setting, ...]:
    # Kafka connect-runtime Worker.buildWorkerTask: without a class of its own a connector gets the
    # worker's converter, configured by the worker alone.
    of_worker = (
        f"It is the worker's setting: a connector's own counts only beside a `{part}.converter`."
    )
    return (
        Setting(
            f"{part}.converter.schemas.enable",
            "true",
            FLAG,
            f"With JsonConverter: every message carries its schema beside its payload. {of_worker}",
        ),
        Setting(
            f"{part}.converter.decimal.format",
            BASE64,
            f"{BASE64} | {NUMERIC}",
            "With JsonConverter: Decimals as base64 of their unscaled bytes, or as numbers. "
            f"{of_worker}",
        ),
        Setting(
            f"{part}.converter.replace.null.with.default",
            "true",
            FLAG,
            "With JsonConverter: an unset field that has a default prints the default. "
            f"{of_worker}",
            without_effect="" if part == "value" else f"no field of a {part} has a default",
        ),
    )


CONVERTER_SETTINGS: Final[tuple[Setting, ...]] = (
    *(
        row
        for part in ("key", "value")
        for row in (
            Setting(
                f"{part}.converter",
                JSON,
                f"{JSON} | {AVRO} | {APICURIO}",
                "What writes the bytes. Avro has Confluent's frame in either converter: Apicurio's "
                "is meant with `apicurio.registry.as-confluent=true`, `headers.enabled=false` and "
                "`use-id=contentId`; without these it writes no frame, and ids into headers. What "
                "the registry refuses is the registry's rule: BACKWARD here, as Confluent's is by "
                "default; Apicurio has no rule until it is given one.",
            ),
            *_json_rows(part),
        )
    ),
    Setting(
        "header.converter",
        SIMPLE,
        f"{SIMPLE} | {JSON}",
        "What writes header values: plain text, or JSON.",
    ),
    *_json_rows("header"),
)


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
    """Return whether keys and values are both JSON."""
    return settings.key.type == settings.value.type == JSON


def is_converter_setting(name: str) -> bool:
    """Return whether a name is one of a converter's, known or not."""
    return name.startswith(("key.converter", "value.converter", "header.converter"))


def converter_settings(values: Settings) -> Converters:
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
