"""Golden files: what a scenario's records and tables are, as text that a person reviews.

`golden/<path>/<variant>.records.txt` holds the records before any disturbance, with all that a
consumer can see of them (`record_text` prints them; the id of a schema is that of a registry in
memory, counted from 1); `<variant>.tables.txt` the expected tables. A variant is protocol, dialect
(when it is not the default), profile (when there is one) and partitions, such as `open-p2`,
`open@4.0.4-p2` or `avro+strings-p1`.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice, takewhile
from pathlib import Path

from harness.contracts import DEFAULT_DIALECT
from harness.engine.catalogue.record_text import RecordPrinter, readable, stored_lines
from harness.engine.catalogue.workspace import GOLDENS, RECORDS, TABLES
from harness.engine.plan.case import Plan
from harness.errors import Location, Problem, UsageError, next_step
from harness.scenario.document import Scenario
from harness.scenario.expand import Case, cases
from harness.verdict.text import row_text

DIFF_LINES = 40


@dataclass(frozen=True, slots=True)
class Difference:
    """A golden file that is not as the scenario says; None where there is, or must be, no file."""

    path: Path
    there: str | None
    now: str | None


def variant(case: Case) -> str:
    """Return the name of the case's golden files; disturbed cases share those of the plain one."""
    dialect = "" if case.dialect == DEFAULT_DIALECT else f"@{case.dialect}"
    profile = "" if case.profile is None else f"+{case.profile}"
    return f"{case.protocol}{dialect}{profile}-p{case.partitions}"


def directory(root: Path, scenario: Scenario) -> Path:
    """Return where a scenario's golden files are."""
    return root / scenario.path


def records_text(plan: Plan) -> str:
    """Return the records file."""
    lines = [f"# {plan.case.scenario.id} {variant(plan.case)}: records before any disturbance"]
    offsets: Counter[tuple[str, int]] = Counter()
    printer = RecordPrinter()
    for record in plan.records:
        place = (record.topic, record.partition)
        lines += ["", *printer.lines(readable(plan.wire, record, offsets[place]))]
        offsets[place] += 1
    return "\n".join([*lines, *printer.inline_schemas(), *stored_lines(plan.wire)]) + "\n"


def tables_text(plan: Plan) -> str:
    """Return the tables file."""
    expected = plan.expected
    what = f"tables at resolved ts {expected.resolved_ts}"
    lines = [f"# {plan.case.scenario.id} {variant(plan.case)}: {what}"]
    for table_id, state in sorted(expected.tables.items()):
        columns = state.source_table.table.columns
        key = ", ".join(columns[i].name for i in state.source_table.handle) or "none: a multiset"
        lines += ["", f"{table_id}  key {key}"]
        lines += sorted(f"  {row_text(state.source_table, row)}" for row in state.all_rows())
    return "\n".join(lines) + "\n"


def texts(plan: Plan) -> Mapping[str, str]:
    """Return the golden files of a plan: file name to content."""
    name = variant(plan.case)
    return {f"{name}{RECORDS}": records_text(plan), f"{name}{TABLES}": tables_text(plan)}


def differences(root: Path, plan: Plan) -> Iterator[Difference]:
    """Yield the golden files of a plan that are missing or say something else."""
    for name, text in texts(plan).items():
        path = directory(root, plan.case.scenario) / name
        there = _text(path)
        if there != text:
            yield Difference(path, there, text)


def stale(root: Path, scenario: Scenario) -> Iterator[Difference]:
    """Yield the golden files of variants that the scenario's matrix no longer has."""
    variants = {variant(case) for case in cases(scenario)}
    names = {f"{name}{suffix}" for name in variants for suffix in GOLDENS}
    for path in golden_files(directory(root, scenario)):
        if path.name not in names:
            yield Difference(path, _text(path), None)


def golden_files(home: Path) -> list[Path]:
    """Return the golden files directly in a directory, in order; none when it does not exist."""
    return sorted(path for suffix in GOLDENS for path in home.glob(f"*{suffix}"))


def problem(difference: Difference, scenario: Scenario) -> Problem:
    """Return a difference as a problem that names its repair."""
    accept = f"`harness golden accept {shlex.quote(scenario.file)}`"
    where = Location(str(difference.path))
    if difference.now is None:
        what = f"{scenario.id} has no such variant any more, so this golden file is stale"
        return Problem(where, what, hint=f"{accept} removes it")
    hint = f"{accept} writes it; review the difference before you commit it"
    if difference.there is None:
        return Problem(where, "this golden file is missing", hint=hint)
    lines = (line.rstrip("\n") for line in diff(difference, context=1))
    shown = "\n        ".join(islice(lines, DIFF_LINES))
    what = f"the golden file and {scenario.id} disagree:\n        {shown}"
    hint += (
        f"\n    hint: where the lock was edited, `harness record {scenario.id}` restores it first"
    )
    return Problem(Location(str(difference.path), _first_line(difference)), what, hint=hint)


def _first_line(difference: Difference) -> int:
    """Return the first line of the file that is there which is not as it is now."""
    there, now = ((text or "").splitlines() for text in (difference.there, difference.now))
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(there, now, strict=False)))
    return max(min(same + 1, len(there)), 1)


def diff(difference: Difference, *, context: int = 3) -> Iterator[str]:
    """Yield a unified diff from the file that is there to what the scenario gives now.

    `difflib.unified_diff` takes lines that recur in a long file, such as headers, for junk, and
    then shows them as changed; here every line counts.
    """
    there, now = ((text or "").splitlines() for text in (difference.there, difference.now))
    yield "--- golden" if difference.there is not None else "--- no golden"
    yield "+++ now" if difference.now is not None else "+++ no such variant"
    for group in SequenceMatcher(None, there, now, autojunk=False).get_grouped_opcodes(context):
        (_, first, _, new, _), (_, _, last, _, new_last) = group[0], group[-1]
        yield f"@@ -{_range(first, last)} +{_range(new, new_last)} @@"
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (f" {line}" for line in there[i1:i2])
            else:
                yield from (f"-{line}" for line in there[i1:i2])
                yield from (f"+{line}" for line in now[j1:j2])


def _range(start: int, stop: int) -> str:
    """Return lines as a unified diff counts them: `first,how many`, one line as its number."""
    length = stop - start
    return str(start + 1) if length == 1 else f"{start + (length > 0)},{length}"


def accept(found: Iterable[Difference]) -> tuple[Path, ...]:
    """Make the files as the scenario says, each whole or not at all; return those touched.

    This is the one place that writes golden files; `changes.jsonl` is never among them. Raises
    UsageError for a file that cannot be written.
    """
    touched: list[Path] = []
    for difference in found:
        try:
            _make(difference)
        except OSError as error:
            raise UsageError(
                f"cannot write {difference.path}: {error.strerror}", hint=next_step(error)
            ) from None
        touched.append(difference.path)
    return tuple(touched)


def _make(difference: Difference) -> None:
    path = difference.path
    if difference.now is None:
        path.unlink()
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_suffix(".tmp")
    scratch.write_text(difference.now, encoding="utf-8")
    scratch.replace(path)


def _text(path: Path) -> str | None:
    """Return a golden file's text, None without a file; bytes that are not UTF-8 as escapes."""
    if not path.is_file():
        return None
    return path.read_text(encoding="utf-8", errors="backslashreplace")
