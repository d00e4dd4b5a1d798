"""Documents on the pages are ones that their readers take: whole files, and parts laid into one."""

from __future__ import annotations

import ast
import json
import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest
import yaml

import cdc_spark
from harness.engine.run.external_topics.document import read_live
from harness.load import spec
from harness.runner.commands import Whereabouts
from harness.runner.manifests.expectations import read_expectations
from harness.runner.manifests.files import ManifestFile
from harness.runner.manifests.read import read_manifest
from harness.services.settings import settings
from tests.docs.pages import Block, blocks
from tests.tree import text_of

ALL = tuple(blocks())
GRAMMAR = json.loads(text_of("harness/scenario/grammar.json"))
MANIFEST = {"manifest": 1, "name": "mine", "command": ["./run.sh"], "protocols": ["open", "avro"]}
# Generated from the functions themselves.
SIGNATURES = Path("docs/reference/cdc-spark.md")
# What CI systems read is held by tests/cli/test_ci_files.py in the files that a user copies.
OF_CI = {"jobs", "certify"}


def of(*languages: str) -> list[Any]:
    """Return the blocks in a language, as parameters of a test."""
    return [pytest.param(one, id=one.place) for one in ALL if one.language in languages]


def is_scenario_part(keys: set[str]) -> bool:
    """Return whether the keys are a scenario's."""
    return keys <= set(GRAMMAR["properties"])


def is_manifest_part(keys: set[str]) -> bool:
    """Return whether the keys are a manifest's."""
    return keys <= {field.encode_name for field in msgspec.structs.fields(ManifestFile)}


def read_scenario(document: Mapping[str, Any], _: Path) -> None:
    """Hold each key of a scenario against the grammar."""
    part = {**GRAMMAR, "required": []}
    jsonschema_rs.validate(part, document)


def read_manifest_part(document: Mapping[str, Any], here: Path) -> None:
    """Read a manifest, or a part of one laid over a small one."""
    whole = {**MANIFEST, **document} if "attach" not in document else document
    target = here / "consumer.yaml"
    target.write_text(yaml.safe_dump(whole), encoding="utf-8")
    for name in {"run.sh", "known.yaml", *whole.get("command", [])}:
        (here / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (here / name).chmod(0o755)
    environment = {"TEAS_TOKEN": "t", "MIRROR_TABLES": "mysql://reader:secret@db.test:3306/"}
    assert read_manifest(str(target), Whereabouts(here, environment))


def read_known(document: Mapping[str, Any], here: Path) -> None:
    """Read a list of known failures."""
    target = here / "expectations.yaml"
    target.write_text(yaml.safe_dump(document), encoding="utf-8")
    assert read_expectations(target, target.name, "2.1.0", date(2026, 11, 1))


def read_live_file(document: Mapping[str, Any], here: Path) -> None:
    """Read a file of live topics."""
    target = here / "live.yaml"
    target.write_text(yaml.safe_dump(document), encoding="utf-8")
    assert read_live(target, {"HARNESS_LIVE_PASSWORD": "secret"})


def read_workload(document: Mapping[str, Any], here: Path) -> None:
    """Read a workload."""
    target = here / "workload.yaml"
    target.write_text(yaml.safe_dump(document), encoding="utf-8")
    assert spec.load(target, {})


def reader_of(document: Mapping[str, Any]) -> Any:
    """Return what reads a document, by its keys; None for what a CI system reads."""
    keys = set(document)
    if keys & OF_CI:
        return None
    marked = {"manifest": read_manifest_part, "live": read_live_file, "expectations": read_known}
    for key, reader in marked.items():
        if key in keys:
            return reader
    if is_scenario_part(keys):
        return read_scenario
    return read_manifest_part if is_manifest_part(keys) else read_workload


@pytest.mark.parametrize("block", of("yaml"))
def test_yaml_is_taken_by_what_reads_it(block: Block, tmp_path: Path) -> None:
    """A file on a page is read by the real reader; a part of one is laid into a small file."""
    document = yaml.safe_load(block.text)
    if document is None:  # a line for the editor alone
        assert block.text.startswith("#")
        return
    reader = reader_of(document)
    if reader is not None:
        reader(document, tmp_path)


@pytest.mark.parametrize("block", of("toml"))
def test_toml_is_taken(block: Block, tmp_path: Path) -> None:
    """Settings on a page are settings; whatever else is TOML can be read as such."""
    document = tomllib.loads(block.text)
    if "project" in document:
        return
    (tmp_path / "harness.toml").write_text(block.text, encoding="utf-8")
    assert settings({}, here=tmp_path, env={})


@pytest.mark.parametrize("block", of("json"))
def test_json_is_json(block: Block) -> None:
    """Each line, or the whole, is one JSON value; the contract's tests hold them to the schemas."""
    try:
        json.loads(block.text)
    except json.JSONDecodeError:
        for line in block.text.splitlines():
            json.loads(line)


@pytest.mark.parametrize("block", of("python"))
def test_python_names_what_there_is(block: Block) -> None:
    """Python on a page can be compiled, and what it imports of cdc_spark is public there."""
    if block.page == SIGNATURES:
        return
    for node in ast.walk(ast.parse(block.text)):
        if isinstance(node, ast.ImportFrom) and node.module == "cdc_spark":
            assert {alias.name for alias in node.names} <= set(cdc_spark.__all__)


def test_every_language_is_known() -> None:
    """A block in another language has a test of its own before it has a place on a page."""
    held = {"yaml", "toml", "json", "python", "console", "sh"}
    shown = {"", "text", "ini", "properties"}  # output, and files of other programs
    assert {block.language for block in ALL} <= held | shown
