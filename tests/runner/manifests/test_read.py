"""A manifest becomes the consumer that it declares, or is refused with line and column."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import ScenarioError, UsageError
from harness.runner.attach import Server, word
from harness.runner.commands import Whereabouts
from harness.runner.manifest import Consumer, Guarantee
from harness.runner.result import Maker
from harness.runner.targets import parse
from harness.verdict.design import (
    AS_EXPECTED,
    Applies,
    Design,
    DroppedColumns,
    KeylessRows,
    OlderRows,
)

WHOLE = """\
manifest: 1
name: teas
version: "2.1.0"
homepage: https://example.org/teas
command: [./run.sh, --config, ./teas.toml, plain]
protocols: [open, avro]
max-changefeeds: 40
max-starts: 3
guarantee: at-least-once
capabilities: [commits, instances]
crash-points: [write]
environment: {TEAS_MODE: test}
pass-environment: [TEAS_TOKEN]
lossy:
  - {types: [float, timestamp], protocols: [avro], reason: Kept as text without a zone.}
design: {applies: on-arrival, dropped-columns: kept, keyless-rows: by-image, older-rows: upstream}
expectations: known.yaml
"""
LEAST = "manifest: 1\nname: teas\ncommand: [./run.sh]\n"
ATTACHED = """\
manifest: 1
name: teas
attach:
  topics: "cdc.{case}.{topic}"
  group: teas
  settle: 2.5
  result: {in: database, url-from: TABLES, database: "{case}_{schema}", table: "t_{table}"}
