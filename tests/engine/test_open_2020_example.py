"""The worked example of the 2020 document: our records are its fourteen log lines.

TiCDC Open Protocol, 2020, §Examples of the Event stream output, logs 1 to 14: keys, values and
partitions are facts of that listing. What it fixes is each partition's own order.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from harness.engine.plan.case import Plan, plan
from harness.engine.plan.expectations import author_problems
from harness.record.lock import load_lock
from harness.scenario.expand import cases
from harness.scenario.load import load

ROOT = Path(__file__).parents[2]
DDL = '{"ts":415508856908021766,"scm":"test","tbl":"t1","t":2}'
CREATE = '{"q":"CREATE TABLE test.t1(id int primary key, val varchar(16))","t":3}'
MARK = '{"ts":415508856908021766,"t":3}'
FIRST = '{"ts":415508878783938562,"scm":"test","tbl":"t1","t":1}'
SECOND = '{"ts":415508881418485761,"scm":"test","tbl":"t1","t":1}'
LAST_MARK = '{"ts":415508881038376963,"t":3}'
LISTING = [
    (0, DDL, CREATE),
    (0, MARK, ""),
    (1, DDL, CREATE),
    (1, MARK, ""),
    (0, FIRST, '{"u":{"id":{"t":3,"h":true,"v":1},"val":{"t":15,"v":"YWE="}}}'),
    (1, FIRST, '{"u":{"id":{"t":3,"h":true,"v":2},"val":{"t":15,"v":"YmI="}}}'),
    (0, FIRST, '{"u":{"id":{"t":3,"h":true,"v":3},"val":{"t":15,"v":"Y2M="}}}'),
    (0, FIRST, '{"u":{"id":{"t":3,"h":true,"v":3},"val":{"t":15,"v":"Y2M="}}}'),
    (0, SECOND, '{"d":{"id":{"t":3,"h":true,"v":1}}}'),
    (1, SECOND, '{"d":{"id":{"t":3,"h":true,"v":2}}}'),
    (0, SECOND, '{"u":{"id":{"t":3,"h":true,"v":3},"val":{"t":15,"v":"ZGQ="}}}'),
    (0, SECOND, '{"u":{"id":{"t":3,"h":true,"v":4},"val":{"t":15,"v":"ZWU="}}}'),
    (0, LAST_MARK, ""),
    (1, LAST_MARK, ""),
]

Logs = dict[int, list[tuple[str, str]]]


def example(delivery: str | None) -> Plan:
    """Return the plan of the example's case with that delivery."""
    scenarios = ROOT / "scenarios"
    scenario = load(scenarios / "documents" / "open-2020-example.yaml", scenarios)
    (case,) = [case for case in cases(scenario) if case.delivery == delivery]
    return plan(case, load_lock(scenario, ROOT / "golden"))


def delivered(planned: Plan) -> Logs:
    """Return the texts of the delivered events by partition, in order."""
    logs: Logs = defaultdict(list)
    for record in planned.delivered:
        for event in planned.wire.decode(record.key, record.value):
            logs[record.partition].append((event.key_text, event.value_text))
    return logs


def test_listing() -> None:
    """Each partition carries the listing's events, letter by letter, in the listing's order."""
    listed: Logs = defaultdict(list)
    for partition, key, value in LISTING:
        listed[partition].append((key, value))
    assert len(LISTING) == 14
    assert delivered(example("as-listed")) == listed


def test_without_the_duplicate() -> None:
    """Undisturbed, log 8, the duplicate of log 7, is the only one that is missing."""
    plain, disturbed = delivered(example(None)), delivered(example("as-listed"))
    assert plain[1] == disturbed[1]
    assert plain[0] == disturbed[0][:4] + disturbed[0][5:]


def test_expected_state() -> None:
    """The last marks lie below the second transaction, which therefore is not applied."""
    planned = example("as-listed")
    ((table, state),) = planned.expected.tables.items()
    assert str(table) == "test.t1"
    assert sorted(state.all_rows()) == [(1, "aa"), (2, "bb"), (3, "cc")]
    assert planned.expected.resolved_ts == 415508881038376963
    assert len(planned.expected.held) == 4
    assert author_problems(planned) == ()
