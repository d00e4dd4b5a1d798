"""What TiCDC asks a registry: paths escaped as Go does, bodies as Go's JSON has them."""

from __future__ import annotations

import json

from hypothesis import given

from harness.wire.registry_http import query_escaped, register_body, schema_path, versions_path
from tests.strategies import NAMES, TEXT


def test_paths() -> None:
    """A subject is one escaped segment (vectors `avro_*`, `registered`)."""
    assert versions_path("avro-topic-key") == "/subjects/avro-topic-key/versions"
    assert versions_path("a b/ü~*") == "/subjects/a+b%2F%C3%BC~%2A/versions"
    assert schema_path(7) == "/schemas/ids/7"


@given(NAMES)
def test_escapes_are_ascii(name: str) -> None:
    """Nothing that could end a segment is left."""
    assert query_escaped(name).isascii()
    assert not set(query_escaped(name)) & set("/?#& ")


@given(TEXT)
def test_bodies(schema: str) -> None:
    """The body is one JSON object with the schema's text, HTML escaped."""
    body = register_body(schema)
    assert json.loads(body) == {"schema": schema}
    assert not set(body) & set("<>&")
