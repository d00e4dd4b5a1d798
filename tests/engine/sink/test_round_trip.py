"""What a consumer's account stores in a sink is read back exactly."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.plans import plans
from harness.engine.catalogue.workspace import workspace
from harness.engine.plan.case import Plan
from harness.engine.sink.session import Refused, Session, quoted
from harness.engine.sink.shapes import shapes_of
from harness.engine.sink.sink import Sink, sink
from harness.engine.sink.statements import create_table, literal
from harness.errors import UsageError
from harness.model.finding import FindingKind, Judgement
from harness.model.observed import Observed, Outcome
from harness.model.values import Value
from harness.runner.contract.job import ChangefeedJob
from harness.runner.result import Holder, Maker, Result
from harness.services import Services
from harness.services.service import MariaDb
from harness.verdict.design import AS_EXPECTED
from harness.verdict.judge import judge, judge_design
from tests.tree import ROOT

pytestmark = pytest.mark.services

WORDS = "p1"
FOLDERS = ("types", "keys", "ddl")
DONE = Observed(Outcome.DONE)


@cache
def planned(words: str, *scenarios: str) -> tuple[Plan, ...]:
    """Return the plans of undisturbed cases whose tables are judged."""
    space = workspace(ROOT)
    chosen = load(space, [space.scenarios / name for name in scenarios])
    cases = [case for case in selected(chosen, words) if case.delivery is None]
    return tuple(plan for plan in plans(space, cases) if plan.judged.hostile is None)


def chain() -> Plan:
    """Return one case: two rows, (2, 1) and (3, 2), in shop.t (a, b)."""
    (plan,) = planned("'keys.pk-chain[open,p1]'", "keys/pk-chain.yaml")
    return plan


@pytest.fixture
def made(services: Services) -> Iterator[Sink]:
    """Return a sink whose tables the harness creates."""
    with sink(services.mariadb, "round", Result(Holder.DATABASE)) as one:
        yield one


def account(one: Sink) -> Session:
    """Return a session of the consumer's own account."""
    job = one.job
    return Session(MariaDb(job.host, job.port, job.user, job.password))


def sql(value: Value) -> str:
    """Return a canonical value as a literal."""
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    return literal(value) if isinstance(value, str) else repr(value)


def statements(plan: Plan, databases: dict[str, str]) -> Iterator[str]:
    """Yield statements that put every expected row into the sink."""
    for table, state in plan.expected.tables.items():
        place = f"{quoted(databases[table.schema])}.{quoted(table.name)}"
        ordinals = state.source_table.emitted
        names = ", ".join(quoted(state.source_table.table.columns[n].name) for n in ordinals)
        for row in state.all_rows():
            values = ", ".join(sql(row[n]) for n in ordinals)
            yield f"INSERT INTO {place} ({names}) VALUES ({values})"


def content(plan: Plan) -> tuple[str, ...]:
    """Return the tables and rows that a plan stores, whatever its databases are called."""
    shapes = shapes_of(plan)
    tables = [create_table(f"{name}", one, "", wide=True) for name, one in shapes.tables.items()]
    return (*tables, *statements(plan, {schema: schema for schema in shapes.schemas}))


def feed(plan: Plan, databases: dict[str, str]) -> ChangefeedJob:
    """Return the changefeed as a job names it."""
    return ChangefeedJob(plan.case.id, "0", plan.case.protocol, (), databases=databases)


def test_every_legal_value_comes_back(made: Sink) -> None:
    """Rows of every type, key and shape are stored under strict rules and compare as equal.

    What several cases store is stored once, and compared for each of them.
    """
    session = account(made)
    session.run("SET SESSION sql_mode = @@GLOBAL.sql_mode")
    found = planned(WORDS, *FOLDERS)
    assert len(found) > 300
    answers: dict[tuple[str, ...], Observed] = {}
    for index, plan in enumerate(found):
        stored = content(plan)
        if stored not in answers:
            databases = dict(made.databases(shapes_of(plan), index))
            for statement in statements(plan, databases):
                session.run(statement)
            answers[stored] = made.answer(feed(plan, databases), DONE)
        answer = answers[stored]
        verdict = judge_design(plan.judged, plan.folding, answer, AS_EXPECTED, database=True)
        assert verdict.judgement is Judgement.PASS, verdict
    assert len(answers) > 100


def test_the_account_is_confined(made: Sink) -> None:
    """A consumer can neither read nor create what is not its own."""
    made.databases(shapes_of(chain()), 0)
    session = account(made)
    for statement in ("CREATE DATABASE elsewhere", "SELECT User FROM mysql.global_priv"):
        with pytest.raises(Refused):
            session.run(statement)


def test_what_a_consumer_adds_is_passed_over(made: Sink) -> None:
    """Columns and tables of its own are nobody's business."""
    plan = chain()
    databases = dict(made.databases(shapes_of(plan), 0))
    session = account(made)
    for statement in statements(plan, databases):
        session.run(statement)
    place = quoted(databases["shop"])
    session.run(f"ALTER TABLE {place}.t ADD COLUMN seen INT DEFAULT 1")
    session.run(f"CREATE TABLE {place}.ledger (a INT)")
    session.run(f"INSERT INTO {place}.ledger VALUES (1)")
    verdict = judge(plan.judged, plan.expected, made.answer(feed(plan, databases), DONE))
    assert verdict.judgement is Judgement.PASS


