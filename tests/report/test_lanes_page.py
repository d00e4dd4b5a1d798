"""The page of lanes draws each message where it is sent, escapes all, and needs no network."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape, unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from harness.cli.main import main
from harness.faults.actions import AfterCommits, AfterRecords, Kill, RestartBroker, Step
from harness.report.lanes import Came, Lane, Sent, Shape, lanes
from harness.report.lanes_page import STYLE, _bands, _shape, lanes_page
from tests.engine.plan.test_case import TEXT, planned
from tests.report.test_lanes import HELD, page, plans

NO_END = {"meta", "rect", "line", "path", "circle", "br"}
MARK = re.compile(r"<g><title>@(\d+) (.*?)</title>(.*?)</g>", re.DOTALL)
LINE = re.compile(r'class="moment" x1="(\d+)"')
NAMED = re.compile(r'class="moment-name" x="(\d+)"[^>]*>([^<]*)<')
CENTRE = re.compile(r'(?:cx="|d="M)(-?\d+)')
SIGNS = {
    Shape.ROW: '<circle class="row"',
    Shape.DELETE: '<circle class="delete"',
    Shape.DDL: '<path class="ddl"',
    Shape.RESOLVED: '<path class="resolved"',
    Shape.UNREADABLE: '<path class="unreadable"',
    Shape.NOTHING: '<path class="nothing"',
}


@pytest.mark.parametrize("name", [None, "again", "harmed", "held", "spoiled", "empty"])
def test_each_message_is_drawn_where_it_is_sent(name: str | None, tmp_path: Path) -> None:
    """A mark has its shape, offset, line, texts and ring, a column further right for each sent."""
    plan = plans(tmp_path)[name]
    found = [one for lane in lanes(plan) for one in lane.sent]
    marks = MARK.findall(lanes_page([plan]))
    assert len(marks) == len(found)
    edges: set[int] = set()
    for one, (offset, title, drawn) in zip(found, marks, strict=True):
        assert int(offset) == one.offset
        assert f">{one.offset}</text>" in drawn
        where, *texts = unescape(title).split("\n")
        assert where.startswith(f"(line {one.line}")
        assert (one.transaction in where, one.came.value in where) == (True, True)
        assert tuple(texts) == one.texts
        assert SIGNS[one.shape] in drawn
        assert ('class="came"' in drawn) == (one.came is not Came.AS_SENT)
        (middle,) = re.findall(r'class="name" x="(\d+)"', drawn)
        edges.add(int(middle) - 30 * one.column)
    assert max(edges) - min(edges) <= 1


def test_what_is_done_is_drawn_between_columns(tmp_path: Path) -> None:
    """A line for each moment that has a place, before the next message, with its numbers."""
    plain = plans(tmp_path)[None]
    records = plain.records
    steps: tuple[Step, ...] = (
        RestartBroker(),
        Kill(AfterCommits(1)),
        *records[:2],
        RestartBroker(),
        HELD,
        *records[2:],
        Kill(AfterRecords(99)),
    )
    drawn = lanes_page([replace(plain, delivery=replace(plain.delivery, steps=steps))])
    left = int(re.findall(r'class="lane" x1="(\d+)"', drawn)[0])
    places = [(left, "1"), (left + 60, "3, 4"), (left + 30 * len(records), "5")]
    assert [(int(x), said) for x, said in NAMED.findall(drawn)] == places
    assert [int(x) for x in LINE.findall(drawn)] == [x for x, _ in places]
    listed = re.findall("<li>(.*?)</li>", drawn)
    assert len(listed) == 5
    assert [item.endswith("(not drawn: the consumer decides when)") for item in listed] == [
        False,
        True,
        False,
        False,
        False,
    ]


def test_a_band_is_one_transaction(tmp_path: Path) -> None:
    """A band reaches from its first to its last message in a lane; resolved events have none."""
    plan = plans(tmp_path)["again"]
    drawn = lanes_page([plan])
    left = int(re.findall(r'class="lane" x1="(\d+)"', drawn)[0])
    bands = re.findall(r'class="band" x="(\d+)" y="(\d+)" width="(\d+)"', drawn)
    expected: list[tuple[int, int, int]] = []
    for number, lane in enumerate(lanes(plan)):
        top = 44 + 58 * number + 20 - 14
        run: list[int] = []
        name = ""
        for transaction, column in [*((one.transaction, one.column) for one in lane.sent), ("", 0)]:
            if transaction != name and run:
                expected.append((left + 30 * run[0] + 2, top, 30 * (run[-1] - run[0] + 1) - 4))
                run = []
            name = transaction
            if name:
                run.append(column)
    assert [tuple(map(int, band)) for band in bands] == expected
    assert len(expected) > 2


PLACED = Sent(0, 0, Shape.ROW, Came.AS_SENT, "one", 9, ("1 insert",))


def test_a_band_reaches_over_what_other_lanes_were_sent_in_between() -> None:
    """From the first column of a transaction to its last, however few of them are in its own lane."""
    lane = Lane("t/0", (PLACED, replace(PLACED, column=5, offset=1), replace(PLACED, column=7)))
    alone = replace(PLACED, column=9, transaction="two")
    (band, other) = re.findall(
        r'class="band" x="(\d+)" y="\d+" width="(\d+)"',
        "".join(_bands(replace(lane, sent=(*lane.sent, alone)), 100, 64)),
    )
    assert band == ("102", str(8 * 30 - 4))
    assert other == (str(100 + 9 * 30 + 2), str(30 - 4))


def test_each_shape_has_its_own_sign() -> None:
    """No two have the same form but rows and deletes, which are full and empty; each has its style."""
    drawn = {shape: _shape(shape, 50, 60) for shape in Shape}
    for shape, text in drawn.items():
        assert f'class="{shape.value}"' in text
        assert f".{shape.value}" in STYLE
    forms = [text.replace(f'"{shape.value}"', "") for shape, text in drawn.items()]
    assert len(set(forms)) == len(Shape) - 1


def test_the_table_has_each_message(tmp_path: Path) -> None:
    """A row a message: place, number of sending, line, transaction, how it came, events."""
    plan = plans(tmp_path)["again"]
    drawn = lanes_page([plan])
    rows = re.findall("<tr><td>(.*?)</td></tr>", drawn)
    assert [row.split("</td><td>") for row in rows] == [
        [
            f"{lane.name}@{one.offset}",
            str(one.column + 1),
            str(one.line),
            one.transaction,
            one.came.value,
            "<br>".join(escape(text, quote=True) for text in one.texts),
        ]
        for lane in lanes(plan)
        for one in lane.sent
    ]
    assert "The steps, side by side" in drawn
    assert "The steps, side by side" not in lanes_page([plans(tmp_path)[None]])


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
    text = TEXT.replace("title: A case", "title: \"A <b>case</b> & 'more' \\e[2J\"")
    found = planned(tmp_path, text)
    parser = Balance()
    parser.feed(page(found))
    parser.close()
    assert parser.opened == []
    assert "A <b>case</b> & 'more' \\x1b[2J" in parser.texts
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
