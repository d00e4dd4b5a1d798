"""Nobody passes who did not read: right answers without the messages are inconclusive."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import orjson
import pytest

from harness.engine.run.watch import needed_of
from harness.model.observed import DeadLetter, Observed, Outcome
from tests.engine.plan.test_case import planned
from tests.system.test_bad_days import PRELUDE, command_line

ROOT = Path(__file__).resolve().parents[2]
SCENARIO = "dml.insert-update-delete"
CASES = f'"{SCENARIO}[open,p4]" or "{SCENARIO}[avro,p4]"'
# An oracle: it knows the answer, whatever it is asked.
ANSWER = """
from confluent_kafka import Consumer, TopicPartition
rows = [{"id": 2, "item": "salt", "qty": 5}, {"id": 3, "item": "", "qty": 0}]
with open(os.path.join(out, "tables", "shop.orders.jsonl"), "w") as file:
    file.writelines(json.dumps(row) + "\\n" for row in rows)
conf = {**job["kafka"]["librdkafka"], "group.id": job["kafka"]["group_id"]}
def read(places):
    client = Consumer({**conf, "enable.auto.commit": False})
    client.assign([TopicPartition(*place) for place, _ in places])
    left = sum(end for _, end in places)
    while left:
        left -= len(client.consume(left, 1.0))
    client.close()
places = [
    ((t["name"], n, 0), end)
    for t in feed["topics"] for n, end in enumerate(t["end_offsets"]) if end
]
HOW
status(status="done")
"""
READING = {
    "never connects": ("pass", "inconclusive"),
    "asks for offsets": (
        "Consumer(conf).get_watermark_offsets(TopicPartition(*places[0][0]))",
        "inconclusive",
    ),
    "reads the first message": ("read([(places[0][0], 1)])", "inconclusive"),
    "reads all but a partition": ("read(places[1:])", "inconclusive"),
    "reads all, commits nothing": ("read(places)", "pass"),
}


def verdicts(tmp_path: Path, how: str, *more: str) -> list[dict[str, Any]]:
    """Certify the oracle, which reads as it is said; return the finished cases."""
    (tmp_path / "consumer.py").write_text(PRELUDE + ANSWER.replace("HOW", how))
    done = subprocess.run(
        [*command_line(CASES), *more, "--json"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    document = orjson.loads(done.stdout)
    assert done.returncode == document["exit_code"]
    cases: list[dict[str, Any]] = document["cases"]
    return cases


@pytest.mark.services
@pytest.mark.parametrize("reading", READING)
def test_an_answer_counts_when_its_topics_were_read(tmp_path: Path, reading: str) -> None:
    """What was fetched decides, not the answer, a group or its commits."""
    how, judgement = READING[reading]
    found = verdicts(tmp_path, how)
    assert {one["verdict"]["judgement"] for one in found} == {judgement}
    if judgement != "pass":
        assert all("was not read" in one["verdict"]["detail"] for one in found)


@pytest.mark.services
@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("read(places); time.sleep(600)", "; Kafka had sent it all messages by then"),
        ("read(places[1:]); time.sleep(600)", "was not read: its messages were fetched up to"),
    ],
)
def test_a_late_answer_says_whether_a_message_was_lacking(
    tmp_path: Path, how: str, said: str
) -> None:
    """Who waits for a message that never comes has been sent all: then that is what is wrong."""
    found = verdicts(tmp_path, how, "--deadline", "15")
    assert {one["verdict"]["judgement"] for one in found} == {"timeout"}
    assert all(said in one["verdict"]["detail"] for one in found)


@pytest.mark.services
def test_nothing_that_a_consumer_is_given_names_the_scenario(tmp_path: Path) -> None:
    """Job, paths, topics, group and environment hold numbers that are others in each run."""
    spy = f"""
with open({str(tmp_path / "seen.txt")!r}, "a") as file:
    given = [json.dumps(job), os.environ["HARNESS_JOB"], os.getcwd(), repr(sys.argv)]
    json.dump({{"id": feed["id"], "text": repr(given) + repr(dict(os.environ))}}, file)
    file.write("\\n")
"""
    first, second = verdicts(tmp_path, spy), verdicts(tmp_path, spy)
    lines = [orjson.loads(line) for line in (tmp_path / "seen.txt").read_bytes().splitlines()]
    assert len(lines) == len(first) + len(second)
    for line in lines:
        text = line["text"].replace(str(tmp_path), "")
        assert not [word for word in ("insert-update", "dml.", "p4]") if word in text]
    ids = {line["id"] for line in lines}
    assert len(ids) == len(lines)
    assert ids == {one["changefeed"] for one in (*first, *second)}


def test_who_gave_up_has_read_the_message_that_it_names(tmp_path: Path) -> None:
    """An error demands what it says; one that names nothing, or what is gone, demands nothing."""
    plan = next(iter(planned(tmp_path).values()))
    (topic, number), log = next((at, log) for at, log in plan.delivery.logs.items() if log.read)
    names = {topic: f"harness-0-1.{topic}"}

    def needed(*places: DeadLetter) -> object:
        return needed_of(plan, names, Observed(Outcome.ERROR, "x", stopped_at=places))

    assert needed() == {}
    assert needed(DeadLetter(topic, number, log.end + 5)) == {}
    assert needed(DeadLetter(names[topic], number, 0)) == {(topic, number): 1}
    assert needed_of(plan, names, Observed(Outcome.CRASH, "x")) == {}
    assert needed_of(plan, names, Observed(Outcome.DONE))
