"""Two runs side by side: which cases another consumer, version or day judged differently."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from harness.errors import plural
from harness.model.events import CaseFinished, Event, RunFinished, RunStarted
from harness.model.finding import FINDINGS, Judgement
from harness.report.escapes import html_text, markdown_text, shortened, visible
from harness.report.outcome import UNFINISHED, headline, reason


class Change(StrEnum):
    """What became of a case from the first run to the second, worst first."""

    BROKEN = "newly broken"
    OTHERWISE = "broken otherwise"
    LOST = "no longer passed"
    MENDED = "newly passed"
    MOVED = "judged otherwise"
    NEW = "only in the second"
    GONE = "only in the first"


ROWS_SHOWN = 40  # of each kind: GitHub takes 65,536 characters of a comment
CELL_CHARACTERS = 100
WORSE = frozenset({Change.BROKEN, Change.OTHERWISE, Change.LOST})


@dataclass(frozen=True, slots=True)
class Changed:
    """One case that differs; a side is None where the run has no such case."""

    case: str
    change: Change
    before: CaseFinished | None
    after: CaseFinished | None


def changes(before: Iterable[Event], after: Iterable[Event]) -> tuple[Changed, ...]:
    """Return the cases that differ, worst first, then by name.

    A case that fails in both is included only if its first finding differs.
    """
    first, second = _cases(before), _cases(after)
    found = [
        Changed(name, change, first.get(name), second.get(name))
        for name in sorted({*first, *second})
        if (change := _change(first.get(name), second.get(name))) is not None
    ]
    order = list(Change)
    return tuple(sorted(found, key=lambda one: order.index(one.change)))


def _cases(events: Iterable[Event]) -> Mapping[str, CaseFinished]:
    return {event.case: event for event in events if isinstance(event, CaseFinished)}


def _change(before: CaseFinished | None, after: CaseFinished | None) -> Change | None:
    if before is None or after is None:
        return Change.NEW if before is None else Change.GONE
    was, now = before.verdict.judgement, after.verdict.judgement
    if now in FINDINGS and was not in FINDINGS:
        return Change.BROKEN
    if was is now:
        if before.verdict.apart is not after.verdict.apart:
            return Change.MOVED
        differs = now in FINDINGS and reason(before) != reason(after)
        return Change.OTHERWISE if differs else None
    return _moved(was, now)


def _moved(was: Judgement, now: Judgement) -> Change:
    if now in FINDINGS:
        return Change.OTHERWISE
    if now is Judgement.PASS:
        return Change.MENDED
    return Change.LOST if was is Judgement.PASS else Change.MOVED


def diff_lines(
    before: Sequence[Event], after: Sequence[Event], found: Sequence[Changed]
) -> Iterator[str]:
    """Yield the lines of the comparison."""
    yield f"- {_title(before)}"
    yield f"+ {_title(after)}"
    for change in Change:
        those = [one for one in found if one.change is change]
        if not those:
            continue
        yield ""
        yield f"{change.value}: {len(those)}"
        for one in those:
            yield f"  {one.case}"
            for sign, side in (("-", one.before), ("+", one.after)):
                if side is not None and change not in (Change.NEW, Change.GONE):
                    yield f"    {sign} {_said(side)}"
    if not found:
        yield ""
        yield "no case differs"


def diff_markdown(before: Sequence[Event], after: Sequence[Event], found: Sequence[Changed]) -> str:
    """Return the comparison as Markdown; every text of a run is escaped, the length bounded."""
    worse = sum(one.change in WORSE for one in found)
    said = f"{plural(worse, 'case')} became worse" if worse else "No case became worse"
    lines = [f"### {said}, {len(found) - worse} differ otherwise", ""]
    lines += [
        f"- before: {markdown_text(_title(before))}",
        f"- after: {markdown_text(_title(after))}",
    ]
    for change in Change:
        those = [one for one in found if one.change is change]
        if not those:
            continue
        lines += ["", f"<details{' open' if change in WORSE else ''}>"]
        lines += [f"<summary>{change.value}: {len(those)}</summary>", ""]
        lines += ["| case | before | after |", "| --- | --- | --- |"]
        lines += [
            f"| <code>{html_text(one.case)}</code> | {_cell(one.before)} | {_cell(one.after)} |"
            for one in those[:ROWS_SHOWN]
        ]
        more = len(those) - ROWS_SHOWN
        lines += ["", *([f"… and {more} more", ""] if more > 0 else []), "</details>"]
    return "\n".join(lines) + "\n"


def _cell(event: CaseFinished | None) -> str:
    said = "" if event is None else shortened(visible(_said(event)), CELL_CHARACTERS)
    return markdown_text(said)


def diff_json(
    before: Sequence[Event], after: Sequence[Event], found: Sequence[Changed]
) -> dict[str, Any]:
    """Return the same as JSON data."""
    return {
        "before": _title(before),
        "after": _title(after),
        "changes": [
            {
                "case": one.case,
                "change": one.change.value,
                "before": None if one.before is None else _said(one.before),
                "after": None if one.after is None else _said(one.after),
            }
            for one in found
        ],
    }


def _said(event: CaseFinished) -> str:
    judgement = event.verdict.judgement.value
    why = "" if event.verdict.judgement is Judgement.PASS else reason(event)
    return " ".join(f"{judgement}{': ' if why else ''}{why}".split())


def _title(events: Sequence[Event]) -> str:
    started = next((event for event in events if isinstance(event, RunStarted)), None)
    finished = next((event for event in events if isinstance(event, RunFinished)), None)
    name = f"{started.consumer}, run {started.run} {started.at}".rstrip() if started else "?"
    return f"{name}: {headline(finished) if finished else UNFINISHED}"
