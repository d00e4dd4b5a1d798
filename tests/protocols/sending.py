"""Sends a small log under settings, through everything that a scenario passes before Kafka."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.contracts import Setting
from harness.engine.plan.case import Plan, plan
from harness.errors import HarnessError
from harness.model.record import SchemaUse
from harness.record.lock import header, load_lock, write_lock
from harness.record.recorder import _Replay
from harness.record.session import sql_steps
from harness.scenario.expand import cases
from harness.scenario.load import load
from tests.protocols.setting_trials import LOGS, PLACEHOLDERS, Trial

CLAUSES = {
    "open": "open.row.insert",
    "avro": "avro.row.insert",
    "vitess": "vitess.row.create",
    "debezium-mysql": "debezium-mysql.row.create",
}


class Sender:
    """Sends logs under settings; each outcome is what a consumer can see, or the refusal.

    `made` is the plan of the last log that was sent, None where it was refused.
    """

    def __init__(self, root: Path) -> None:
        """Take a directory for the scenarios."""
        self._root = root
        self._number = 0
        self.made: Plan | None = None

    def __call__(
        self, protocol: str, trial: Trial, settings: Mapping[str, Any], dialect: str = ""
    ) -> object:
        """Return what is sent of a trial's log, by default in the protocol's first dialect."""
        self._number += 1
        self.made = None
        name = f"s{self._number:05}"
        document: dict[str, Any] = {
            "id": name,
            "title": "A log under settings",
            "clauses": [CLAUSES[protocol]],
            "matrix": {
                "protocol": [protocol],
                "partitions": [3],
                **({"dialect": [dialect]} if dialect else {}),
            },
            "settings": {protocol: dict(settings)},
            "databases": ["shop", "other"],
            "upstream": LOGS[trial.log],
            "expect": {"tables": {}},
        }
        if trial.keyspace is not None:
            document["keyspace"] = trial.keyspace
        path = self._root / f"{name}.yaml"
        path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
        try:
            scenario = load(path, self._root)
            replay = _Replay(scenario, {}, [{} for _ in sql_steps(scenario)])
            lines = [header(scenario, "none", "reads"), *replay.lines()]
            write_lock(scenario, self._root, lines)
            (case,) = cases(scenario)
            made = self.made = plan(case, load_lock(scenario, self._root))
        except HarnessError as refused:
            return str(refused).replace(name, "")
        return [
            (
                r.topic,
                r.partition,
                r.key,
                r.value,
                r.headers,
                _text(r.key_schema),
                _text(r.value_schema),
            )
            for r in made.records
        ]


def _text(used: SchemaUse | None) -> str:
    return "" if used is None else used.schema


def name_of(row: Setting) -> str:
    """Return a name that a row stands for."""
    name = row.name
    for placeholder, word in PLACEHOLDERS.items():
        name = name.replace(placeholder, "p" if name.startswith("predicates.") else word)
    return name


def values_of(row: Setting, trial: Trial) -> list[Any]:
    """Return the values to try: the trial's, or all that the row lists but the default."""
    if trial.values:
        return list(trial.values)
    words = row.values.split(" | ")
    default = row.default.partition(";")[0]
    texts = {"true": True, "false": False}
    found = [texts.get(word, word) for word in words if word != default]
    assert len(words) > 1, f"{row.name}: {row.values} lists no values to try"
    return found
