"""Clauses are named for ever, sourced, and complete over the tables that they come from."""

from __future__ import annotations

import re

from harness.model.change import Op
from harness.model.columns import ColumnKind
from harness.protocols import PROTOCOLS
from harness.protocols.clauses import CLAUSES, cause_clause, governs, type_clause
from harness.scenario.grammar import grammar
from tests.tree import hold, text_of, under

ID = re.compile(
    r"(open|avro|vitess|debezium-mysql|changefeed|kafka|connect|registry)(\.[a-z0-9]+(-[a-z0-9]+)*)+\Z"
)

ELSEWHERE = re.compile(
    r"\bsuch (?!as\b|mark\b)|\badds them\b|\A(They|It|These|Those|Both halves)\b"
)


def test_a_clause_says_one_thing() -> None:
    """Each clause has an id of its layer, and its text is one sentence."""
    hold(
        f"{clause.written}: {clause.id}: {clause.text}"
        for identifier, clause in CLAUSES.items()
        if identifier != clause.id
        or not ID.match(clause.id)
        or not clause.text.endswith(".")
        or re.search(r"[.!?] [A-Z]", clause.text)
    )


def test_a_clause_stands_alone() -> None:
    """No text speaks of what another clause named, since a finding shows one clause."""
    hold(f"{clause.written}: {clause.text}" for clause in CLAUSES.values() if leans(clause.text))
    assert leans("It adds them, too.")
    assert leans("In such a statement names move.")


def leans(text: str) -> bool:
    """Return whether a text needs the clause before it."""
    return bool(ELSEWHERE.search(text))


def test_an_id_is_for_ever() -> None:
    """No id that was ever given is gone; tests/spec/ids.txt has them all, new ones go there too."""
    given = text_of("tests/spec/ids.txt").split()
    assert given == sorted(set(given))
    hold(
        [f"{lost}: never remove or rename a clause" for lost in set(given) - set(CLAUSES)]
        + [f"{new}: write it into tests/spec/ids.txt" for new in set(CLAUSES) - set(given)]
    )


def test_every_file_is_read() -> None:
    """Each `[[clause]]` under harness/spec/clauses is one of CLAUSES."""
    files = [path for path in under("harness", ".toml") if "clauses" in path.parts]
    assert sum(text_of(path).count("\n[[clause]]\n") for path in files) == len(CLAUSES)


def test_no_two_clauses_say_the_same() -> None:
    """Two ids for one statement would let a scenario cite the wrong one."""
    texts = [clause.text for clause in CLAUSES.values()]
    assert len(texts) == len(set(texts))


def test_every_column_kind_has_its_clause() -> None:
    """A wrong value of any type is answered with a clause that exists."""
    for protocol, row in PROTOCOLS.items():
        types = row.type_clauses
        assert set(types) == set(ColumnKind)
        assert {CLAUSES[clause].protocol for clause in types.values()} == {protocol}
    assert type_clause("open", ColumnKind.MEDIUMBLOB) == "open.type.mediumtext"


def test_the_type_table_is_whole() -> None:
    """Every type clause governs a column kind, but for what no column has."""
    rows = {name for name, clause in CLAUSES.items() if clause.text.startswith("Type code ")}
    types = set(PROTOCOLS["open"].type_clauses.values())
    assert rows - types == {"open.type.null", "open.type.geometry"}


def test_the_tables_of_codes_are_whole() -> None:
    """The document lists 36 DDL codes and 8 flags, and so do we."""
    texts = {name: clause.text for name, clause in CLAUSES.items()}
    codes = {
        int(found[1])
        for name, text in texts.items()
        if name.startswith("open.ddl.type.")
        for found in [re.match(r"DDL type code (\d+) is", text)]
        if found
    }
    assert set(range(1, 37)) <= codes
    flags = [text for text in texts.values() if text.startswith("Flag bit ")]
    assert sorted(int(text.split()[2], 16) for text in flags) == [1 << bit for bit in range(8)]


def test_every_cause_has_a_clause_that_exists() -> None:
    """Whatever a consumer does wrong, the verdict can cite a clause of the protocol's layers."""
    for protocol, row in PROTOCOLS.items():
        causes = dict(row.description.causes)
        assert set(Op) <= set(causes)
        prefix = causes.pop("ddl-type", "")
        assert not prefix or any(name.startswith(prefix) for name in CLAUSES)
        assert all(governs(CLAUSES[clause], protocol) for clause in causes.values())
    assert cause_clause("open", "repeated") == "open.delivery.at-least-once"
    assert cause_clause("open", "unheard-of") == ""


def test_every_protocol_of_the_grammar_has_clauses() -> None:
    """A protocol that scenarios may name has types, causes and clauses."""
    for protocol in grammar()["$defs"]["protocol"]["enum"]:
        assert cause_clause(protocol, "insert") in CLAUSES
        assert type_clause(protocol, ColumnKind.INT) in CLAUSES
        assert any(clause.protocol == protocol for clause in CLAUSES.values())


def test_kafka_governs_every_protocol() -> None:
    """What Kafka leaves open is open for all; what one protocol allows is not another's."""
    assert governs(CLAUSES["kafka.no-order-across-partitions"], "open")
    assert governs(CLAUSES["open.row.insert"], "open")
    assert not governs(CLAUSES["open.row.insert"], "avro")
