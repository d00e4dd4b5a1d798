"""The files for CI systems can be read, and their harness commands are ones that the CLI takes."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any, cast

import click
import pytest
import yaml

from harness.cli.main import cli
from tests.tree import ROOT

HOME = ROOT / "examples" / "ci"
FILES = ("github.yaml", "gitlab.yaml", "Jenkinsfile", "Dockerfile")


def texts(node: object) -> Iterator[str]:
    """Yield every text of a YAML document."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict):
        for value in cast("dict[Any, object]", node).values():
            yield from texts(value)
    elif isinstance(node, list):
        for value in cast("list[object]", node):
            yield from texts(value)


def lines(name: str) -> list[str]:
    """Return the shell commands of a file, as its format has them."""
    text = (HOME / name).read_text("utf-8")
    if name.endswith(".yaml"):
        return [line for one in texts(yaml.safe_load(text)) for line in one.splitlines()]
    if name == "Jenkinsfile":
        assert text.count("{") == text.count("}")
        return re.findall(r"^\s*sh '([^']+)'$", text, re.MULTILINE)
    rows = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert rows[0].startswith("FROM ")
    ends = [line.removeprefix("CMD ") for line in rows if line.startswith("CMD ")]
    runs = [line.removeprefix("RUN ") for line in rows if line.startswith("RUN ")]
    return [*runs, *(shlex.join(json.loads(one)) for one in ends)]


def commands(name: str) -> list[list[str]]:
    """Return the words behind `harness` of each of a file's harness commands."""
    words = [shlex.split(line) for line in lines(name) if "harness" in line]
    return [
        found[1:] for found in words if len(found) > 1 and found[0].rpartition("/")[2] == "harness"
    ]


@pytest.mark.parametrize("name", FILES)
def test_the_command_line_takes_every_command(name: str) -> None:
    """The real parser reads each command's options and arguments; nothing is run."""
    found = commands(name)
    assert any(words[0] == "certify" for words in found)
    for words in found:
        command: click.Command = cli
        context = click.Context(cli, info_name="harness")
        while isinstance(command, click.Group):
            inner = command.get_command(context, words.pop(0))
            assert inner is not None
            command = inner
        command.make_context("harness", words)


@pytest.mark.parametrize("name", FILES[:3])
def test_the_certificate_is_kept_whatever_came_of_the_run(name: str) -> None:
    """Each CI system keeps the certificate after a run with findings too."""
    text = (HOME / name).read_text("utf-8")
    assert ["report", "events.ndjson"] in [words[:2] for words in commands(name)]
    assert "always" in text


def test_every_file_is_held() -> None:
    """A further file for CI is read by these tests as well."""
    assert {path.name for path in HOME.iterdir()} == {*FILES, "README.md"}
