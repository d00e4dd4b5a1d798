"""Text and bytes: letters, encodings and blanks."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable

from harness.model.columns import BINARIES, CHARACTERS, Column
from harness.model.values import Value
from harness.mutants.mutant import NULLS, Mutant, of_type, sign
from harness.mutants.parts import Parts


def _characters(change: Callable[[str], Value]) -> Parts:
    def value(column: Column, raw: Value) -> Value:
        return change(raw) if column.kind in CHARACTERS and isinstance(raw, str) else raw

    return Parts(value=value)


def _bytes(change: Callable[[bytes], bytes]) -> Parts:
    def value(column: Column, raw: Value) -> Value:
        if column.kind not in BINARIES or not isinstance(raw, bytes | str):
            return raw
        content = raw if isinstance(raw, bytes) else raw.encode()
        changed = change(content)
        return raw if changed == content else changed

    return Parts(value=value)


def _ascii(text: str) -> Value:
    return text.encode("ascii", "replace").decode("ascii")


def _latin(text: str) -> Value:
    return text.encode().decode("latin-1")


def _short(text: str) -> Value:
    return "".join(
        letter if ord(letter) < 2**16 else "\N{REPLACEMENT CHARACTER}" for letter in text
    )


def _null_word(text: str) -> Value:
    return None if text.lower() == "null" else text


def _lossy(content: bytes) -> bytes:
    return content.decode("utf-8", "replace").encode()


def _until_zero(content: bytes) -> bytes:
    return content.partition(b"\0")[0]


_CHARACTERS_NOW = of_type(*sorted(kind.value for kind in CHARACTERS))
_CHARACTERS = {**_CHARACTERS_NOW, "open": f"{_CHARACTERS_NOW['open']} open.type.varchar.base64"}
_UTF8 = {**_CHARACTERS, "avro": "avro.value.text-utf8"}
_BINARIES = of_type(*sorted(kind.value for kind in BINARIES))
_BYTES = {
    **_BINARIES,
    **{name: f"{_BINARIES[name]} {name}.binary.mode" for name in ("vitess", "debezium-mysql")},
}
_TEXT = (sign("wrong-value unreadable-value missing-row extra-row", r"char|text"),)
_BINARY = (sign("wrong-value unreadable-value missing-row extra-row", r"binary|blob"),)

ROWS: tuple[Mutant, ...] = (
    Mutant(
        "ascii-default",
        "texts",
        "It writes text in the platform's ASCII, and a question mark for every other letter.",
        _UTF8,
        _characters(_ascii),
        _TEXT,
        seen=(
            "https://github.com/ClickHouse/clickhouse-kafka-connect/issues/51",
            "https://github.com/dailydotdev/daily-gateway/pull/361",
        ),
    ),
    Mutant(
        "utf8-read-as-latin",
        "texts",
        "It reads UTF-8 as Latin-1, so that one letter becomes several.",
        _UTF8,
        _characters(_latin),
        _TEXT,
    ),
    Mutant(
        "utf8-of-three-bytes",
        "texts",
        "It has no room for letters of four bytes in UTF-8 and replaces them.",
        _UTF8,
        _characters(_short),
        _TEXT,
    ),
    Mutant(
        "null-string",
        "texts",
        "It takes the word null for NULL.",
        NULLS,
        _characters(_null_word),
        _TEXT,
        seen=("https://github.com/pingcap/ticdc/issues/3958",),
    ),
    Mutant(
        "empty-text-is-null",
        "texts",
        "It takes the empty text for NULL.",
        NULLS,
        _characters(lambda text: text or None),
        _TEXT,
        seen=("https://github.com/pingcap/ticdc/issues/3958",),
    ),
    Mutant(
        "blanks-trimmed",
        "texts",
        "It strips blanks from both ends of a text.",
        _CHARACTERS,
        _characters(lambda text: text.strip(" ")),
        _TEXT,
    ),
    Mutant(
        "binary-as-text",
        "texts",
        "It reads bytes as UTF-8 and replaces what is none.",
        _BYTES,
        _bytes(_lossy),
        _BINARY,
        seen=("https://github.com/pingcap/tiflow/issues/7058",),
    ),
    Mutant(
        "base64-kept",
        "texts",
        "It takes the Base64 text that carries bytes for the bytes themselves.",
        _BYTES,
        _bytes(b64encode),
        _BINARY,
        seen=("https://github.com/risingwavelabs/risingwave/issues/10628",),
    ),
    Mutant(
        "bytes-end-at-zero",
        "texts",
        "It takes a zero byte for the end of a binary value.",
        _BYTES,
        _bytes(_until_zero),
        _BINARY,
    ),
)
