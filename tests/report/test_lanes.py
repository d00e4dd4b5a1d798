"""Lanes show every message of a delivery in the order of sending, and where the run is harmed."""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from harness.cli.main import main
from harness.engine.plan.case import Plan
from harness.report.lanes import Came, Shape, lanes, left_out, moments
from harness.report.lanes_page import lanes_page
from tests.engine.plan.test_case import TEXT, planned

HARMED = """\
  harmed:
    - kill: {after-records: 2, resume: false}
      allowed-by: {open: kafka.at-least-once}
    - broker-restart: {after: one}
      allowed-by: {open: kafka.brokers-fail}
  held:
    - uncommitted: {transaction: two}
      allowed-by: {open: kafka.aborted-transactions}
  spoiled:
    - truncated: {transaction: one}
      hostile: true
expect:
"""
NO_END = {"meta", "rect", "line", "path", "circle", "br"}


def plans(tmp_path: Path) -> dict[str | None, Plan]:
    """Return the plans of a scenario with deliveries of every kind."""
    text = TEXT.replace("max-batch-size: 2", "max-batch-size: 1")
    return planned(tmp_path, text.replace("expect:\n", HARMED, 1))


def test_every_message_has_its_column(tmp_path: Path) -> None:
    """The columns of all lanes are the messages that can be read, each once, offsets in order."""
    for plan in plans(tmp_path).values():
        found = lanes(plan)
        columns = sorted(one.column for lane in found for one in lane.sent)
        assert columns == list(range(len(plan.delivered)))
        for lane in found:
            assert [one.offset for one in lane.sent] == sorted(one.offset for one in lane.sent)
            # A lane is in the order of sending, also where equal messages come more than once.
            assert [one.column for one in lane.sent] == sorted(one.column for one in lane.sent)
            topic, _, partition = lane.name.rpartition("/")
            for one in lane.sent:
                record = plan.delivered[one.column]
                assert (record.topic, record.partition) == (topic, int(partition))


def test_what_comes_again_is_marked(tmp_path: Path) -> None:
    """As many messages are marked as the delivery adds, and none of an undisturbed one."""
    found = plans(tmp_path)
    came = Counter(one.came for lane in lanes(found["again"]) for one in lane.sent)
    assert came[Came.AGAIN] == len(found["again"].delivered) - len(found["again"].records)
    assert {one.came for lane in lanes(found[None]) for one in lane.sent} == {Came.AS_SENT}


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    """Messages that are held back for ever are missing in the lanes, and the page says so."""
    found = plans(tmp_path)
    assert left_out(found[None]) == 0
    gone = len(found["held"].records) - len(found["held"].delivered)
    assert left_out(found["held"]) == gone
    assert (f"{gone} messages of the undisturbed case are not there" in page(found)) == (gone > 0)


def page(found: dict[str | None, Plan]) -> str:
    """Return the page of all plans."""
    return lanes_page(list(found.values()))


def test_a_kill_has_its_place(tmp_path: Path) -> None:
    """A kill after two messages stands behind the second, by its partition and line."""
    plan = plans(tmp_path)["harmed"]
    killed, restarted = moments(plan)
    second = plan.delivered[1]
    assert killed.behind == 2
    assert f"the last of them is {second.topic}/{second.partition}, line" in killed.text
    assert restarted.behind is not None
    assert f"after {restarted.behind} messages: the broker stops" in restarted.text
    drawn = lanes_page([plan])
    assert drawn.count('class="moment"') == 2


# What a message remembers of its birth -> what it is drawn as.
DRAWN = {
    "insert": Shape.ROW,
    "update": Shape.ROW,
    "delete": Shape.DELETE,
    "ddl": Shape.DDL,
    "resolved": Shape.RESOLVED,
}


def test_each_message_says_what_it_is(tmp_path: Path) -> None:
    """Rows, deletes, DDL and resolved events are drawn differently, with line and transaction."""
    plan = plans(tmp_path)[None]
    seen = [
        (one, plan.delivered[one.column].origins[0]) for lane in lanes(plan) for one in lane.sent
    ]
    assert {origin.kind for _, origin in seen} >= {"insert", "delete", "ddl", "resolved"}
    for one, origin in seen:
        assert one.shape is DRAWN[origin.kind]
        assert (one.line, one.transaction) == (origin.line, origin.transaction or "")


def test_a_spoiled_message_is_neither_sent_nor_readable(tmp_path: Path) -> None:
    """A message that the delivery made is marked as such, and as one that nobody can read."""
    found = plans(tmp_path)["spoiled"]
    (spoiled,) = (one for lane in lanes(found) for one in lane.sent if one.came is not Came.AS_SENT)
    assert (spoiled.came, spoiled.shape) == (Came.OTHER, Shape.UNREADABLE)
    assert "cannot be read" in spoiled.texts[0]
    assert 'class="unreadable"' in lanes_page([found])


class Balance(HTMLParser):
    """Holds that each element is closed, in order."""

    def __init__(self) -> None:
        """Begin outside."""
        super().__init__()
        self.opened: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Open an element."""
        del attrs
        if tag not in NO_END:
            self.opened.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        """An element that closes itself."""

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost element."""
        assert self.opened.pop() == tag

    def handle_data(self, data: str) -> None:
        """Keep the text."""
        self.texts.append(data)


def test_the_page_is_sound_and_escaped(tmp_path: Path) -> None:
    """Elements are closed in order, and a title with markup is text."""
    text = TEXT.replace("title: A case", "title: A <b>case</b> & 'more'")
    found = planned(tmp_path, text)
    parser = Balance()
    parser.feed(page(found))
    parser.close()
    assert parser.opened == []
    assert "A <b>case</b> & 'more'" in parser.texts
    assert "<script" not in page(found)


def test_the_command_writes_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`preview --html` writes one file of the cases chosen, and refuses other forms beside it."""
    monkeypatch.chdir(tmp_path)
    arguments = ["preview", "keys.pk-chain", "--scenarios", "bundled", "--html", "lanes.html"]
    assert main(arguments) == 0
    assert "wrote lanes.html" in capsys.readouterr().out
    written = (tmp_path / "lanes.html").read_text("utf-8")
    assert '<h2 id="keys.pk-chain[open,p1]">' in written
    assert main([*arguments, "--json"]) == 2
    assert "--html goes with no other form" in capsys.readouterr().err
