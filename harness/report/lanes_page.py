"""`preview --html`: the lanes of cases as one file that asks nothing of any network.

There is no script in it. Every text is escaped where it is written.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from harness.engine.plan.case import Plan
from harness.errors import plural
from harness.report.deliveries import delivery_lines
from harness.report.escapes import visible
from harness.report.lanes import Came, Lane, Moment, Sent, Shape, lanes, left_out, moments
from harness.report.preview import standing_line

LANE, STEP, TOP, RIGHT = 58, 30, 44, 40
LETTER = 7.2  # the width of a letter of a lane's name
STYLE = """
:root { color-scheme: light dark; --paper: #fcfcfa; --ink: #1c1e21; --soft: #5b6168;
  --line: #c9ccd1; --band: #e3ecf7; --row: #0b57a4; --again: #a3211a; --mark: #7a4f00; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #16181b; --ink: #e8e9eb; --soft: #a3a9b1; --line: #363b41; --band: #22344a;
    --row: #8bbcf5; --again: #ff9a90; --mark: #f0c05a; }
}
body { font: 15px/1.5 system-ui, sans-serif; background: var(--paper); color: var(--ink);
  max-width: 80rem; margin: 2rem auto; padding: 0 1rem; }
h2 a { color: inherit; text-decoration: none; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 .3rem; overflow-wrap: anywhere; }
p { margin: .3rem 0; } .soft { color: var(--soft); }
.wide { overflow-x: auto; border: 1px solid var(--line); margin: .6rem 0; }
svg { display: block; font: 12px ui-monospace, monospace; } svg text { fill: var(--ink); }
.lane { stroke: var(--line); } .band { fill: var(--band); } svg .name { fill: var(--soft); }
.row { fill: var(--row); } .delete { fill: var(--paper); stroke: var(--row); stroke-width: 2; }
.ddl { fill: var(--mark); } .resolved { stroke: var(--soft); stroke-width: 2; }
.boundary { fill: none; stroke: var(--soft); stroke-width: 2; }
.unreadable, .nothing { fill: none; stroke: var(--again); stroke-width: 2; }
.came { fill: none; stroke: var(--again); stroke-dasharray: 3 2; stroke-width: 2; }
.moment { stroke: var(--again); stroke-dasharray: 6 3; stroke-width: 1.5; }
svg .moment-name { fill: var(--again); font-weight: bold; }
table { border-collapse: collapse; } th, td { border-bottom: 1px solid var(--line);
  padding: .15rem .7rem .15rem 0; text-align: left; vertical-align: top; }
td { overflow-wrap: anywhere; } td:first-child { white-space: nowrap; }
pre { overflow-x: auto; } summary { cursor: pointer; }
"""
LEGEND = (
    "● row   ○ delete or tombstone   ◆ DDL   | resolved event or heartbeat   [ boundary of a "
    "transaction   × cannot be read   □ no event   dashed ring: sent again, changed or inserted   band: one "
    "transaction   dashed line: something is done to the run, by number below"
)


def lanes_page(plans: Sequence[Plan]) -> str:
    """Return the file for cases, each with its picture, its faults and its messages in a table."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    body = "\n".join(line for plan in plans for line in _case(plan))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>What is sent: {plural(len(plans), 'case')}</title>\n<style>{STYLE}</style>\n"
        f"</head>\n<body>\n<main>\n<h1>What is sent</h1>\n"
        f'<p class="soft">From left to right: the order of sending. {_html(LEGEND)}.</p>\n'
        f"{body}\n</main>\n</body>\n</html>\n"
    )


def _html(text: str) -> str:
    return html.escape(visible(text))


def _case(plan: Plan) -> Iterator[str]:
    name = _html(plan.case.id)
    found, done = lanes(plan), tuple(moments(plan))
    yield f'<section>\n<h2 id="{name}"><a href="#{name}">{name}</a></h2>'
    yield f"<p>{_html(plan.case.scenario.title)}</p>"
    yield f'<p class="soft">{_html(standing_line(plan.case).strip())}</p>'
    if done:
        yield "<ol>"
        yield from (f"<li>{_html(_said(moment))}</li>" for moment in done)
        yield "</ol>"
    if gone := left_out(plan):
        yield f"<p>Not there: {plural(gone, 'message')} of the undisturbed case.</p>"
    columns = len(plan.delivered)
    yield f'<div class="wide" tabindex="0" role="group" aria-label="Lanes of {name}">'
    yield from _picture(found, done, columns)
    yield "</div>"
    if plan.case.delivery:
        steps = "\n".join(delivery_lines(plan))
        yield "<details><summary>The steps, side by side</summary>"
        yield f"<pre>{_html(steps)}</pre></details>"
    yield "<details><summary>All messages</summary>"
    yield from _table(found)
    yield "</details>\n</section>"


def _said(moment: Moment) -> str:
    where = "" if moment.behind is not None else " (not drawn: the consumer decides when)"
    return moment.text + where


