"""What messages and help texts tell people to type can be typed."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest

from harness.cli.main import cli
from tests.tree import ROOT

SAID = re.compile(r"`harness ([a-z][^`]*)`")
OPTION = re.compile(r"(?<!\S)-{1,2}[a-z][a-z-]*")


def said() -> Iterator[str]:
    """Yield each command that a text of the harness names, without its name."""
    for file in sorted((ROOT / "harness").rglob("*.py")):
        yield from SAID.findall(" ".join(file.read_text("utf-8").split()))


def missing(text: str) -> list[str]:
    """Return the words of a command that the command line does not have."""
    command: click.Command = cli
    context = click.Context(cli, info_name="harness")
    words = text.split()
    while isinstance(command, click.Group) and words and words[0].isidentifier():
        inner = command.get_command(context, words[0])
        if inner is None:
            return words[:1]
        command, words = inner, words[1:]
    taken = {
        name
        for one in command.get_params(context)
        if isinstance(one, click.Option)
        for name in (*one.opts, *one.secondary_opts)
    }
    return [name for name in OPTION.findall(" ".join(words)) if name not in taken]


@pytest.mark.parametrize("text", sorted(set(said())))
def test_a_command_in_a_message_exists(text: str) -> None:
    """Each command and each option that a message names is one that the command line has."""
    assert missing(text) == []


def test_what_does_not_exist_is_seen() -> None:
    """A command and an option that are not there are named."""
    assert missing("lists -k x") == ["lists"]
    assert missing("list --cases -k x") == ["--cases"]
