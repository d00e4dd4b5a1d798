"""What a broker deletes on its own is nobody's failure: such cases are inconclusive."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from harness.cli.main import main
from tests.tree import ROOT

pytestmark = pytest.mark.services

TOGETHER = "'dml.no-net-change[open,p1]'"
ALONE = "'transport.consumers-come-and-go[open,p2,killed]'"
ROOTS = ("--scenarios", str(ROOT / "scenarios"), "--golden", str(ROOT / "golden"))
# The reference consumer; it says what retention its topics have, and lets the broker delete from
# them before and after it has read, as retention does.
DELETES = """
import json, os, sys
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient, ConfigResource
from harness.reference_consumer.__main__ import main
job = json.loads(open(os.environ["HARNESS_JOB"]).read())
admin = AdminClient({"bootstrap.servers": job["kafka"]["librdkafka"]["bootstrap.servers"]})
(feed,) = job["changefeeds"]
name = feed["topics"][0]["name"]
((_, answer),) = admin.describe_configs([ConfigResource("topic", name)]).items()
found = answer.result()["retention.ms"]
print("RETENTION", found.value, found.source == 1, flush=True)  # 1: the topic's own
def delete():
    for future in admin.delete_records([TopicPartition(name, 0, 1)]).values():
        if future.exception() is None:
            print("DELETED", flush=True)
if sys.argv[1] == "before":
    delete()
code = main()
if sys.argv[1] == "after":
    delete()
sys.exit(code)
"""


def run(tmp_path: Path, when: str, case: str, *settings: str) -> tuple[str, str]:
    """Certify the consumer beside an external broker; return how it ended and what it said."""
    (tmp_path / "deletes.py").write_text(DELETES, encoding="utf-8")
    command = [sys.executable, "./deletes.py", when]
    manifest = {"manifest": 1, "name": "deletes", "command": command}
    manifest["environment"] = {"PYTHONPATH": str(ROOT)}
    (tmp_path / "consumer.yaml").write_text(json.dumps(manifest), encoding="utf-8")
    words = ["certify", "consumer.yaml", "-k", case, "--ndjson", "events.ndjson"]
    main([*words, *settings, *ROOTS])
    lines = map(json.loads, Path("events.ndjson").read_text(encoding="utf-8").splitlines())
    (verdict,) = [line["verdict"] for line in lines if line["event"] == "case-finished"]
    (log,) = Path(".harness").rglob("output.log")
    return f"{verdict['judgement']}: {verdict['detail']}", log.read_text(encoding="utf-8")


@pytest.mark.usefixtures("shared_services")
@pytest.mark.parametrize(
    ("when", "case"), [("before", TOGETHER), ("after", TOGETHER), ("after", ALONE)]
)
def test_what_the_broker_deleted_is_held_against_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str, case: str
) -> None:
    """Whoever reads too late cannot read, and whether it read in time is not known."""
    monkeypatch.chdir(tmp_path)
    ended, said = run(tmp_path, when, case)
    assert "DELETED" in said
    assert ended.startswith("inconclusive: ")
    assert "the broker deleted messages of harness-" in ended
    assert "/0 below offset 1; " in ended


@pytest.mark.usefixtures("shared_services")
@pytest.mark.parametrize(("setting", "kept"), [("-1", "-1 True"), ("default", "-1 False")])
def test_topics_are_kept_for_ever_unless_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, kept: str
) -> None:
    """The topic says so itself; by a setting it is the broker's to say (of ours, for ever)."""
    monkeypatch.chdir(tmp_path)
    words = ("--set", f"topics.retention-ms={setting}")
    assert run(tmp_path, "never", TOGETHER, *words)[1].startswith(f"RETENTION {kept}\n")
