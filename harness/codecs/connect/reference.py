"""The converters' settings, one row a setting, under Connect's own names."""

from __future__ import annotations

from typing import Final

from harness.contracts import Setting

JSON: Final = "org.apache.kafka.connect.json.JsonConverter"
AVRO: Final = "io.confluent.connect.avro.AvroConverter"
APICURIO: Final = "io.apicurio.registry.utils.converter.AvroConverter"
SIMPLE: Final = "org.apache.kafka.connect.storage.SimpleHeaderConverter"
FLAG: Final = "true | false"
BASE64, NUMERIC = "BASE64", "NUMERIC"


def _json_rows(part: str) -> tuple[Setting, ...]:
    return (
        Setting(
            f"{part}.converter.schemas.enable",
            "true",
            FLAG,
            "With JsonConverter: every message carries its schema beside its payload.",
        ),
        Setting(
            f"{part}.converter.decimal.format",
            BASE64,
            f"{BASE64} | {NUMERIC}",
            "With JsonConverter: Decimals as base64 of their unscaled bytes, or as numbers.",
        ),
        Setting(
            f"{part}.converter.replace.null.with.default",
            "true",
            FLAG,
            "With JsonConverter: an unset field that has a default prints the default.",
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
                "What writes the bytes. Avro has Confluent's frame in either converter.",
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
