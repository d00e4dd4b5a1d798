"""The reference page of the command line says what the commands say."""

from __future__ import annotations

from harness.cli.describe import page
from harness.cli.main import COMMANDS
from tests.tree import text_of


def test_the_committed_page_is_the_generated_one() -> None:
    """docs/reference/cli.md is up to date; else: python -m harness.cli.describe > it."""
    assert text_of("docs/reference/cli.md") == page()


def test_every_command_has_a_section() -> None:
    """Each command of the table stands on the page, in the table's order."""
    text = page()
    places = [text.index(f"## `harness {name}`\n") for name in COMMANDS]
    assert places == sorted(places)
