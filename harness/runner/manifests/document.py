"""A YAML document of ours against its JSON Schema: data with places, or every problem at once."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jsonschema_rs import Draft202012Validator

from harness.documents.explain import explain
from harness.documents.yaml_file import BYTES_MAX, YamlFile, read
from harness.errors import Location, Problem, ScenarioError

HOME = "harness.runner.manifests"


@cache
def schema(name: str, package: str = HOME) -> dict[str, Any]:
    """Return the schema of that name, such as `consumer` or `expectations`, from its package."""
    file = files(package) / f"{name}.schema.json"
    loaded: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return loaded


def document(path: Path, shown: str, name: str, package: str = HOME) -> YamlFile:
    """Return a file that fits the schema of that name; ScenarioError with every problem."""
    source = read(_text(path, shown), shown)
    grammar = schema(name, package)
    errors = list(Draft202012Validator(grammar).iter_errors(source.data))
    problems = [problem for _, problem in explain(source, grammar, errors)]
    if problems:
        raise ScenarioError(tuple(dict.fromkeys(sorted(problems))))
    return source


def _text(path: Path, shown: str) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(BYTES_MAX + 1)
    except OSError as error:
        problem = Problem(Location(shown), f"cannot read the file: {error.strerror}")
        raise ScenarioError((problem,)) from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        what = f"the byte 0x{content[error.start]:02x} is not UTF-8"
        problem = Problem(Location(shown, line), what, hint="save the file as UTF-8")
        raise ScenarioError((problem,)) from None
    if len(content) > BYTES_MAX:
        what = f"the file has more than {BYTES_MAX} bytes"
        raise ScenarioError((Problem(Location(shown), what),))
    return text