@pytest.mark.parametrize(
    ("statement", "kind", "words"),
    [
        ("DROP TABLE {}.t", FindingKind.MISSING_TABLE, "there is no table shop.t in the database"),
        ("ALTER TABLE {}.t DROP COLUMN b", FindingKind.MISSING_COLUMN, "has no column b"),
        ("DROP DATABASE {}", FindingKind.MISSING_TABLE, "there is no table shop.t"),
        ("UPDATE {}.t SET b = 7", FindingKind.WRONG_VALUE, "is 7, not 1"),
        ("ALTER TABLE {}.t MODIFY b VARCHAR(9)", None, ""),
        ("ALTER TABLE {}.t MODIFY b DATE", FindingKind.UNREADABLE_VALUE, "cannot be read"),
        (
            "DROP TABLE {0}.t;CREATE VIEW {0}.t AS SELECT 1 a, (SELECT 1 UNION SELECT 2) b",
            FindingKind.CONSUMER,
            "in the sink: Subquery returns more than 1 row",
        ),
    ],
)
def test_what_was_done_to_a_table_is_reported(
    made: Sink, statement: str, kind: FindingKind | None, words: str
) -> None:
    """What is missing, wrong or broken is a finding, and never an error of ours."""
    plan = chain()
    databases = dict(made.databases(shapes_of(plan), 0))
    session = account(made)
    for one in statements(plan, databases):
        session.run(one)
    session.run("SET SESSION sql_mode = ''")
    for part in statement.format(quoted(databases["shop"])).split(";"):
        session.run(part)
    verdict = judge(plan.judged, plan.expected, made.answer(feed(plan, databases), DONE))
    assert [finding.kind for finding in verdict.findings[:1]] == ([kind] if kind else [])
    assert words in (verdict.findings[0].message if verdict.findings else "")


def test_a_name_that_cannot_be_is_the_users_mistake(services: Services) -> None:
    """A pattern that makes names too long for a database is refused with the name."""
    long = Result(Holder.DATABASE, table="x" * 64 + "{table}")
    with (
        pytest.raises(UsageError, match="which has 65 characters"),
        sink(services.mariadb, "long", long) as one,
    ):
        one.databases(shapes_of(chain()), 0)


def given_up(services: Services) -> None:
    """Make a case's databases, and have enough of it."""
    with sink(services.mariadb, "left", Result(Holder.DATABASE)) as one:
        one.databases(shapes_of(chain()), 0)
        raise KeyboardInterrupt


def test_nothing_is_left(services: Services) -> None:
    """Databases and account are gone, also when the run was given up."""
    with pytest.raises(KeyboardInterrupt):
        given_up(services)
    session = Session(services.mariadb)
    assert not list(session.rows("SHOW DATABASES LIKE 'hleft%'"))
    assert not list(session.rows("SELECT User FROM mysql.global_priv WHERE User LIKE 'hleft%'"))


BY_DDL = Result(Holder.DATABASE, Maker.BY_DDL)


def by_ddl(services: Services, case: str, name: str) -> tuple[set[str], Observed]:
    """Return the tables that are there before a case, and what becomes of a crash in it."""
    (plan,) = planned(f"'{case}'", name)
    with sink(services.mariadb, "ddl", BY_DDL) as one:
        databases = dict(one.databases(shapes_of(plan), 0))
        session = Session(services.mariadb)
        there = {
            (row[0] or b"").decode()
            for database in databases.values()
            for row in session.rows(f"SHOW TABLES FROM {quoted(database)}")
        }
        session.close()
        feed = ChangefeedJob(plan.case.id, "0", "open", (), databases=databases)
        return there, one.answer(feed, Observed(Outcome.CRASH, "exit code 1"))


@pytest.mark.parametrize(
    ("case", "name", "tables"),
    [
        (
            "filters.create-table-ignored[open,p1]",
            "filters/create-table-ignored.yaml",
            {"t1", "ignored"},
        ),
        ("ddl.index-makes-eligible[open,p1]", "ddl/index-makes-eligible.yaml", {"a", "b", "c"}),
        ("keys.pk-chain[open,p1]", "keys/pk-chain.yaml", set()),
    ],
)
def test_what_no_ddl_creates_is_there(
    services: Services, case: str, name: str, tables: set[str]
) -> None:
    """A consumer that runs the stream's DDL finds the tables that no DDL of it creates."""
    there, answer = by_ddl(services, case, name)
    assert there == tables
    assert answer.outcome is Outcome.CRASH


def test_ddl_that_the_database_does_not_take_is_not_applicable(services: Services) -> None:
    """Where this server refuses a statement of the stream, a crash says nothing; it is named."""
    name = "ddl.auto-id-visibility-and-ttl[open,p1]"
    _, answer = by_ddl(services, name, "ddl/auto-id-visibility-and-ttl.yaml")
    assert answer.outcome is Outcome.NOT_APPLICABLE
    assert answer.detail.startswith("a database that takes ")
