"""Level live, with our own producer and MariaDB in the place of a real TiCDC and TiDB."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import orjson
import pytest

from harness.engine.catalogue.choose import load
from harness.engine.catalogue.workspace import workspace
from harness.protocols import OWN
from harness.record.server import Server, Upstream
from harness.record.session import sql_steps
from harness.scenario.document import DdlStep, TransactionStep
from harness.services import Services
from tests.tree import ROOT

pytestmark = pytest.mark.services

KINDS = "types.every-kind-twice"
CHAIN = "keys.pk-chain"
CONNECTOR = {"topic.prefix": "vitess", "vitess.keyspace": "types"}
SPACE = workspace(ROOT)
ROOTS = ["--scenarios", str(ROOT / "scenarios"), "--golden", str(ROOT / "golden")]
# The reference consumer with something done after it: a row that it never lost; a row upstream.
FORGETFUL = f"""
import json, os, sys
sys.path.insert(0, {str(ROOT)!r})
from harness.reference_consumer.__main__ import main
code = main()
job = json.load(open(os.environ["HARNESS_JOB"]))
with open(os.path.join(job["out_dir"], "0000", "tables", "shop.t.jsonl"), "a") as rows:
    rows.write('{{"a": 1, "b": 1}}\\n')
sys.exit(code)
"""
MOVER = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from harness.reference_consumer.__main__ import main
from harness.record.server import Server, Upstream
Server(Upstream(*{{where!r}})).run("INSERT INTO shop.t VALUES (77, 7)")
sys.exit(main())
"""

KNOWN = """\
expectations: 1
known:
  - cases: shop.t
    finding: must not be there
    reason: It keeps what was deleted.
    link: https://example.org/1
    expires: "2099-01-01"
"""
SINKING = """\
manifest: 1
name: sinking
command: [{python}, ./sinking.py]
environment: {{SINKING: "{how}"}}
result: {{in: database, tables: {tables}}}
{more}
"""
ATTACHED = """\
manifest: 1
name: running
attach:
  topics: "cdc.{case}.{topic}"
  result: {in: files, directory: "./out/{case}"}
"""


