"""The grammar is a good schema, and says what the packages that it speaks of can do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest

from harness.ddl import ActionType
from harness.faults import FAULTS
from harness.faults.grammar import CLAIMS, delivery_step
from harness.protocols import OWN, PROTOCOLS
from harness.protocols.clauses import CLAUSES
from harness.scenario.grammar import GRAMMAR_FILE, grammar, with_protocols
from harness.sources.tidb.changefeed import PARTITION_RULES
from harness.spec import Level

Node = dict[str, Any]


def schemas(node: object, path: str = "#") -> Iterator[tuple[str, Node]]:
    """Yield every schema of the grammar that describes a value, with its path."""
    if not isinstance(node, dict):
        return
    if "type" in node:
        yield path, node
    for key in ("properties", "$defs"):
        for name, child in node.get(key, {}).items():
            yield from schemas(child, f"{path}/{key}/{name}")
    for key in ("items", "additionalProperties"):
        yield from schemas(node.get(key), f"{path}/{key}")


def defined(name: str) -> Node:
    """Return a shared schema by name."""
    found: Node = grammar()["$defs"][name]
    return found


SCHEMAS = list(schemas(grammar()))


def test_the_grammar_is_a_json_schema() -> None:
    """Editors and validators accept it as JSON Schema 2020-12."""
    assert grammar()["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema_rs.meta.validate(grammar())
    jsonschema_rs.Draft202012Validator(grammar())


@pytest.mark.parametrize(("path", "schema"), SCHEMAS, ids=[path for path, _ in SCHEMAS])
def test_everything_is_described(path: str, schema: Node) -> None:
    """Every schema has a noun for messages and a sentence for editors and the reference."""
    assert schema["title"], path
    assert schema["description"].endswith("."), path


@pytest.mark.parametrize(
    ("path", "schema"),
    [(path, schema) for path, schema in SCHEMAS if "object" in schema["type"]],
)
def test_no_mapping_takes_unknown_keys(path: str, schema: Node) -> None:
    """A mapping's keys are listed or chosen by the author, never simply ignored."""
    if path.startswith("#/$defs/free-settings"):
        return  # the codec knows its settings' names, and refuses all others
    branches = schema.get("oneOf", ())
    closed = schema.get("additionalProperties", True) is not True
    assert closed or (branches and all("$ref" in branch for branch in branches)), path


@pytest.mark.parametrize(
    ("path", "schema"), [(path, schema) for path, schema in SCHEMAS if "examples" in schema]
)
def test_examples_and_defaults_are_valid(path: str, schema: Node) -> None:
    """What the grammar shows as an example, or takes as a default, is what it allows."""
    whole = {**schema, "$defs": grammar()["$defs"]}
    for example in [*schema["examples"], *([schema["default"]] if "default" in schema else [])]:
        assert jsonschema_rs.Draft202012Validator(whole).is_valid(example), (path, example)


def test_every_pattern_is_anchored() -> None:
    """A pattern that is not anchored would accept a text that merely contains what is meant."""
    patterns = {path: schema["pattern"] for path, schema in SCHEMAS if "pattern" in schema}
    loose = {path for path, pattern in patterns.items() if pattern[0] + pattern[-1] != "^$"}
    assert loose == {
        path for path, pattern in patterns.items() if pattern in (r"\S", r"^https?://[^\s/]+\S*$")
    } - {"#/$defs/link"}


def test_the_grammar_knows_the_protocols() -> None:
    """Protocols and dialects are those that there are codecs for."""
    assert defined("protocol")["enum"] == list(PROTOCOLS)
    known = [dialect for row in PROTOCOLS.values() for dialect in row.codec.dialects]
    assert defined("dialect")["enum"] == list(dict.fromkeys(known))


def test_the_committed_grammar_is_what_our_protocols_make() -> None:
    """Editors read grammar.json; it says of our own protocols what their rows say."""
    committed = json.loads(GRAMMAR_FILE.read_bytes())
    own = {name: PROTOCOLS[name] for name in OWN}
    assert committed == with_protocols(json.loads(GRAMMAR_FILE.read_bytes()), own)


def test_the_grammar_knows_the_faults() -> None:
    """A delivery step names a fault that there is, or its permission."""
    assert set(defined("delivery-step")["properties"]) == {*FAULTS, *CLAIMS}
    assert defined("delivery-step")["allOf"][0]["oneOf"] == [
        {"required": [fault]} for fault in FAULTS
    ]


def test_the_grammar_says_of_faults_what_their_table_says() -> None:
    """`$defs.delivery-step` is up to date; else put what harness.faults.grammar prints there."""
    made = delivery_step()
    allowed_by = defined("delivery-step")["properties"]["allowed-by"]
    for key in ("properties", "examples"):  # these speak of protocols
        made["properties"]["allowed-by"][key] = allowed_by[key]
    assert defined("delivery-step") == made


def test_the_grammar_knows_the_partition_rules() -> None:
    """The dispatcher's partition rules are those that the changefeed has."""
    rule = defined("open-settings")["properties"]["sink.dispatchers"]["items"]
    assert set(rule["properties"]["partition"]["enum"]) == set(PARTITION_RULES)


def test_the_grammar_knows_the_ddl_actions() -> None:
    """A DDL event names one of the actions that a changefeed replicates, as TiDB does."""
    names = {action.display_name.replace(" ", "_") for action in ActionType}
    listed = defined("ddl-event")["properties"]["ddl"]["enum"]
    assert len(listed) == len(set(listed))
    assert set(listed) <= names
    codes = {name for name in CLAUSES if name.startswith("open.ddl.type.")}
    replicated = {name for name in codes if CLAUSES[name].level is Level.MUST}
    assert len(listed) == len(replicated)


def test_the_schema_of_a_clause_gives_clauses_as_examples() -> None:
    """Examples of clause ids are ids of clauses."""
    examples = [*defined("clause")["examples"], *grammar()["properties"]["clauses"]["examples"][0]]
    assert set(examples) <= set(CLAUSES)
