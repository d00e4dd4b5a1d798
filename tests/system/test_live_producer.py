"""Level live with a producer of the run's own: the real connector, the real database."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import settings

from harness.cli.certify import LIVE_FAULTS
from harness.errors import plural
from tests.docs.pages import commands
from tests.tree import ROOT

pytestmark = pytest.mark.services

ROOTS = ["--scenarios", str(ROOT / "scenarios"), "--golden", str(ROOT / "golden")]
PAGE = Path("docs/tutorial/live.md")
EXAMPLE = ROOT / "docs/guides/examples/debezium_consumer.py"
GONE = "rows.pop(name, None)"  # as the page calls the line
# Those behind which topics end, and one that is survived; each at night. The tutorial has a kill.
SHARE = ("binlog-purged", "history-lost", "history-recovered")
# The tutorial's consumer, with its tables in the job's database.
SINKING = """
import json, os
from pathlib import Path
import mysql.connector
from mine import consume, materialise
job = json.loads(Path(os.environ["HARNESS_JOB"]).read_text())
sink = {name: value for name, value in job["sink"].items() if name != "kind"}
session = mysql.connector.connect(**sink, autocommit=True)
for feed in job["changefeeds"]:
    for (schema, name), rows in materialise(consume(job, feed["topics"])).items():
        for row in rows.values():
            place = f"`{feed['databases'][schema]}`.`{name}`"
            holes = ", ".join(["%s"] * len(row))
            session.cursor().execute(f"INSERT INTO {place} VALUES ({holes})", (*row.values(),))
    Path(job["out_dir"], feed["dir"], "status.json").write_text('{"status": "done"}')
"""
MANIFEST = """\
manifest: 1
name: sinking
command: [{python}, ./sinking.py]
environment: {{PYTHONPATH: {here}}}
result: {{in: database, tables: created}}
"""


def certify(here: Path, consumer: str, *words: str) -> tuple[int, str, dict[str, Any]]:
    """Certify a consumer; return exit code, what was said, and the document."""
    live = [] if "--live" in words else ["--live", "debezium-mariadb"]
    command = ["certify", consumer, *live, "--json", *words, *ROOTS]
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


def test_what_befalls_the_producer_is_not_the_consumers(tmp_path: Path) -> None:
    """What is sent again changes nothing; topics that end are said to, and judged as they are."""
    faults = LIVE_FAULTS if settings().max_examples >= 1000 else SHARE
    words = [word for fault in faults for word in ("--live-fault", fault)]
    code, said, document = certify(tmp_path, "reference", *words, "keys.pk-chain")
    case = "keys.pk-chain[debezium-mysql,live,{}]"
    assert (code, verdicts(document)) == (0, {case.format(one): "pass" for one in faults}), said
    assert f"the topics of {case.format('binlog-purged')} end where the connector fails" in said
    assert "binlog files have been purged" in said
    assert f"the topics of {case.format('history-lost')} end where the connector fails" in said
    assert "The db history topic is missing" in said
    found = document["producer"]
    assert (found["predicted"], found["compared"], found["by-select"]) == (len(faults),) * 3, found
    assert (found["meanwhile"], found["asked"]) == (len(faults),) * 2, found
    n = len(faults)
    assert said.splitlines()[-1] == f"passed {n} / applicable {n} / total {n} at level live"


def test_tables_in_a_database_are_judged(tmp_path: Path) -> None:
    """What a consumer writes into the run's own database is held against the SELECT, too."""
    shutil.copy(EXAMPLE, tmp_path / "mine.py")
    (tmp_path / "sinking.py").write_text(SINKING, encoding="utf-8")
    manifest = tmp_path / "sinking.yaml"
    text = MANIFEST.format(python=sys.executable, here=tmp_path)
    manifest.write_text(text, encoding="utf-8")
    code, said, document = certify(tmp_path, str(manifest), "keys.pk-chain")
    assert (code, [*verdicts(document).values()]) == (0, ["pass"]), said
    assert "read while the SQL ran 0 / asked 1: its tables are in the database" in said


def of_page() -> Sequence[tuple[str, ...]]:
    """Return the commands of the tutorial that certify."""
    found = [one for one in commands() if one.place.startswith(f"{PAGE}:")]
    return [one.words for one in found if one.words[:2] == ("harness", "certify")]


def test_the_tutorial_says_what_happens(tmp_path: Path) -> None:
    """Its three commands end as it says: right, wrong, and right although a connector is killed.

    Both scenarios have a table of one name: a job ends where the next one's rows begin.
    """
    mine = tmp_path / "mine.py"
    shutil.copy(EXAMPLE, mine)
    right = mine.read_text("utf-8")
    plain, broken, killed = of_page()
    code, said, document = certify(tmp_path, *plain[2:])
    assert (code, [*verdicts(document).values()]) == (0, ["pass", "pass"]), said
    assert "records: as predicted 2 / compared 2" in said
    assert "records: read while the SQL ran 2 / asked 2" in said
    found = document["producer"]
    assert (found["predicted"], found["compared"], found["by-select"]) == (2, 2, 2), found
    assert said.splitlines()[-1] == "passed 2 / applicable 2 / total 2 at level live"

    assert GONE in right
    mine.write_text(right.replace(GONE, "pass"), encoding="utf-8")
    code, said, document = certify(tmp_path, *broken[2:])
    assert (code, [*verdicts(document).values()]) == (1, ["fail"]), said
    assert "shop.t has the row a=1, which must not be there" in said
    assert document["cases"][0]["repeat"] == " ".join(broken)

    mine.write_text(right, encoding="utf-8")
    code, said, document = certify(tmp_path, *killed[2:])
    assert (code, [*verdicts(document).values()]) == (0, ["pass"]), said
    # Nothing comes again where the connector had stored its last place when it was killed.
    repeats = document["producer"]["repeats"]
    assert (f"{plural(repeats, 'record')} sent again" in said) is (repeats > 0)