class Site:
    """Topics that were filled and an upstream that holds what they tell."""

    def __init__(self, services: Services, here: Path) -> None:
        """Take running services, and a directory to work in."""
        self.services, self.here = services, here
        database = services.mariadb
        self.upstream = Upstream(database.host, database.port, database.user, database.password)
        self.server = Server(self.upstream)

    def fill(self, scenario: str, protocol: str, prefix: str) -> list[str]:
        """Produce the plain case of a scenario under a prefix; return the topics."""
        where = ["--bootstrap", self.services.kafka.bootstrap, "--topic-prefix", prefix]
        registry = ["--registry", self.services.registry.url]
        words = [scenario, "-k", f"{scenario}[{protocol},p1]", *where, *registry, "--json"]
        done = self.harness("produce", *words, *ROOTS)
        assert done.returncode == 0, done.stderr
        (case,) = orjson.loads(done.stdout)["cases"]
        return sorted({part["topic"] for part in case["partitions"]})

    def harness(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command line here, with nothing set about services but the password."""
        kept = {name: text for name, text in os.environ.items() if not name.startswith("HARNESS_")}
        return subprocess.run(
            [sys.executable, "-m", "harness", *words],
            cwd=self.here,
            env={**kept, "PYTHONPATH": str(ROOT), "HARNESS_LIVE_PASSWORD": self.upstream.password},
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )

    def ask(
        self,
        protocol: str,
        tables: Sequence[str],
        topics: Sequence[str],
        more: Mapping[str, object] = MappingProxyType({}),
    ) -> Path:
        """Write the file that describes the topics; return its path."""
        database = self.upstream
        described = {
            "live": 1,
            "protocol": protocol,
            "kafka": {"bootstrap.servers": self.services.kafka.bootstrap},
            "registry": self.services.registry.url,
            "topics": [{"name": topic} for topic in topics],
            "upstream": f"mysql://{database.user}@{database.host}:{database.port}/",
            "tables": list(tables),
            **more,
        }
        path = self.here / "live.yaml"
        path.write_bytes(orjson.dumps(described))  # JSON is YAML
        return path

    def certify(
        self, file: Path, consumer: str = "reference", *words: str
    ) -> tuple[int, str, dict[str, str]]:
        """Certify a consumer; return exit code, what was said, and the verdicts by case."""
        live = ("--level", "live", "--live", str(file), "--json", *words)
        done = self.harness("certify", consumer, *live)
        cases: list[dict[str, Any]] = orjson.loads(done.stdout)["cases"] if done.stdout else []
        verdicts = {case["case"]: case["verdict"]["judgement"] for case in cases}
        return done.returncode, done.stderr, verdicts

    def run_upstream(self, scenario: str) -> None:
        """Run a scenario's SQL on the upstream, in databases made anew."""
        (found,) = load(SPACE, [Path(scenario)])
        for name in found.databases:
            self.server.run(f"DROP DATABASE IF EXISTS `{name}`")
            self.server.run(f"CREATE DATABASE `{name}`")
        for step in sql_steps(found):
            if isinstance(step, DdlStep):
                self.server.run(step.statement.sql)
            if isinstance(step, TransactionStep):
                self.server.run("BEGIN")
                for one in step.statements:
                    self.server.run(one.sql)
                self.server.run("COMMIT")


@pytest.fixture(scope="module")
def services(shared: Callable[..., Services]) -> Services:
    """Return a broker, a registry and a database for all tests of this file."""
    return shared("kafka", "registry", "mariadb")


@pytest.fixture
def site(services: Services, tmp_path: Path) -> Generator[Site]:
    """Return the site, in a directory of the test's own."""
    site = Site(services, tmp_path)
    yield site
    site.server.close()


@pytest.mark.parametrize("protocol", OWN)
def test_what_the_upstream_says_is_the_truth(site: Site, protocol: str) -> None:
    """A right consumer of topics that hold every kind of column passes against the SELECT."""
    topics = site.fill(KINDS, protocol, f"{protocol}.")
    site.run_upstream(KINDS)
    settings = CONNECTOR if protocol == "vitess" else {}
    file = site.ask(protocol, ["types.all"], topics, {"settings": settings})
    code, said, verdicts = site.certify(file)
    assert (code, verdicts) == (0, {f"live.types.all[{protocol}]": "pass"}), said
    assert said.splitlines()[-1] == "passed 1 / applicable 1 / total 1 at level live"


def test_a_consumer_that_loses_deletes_fails(site: Site) -> None:
    """Where the reference consumer agrees with the upstream, what differs is the consumer's."""
    topics = site.fill(CHAIN, "open", "wrong.")
    site.run_upstream(CHAIN)
    code, said, verdicts = site.certify(site.ask("open", ["shop.t"], topics), forgetful(site.here))
    assert (code, verdicts) == (1, {"live.shop.t[open]": "fail"}), said
    assert "shop.t has the row a=1, which must not be there" in said
    assert "what differs is read by the consumer reference, too" in said


def test_topics_that_lag_blame_nobody(site: Site) -> None:
    """What the topics do not hold yet makes a table inconclusive, which is a finding."""
    topics = site.fill(CHAIN, "open", "lag.")
    site.run_upstream(CHAIN)
    site.server.run("INSERT INTO shop.t VALUES (9, 9)")
    site.server.run("CREATE TABLE shop.u (a INT PRIMARY KEY)")
    code, said, verdicts = site.certify(site.ask("open", ["shop.t", "shop.u"], topics))
    assert code == 1
    assert verdicts["live.shop.t[open]"] in {"inconclusive", "fail"}
    other = forgetful(site.here)
    code, said, verdicts = site.certify(site.ask("open", ["shop.t", "shop.u"], topics), other)
    assert (code, verdicts) == (
        1,
        {"live.shop.t[open]": "inconclusive", "live.shop.u[open]": "pass"},
    ), said
    assert "the topics do not hold what shop.t is upstream" in said


def test_an_upstream_that_moves_is_no_truth(site: Site) -> None:
    """A table that changed during the run is inconclusive; the others are judged."""
    topics = site.fill(CHAIN, "open", "moving.")
    site.run_upstream(CHAIN)
    database = site.upstream
    mover = site.here / "mover.py"
    mover.write_text(
        MOVER.format(where=[database.host, database.port, database.user, database.password])
    )
    file = site.ask("open", ["shop.t"], topics)
    code, said, verdicts = site.certify(file, f"exec:{sys.executable} {mover}")
    assert (code, verdicts) == (1, {"live.shop.t[open]": "inconclusive"}), said
    assert "shop.t changed upstream during the run" in said


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"topics": [{"name": "nobody-made-this"}]}, "there is no topic nobody-made-this"),
        ({"tables": ["shop.absent"]}, "has no table shop.absent"),
        ({"dialect": "5"}, "has no dialect '5'"),
        ({"settings": {"no-such": 1}}, "no-such"),
        ({"upstream": "mysql://u:secret@h/"}, "a password stands in the file"),
        ({"kafka": {}}, "does not say where kafka is"),
        ({"password-from": "NOT_SET_ANYWHERE"}, "NOT_SET_ANYWHERE is not set"),
    ],
)
def test_what_the_file_has_wrong_is_reported(
    site: Site, more: dict[str, object], says: str
) -> None:
    """A mistake of the file is the user's: exit code 2, and no verdict."""
    site.run_upstream(CHAIN)
    topics = site.fill(CHAIN, "open", "bad.")
    code, said, verdicts = site.certify(site.ask("open", ["shop.t"], topics, more))
    assert (code, verdicts) == (2, {}), said
    assert says in said
    assert "live.yaml" in said
    assert "secret" not in said


