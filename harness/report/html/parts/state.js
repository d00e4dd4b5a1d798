// What is shown is said by the address's fragment alone, so that a view can be sent to somebody.

const DATA = JSON.parse(document.getElementById('data').textContent);
const FINDINGS = new Set(DATA.findings);
const VIEWS = { matrix: 'Matrix', cases: 'Cases', clauses: 'Clauses', trend: 'Trend' };
const MARKS = {
  pass: '✓', fail: '✗', crash: '✗', timeout: '✗', invalid: '✗', inconclusive: '✗', xpass: '✗',
  undecided: '?', xfail: '✗', 'declared-lossy': '≈', beyond: '?', 'not-applicable': '–', 'harness-error': '!',
};

function state() {
  const found = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  return { ...found, view: found.view in VIEWS ? found.view : 'matrix' };
}

function address(changes, from = state()) {
  const all = { ...from, ...changes };
  const kept = Object.entries(all).filter(([, value]) => value !== undefined && value !== '');
  return `#${new URLSearchParams(kept)}`;
}

function go(changes, from = state()) {
  location.hash = address(changes, from);
}

// The latest run of each consumer is what the page is about; those before it are its past.
const LATEST = [...new Map(DATA.runs.map((run, number) => [run.label, number])).values()];

const ALL = LATEST.flatMap((number) =>
  DATA.runs[number].cases.map((one) => ({ ...one, run: number, ...placed(one) })));

function placed(one) {
  const { title, file, folder, clauses } = DATA.scenarios[one.scenario];
  return { title, file, folder, clauses };
}

function tone(judgement) {
  if (judgement === 'pass') return 'is-pass';
  if (FINDINGS.has(judgement) || judgement === 'harness-error') return 'is-finding';
  return judgement === 'not-applicable' ? 'is-rest' : 'is-undecided';
}

function badge(judgement, apart = '') {
  const text = apart ? `${judgement}: ${apart}` : judgement;
  return make('span', { class: `verdict ${tone(judgement)}` }, `${MARKS[judgement] ?? '·'} ${text}`);
}

// Who demands it: a document, the vendor's program, or nobody.
function standingBadge(standing) {
  if (!standing) return null;
  return make('span', { class: `standing is-${standing}`, title: DATA.standings[standing] }, standing);
}

function chosen(wanted = state()) {
  const words = (wanted.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const judgements = new Set((wanted.judgement ?? '').split(',').filter(Boolean));
  return ALL.filter((one) =>
    (wanted.folder === undefined || one.folder === wanted.folder)
    && (wanted.protocol === undefined || one.protocol === wanted.protocol)
    && (wanted.standing === undefined || one.standing === wanted.standing)
    && (wanted.run === undefined || one.run === Number(wanted.run))
    && (wanted.clause === undefined || one.clauses.includes(wanted.clause))
    && (judgements.size === 0 || judgements.has(one.judgement))
    && words.every((word) => searched(one).includes(word)));
}

function searched(one) {
  one.searched ??= [one.id, one.title, one.file, ...one.clauses,
    ...(one.findings ?? []).map((finding) => `${finding.kind} ${finding.message} ${finding.clause}`),
  ].join('\n').toLowerCase();
  return one.searched;
}

function counted(cases) {
  const found = {};
  for (const one of cases) found[one.judgement] = (found[one.judgement] ?? 0) + 1;
  return found;
}
