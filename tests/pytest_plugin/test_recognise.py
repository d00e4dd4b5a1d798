"""The rule by which a YAML file is a scenario, and the root that its id counts from."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.pytest_plugin.recognise import root_of

SCHEMA = "# yaml-language-server: $schema=../../harness/scenario/grammar.json\n"
KEYS = "id: a.b\nupstream: []\nexpect: {}\n"


def write(path: Path, text: str) -> Path:
    """Write a file, directories included."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("text", ["", "[", "a: 1"])
def test_below_a_root_with_recorded_changes_every_file_is_one(tmp_path: Path, text: str) -> None:
    """A scenario that is broken beyond recognition does not vanish."""
    write(tmp_path / "golden" / "a" / "b" / "changes.jsonl", "")
    file = write(tmp_path / "scenarios" / "a" / "b.yaml", text)
    assert root_of(file) == tmp_path / "scenarios"


@pytest.mark.parametrize(
    ("text", "root"),
    [
        (SCHEMA, "scenarios"),
        (KEYS, "scenarios"),
        ("# about nothing\n" + KEYS, "scenarios"),
        ("id: a.b\nexpect: {}\n", None),
        ("x:\n  id: a.b\n  upstream: []\n  expect: {}\n", None),
        ("", None),
    ],
)
def test_elsewhere_the_schema_line_or_the_keys_decide(
    tmp_path: Path, text: str, root: str | None
) -> None:
    """Without recorded changes a file has to say that it is a scenario."""
    file = write(tmp_path / "scenarios" / "b.yaml", text)
    assert root_of(file) == (tmp_path / root if root else None)


@pytest.mark.parametrize(
    ("name", "root"),
    [("x/a/b.yaml", "x"), ("a/b.yaml", "."), ("x/c/b.yaml", "x/c"), ("x/b.yaml", "x")],
)
def test_the_id_decides_the_root_where_no_directory_does(
    tmp_path: Path, name: str, root: str
) -> None:
    """Counted from the root, a file's path equals its id; else the root is its own directory."""
    assert root_of(write(tmp_path / name, KEYS)) == tmp_path / root


def test_what_cannot_be_read_is_no_scenario(tmp_path: Path) -> None:
    """A dangling link is left to whoever made it."""
    link = tmp_path / "a.yaml"
    link.symlink_to(tmp_path / "nowhere")
    assert root_of(link) is None
