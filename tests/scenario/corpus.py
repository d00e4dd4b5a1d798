"""Reads `bad_files.txt`: what is wrong with a file, and word for word what is said about it.

A row starts with `#` and its name. `<` lines are taken out of the sound file (`*` means all of it)
and `>` lines stand in their places, the last place taking all that are left; without any `<` they
stand at the end. The rest is the message, as `harness check` shows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("bad_files.txt")
NAME = "bad.file"
SOUND = """\
id: bad.file
title: A sound file
clauses: [open.row.insert]
matrix: {protocol: [open], partitions: [1, 2]}
databases: [shop]
upstream:
  - ddl: CREATE TABLE shop.t (a INT PRIMARY KEY, b INT)
  - transaction: {name: one, sql: "INSERT INTO shop.t VALUES (1, 1)"}
expect: {tables: {shop.t: [{a: 1, b: 1}]}}
"""


@dataclass(frozen=True, slots=True)
class BadFile:
    """One row: its name, the file's text, and the message."""

    name: str
    text: str
    message: str


def bad_files() -> tuple[BadFile, ...]:
    """Return all rows."""
    blocks = FILE.read_text(encoding="utf-8").strip().split("\n\n")
    return tuple(_row(block.split("\n")) for block in blocks)


def _row(lines: list[str]) -> BadFile:
    name = lines[0].removeprefix("# ")
    gone = [line[2:] for line in lines if line.startswith("< ")]
    new = [line[2:] for line in lines if line.startswith("> ")]
    message = [line for line in lines[1:] if line[:2] not in ("< ", "> ")]
    return BadFile(name, _changed(gone, new), "\n".join(message))


def _changed(gone: list[str], new: list[str]) -> str:
    if gone == ["*"]:
        return "".join(f"{line}\n" for line in new)
    text = SOUND
    for number, line in enumerate(gone):
        assert text.count(f"{line}\n") == 1, f"not a line of the sound file: {line}"
        last = number == len(gone) - 1
        instead = new[number:] if last else new[number : number + 1]
        text = text.replace(f"{line}\n", "".join(f"{each}\n" for each in instead))
    return text if gone else text + "".join(f"{line}\n" for line in new)
