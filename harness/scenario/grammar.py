"""The grammar (`grammar.json`) and what breaks it, in plain words.

One mistake, one problem, at the place where the person made it. The JSON Schema is the only
statement of what is allowed; the nouns in the messages are its `title`s.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path as FilePath

import jsonschema_rs

from harness.documents import JsonSchema
from harness.documents.explain import explain
from harness.documents.yaml_file import Path, YamlFile
from harness.errors import Problem
from harness.protocols import PROTOCOLS
from harness.protocols.protocol import ProtocolSpec

# The fault whose clauses are the example of `allowed-by`.
_EXAMPLE = "duplicate"
GRAMMAR_FILE = FilePath(__file__).with_name("grammar.json")


@cache
def grammar() -> JsonSchema:
    """Return the JSON Schema of a scenario file, for all registered protocols."""
    schema: JsonSchema = json.loads(GRAMMAR_FILE.read_bytes())
    return with_protocols(schema, PROTOCOLS)


def with_protocols(schema: JsonSchema, protocols: Mapping[str, ProtocolSpec]) -> JsonSchema:
    """Return the schema with its parts that speak of protocols made from their rows.

    The committed file is what this makes of our own protocols; a test holds it to that.
    """
    top, defs = schema["properties"], schema["$defs"]
    settings: dict[str, object] = {}
    for name, row in protocols.items():
        own = f"{name}-settings" if row.settings_schema is not None else "free-settings"
        settings[name] = _ref(own)
        if row.settings_schema is not None:
            defs[own] = dict(row.settings_schema)
    top["settings"]["properties"] = settings
    top["profiles"]["additionalProperties"]["properties"] = settings
    top["pairwise"]["properties"] = dict.fromkeys(protocols, _ref("value-lists"))
    expected = top["expect"]["properties"]
    expected["by-protocol"]["properties"] = dict.fromkeys(protocols, _ref("exception"))
    expected["events"]["properties"] = dict.fromkeys(protocols, _ref("events"))
    expected["records"]["properties"] = dict.fromkeys(protocols, _ref("statements"))
    titles = (f"`{name}` is {row.description.title}" for name, row in protocols.items())
    defs["protocol"]["description"] = f"A protocol: {', '.join(titles)}."
    defs["protocol"]["enum"] = list(protocols)
    dialects = (dialect for row in protocols.values() for dialect in row.codec.dialects)
    defs["dialect"]["enum"] = list(dict.fromkeys(dialects))
    allowed = defs["delivery-step"]["properties"]["allowed-by"]
    allowed["properties"] = dict.fromkeys(protocols, _ref("clause"))
    allowed["examples"] = [
        {
            name: row.permissions[_EXAMPLE].clauses[0]
            for name, row in protocols.items()
            if _EXAMPLE in row.permissions
        }
    ]
    return schema


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


@cache
def _validator() -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(dict(grammar()))


def violations(source: YamlFile) -> Iterator[tuple[Path, Problem]]:
    """Yield what breaks the grammar, each with the path of keys that it makes unusable."""
    validator = _validator()
    if not validator.is_valid(source.data):
        yield from explain(source, grammar(), list(validator.iter_errors(source.data)))
