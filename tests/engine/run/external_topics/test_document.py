"""The file of live topics is read whole, and each of its mistakes is told with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.engine.run.external_topics.document import LiveFile, read_live
from harness.errors import ScenarioError
from harness.model.table import TableId
from harness.runner.contract.job_file import Role

PLAIN = """\
live: 1
protocol: {protocol}
kafka: {{bootstrap.servers: "k:9092", enable.idempotence: true}}
registry: http://r:8081/
topics:
  - name: shop.t
  - {{name: p.tx, canonical: tx, role: transaction}}
upstream: mysql://reader@db:4000/
tables: [shop.t, shop.u.v]
{more}
"""


def written(here: Path, protocol: str = "open", more: str = "", text: str = PLAIN) -> Path:
    """Write a file; return its path."""
    path = here / "live.yaml"
    path.write_text(text.format(protocol=protocol, more=more), encoding="utf-8")
    return path


def live(here: Path, protocol: str = "open", more: str = "") -> LiveFile:
    """Return what a file says, read with a password in the environment."""
    return read_live(written(here, protocol, more), {"HARNESS_LIVE_PASSWORD": "s3cret"})


def test_all_that_it_says_is_kept(tmp_path: Path) -> None:
    """Topics have names and roles, tables have lines, and services are settings."""
    found = live(tmp_path)
    assert [(one.name, one.canonical, one.role, one.line) for one in found.topics] == [
        ("shop.t", "shop.t", Role.DATA, 6),
        ("p.tx", "tx", Role.TRANSACTION, 7),
    ]
    tables = (TableId("shop", "t"), TableId("shop", "u.v"))
    assert found.tables == tables
    assert dict(found.lines) == dict.fromkeys(tables, 9)
    assert found.overrides() == {
        "kafka.bootstrap.servers": "k:9092",
        "kafka.enable.idempotence": "true",
        "registry.url": "http://r:8081",
    }


def test_the_password_is_of_the_environment_and_shown_to_nobody(tmp_path: Path) -> None:
    """The variable that the file names wins over the usual one; no text shows what it holds."""
    assert live(tmp_path).upstream.password == "s3cret"
    path = written(tmp_path, more="password-from: OTHER")
    found = read_live(path, {"HARNESS_LIVE_PASSWORD": "s3cret", "OTHER": "0ther"})
    assert found.upstream.password == "0ther"
    assert str(found.upstream) == "mysql://reader@db:4000/"
    assert read_live(written(tmp_path), {}).upstream.password == ""


@pytest.mark.parametrize(("protocol", "names"), [("open", False), ("avro", True)])
def test_a_registry_is_needed_where_messages_name_schemas(
    tmp_path: Path, protocol: str, *, names: bool
) -> None:
    """Open Protocol has no schemas; Avro's messages name them."""
    assert live(tmp_path, protocol).names_schemas is names


@pytest.mark.parametrize(
    ("before", "after", "place", "says"),
    [
        ("tables: [shop.t, shop.u.v]", "tables: [t]", "live.yaml:9:", "schema.name"),
        ("tables: [shop.t, shop.u.v]", "tables: []", "live.yaml:9:", "`tables` is empty"),
        ("p.tx, canonical", "shop.t, canonical", "live.yaml:7:", "shop.t is listed twice"),
        ("mysql://reader@db", "postgres://reader@db", "live.yaml:8:", "`upstream`"),
        ("mysql://reader@db", "mysql://reader:pw@db", "live.yaml:8:", "a password stands in"),
        ("live: 1", "live: 2", "live.yaml:1:", "live"),
        ("protocol: {protocol}", "protocol: opn", "live.yaml:2:", "open"),
        ("{more}", "dialect: 4.0.5", "live.yaml:10:", "has no dialect"),
        ("{more}", "settings: {{no-such: 1}}", "live.yaml:10:", "no-such"),
        ("{more}", "password-from: UNSET", "live.yaml:10:", "UNSET is not set"),
        ("{more}", "table: x", "live.yaml:10:", "table"),
    ],
)
def test_each_mistake_has_its_line(
    tmp_path: Path, before: str, after: str, place: str, says: str
) -> None:
    """What is wrong is told with file, line and what was expected, and the password is not."""
    assert before in PLAIN
    path = written(tmp_path, text=PLAIN.replace(before, after))
    with pytest.raises(ScenarioError) as caught:
        read_live(path, {})
    message = str(caught.value)
    assert place in message
    assert says in message
    assert "pw" not in message
