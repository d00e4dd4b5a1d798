"""Level live with a producer of the run's own: the real connector, the real database."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.docs.pages import commands
from tests.tree import ROOT

pytestmark = pytest.mark.services

ROOTS = ["--scenarios", str(ROOT / "scenarios"), "--golden", str(ROOT / "golden")]
PAGE = Path("docs/tutorial/live.md")
# The reference consumer, and then the first row of each table once more under another key.
FORGETFUL = f"""
import json, os, sys
from pathlib import Path
sys.path.insert(0, {str(ROOT)!r})
from harness.reference_consumer.__main__ import main
code = main()
job = json.load(open(os.environ["HARNESS_JOB"]))
for feed in job["changefeeds"]:
    table = Path(job["out_dir"]) / feed["dir"] / "tables" / "shop.t.jsonl"
    if table.exists():
        with table.open("a") as rows:
            rows.write('{{"a": 1, "b": 1}}\\n')
sys.exit(code)
"""


def certify(here: Path, consumer: str, *words: str) -> tuple[int, str, dict[str, Any]]:
    """Certify a consumer; return exit code, what was said, and the document."""
    command = ["certify", consumer, "--live", "debezium-mariadb", "--json", *words, *ROOTS]
    kept = {name: text for name, text in os.environ.items() if not name.startswith("HARNESS_")}
    done = subprocess.run(
        [sys.executable, "-m", "harness", *command],
        cwd=here,
        env={**kept, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    return done.returncode, done.stderr, orjson.loads(done.stdout) if done.stdout else {}


def verdicts(document: dict[str, Any]) -> dict[str, str]:
    """Return the verdicts by case."""
    return {case["case"]: case["verdict"]["judgement"] for case in document["cases"]}


def test_a_consumer_that_keeps_what_was_deleted_fails(tmp_path: Path) -> None:
    """It is judged by the SELECT, and so is the one that has another table.

    Both scenarios have tables of one name: a job ends where the next scenario's rows begin.
    """
    script = tmp_path / "forgetful.py"
    script.write_text(FORGETFUL, encoding="utf-8")
    chosen = ("keys.pk-chain", "keys.same-name-in-two-databases", "keys.pk-moves-onto-deleted")
    code, said, document = certify(tmp_path, f"exec:{sys.executable} {script}", *chosen)
    assert (code, verdicts(document)) == (
        1,
        {
            "keys.pk-chain[debezium-mysql,live]": "fail",
            "keys.same-name-in-two-databases[debezium-mysql,live]": "pass",
            "keys.pk-moves-onto-deleted[debezium-mysql,live]": "fail",
        },
    ), said
    assert "shop.t has the row a=1, which must not be there" in said
    assert "records: as predicted 3 / compared 3" in said
    found = document["producer"]
    assert (found["predicted"], found["compared"], found["by-select"]) == (3, 3, 3), found
    assert document["cases"][0]["repeat"] == (
        f"harness certify 'exec:{sys.executable} {script}' --live debezium-mariadb keys.pk-chain"
    )


def test_what_befalls_the_producer_is_not_the_consumers(tmp_path: Path) -> None:
    """What is sent again changes nothing; topics that end are said to, and judged as they are."""
    faults = ("connector-killed", "database-restarted", "binlog-purged")
    words = [word for fault in faults for word in ("--live-fault", fault)]
    code, said, document = certify(tmp_path, "reference", *words, "keys.pk-chain")
    case = "keys.pk-chain[debezium-mysql,live,{}]"
    assert (code, verdicts(document)) == (0, {case.format(one): "pass" for one in faults}), said
    assert f"the topics of {case.format('binlog-purged')} end where the connector fails" in said
    assert "binlog files have been purged" in said
    found = document["producer"]
    assert (found["predicted"], found["compared"], found["by-select"]) == (3, 3, 3), found
    assert said.splitlines()[-1] == "passed 3 / applicable 3 / total 3 at level live"


def test_tables_in_a_database_are_judged(tmp_path: Path) -> None:
    """What a consumer writes into the run's own database is held against the SELECT, too."""
    (tmp_path / "sinking.py").write_bytes((ROOT / "tests/engine/sink/sinking.py").read_bytes())
    manifest = tmp_path / "sinking.yaml"
    manifest.write_text(
        f"manifest: 1\nname: sinking\ncommand: [{sys.executable}, ./sinking.py]\n"
        'environment: {SINKING: ""}\nresult: {in: database, tables: created}\n'
    )
    code, said, document = certify(tmp_path, str(manifest), "keys.pk-chain")
    assert (code, [*verdicts(document).values()]) == (0, ["pass"]), said


def of_page() -> Sequence[tuple[str, ...]]:
    """Return the commands of the tutorial, but for what sets Python up."""
    return [
        one.words
        for one in commands()
        if one.whole and one.place.startswith(f"{PAGE}:") and one.words[0] == "harness"
    ]