def test_a_known_failure_is_expected_here_too(site: Site) -> None:
    """A known failure is excused but certifies nothing; what passes nevertheless is a finding."""
    topics = site.fill(CHAIN, "open", "known.")
    site.run_upstream(CHAIN)
    file = site.ask("open", ["shop.t"], topics)
    known = site.here / "known.yaml"
    known.write_text(KNOWN)
    wrong = forgetful(site.here)
    for consumer, words, code, judgement in (
        (wrong, ["--expectations", str(known)], 2, "xfail"),
        (wrong, ["--expectations", str(known), "--strict"], 1, "fail"),
        ("reference", ["--expectations", str(known)], 1, "xpass"),
    ):
        ended, said, verdicts = site.certify(file, consumer, *words)
        assert (ended, verdicts) == (code, {"live.shop.t[open]": judgement}), said


@pytest.mark.parametrize("tables", ["created", "own"])
def test_tables_in_a_database_are_judged(site: Site, tables: str) -> None:
    """What a consumer writes into the run's own database is held against the SELECT."""
    topics = site.fill(CHAIN, "avro", f"{tables}.")
    site.run_upstream(CHAIN)
    file = site.ask("avro", ["shop.t"], topics)
    how = "own" if tables == "own" else ""
    code, said, verdicts = site.certify(file, sinking(site.here, how, tables))
    assert (code, verdicts) == (0, {"live.shop.t[avro]": "pass"}), said


def test_a_loss_that_is_owned_up_to_is_declared_lossy(site: Site) -> None:
    """A lossy mapping excuses wrong values of its type, but alone it passes nothing."""
    topics = site.fill(CHAIN, "avro", "lossy.")
    site.run_upstream(CHAIN)
    file = site.ask("avro", ["shop.t"], topics)
    lossy = sinking(site.here, "doubles", "created", "lossy: [{types: [int], reason: Doubled.}]")
    for words, code, judgement in (([], 2, "declared-lossy"), (["--strict"], 1, "fail")):
        ended, said, verdicts = site.certify(file, lossy, *words)
        assert (ended, verdicts) == (code, {"live.shop.t[avro]": judgement}), said
    assert "is 2, not 1" in said


def test_a_system_that_runs_already_is_refused_with_the_reason(site: Site) -> None:
    """Nobody knows when it has read to the ends that belong to the SELECT."""
    manifest = site.here / "attached.yaml"
    manifest.write_text(ATTACHED)
    file = site.ask("open", ["shop.t"], ["x"])
    code, said, verdicts = site.certify(file, f"attach:{manifest}")
    assert (code, verdicts) == (2, {}), said
    assert "running runs already, and nobody knows when it has read these topics" in said


def test_options_that_do_not_go_together(site: Site) -> None:
    """Level live takes its tables from the file, and the file is for no other level."""
    file = str(site.ask("open", ["shop.t"], ["x"]))
    for words, says in (
        (["--level", "live"], "--live FILE.yaml"),
        (["--level", "stream", "--live", file], "--live is not for the level stream"),
        (["--live", file, "-k", "keys"], "-k mean nothing at level live"),
    ):
        done = site.harness("certify", "reference", *words)
        assert done.returncode == 2
        assert says in done.stderr


def sinking(here: Path, how: str, tables: str, more: str = "") -> str:
    """Return the manifest of a consumer that writes Avro into a database."""
    (here / "sinking.py").write_bytes((ROOT / "tests/engine/sink/sinking.py").read_bytes())
    manifest = here / "sinking.yaml"
    manifest.write_text(SINKING.format(python=sys.executable, how=how, tables=tables, more=more))
    return str(manifest)


def forgetful(here: Path) -> str:
    """Return a consumer that is the reference but keeps a row that was deleted."""
    script = here / "forgetful.py"
    script.write_text(FORGETFUL)
    return f"exec:{sys.executable} {script}"
