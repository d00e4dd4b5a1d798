"""`harness new scenario` writes something valid, once, in the right place."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.authoring.new_scenario import CAUSES, GRAMMAR
from harness.cli.main import main
from harness.protocols import PROTOCOLS
from harness.pytest_plugin.recognise import root_of
from harness.scenario.document import TransactionStep
from harness.scenario.expand import cases
from harness.scenario.load import load_all

ODD = """\
CREATE TABLE `odd-db`.`t: {x}` (a INT PRIMARY KEY, `b, #c` TEXT, `tab\there` INT);
INSERT INTO `odd-db`.`t: {x}` VALUES (1, '😀  # no comment\n\n   indented: - x\r\n\u2028end', 2);
INSERT INTO `odd-db`.`t: {x}` VALUES (2, '\x7f\tquote " and '' and \\\\ ', 3);
"""


@pytest.fixture(autouse=True)
def _in_a_directory_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_example_is_valid_up_to_its_lock(capsys: pytest.CaptureFixture[str]) -> None:
    """Without SQL there is an example; `check` then misses nothing but the recording."""
    assert main(["new", "scenario", "keys.moved", "--database", "mine"]) == 0
    output = capsys.readouterr().out
    for verb in ("check", "record", "preview", "run"):
        assert f"harness {verb} scenarios/keys/moved.yaml" in output
    (scenario,) = load_all(Path("scenarios"))
    assert (scenario.id, scenario.databases) == ("keys.moved", ("mine",))
    assert main(["check"]) == 2
    assert "was never recorded" in capsys.readouterr().err


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_any_protocol_can_be_begun_with(protocol: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The protocol is in the matrix, and each kind of statement brings a clause of its own."""
    assert main(["new", "scenario", "keys.moved", "--protocol", protocol]) == 0
    (scenario,) = load_all(Path("scenarios"))
    assert {case.protocol for case in cases(scenario)} == {protocol}
    assert len(scenario.clauses) == len(set(CAUSES.values()))
    capsys.readouterr()
    assert main(["check"]) == 2
    assert capsys.readouterr().out.endswith(" 1 problem\n")  # the lock


def test_several_protocols_can_be_begun_with() -> None:
    """Each is in the matrix once, in the order given."""
    words = [word for name in ("vitess", "avro", "vitess") for word in ("--protocol", name)]
    assert main(["new", "scenario", "keys.moved", *words]) == 0
    (scenario,) = load_all(Path("scenarios"))
    assert list(dict.fromkeys(case.protocol for case in cases(scenario))) == ["vitess", "avro"]
    assert {clause.partition(".")[0] for clause in scenario.clauses} == {"vitess", "avro"}


SHOP = """\
CREATE TABLE shop.a (id INT PRIMARY KEY);
CREATE TABLE shop.b (id INT PRIMARY KEY);
CREATE VIEW shop.v AS SELECT id FROM shop.a;
INSERT INTO shop.a VALUES (1);
"""


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_several_tables_are_sent_as_the_protocol_can(protocol: str) -> None:
    """Avro has a topic for each, so that the changefeed does not stop; a view has no rows."""
    Path("shop.sql").write_text(SHOP, encoding="utf-8")
    words = ["new", "scenario", "bugs.shop", "--from", "shop.sql", "--protocol", protocol]
    assert main(words) == 0
    (scenario,) = load_all(Path("scenarios"))
    text = Path("scenarios/bugs/shop.yaml").read_text(encoding="utf-8")
    assert [str(table) for table in scenario.expect.tables] == ["shop.a", "shop.b"]
    needed = (PROTOCOLS[protocol].load_settings or {}).get("sink.dispatchers")
    assert ("\nsettings:\n" in text) is bool(needed)


