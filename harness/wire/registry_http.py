"""What TiCDC asks a schema registry over HTTP: paths, headers and bodies, without the asking.

Source: TiCDC codec notes §3.2 (vectors, `registered`); tiflow c7b2588
pkg/sink/codec/avro/confluent_schema_registry.go `Register`, `Lookup`; Go net/url `QueryEscape`.
"""

from __future__ import annotations

from harness.wire.go_json import go_string

CONTENT_TYPE = "application/vnd.schemaregistry.v1+json"
ACCEPT = f"{CONTENT_TYPE}, application/vnd.schemaregistry+json, application/json"
_KEPT = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")


def versions_path(subject: str) -> str:
    """Return the path that a schema is posted to."""
    return f"/subjects/{query_escaped(subject)}/versions"


def schema_path(schema_id: int) -> str:
    """Return the path of a schema by its id."""
    return f"/schemas/ids/{schema_id}"


def register_body(schema: str) -> str:
    """Return the body of a post; there is no schemaType, which old registries do not know."""
    return f'{{"schema":{go_string(schema)}}}'


def query_escaped(text: str) -> str:
    """Return a text as Go escapes it in a query: a space becomes `+`."""
    return "".join(
        chr(byte) if byte in _KEPT else "+" if byte == 0x20 else f"%{byte:02X}"
        for byte in text.encode()
    )
