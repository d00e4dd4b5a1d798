"""The table of faults is sound: options, licences, the page and the grammar drawn from it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest
import yaml

from harness.errors import StepError
from harness.faults import FAULTS, GROUPS
from harness.faults.actions import Action
from harness.faults.describe import page
from harness.faults.fault import Claim, Disturbance, Invariant
from harness.faults.option import Takes
from harness.protocols import PROTOCOLS
from harness.protocols.clauses import CLAUSES, governs
from harness.scenario.load import load
from tests.faults.samples import STREAMS, T1, T2
from tests.tree import ROOT, text_of

RECORDS = STREAMS["open"]([T1, T2])


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_is_declared_in_full(fault: Disturbance) -> None:
    """Each fault says what it does, where it may be used, and either changes records or acts."""
    assert fault.meaning.endswith(".")
    assert (fault.change is None) != (fault.act is None)
    assert fault.permissions
    names = [option.name for option in fault.options]
    assert len(set(names)) == len(names)
    assert {*fault.one_of, *fault.some_of} <= set(names)
    assert fault.settle(fault.example, 1).values.items() >= fault.example.items()
    for option in fault.options:
        assert option.meaning.endswith(".")
        assert set(option.loses) <= set(Invariant.__members__)
        assert (option.takes is Takes.WORD) == bool(option.words)
        assert option.default is None or option.fits(option.default)
        assert not (option.required and option.default is not None)


@pytest.mark.parametrize("action", get_args(Action))
def test_an_action_says_what_happens(action: type[Action]) -> None:
    """Each action of a run has words of its own for previews, not Python's for an object."""
    assert "__str__" in vars(action)


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_permissions_are_what_they_say(fault: Disturbance) -> None:
    """An allowed fault names clauses that govern the protocol; one beyond names where it was."""
    for protocol, permission in fault.permissions.items():
        assert (permission.claim is Claim.ALLOWED) == bool(permission.clauses)
        assert (permission.claim is Claim.SEEN) == permission.seen_in.startswith("https://")
        for clause in permission.clauses:
            assert governs(CLAUSES[clause], protocol), clause


def test_every_protocol_is_spoken_of() -> None:
    """A protocol that there is has faults, all of which exist, with their options."""
    for row in PROTOCOLS.values():
        assert set(row.permissions) <= set(FAULTS)
        for name, permission in row.permissions.items():
            assert set(permission.without) <= {option.name for option in FAULTS[name].options}
        assert row.permissions
    assert sum(map(len, GROUPS.values())) == len(FAULTS)


def test_the_page_is_up_to_date() -> None:
    """docs/reference/faults.md is up to date; else: python -m harness.faults.describe > it."""
    assert text_of("docs/reference/faults.md") == page()


@pytest.mark.parametrize(
    ("fault", "options", "what", "expected"),
    [
        ("duplicate", {"transaction": "t1", "time": 2}, "unknown option `time`", "`times`"),
        ("broker-restart", {}, "lacks its option `after`", "the name of a transaction"),
        ("duplicate", {"transaction": "t1", "times": 0}, "`times` of `duplicate` is 0", "from 1"),
        ("duplicate", {"transaction": "t1", "times": True}, "is True", "a whole number"),
        ("duplicate", {"transaction": "t1", "times": Decimal("1.5")}, "1.5", "a whole number"),
        ("duplicate", {"transaction": "t1", "key": {}}, "`key` of", "columns with their values"),
        ("duplicate", {"transaction": ""}, "`transaction` of", "the name of a transaction"),
        ("headers", {"null": 1}, "`null` of `headers` is 1", "true or false"),
        ("resend", {"events": "rows"}, "is 'rows'", "one of `ddl`, `resolved`"),
        ("ahead", {}, "has none of them", "at least one of `topic`, `partition`"),
        (
            "kill",
            {},
            "has none of them",
            "exactly one of `after-records`, `within-records`, `after-commits`, `at`",
        ),
        ("kill", {"after-records": 1, "at": "x"}, "`after-records` and `at`", "exactly one of"),
        ("drop-deletes", {"key": 1}, "unknown option `key`", "no options"),
    ],
)
def test_options_that_do_not_fit(
    fault: str, options: Mapping[str, Any], what: str, expected: str
) -> None:
    """A mistake in the options is told with its line and with what was expected."""
    with pytest.raises(StepError) as refusal:
        FAULTS[fault].act_on(RECORDS, options, 7, Random(0))
    assert what in refusal.value.what
    assert expected in refusal.value.expected
    assert refusal.value.line == 7


def test_whole_numbers_may_be_spelled_with_a_point() -> None:
    """YAML's 2.0 is two."""
    options = {"transaction": "t1", "times": Decimal("2.0")}
    assert len(FAULTS["duplicate"](RECORDS, options, 1, Random(0))) == len(RECORDS) + 6


def test_actions_are_no_records() -> None:
    """What is done to the run cannot be called for records alone: it would silently do nothing."""
    with pytest.raises(StepError, match="acts on the run") as refusal:
        FAULTS["kill"](RECORDS, {"after-records": 1}, 9, Random(0))
    assert refusal.value.line == 9


def test_the_guide_shows_what_works(tmp_path: Path) -> None:
    """The variants of the guide load, and its page names only faults that there are."""
    guide = text_of("docs/guides/disturb-a-delivery.md")
    found: set[str] = set()
    for shown in re.findall(r"```yaml\n(delivery:.*?)```", guide, re.DOTALL):
        path = tmp_path / "a.yaml"
        path.write_text(SCENARIO + shown, encoding="utf-8")
        found |= set(load(path, tmp_path).delivery)
    assert found == {"sent-again", "killed", "first", "second"}
    table = guide[guide.index("## Which one to take") : guide.index("Some disturbances")]
    named = re.findall(r"`([a-z-]+)(?::[^`]*)?`", table)
    assert named
    assert set(named) <= set(FAULTS)


SCENARIO = """\
id: a
title: A case
clauses: [open.row.insert]
matrix: {protocol: [open]}
databases: [shop]
upstream:
  - ddl: CREATE TABLE shop.t (id INT PRIMARY KEY)
  - transaction: {name: t2, sql: INSERT INTO shop.t VALUES (1)}
expect: {tables: {shop.t: [{id: 1}]}}
"""


def test_every_fault_has_a_scenario() -> None:
    """Whatever a delivery may do in a protocol is done to it in some bundled scenario."""
    found: set[tuple[str, str]] = set()
    for path in sorted((ROOT / "scenarios").rglob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        if "\ndelivery:" not in text:
            continue
        scenario = yaml.safe_load(text)
        steps = [step for variant in scenario["delivery"].values() for step in variant]
        names = [name for step in steps for name in FAULTS.keys() & step.keys()]
        found |= {(name, protocol) for name in names for protocol in scenario["matrix"]["protocol"]}
    wanted = {(name, protocol) for name, fault in FAULTS.items() for protocol in fault.permissions}
    assert sorted(wanted - found) == []