"""
IN_FILES = "manifest: 1\nname: teas\nattach:\n  topics: x.{topic}\n  result: "
REFUSED = {
    "a design that nobody knows": (LEAST + "design: {sorts: never}\n", 4, "sorts"),
    **{
        f"a value of {name} that nobody knows": (
            LEAST + f"design: {{{name}: perhaps}}\n",
            4,
            f"`design.{name}` is the text `perhaps`",
        )
        for name in ("applies", "dropped-columns", "keyless-rows", "older-rows")
    },
    "a level that there is not": (LEAST + "levels: [decode, love]\n", 4, "live"),
    "no level at all": (LEAST + "levels: []\n", 4, "`levels` is empty"),
    "a running system that is to be started": (
        ATTACHED + "levels: [materialise, decode]\n",
        8,
        "at level decode a consumer is started, and this one runs already",
    ),
    "a command and a running system": (
        LEAST + ATTACHED[len("manifest: 1\nname: teas\n") :],
        1,
        "attach",
    ),
    "a running system with a number of starts": (
        ATTACHED + "max-starts: 1\n",
        8,
        "`max-starts` is of a command",
    ),
    "a running system with a result of a command": (
        ATTACHED + "result: {in: files}\n",
        8,
        "attach",
    ),
    "topics without a name of their own": (
        ATTACHED.replace("cdc.{case}.{topic}", "cdc.{case}"),
        4,
        "{topic}",
    ),
    "topics with an unknown placeholder": (ATTACHED.replace("{case}.", "{id}."), 4, "{id}"),
    "a database without a server": (
        ATTACHED.replace("url-from: TABLES, ", ""),
        7,
        "`url-from` is missing, for `in: database`",
    ),
    "a directory of a database": (
        ATTACHED.replace("table:", "directory: x, table:"),
        7,
        "`directory` is not for `in: database`",
    ),
    "files without a directory": (IN_FILES + "{in: files}\n", 5, "`directory` is missing"),
    "an address that is not set": (ATTACHED.replace("TABLES", "NOWHERE"), 7, "NOWHERE is not set"),
    "an address of something else": (
        ATTACHED.replace("TABLES", "TEAS_TOKEN"),
        7,
        "does not name a server and a user",
    ),
    "no command at all": ("manifest: 1\nname: teas\n", 1, "`command`"),
    "a command and a callable": (LEAST + "callable: a.b:c\n", 1, "`callable`"),
    "an unknown key": (LEAST + "protocol: [open]\n", 4, "did you mean `protocols`?"),
    "an unknown protocol": (LEAST + "protocols: [open, avor]\n", 4, "avor"),
    "an unknown type": (
        LEAST + "lossy:\n  - {types: [timestmp], reason: r}\n",
        5,
        "did you mean `timestamp`?",
    ),
    "a command that is not there": (
        "manifest: 1\nname: teas\ncommand: [./absent]\n",
        3,
        "does not exist",
    ),
    "a variable that is not set": (LEAST + "pass-environment: [NOWHERE]\n", 4, "NOWHERE"),
    "a file that is not there": (LEAST + "expectations: gone.yaml\n", 4, "gone.yaml"),
    "a result of nowhere": (LEAST + "result: {in: bucket}\n", 4, "bucket"),
    "a result without a place": (LEAST + "result: {tables: own}\n", 4, "`in`"),
    "a pattern without the table": (LEAST + "result: {in: database, table: '{schema}'}\n", 4, "{"),
    "an unknown placeholder": (LEAST + "result: {in: database, table: '{table}{id}'}\n", 4, "id"),
    "a word on a database that is not there": (
        LEAST + "result:\n  in: files\n  tables: own\n",
        6,
        "write `in: database`",
    ),
    "another version": ("manifest: 2\nname: teas\ncommand: [./run.sh]\n", 1, "1"),
    "no YAML": ("manifest: 1\nname: [teas\n", 3, "not YAML"),
}

ENVIRONMENT = {"TEAS_TOKEN": "t", "PATH": "", "TABLES": "mysql://me:s%40cret@db.example/"}


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    """Return a directory with what the manifests name."""
    script = tmp_path / "run.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    (tmp_path / "known.yaml").write_text("expectations: 1\nknown: []\n")
    return tmp_path


def read(directory: Path, text: str) -> Consumer:
    """Write a manifest into a directory of its own name and read it from the directory above."""
    (directory / "consumer.yaml").write_text(text)
    there = Whereabouts(directory.parent, ENVIRONMENT)
    return parse(f"{directory.name}/consumer.yaml", there)


def test_everything_declared_is_taken(beside: Path) -> None:
    """Each key of a manifest says something of the consumer; its paths are found beside it."""
    found = read(beside, WHOLE)
    words = (str(beside / "run.sh"), "--config", str(beside / "teas.toml"), "plain")
    assert found.argv == words
    assert found.environment == {"TEAS_MODE": "test", "TEAS_TOKEN": "t"}
    assert (found.name, found.version, found.max_changefeeds) == ("teas", "2.1.0", 40)
    assert found.max_starts == 3
    assert found.guarantee is Guarantee.AT_LEAST_ONCE
    assert found.protocols == {"open", "avro"}
    assert (found.capabilities, found.crash_points) == ({"commits", "instances"}, {"write"})
    assert found.lossy[0].covers("avro", "float")
    assert not found.lossy[0].covers("open", "float")
    assert found.design == Design(
        Applies.ON_ARRIVAL, DroppedColumns.KEPT, KeylessRows.BY_IMAGE, OlderRows.UPSTREAM
    )
    assert found.expectations == str(beside / "known.yaml")
    assert found.target == f"{beside.name}/consumer.yaml"


def test_the_least_is_enough(beside: Path) -> None:
    """A name and a command make a consumer that is asked about everything, one feed at a time."""
    found = read(beside, LEAST)
    assert found.supports("vitess")
    assert (found.max_changefeeds, found.max_starts) == (1, None)
    assert found.environment == {}
    assert found.design == AS_EXPECTED


def test_a_result_in_a_database_is_taken(beside: Path) -> None:
    """Who makes the tables and how they are called is as the manifest says, else the default."""
    assert read(beside, LEAST).result.in_database is False
    plain = read(beside, LEAST + "result: {in: database}\n").result
    assert (plain.in_database, plain.tables) == (True, Maker.CREATED)
    assert plain.named("shop", "t") == "t"
    own = "result: {in: database, tables: own, table: 'x_{schema}.{table}'}\n"
    named = read(beside, LEAST + own).result
    assert named.tables is Maker.OWN
    assert named.named("{table}", "{schema}") == "x_{table}.{schema}"


def test_a_running_system_is_taken(beside: Path) -> None:
    """Topics, tables and patience are as the manifest says; the password is shown to nobody."""
    attach = read(beside, ATTACHED).attach
    assert attach is not None
    assert (attach.topics, attach.group, attach.settle_s) == ("cdc.{case}.{topic}", "teas", 2.5)
    assert attach.server == Server("TABLES", "db.example", 3306, "me", "s@cret")
    assert (attach.database, attach.table) == ("{case}_{schema}", "t_{table}")
    assert "s@cret" not in repr(attach)
    files = read(beside, IN_FILES + "{in: files, directory: ./out}\n").attach
    assert files is not None
    assert (files.directory, files.settle_s, files.server) == (str(beside / "out"), 5.0, None)


def test_only_a_running_system_can_be_attached_to(beside: Path) -> None:
    """`attach:` before a manifest of a command is refused, with the spelling that works."""
    read(beside, LEAST)
    with pytest.raises(UsageError, match="declares no running system"):
        parse(f"attach:{beside.name}/consumer.yaml", Whereabouts(beside.parent, ENVIRONMENT))


def test_the_name_of_a_case_fits_a_database() -> None:
    """A case is letters, digits and underscores, and two long ones stay apart."""
    assert word("keys.pk-chain[open,p1]") == "keys_pk_chain_open_p1"
    long = [word("x" * 50 + tail) for tail in ("[open,p1]", "[open,p2]")]
    assert long[0] != long[1]
    assert all(len(one) == 40 for one in long)


def test_a_callable_is_found_beside_the_manifest(beside: Path) -> None:
    """A Python function is imported from the manifest's directory, by the same wrapper as `py:`."""
    found = read(beside, "manifest: 1\nname: teas\ncallable: teas.job:run\n")
    assert found.argv[-1] == "teas.job:run"
    assert found.environment["PYTHONPATH"].startswith(str(beside))


@pytest.mark.parametrize("case", REFUSED)
def test_a_mistake_is_reported_at_its_place(beside: Path, case: str) -> None:
    """Whatever is wrong with a manifest is told with its file and line, before anything starts."""
    text, line, words = REFUSED[case]
    with pytest.raises(ScenarioError) as refusal:
        read(beside, text)
    (problem,) = refusal.value.problems
    assert problem.location.path == f"{beside.name}/consumer.yaml"
    assert problem.location.line == line
    assert words in str(problem)


def test_a_manifest_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A path without a file is refused as such."""
    with pytest.raises(UsageError, match=r"there is no manifest nowhere\.yaml"):
        parse("nowhere.yaml", Whereabouts(tmp_path, {}))
