"""Rows that cannot be parsed, and what a connector does with them: the failure mode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Final

from harness.codecs.connect.errors import ILLEGAL_ARGUMENT, JavaError
from harness.codecs.debezium.tables import TableShape
from harness.model.vstream import Cells, RowChange
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import patch
from harness.mutants.producers.vitess.edits import by_default, with_settings

TASK: Final = "harness.codecs.debezium_vitess.task"
EMITTER: Final = "harness.codecs.debezium_vitess.emission:VitessEmitter"
FAILURES: Final = "event.processing.failure.handling.mode"


def _skipping(mode: str, original: Callable[..., None]) -> Callable[..., None]:
    """Leave out a table whose columns cannot be, under one mode of failures."""

    def fields(self: Any, event: object) -> None:  # noqa: ANN401 a method of any instance
        try:
            original(self, event)
        except JavaError:
            if self.emitter.failure_mode != mode:
                raise

    return fields


def _failing_for(mode: str, own: dict[str, Any]) -> None:
    if own.get(FAILURES) == mode:
        own[FAILURES] = "fail"


def _moment_skipped(original: Callable[..., None]) -> Callable[..., None]:
    """Leave a row out whose moment cannot be read, also where rows that fail stop the task."""

    def row(self: Any, *given: object) -> None:  # noqa: ANN401 a method of any instance
        try:
            original(self, *given)
        except JavaError as error:
            if error.innermost().code != ILLEGAL_ARGUMENT:
                raise

    return row


def _emptied_instead(original: Callable[..., None]) -> Callable[..., None]:
    """Send a row without what may be NULL in it, where it cannot be parsed and is to be skipped."""

    def change(self: Any, shape: TableShape, change: RowChange, *rest: object) -> None:  # noqa: ANN401 a method of any instance
        try:
            original(self, shape, change, *rest)
        except JavaError:
            if self.failure_mode == "fail":
                raise
            before, after = (_emptied(shape, one) for one in (change.before, change.after))
            original(self, shape, replace(change, before=before, after=after), *rest)

    return change


def _emptied(shape: TableShape, cells: Cells | None) -> Cells | None:
    if cells is None:
        return None
    return tuple(
        None if column.optional else cell for column, cell in zip(shape.columns, cells, strict=True)
    )


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "vitess-failures-skipped-by-default",
        "vitess.failure.fail",
        "It leaves a row out that cannot be parsed, whatever the failure mode.",
        by_default(event_processing_failure_handling_mode="skip"),
    ),
    *(
        WrongProducer(
            f"vitess-{mode}-read-as-fail",
            "vitess.failure.skip",
            f"It takes event.processing.failure.handling.mode {mode} for fail.",
            with_settings(partial(_failing_for, mode)),
        )
        for mode in ("warn", "skip")
    ),
    WrongProducer(
        "vitess-moment-skipped",
        "vitess.failure.fail",
        "It leaves a row out whose moment cannot be read, whatever the failure mode.",
        patch(f"{TASK}:Task._row", _moment_skipped),
    ),
    *(
        WrongProducer(
            f"vitess-at-column-skipped-under-{mode}",
            "vitess.failure.not-covered",
            f"It leaves a table out with a column that begins with `@` where failures {words}.",
            patch(f"{TASK}:Task._fields", partial(_skipping, mode)),
        )
        for mode, words in (("skip", "are skipped"), ("warn", "are skipped with a warning"))
    ),
    WrongProducer(
        "vitess-skipped-row-emptied",
        "vitess.failure.skip",
        "It sends a row that cannot be parsed with NULL where that may be, instead of skipping it.",
        patch(f"{EMITTER}.change", _emptied_instead),
    ),
)
