// A picture of the partitions: each a lane, its records in the order of their offsets. The number
// over a record is the rank of its commit ts among all: where numbers fall from left to right, the
// partition is out of commit order. The dashed line joins, in commit order, what findings name.

const LANE = 46;
const STEP = 34;
const ROWS = new Set(['insert', 'update', 'upsert', 'rows']);

function timeline(evidence) {
  const points = evidence.timeline;
  if (points.length === 0) return [];
  const lanes = [...new Set(points.map(laneOf))];
  const moments = [...new Set(points.map((point) => BigInt(point.commit_ts)))].sort((a, b) => (a < b ? -1 : 1));
  const rank = new Map(moments.map((moment, number) => [String(moment), number + 1]));
  const left = 16 + 7 * Math.max(...lanes.map((lane) => lane.length));
  const column = {};
  const placed = points.map((point) => {
    const lane = laneOf(point);
    column[lane] = (column[lane] ?? -1) + 1;
    return { point, x: left + 20 + column[lane] * STEP, y: 30 + lanes.indexOf(lane) * LANE, rank: rank.get(String(point.commit_ts)) };
  });
  const width = Math.max(...placed.map((one) => one.x)) + 40;
  const height = 30 + lanes.length * LANE;
  const blamed = placed.filter((one) => one.point.blamed).sort((a, b) => a.rank - b.rank);
  const said = `${plural(lanes.length, 'partition')}, ${plural(points.length, 'record')}, ${blamed.length} named by findings`;
  const picture = draw('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': said },
    lanes.map((lane, number) => [
      draw('line', { class: 'lane', x1: left, x2: width - 10, y1: 30 + number * LANE, y2: 30 + number * LANE }),
      draw('text', { x: 8, y: 34 + number * LANE }, lane),
    ]),
    blamed.length > 1 && draw('polyline', { class: 'order', points: blamed.map((one) => `${one.x},${one.y}`).join(' ') }),
    placed.map(pointMark));
  return [
    make('h3', {}, 'Timeline of the partitions'),
    make('div', { class: 'timeline', tabindex: '0', role: 'group', 'aria-label': 'Timeline, scrolls sideways' }, picture),
    make('ul', { class: 'legend' }, [
      '● rows', '○ delete or tombstone', '◆ DDL', '| resolved and others', 'the number is the rank of the commit ts',
      'red ring: named by a finding',
    ].map((text) => make('li', {}, text))),
    evidence.hidden ? make('p', { class: 'soft' }, `${plural(evidence.hidden, 'later record')} not drawn.`) : null,
  ];
}

function laneOf(point) {
  return `${point.topic}/${point.partition}`;
}

function pointMark({ point, x, y, rank }) {
  const title = `@${point.offset} ${point.kind}, commit ts ${point.commit_ts}`
    + `${point.transaction ? `, transaction ${point.transaction}` : ''}, line ${point.line}`;
  return draw('g', {}, draw('title', {}, title), shape(point.kind, x, y),
    point.blamed ? draw('circle', { class: 'blame', cx: x, cy: y, r: 10 }) : null,
    draw('text', { x, y: y - 13, 'text-anchor': 'middle' }, String(rank)),
    draw('text', { x, y: y + 20, 'text-anchor': 'middle' }, `@${point.offset}`));
}

function shape(kind, x, y) {
  if (ROWS.has(kind)) return draw('circle', { class: 'mark row', cx: x, cy: y, r: 5 });
  if (kind === 'delete' || kind === 'tombstone') return draw('circle', { class: 'mark delete', cx: x, cy: y, r: 5 });
  if (kind === 'ddl') return draw('path', { class: 'mark ddl', d: `M${x} ${y - 7}L${x + 7} ${y}L${x} ${y + 7}L${x - 7} ${y}Z` });
  return draw('path', { class: 'mark resolved', d: `M${x} ${y - 7}V${y + 7}` });
}
