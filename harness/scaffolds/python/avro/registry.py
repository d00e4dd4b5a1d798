"""Avro by the schemas of a registry: Confluent's frame, TiDB's types, the contract's JSON."""

from __future__ import annotations

import base64
import io
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import fastavro

TRIES = 60
PAUSE_S = 0.5  # a registry that is being restarted is back within half a minute
NOT_FOUND = 404
TEMPORAL = ("DATE", "TIME", "DATETIME", "TIMESTAMP")
# Fields that TiCDC adds; a column of such a name has a tidb_type, they have none.
EXTENSION = "_tidb_"
COMMIT_TS = "_tidb_commit_ts"
Table = tuple[str, str]


class Schema:
    """A schema that is ready to read: its columns' readers, and their defaults for older rows."""

    def __init__(self, text: str) -> None:
        document = json.loads(text)
        if not isinstance(document, dict) or document.get("type") != "record":
            raise ValueError("the schema is no record")
        self.parsed = fastavro.parse_schema(document)
        # A namespace is <the changefeed's>.<database>.
        self.table: Table = (document.get("namespace", "").partition(".")[2], document["name"])
        self.readers: dict[str, Callable[[Any], Any]] = {}
        self.defaults: dict[str, Any] = {}
        for field in document["fields"]:
            types = field["type"] if isinstance(field["type"], list) else [field["type"]]
            (form,) = [one for one in types if one != "null"]
            told = form.get("connect.parameters", {}) if isinstance(form, dict) else {}
            if "tidb_type" not in told and field["name"].startswith(EXTENSION):
                continue
            kind = told.get("tidb_type", "")
            self.readers[field["name"]] = READERS.get(kind, lambda value: value)
            self.defaults[field["name"]] = default_of(kind, field.get("default"))


class Registry:
    """Reads framed messages; asks for each schema once."""

    def __init__(self, registry: dict[str, Any] | None) -> None:
        self.url = registry["url"].rstrip("/") if registry else ""
        account = registry["properties"].get("basic.auth.user.info") if registry else None
        token = base64.b64encode(account.encode()).decode() if account else ""
        self.headers = {"Authorization": f"Basic {token}"} if token else {}
        self.schemas: dict[int, Schema] = {}

    def read(self, message: bytes) -> tuple[Table, dict[str, Any], Schema]:
        """Return table, row and schema of a key or value; the row may have COMMIT_TS besides.

        Raises ValueError for what cannot be read.
        """
        if len(message) < 5 or message[0] != 0:
            raise ValueError("no frame of a schema registry")
        number = int.from_bytes(message[1:5], "big")
        schema = self.schemas.get(number)
        if schema is None:
            schema = self.schemas[number] = Schema(self.text(number))
        body = io.BytesIO(message[5:])
        try:
            told: Any = fastavro.schemaless_reader(body, schema.parsed, None)
        except Exception as error:
            raise ValueError(f"not of schema {number}: {error!r}") from error
        if body.read(1):
            raise ValueError(f"bytes are left behind the row of schema {number}")
        row = {
            name: None if told[name] is None else reader(told[name])
            for name, reader in schema.readers.items()
        }
        if COMMIT_TS in told and COMMIT_TS not in schema.readers:
            row[COMMIT_TS] = told[COMMIT_TS]
        return schema.table, row, schema

    def text(self, number: int) -> str:
        """Return a schema's text; ValueError for an id that the registry does not know."""
        request = urllib.request.Request(f"{self.url}/schemas/ids/{number}", headers=self.headers)
        for left in reversed(range(TRIES)):
            try:
                with urllib.request.urlopen(request, timeout=10) as answer:
                    return str(json.load(answer)["schema"])
            except urllib.error.HTTPError as error:
                if error.code == NOT_FOUND:
                    raise ValueError(f"unknown schema id {number}") from None
                if error.code < 500 or not left:
                    raise
            except OSError:
                if not left:
                    raise
            time.sleep(PAUSE_S)
        raise AssertionError("unreachable")


def unsigned(value: int | str) -> int:
    """Undo the wrap of a BIGINT UNSIGNED beyond 2^63 - 1, which is sent as a long."""
    return int(value) % 2**64


def plain(value: Decimal | str) -> str:
    """Return a decimal with all its digits and no exponent."""
    return format(value, "f") if isinstance(value, Decimal) else value


# tidb_type -> what makes the contract's JSON of its value; all others are right as they are.
READERS: dict[str, Callable[[Any], Any]] = {
    "BIGINT UNSIGNED": unsigned,
    "DECIMAL": plain,
    "BIT": lambda raw: int.from_bytes(raw, "big"),
    "BLOB": bytes.hex,
}


def default_of(kind: str, default: Any) -> Any:
    """Return what rows without the column have; None where the schema does not tell a value.

    The default of a binary type is base64, of one that travels as bytes otherwise not told. A
    function such as CURRENT_TIMESTAMP is known to the database only.
    """
    if default is None or (kind in TEMPORAL and not set(default) <= set("0123456789-:. ")):
        return None
    if kind in {"BIT", "BLOB"}:
        return READERS[kind](base64.b64decode(default))
    if kind == "BIGINT UNSIGNED":
        return unsigned(default)
    return None if default == "uuid()" else default