def _picture(found: Sequence[Lane], done: Sequence[Moment], columns: int) -> Iterator[str]:
    left = 20 + LETTER * max((len(lane.name) for lane in found), default=0)
    width, height = left + columns * STEP + RIGHT, TOP + len(found) * LANE
    counts = ((len(found), "partition"), (columns, "message"), (len(done), "thing"))
    said = ", ".join(plural(*one) for one in counts) + " done to the run"
    yield (
        f'<svg width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}"'
        f' role="img" aria-label="{said}">'
    )
    for number, lane in enumerate(found):
        y = TOP + number * LANE + 20
        yield from _bands(lane, left, y)
        yield f'<line class="lane" x1="{left:.0f}" x2="{width - 8:.0f}" y1="{y}" y2="{y}"/>'
        yield f'<text x="8" y="{y + 4}">{_html(lane.name)}</text>'
        yield from (mark for one in lane.sent for mark in _mark(one, left, y))
    yield from _lines(done, left, columns, height)
    yield "</svg>"


def _bands(lane: Lane, left: float, y: int) -> Iterator[str]:
    """Yield a band behind each run of messages of one transaction."""
    for name, group in groupby(lane.sent, key=lambda one: one.transaction):
        members = list(group)
        if not name:
            continue
        x = left + members[0].column * STEP + 2
        width = (members[-1].column + 1 - members[0].column) * STEP - 4
        box = f'x="{x:.0f}" y="{y - 14}" width="{width}" height="28"'
        yield f'<rect class="band" {box} rx="6"/>'
        yield f'<text class="name" x="{x:.0f}" y="{y - 18}">{_html(name)}</text>'


def _mark(one: Sent, left: float, y: int) -> Iterator[str]:
    x = round(left + (one.column + 0.5) * STEP)
    came = f", {one.came.value}" if one.came is not Came.AS_SENT else ""
    where = f"line {one.line}" + (f", {one.transaction}" if one.transaction else "")
    title = "\n".join([f"@{one.offset} ({where}{came})", *one.texts])
    yield f"<g><title>{_html(title)}</title>{_shape(one.shape, x, y)}"
    if one.came is not Came.AS_SENT:
        yield f'<circle class="came" cx="{x}" cy="{y}" r="11"/>'
    yield f'<text class="name" x="{x}" y="{y + 26}" text-anchor="middle">{one.offset}</text></g>'


def _shape(shape: Shape, x: int, y: int) -> str:
    match shape:
        case Shape.ROW | Shape.DELETE:
            return f'<circle class="{shape.value}" cx="{x}" cy="{y}" r="6"/>'
        case Shape.DDL:
            return f'<path class="ddl" d="M{x} {y - 8}L{x + 8} {y}L{x} {y + 8}L{x - 8} {y}Z"/>'
        case Shape.RESOLVED:
            return f'<path class="resolved" d="M{x} {y - 9}V{y + 9}"/>'
        case Shape.BOUNDARY:
            return f'<path class="boundary" d="M{x + 4} {y - 8}H{x - 3}V{y + 8}H{x + 4}"/>'
        case Shape.UNREADABLE:
            cross = f"M{x - 6} {y - 6}L{x + 6} {y + 6}M{x - 6} {y + 6}L{x + 6} {y - 6}"
            return f'<path class="unreadable" d="{cross}"/>'
        case Shape.NOTHING:
            return f'<path class="nothing" d="M{x - 5} {y - 5}H{x + 5}V{y + 5}H{x - 5}Z"/>'


def _lines(done: Sequence[Moment], left: float, columns: int, height: int) -> Iterator[str]:
    """Yield a line for each moment that can be placed; its number is that of the list."""
    at: dict[int, list[str]] = {}
    for number, moment in enumerate(done, 1):
        if moment.behind is not None:
            at.setdefault(min(moment.behind, columns), []).append(str(number))
    for behind, numbers in at.items():
        x = left + behind * STEP
        yield f'<line class="moment" x1="{x:.0f}" x2="{x:.0f}" y1="20" y2="{height - 4}"/>'
        said = ", ".join(numbers)
        yield f'<text class="moment-name" x="{x:.0f}" y="15" text-anchor="middle">{said}</text>'


def _table(found: Iterable[Lane]) -> Iterator[str]:
    yield '<div class="wide" tabindex="0" role="group" aria-label="All messages"><table><thead><tr>'
    heads = ("message", "sent as number", "line", "transaction", "", "events")
    yield "".join(f'<th scope="col">{head}</th>' for head in heads) + "</tr></thead><tbody>"
    for lane in found:
        for one in lane.sent:
            events = "<br>".join(map(_html, one.texts))
            cells = (
                f"{_html(lane.name)}@{one.offset}",
                str(one.column + 1),
                str(one.line),
                _html(one.transaction),
                one.came.value,
                events,
            )
            yield "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
    yield "</tbody></table></div>"