def test_sql_comes_through_yaml_as_it_was() -> None:
    """Odd names, blanks, control and 4-byte characters are the same after the file is read."""
    Path("a.sql").write_bytes(ODD.encode())
    assert (
        main(["new", "scenario", "scenarios/odd.yaml", "--from", "a.sql", "--title", 'a: "b"']) == 0
    )
    (scenario,) = load_all(Path("scenarios"))
    assert scenario.title == 'a: "b"'
    assert scenario.databases == ("odd-db",)
    ddl, rows = scenario.upstream
    assert isinstance(rows, TransactionStep)
    found = [ddl.statement.sql, *(each.sql for each in rows.statements)]  # type: ignore[union-attr]
    assert found == ODD.replace("\r\n", "\n").removesuffix(";\n").split(";\n")
    assert list(scenario.expect.tables) == ["odd-db.t: {x}"]


def test_nothing_is_overwritten(capsys: pytest.CaptureFixture[str]) -> None:
    """A file that exists stays as it is, and the message says so."""
    assert main(["new", "scenario", "a.b"]) == 0
    before = Path("scenarios/a/b.yaml").read_bytes()
    assert main(["new", "scenario", "scenarios/a/b.yaml", "--title", "Another"]) == 2
    assert "exists" in capsys.readouterr().err
    assert Path("scenarios/a/b.yaml").read_bytes() == before


def test_a_file_in_the_way_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    """A file where a directory should be is the user's to move, not a traceback."""
    Path("scenarios").write_text("", encoding="utf-8")
    assert main(["new", "scenario", "a.b"]) == 2
    assert "cannot write scenarios/a/b.yaml" in capsys.readouterr().err


def test_a_dump_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """SQL beyond the size of a scenario is told as such before it is read."""
    Path("a.sql").write_bytes(b"-" * ((1 << 20) + 1))
    assert main(["new", "scenario", "a.b", "--from", "a.sql"]) == 2
    assert "at most 1048576" in capsys.readouterr().err


REFUSED = {
    "../outside.yaml": "outside the scenarios' root",
    "elsewhere/a.yaml": "outside the scenarios' root",
    "scenarios/../../a.yaml": "outside the scenarios' root",
    "scenarios/Upper.yaml": "`Upper`",
    "scenarios/a b.yaml": "`a b`",
    "scenarios/a.b.yaml": "`a.b`",
    "scenarios/a.yml": "ends in .yaml",
    "/a.yaml": "outside the scenarios' root",
}


@pytest.mark.parametrize("path", REFUSED)
def test_a_path_that_is_no_id_is_refused(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A path outside the root or with a name that is no slug exits 2 and writes nothing."""
    assert main(["new", "scenario", path]) == 2
    assert REFUSED[path] in capsys.readouterr().err
    assert list(Path().rglob("*")) == []


def test_a_link_does_not_lead_outside(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A directory that links elsewhere is outside the root, wherever it stands."""
    Path("scenarios").mkdir()
    elsewhere = tmp_path.with_name(f"{tmp_path.name}-elsewhere")
    elsewhere.mkdir()
    Path("scenarios/link").symlink_to(elsewhere)
    assert main(["new", "scenario", "scenarios/link/a.yaml"]) == 2
    assert "outside" in capsys.readouterr().err
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "reason"),
    [(None, "cannot read"), (b"\xff\xff", "UTF-8"), (b"DELETE FROM t", "a.sql:1: ")],
)
def test_sql_that_cannot_be_read_is_refused(
    content: bytes | None, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A missing, binary or wrong SQL file exits 2 with its name, and no scenario is left."""
    if content is not None:
        Path("a.sql").write_bytes(content)
    assert main(["new", "scenario", "a.b", "--from", "a.sql"]) == 2
    err = capsys.readouterr().err
    assert "a.sql" in err
    assert reason in err
    assert not Path("scenarios/a/b.yaml").exists()


def test_editors_find_the_schema_in_another_checkout() -> None:
    """A copy of the grammar lies beside the scenarios, and its path is relative."""
    assert main(["new", "scenario", "keys.moved"]) == 0
    head = Path("scenarios/keys/moved.yaml").read_text(encoding="utf-8").splitlines()[0]
    schema = Path("scenarios/keys", head.partition("$schema=")[2])
    assert schema.resolve() == Path("scenarios/scenario.schema.json").resolve()
    assert schema.read_bytes() == GRAMMAR.read_bytes()
    assert root_of(Path("scenarios/keys/moved.yaml").resolve()) == Path("scenarios").resolve()
