"""Files become scenarios, each part with its line; what is no scenario file is told as such."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from harness.documents.yaml_file import BYTES_MAX
from harness.errors import ScenarioError
from harness.model.change import Pin, RowPin
from harness.scenario.document import DdlStep, ResolvedStep, TransactionStep
from harness.scenario.load import load, load_all
from tests.scenario.corpus import SOUND
from tests.tree import ROOT

WHOLE = """\
id: all.of-it
title: Everything that a scenario may say
clauses: [open.row.insert, open.row.delete]
refs: [https://example.org/1]
tags: [wide]
matrix:
  protocol: [open]
  partitions: [2, 4.0]
  dialect: [current, 4.0.4]
  exclude: [{dialect: 4.0.4, partitions: 4}]
settings: {open: {max-batch-size: 1}}
databases: [shop]
upstream:
  - ddl: {sql: CREATE TABLE shop.t (a INT PRIMARY KEY), pin: {ts: 7}}
  - transaction:
      name: one
      sql: |

        INSERT INTO shop.t VALUES (1);
        -- and
        INSERT INTO shop.t VALUES (2)
      pin: {ts: 8, partition: 0, rows: [{key: {a: 2}, partition: 1}]}
  - resolved: all
  - resolved: [1]
  - resolved: {partitions: [0], ts: 9}
  - emit: {ddl: "ALTER TABLE shop.t ADD COLUMN d DECIMAL(30,20)"}
  - emit:
      transaction:
        name: two
        rows:
          - insert: {table: shop.t, after: {a: 3, d: 1.10}}
          - delete: {table: shop.t, before: {a: 1, d: null}}
end-resolved: false
delivery:
  twice:
    - duplicate: {transaction: one, key: {a: 1}}
      allowed-by: {open: open.delivery.at-least-once}
    - replay: {from: two}
      seen-in: https://example.org/2
expect:
  tables:
    shop.t:
      - {a: 2, d: null}
      - {a: 3, d: 1.10}
    shop.gone: null
  by-protocol:
    open:
      because: open.row.delete
      tables: {shop.t: []}
  events:
    open: [{ddl: create_table, partitions: all}, {optional: {insert: {a: 1}}}]
kills: [insert-before-delete]
"""


def write(root: Path, name: str, text: str | bytes) -> Path:
    """Write a file under the root, with its directories."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_a_scenario_says_all_that_its_file_says(tmp_path: Path) -> None:
    """Every key of the grammar arrives in the document."""
    scenario = load(write(tmp_path, "all/of-it.yaml", WHOLE), tmp_path)
    assert (scenario.id, scenario.path) == ("all.of-it", "all/of-it")
    assert scenario.title == "Everything that a scenario may say"
    assert scenario.clause_lines == {"open.row.insert": 3, "open.row.delete": 3}
    assert (scenario.refs, scenario.tags) == (("https://example.org/1",), ("wide",))
    assert scenario.matrix.partitions == (2, 4)
    assert all(type(count) is int for count in scenario.matrix.partitions)
    assert scenario.matrix.dialects == ("current", "4.0.4")
    assert scenario.matrix.exclude == ({"dialect": "4.0.4", "partitions": 4},)
    assert scenario.settings == {"open": {"max-batch-size": 1}}
    assert scenario.kills == ("insert-before-delete",)
    assert scenario.end_resolved is False


def test_steps_know_their_lines(tmp_path: Path) -> None:
    """Steps, statements, stated rows and pins arrive as written, each with its line."""
    steps = load(write(tmp_path, "all/of-it.yaml", WHOLE), tmp_path).upstream
    created, one, every, listed, dictated, altered, two = steps
    assert isinstance(created, DdlStep)
    assert (created.statement.line, created.statement.column, created.pin) == (14, 16, Pin(ts=7))
    assert isinstance(one, TransactionStep)
    assert [(s.sql, s.line, s.column) for s in one.statements] == [
        ("INSERT INTO shop.t VALUES (1)", 19, 9),
        ("INSERT INTO shop.t VALUES (2)", 21, 9),
    ]
    assert (one.line, one.pin) == (15, Pin(8, 0, (RowPin({"a": 2}, 1),)))
    assert (every, listed) == (ResolvedStep(23), ResolvedStep(24, (1,)))
    assert dictated == ResolvedStep(25, (0,), 9)
    assert isinstance(altered, DdlStep)
    assert (altered.emit, altered.statement.line) == (True, 26)
    assert isinstance(two, TransactionStep)
    assert (two.emit, two.line, two.statements) == (True, 28, ())
    assert [(row.op, row.table, row.before, row.after, row.line) for row in two.rows] == [
        ("insert", "shop.t", None, {"a": 3, "d": Decimal("1.10")}, 31),
        ("delete", "shop.t", {"a": 1, "d": None}, None, 32),
    ]


def test_deliveries_and_expectations_know_their_lines(tmp_path: Path) -> None:
    """Disturbances carry their permission, expected rows their line and their exact numbers."""
    scenario = load(write(tmp_path, "all/of-it.yaml", WHOLE), tmp_path)
    first, second = scenario.delivery["twice"]
    assert (first.fault, first.options, first.line) == (
        "duplicate",
        {"transaction": "one", "key": {"a": 1}},
        36,
    )
    assert first.allowed_by == {"open": "open.delivery.at-least-once"}
    assert (second.fault, second.allowed_by, second.seen_in) == (
        "replay",
        {},
        "https://example.org/2",
    )
    assert not first.hostile
    assert not second.hostile
    table = scenario.expect.tables["shop.t"]
    assert (table.line, table.lines) == (42, (43, 44))
    assert table.rows is not None
    assert str(table.rows[1]["d"]) == "1.10"
    assert scenario.expect.tables["shop.gone"].rows is None
    assert scenario.expect.tables_by_protocol["open"]["shop.t"].rows == ()
    assert scenario.expect.reasons == {"open": "open.row.delete"}
    assert len(scenario.expect.events["open"]) == 2
    places = scenario.expect.places
    assert [places["events", "open", number].line for number in (0, 1)] == [51, 51]


def test_files_come_in_the_order_of_their_paths(tmp_path: Path) -> None:
    """The whole root is loaded in order; hidden directories and other files are not scenarios."""
    for name in ("b/two.yaml", "a/one.yaml", "top.yaml"):
        ident = name.removesuffix(".yaml").replace("/", ".")
        write(tmp_path, name, SOUND.replace("bad.file", ident))
    write(tmp_path, ".hidden/x.yaml", "not: a scenario")
    write(tmp_path, "README.md", "# Scenarios")
    assert [s.id for s in load_all(tmp_path)] == ["a.one", "b.two", "top"]
    paths = [tmp_path / "top.yaml", tmp_path / "b", tmp_path / "b" / "two.yaml"]
    assert [s.id for s in load_all(tmp_path, paths)] == ["top", "b.two"]


def test_an_empty_root_has_no_scenarios(tmp_path: Path) -> None:
    """No file is no problem; whether it is an error is the caller's question."""
    assert load_all(tmp_path) == ()


def problems_of(root: Path, *paths: Path) -> str:
    """Return what is said about files that cannot be loaded."""
    with pytest.raises(ScenarioError) as caught:
        load_all(root, paths)
    return str(caught.value)


def test_two_files_of_one_id_are_refused(tmp_path: Path) -> None:
    """`a/b.yaml` and `a.b.yaml` would be the same scenario."""
    for name in ("a/b.yaml", "a.b.yaml"):
        write(tmp_path, name, SOUND.replace("bad.file", "a.b"))
    assert "a.b.yaml:1:1: the id `a.b` is also that of " in problems_of(tmp_path)


def test_a_path_that_is_not_there_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mistyped path is answered with the nearest name."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "keys/chain.yaml", SOUND)
    expected = (
        "keys/chian.yaml: there is no such file or directory\n"
        "    expected: a scenario file, or a folder of them\n    hint: did you mean `chain.yaml`?"
    )
    assert problems_of(tmp_path, Path("keys/chian.yaml")) == expected
    assert "nowhere/x.yaml: there is no such file" in problems_of(tmp_path, Path("nowhere/x.yaml"))
    elsewhere = problems_of(tmp_path, tmp_path / "of-the-package" / "keys" / "chain.yaml")
    assert elsewhere.endswith("hint: did you mean `keys.chain`?")


def test_a_file_elsewhere_is_refused(tmp_path: Path) -> None:
    """A scenario outside the root would have no id."""
    path = write(tmp_path, "elsewhere/x.yaml", SOUND)
    (tmp_path / "root").mkdir()
    assert "outside the scenarios' root" in problems_of(tmp_path / "root", path)


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    """A file that looks like a scenario and would be skipped is a mistake."""
    write(tmp_path, "a/b.yml", SOUND)
    assert "ends in .yaml\n    hint: rename it to b.yaml" in problems_of(tmp_path)
    assert "ends in .yaml" in problems_of(tmp_path, write(tmp_path, "notes.txt", "x"))


def test_a_file_that_is_not_utf8_is_reported_with_its_place(tmp_path: Path) -> None:
    """The first byte that is not UTF-8 is named, with line and column."""
    write(tmp_path, "a.yaml", "id: a\ntitle: é ".encode() + b"caf\xe9\n")
    assert "a.yaml:2:13: the byte 0xe9 is not UTF-8\n    hint: save" in problems_of(tmp_path)


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    """Some editors begin a file with one."""
    path = write(tmp_path, "bad/file.yaml", b"\xef\xbb\xbf" + SOUND.encode())
    assert load(path, tmp_path).clause_lines == {"open.row.insert": 3}


def test_lines_may_end_as_on_windows(tmp_path: Path) -> None:
    """Carriage returns change neither data nor places."""
    text = WHOLE.replace("\n", "\r\n")
    one = load(write(tmp_path, "all/of-it.yaml", text), tmp_path)
    two = load(write(tmp_path, "all/of-it.yaml", WHOLE), tmp_path)
    assert one == two


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    """A file beyond the bound is told by its size."""
    with write(tmp_path, "a.yaml", "").open("wb") as file:
        file.truncate(50 * BYTES_MAX)
    assert f"the file has {50 * BYTES_MAX} bytes" in problems_of(tmp_path)


def test_a_file_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    """A file that is gone, or no file, is a problem and not a traceback."""
    gone = "No such file or directory\n    hint: look at the path: a part of it is not there"
    other = "Is a directory\n    hint: give a file; this is a directory"
    for name, why in (("gone.yaml", gone), ("", other)):
        with pytest.raises(ScenarioError) as caught:
            load(tmp_path / name, tmp_path)
        assert str(caught.value).endswith(f"cannot read the file: {why}")


def test_a_path_in_circles_is_reported(tmp_path: Path) -> None:
    """A link to itself is no file."""
    (tmp_path / "loop.yaml").symlink_to(tmp_path / "loop.yaml")
    assert "loop.yaml: there is no such file" in problems_of(tmp_path, tmp_path / "loop.yaml")


HEAVY = ("confluent_kafka", "hypothesis", "mysql", "pyspark", "sqlglot")


def test_loading_imports_nothing_heavy() -> None:
    """Listing scenarios needs no database driver, no Kafka, no Spark and no SQL parser."""
    code = (
        "import sys; from pathlib import Path; from harness.scenario.load import load_all;"
        "from harness.scenario.expand import cases;"
        f"all(cases(s) for s in load_all(Path('scenarios')));"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True
    )
    assert run.stdout == "[]\n"


def test_the_scenarios_of_this_repository_are_sound() -> None:
    """What we publish passes our own check."""
    assert len({scenario.id for scenario in load_all(ROOT / "scenarios")}) >= 3


def test_hostile_deliveries_are_marked(tmp_path: Path) -> None:
    """A step that says so is hostile, whatever its options."""
    step = "    - replay: {from: two}\n      seen-in: https://example.org/2\n"
    hostile = "    - truncated: {transaction: one}\n      hostile: true\n"
    assert step in WHOLE
    scenario = load(write(tmp_path, "all/of-it.yaml", WHOLE.replace(step, hostile)), tmp_path)
    assert [one.hostile for one in scenario.delivery["twice"]] == [False, True]
