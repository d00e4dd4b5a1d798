"""Golden files: what a scenario's records and tables are, as text that a person reviews.

`golden/<path>/<variant>.records.txt` holds the records before any disturbance, decoded, each with
the sha256 of its bytes; `<variant>.tables.txt` the expected tables. A variant is protocol, dialect
(when it is not the default) and partitions, such as `open-p2` or `open@4.0.4-p2`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path

from harness.engine.plan import Plan
from harness.errors import Location, Problem
from harness.model.record import Record
from harness.verdict.text import row_text

DIFF_LINES = 40


def variant(plan: Plan) -> str:
    """Return the name of the case's golden files; disturbed cases share those of the plain one."""
    case = plan.case
    dialect = "" if case.dialect == "current" else f"@{case.dialect}"
    return f"{case.protocol}{dialect}-p{case.partitions}"


def digest(record: Record) -> str:
    """Return the sha256 of a record's key and value, each preceded by its length (-1 for null)."""
    state = sha256()
    for part in (record.key, record.value):
        state.update((-1 if part is None else len(part)).to_bytes(8, "big", signed=True))
        state.update(part or b"")
    return state.hexdigest()


def records_text(plan: Plan) -> str:
    """Return the records file."""
    lines = [f"# {plan.case.scenario.id} {variant(plan)}: records before any disturbance"]
    offsets: dict[tuple[str, int], int] = {}
    for record in plan.records:
        place = (record.topic, record.partition)
        offset = offsets.get(place, 0)
        offsets[place] = offset + 1
        lines += ["", f"{record.topic}/{record.partition}@{offset} sha256={digest(record)}"]
        for event in plan.wire.decode(record.key, record.value):
            lines += [f"  key   {event.key_text}", f"  value {event.value_text}"]
    return "\n".join(lines) + "\n"


def tables_text(plan: Plan) -> str:
    """Return the tables file."""
    expected = plan.expected
    lines = [
        f"# {plan.case.scenario.id} {variant(plan)}: tables at resolved ts {expected.resolved_ts}"
    ]
    for table_id, state in sorted(expected.tables.items()):
        columns = state.mounted.table.columns
        key = ", ".join(columns[i].name for i in state.mounted.handle) or "none: a multiset"
        lines += ["", f"{table_id}  key {key}"]
        lines += sorted(f"  {row_text(state.mounted, row)}" for row in state.all_rows())
    return "\n".join(lines) + "\n"


def texts(plan: Plan) -> Mapping[str, str]:
    """Return the golden files of a plan: file name to content."""
    name = variant(plan)
    return {f"{name}.records.txt": records_text(plan), f"{name}.tables.txt": tables_text(plan)}


def directory(root: Path, plan: Plan) -> Path:
    """Return where a plan's golden files are."""
    return root / plan.case.scenario.path


def problems(root: Path, plan: Plan) -> Iterable[Problem]:
    """Yield a problem for each golden file that is missing or says something else."""
    scenario = plan.case.scenario
    repair = (
        f"`harness record {scenario.file}` writes it; review the difference before you commit it"
    )
    for name, text in texts(plan).items():
        path = directory(root, plan) / name
        if not path.is_file():
            yield Problem(Location(str(path)), "this golden file is missing", hint=repair)
            continue
        there = path.read_text(encoding="utf-8")
        if there != text:
            diff = difflib.unified_diff(
                there.splitlines(), text.splitlines(), "golden", "now", lineterm="", n=1
            )
            shown = "\n        ".join(list(diff)[:DIFF_LINES])
            yield Problem(
                Location(str(path)),
                f"the golden file and {plan.case.id} disagree:\n        {shown}",
                hint=repair,
            )


def write(root: Path, plan: Plan) -> tuple[Path, ...]:
    """Write the golden files that differ; return those that were written."""
    written: list[Path] = []
    for name, text in texts(plan).items():
        path = directory(root, plan) / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_suffix(".tmp")
        scratch.write_text(text, encoding="utf-8")
        scratch.replace(path)
        written.append(path)
    return tuple(written)
