"""A delivery step by step: the messages before and after each, matched partition by partition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from harness.errors import Problem, ScenarioError, StepError
from harness.faults.actions import Action, Step, sent
from harness.faults.delivery import AppliedStep, apply_steps
from harness.model.record import Record
from harness.scenario.document import DeliveryStep
from harness.scenario.expand import Case

Partition = tuple[str, int]


class Mark(StrEnum):
    """What became of a message in its partition."""

    KEPT = "kept"
    MOVED = "moved"
    COPIED = "copied"
    DROPPED = "dropped"
    CHANGED = "changed"
    INSERTED = "inserted"


@dataclass(frozen=True, slots=True)
class Pair:
    """One line of a partition: a message before, after, or both, as its place and itself."""

    mark: Mark
    before: tuple[int, Record] | None
    after: tuple[int, Record] | None


@dataclass(frozen=True, slots=True)
class DeliveryStage:
    """What one step does.

    `partitions` has those that the step touches and those that it leaves alike; `order` is that of
    sending before and after, as partitions; `actions` are done to the run, each behind so many
    messages.
    """

    number: int
    step: DeliveryStep
    partitions: Mapping[Partition, tuple[Pair, ...]]
    order: tuple[tuple[Partition, ...], tuple[Partition, ...]]
    actions: tuple[tuple[int, Action], ...]


def delivery_stages(case: Case, records: Sequence[Record]) -> Iterator[DeliveryStage]:
    """Yield the steps of the case's delivery; ScenarioError for one that finds nothing to act on.

    Each draws from the generator that it draws from in a run.
    """
    wanted = case.scenario.delivery.get(case.delivery or "", ())
    try:
        for number, applied in enumerate(apply_steps(records, wanted, case.id)):
            yield _stage(number, wanted[number], applied)
    except StepError as error:
        where = case.scenario.place(error.line)
        problem = Problem(where, f"{case.id}: {error.what}", error.expected, error.hint)
        raise ScenarioError((problem,)) from error


def matched(before: Sequence[Record], after: Sequence[Record]) -> tuple[Pair, ...]:
    """Return the messages of one partition side by side, in the order of the partition."""
    return tuple(_Match(before, after).pairs())


def _stage(number: int, wanted: DeliveryStep, applied: AppliedStep) -> DeliveryStage:
    first, then = sent(applied.before), sent(applied.after)
    old, new = _parted(first), _parted(then)
    partitions = {
        place: matched(old.get(place, ()), new.get(place, ())) for place in sorted({*old, *new})
    }
    order = (_order(first), _order(then))
    actions = added_actions(applied.before, applied.after)
    return DeliveryStage(number + 1, wanted, partitions, order, actions)


def _parted(records: Sequence[Record]) -> dict[Partition, list[Record]]:
    found: dict[Partition, list[Record]] = {}
    for record in records:
        found.setdefault((record.topic, record.partition), []).append(record)
    return found


def _order(records: Sequence[Record]) -> tuple[Partition, ...]:
    return tuple((record.topic, record.partition) for record in records)


def added_actions(before: Sequence[Step], after: Sequence[Step]) -> tuple[tuple[int, Action], ...]:
    """Return the actions of `after` that `before` lacks, each with how many messages come first."""
    there = Counter(step for step in before if not isinstance(step, Record))
    found: list[tuple[int, Action]] = []
    passed = 0
    for step in after:
        if isinstance(step, Record):
            passed += 1
            continue
        if there[step]:
            there[step] -= 1
        else:
            found.append((passed, step))
        passed += len(sent((step,)))
    return tuple(found)


class _Match:
    """Two versions of one partition."""

    def __init__(self, before: Sequence[Record], after: Sequence[Record]) -> None:
        self._before, self._after = before, after
        self._there, self._now = Counter(before), Counter(after)
        self._matcher = SequenceMatcher(None, before, after, autojunk=False)

    def pairs(self) -> Iterator[Pair]:
        for kind, i, i_end, j, j_end in self._matcher.get_opcodes():
            if kind == "equal":
                for k in range(i_end - i):
                    yield Pair(Mark.KEPT, (i + k, self._before[i + k]), (j + k, self._after[j + k]))
                continue
            yield from self._replaced(range(i, i_end), range(j, j_end))

    def _replaced(self, old: range, new: range) -> Iterator[Pair]:
        """Pair what was changed in its place; what is left went, or came, on its own."""
        left, right = list(old), list(new)
        while left and right:
            before, after = self._before[left[0]], self._after[right[0]]
            if self._now[before] or self._there[after] or not _alike(before, after):
                break
            yield Pair(Mark.CHANGED, (left.pop(0), before), (right.pop(0), after))
        for i in left:
            record = self._before[i]
            yield Pair(Mark.MOVED if self._now[record] else Mark.DROPPED, (i, record), None)
        for j in right:
            record = self._after[j]
            yield Pair(self._came(record), None, (j, record))

    def _came(self, record: Record) -> Mark:
        there, now = self._there[record], self._now[record]
        if not there:
            return Mark.INSERTED
        return Mark.COPIED if now > there else Mark.MOVED


def _alike(before: Record, after: Record) -> bool:
    """Return whether two messages carry the same events."""
    return before.origins == after.origins
