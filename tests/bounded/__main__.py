"""`python -m tests.bounded`: all readers against many spoiled inputs, as a table.

Exit code 1 when one is a defect; its input is written where `--keep` says.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from pathlib import Path

import click

from tests.bounded.readers import READERS
from tests.bounded.trial import trial


def main() -> int:
    """Try the readers that are asked for and print what came of it."""
    parser = argparse.ArgumentParser(prog="python -m tests.bounded", description=__doc__)
    parser.add_argument("--inputs", type=int, default=1000, help="edited inputs for each reader")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reader", default="", help="those whose name has these words")
    parser.add_argument("--keep", type=Path, help="a directory for inputs that are defects")
    asked = parser.parse_args()
    click.echo(f"{'reader':24}{'tried':>8} {'read':>8} {'slowest':>31} {'largest':>9} defects")
    wrong = total = 0
    for name, reader in READERS.items():
        if asked.reader not in name:
            continue
        result = trial(name, reader, asked.inputs, asked.seed)
        click.echo(result.line(name))
        for place, content in result.defects.items():
            click.echo(f"    {place}\n        {len(content)} bytes: {content[:200]!r}")
            if asked.keep:
                asked.keep.mkdir(parents=True, exist_ok=True)
                digest = hashlib.sha256(content).hexdigest()[:12]
                (asked.keep / f"{name.replace(' ', '-')}-{digest}").write_bytes(content)
        wrong += len(result.defects)
        total += result.tried
    click.echo(
        f"tried {total:,} inputs of {len(READERS)} readers, {wrong} defects, seed {asked.seed}"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
