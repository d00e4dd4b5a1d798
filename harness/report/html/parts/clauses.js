// Coverage by clause: what the documents say, and what became of the cases that hold it to account.

function clausesView() {
  const now = state();
  const rows = Object.values(DATA.clauses).map((clause) => ({ clause, cases: citing(clause) }))
    .filter(({ clause, cases }) => fits(clause, cases, now));
  const levels = ['MUST', 'SHOULD', 'MAY'].map((level) => {
    const all = Object.values(DATA.clauses).filter((clause) => clause.level === level);
    const cited = all.filter((clause) => citing(clause).length > 0);
    return `${level} ${cited.length} of ${all.length}`;
  });
  return [
    make('h2', {}, 'Coverage by clause'),
    make('p', { class: 'soft' }, `Clauses that a case of these runs cites: ${levels.join(', ')}.`),
    make('div', { class: 'bar' },
      make('input', {
        type: 'search', id: 'search', 'aria-label': 'Search clauses', placeholder: 'Search clauses ( / )', value: now.c ?? '',
        onchange: (event) => go({ c: event.target.value, clause: undefined }),
      }),
      picker('level', 'All levels', ['MUST', 'SHOULD', 'MAY']),
      picker('standing', 'All standings', ['document', 'program']),
      picker('result', 'All results', Object.keys(RESULTS)),
      now.clause && make('a', { href: address({ view: 'clauses' }, {}) }, 'All clauses')),
    table({}, ['clause', 'level', 'standing', 'what it says', { text: 'passed', number: true }, { text: 'not', number: true }],
      rows.map(({ clause, cases }) => clauseRow(clause, cases))),
  ];
}

const CITING = new Map();

// A case speaks for a clause of its own protocol only.
function citing(clause) {
  if (!CITING.has(clause.id)) {
    CITING.set(clause.id, ALL.filter((one) =>
      one.clauses.includes(clause.id) && clause.protocols.includes(one.protocol)
      && one.judgement !== 'not-applicable' && one.judgement !== 'beyond'));
  }
  return CITING.get(clause.id);
}

// A clause is broken where a finding names it. A case that failed for another reason leaves the
// others that it cites in doubt.
function result(clause, cases) {
  if (cases.length === 0) return 'not tried';
  if (cases.every((one) => one.judgement === 'pass')) return 'kept';
  const named = ALL.some((one) => (one.findings ?? []).some((finding) => finding.clause === clause.id));
  return named ? 'broken' : 'in doubt';
}

const RESULTS = {
  kept: ['is-pass', '✓'], broken: ['is-finding', '✗'], 'in doubt': ['is-undecided', '?'], 'not tried': ['is-rest', '–'],
};

function fits(clause, cases, now) {
  const text = `${clause.id} ${clause.text} ${clause.source.document} ${clause.source.section}`.toLowerCase();
  return (!now.clause || now.clause === clause.id) && (!now.level || now.level === clause.level)
    && (!now.standing || now.standing === clause.standing)
    && (!now.result || now.result === result(clause, cases)) && (!now.c || text.includes(now.c.toLowerCase()));
}

function clauseRow(clause, cases) {
  const passed = cases.filter((one) => one.judgement === 'pass').length;
  const rest = cases.length - passed;
  const name = result(clause, cases);
  const [kind, mark] = RESULTS[name];
  const cited = { view: 'cases', clause: clause.id };
  return make('tr', {},
    make('td', {}, make('a', { href: address(cited, {}) }, make('code', {}, clause.id)), make('div', {}, make('span', { class: `verdict ${kind}` }, `${mark} ${name}`))),
    make('td', {}, clause.level),
    make('td', {}, standingBadge(clause.standing)),
    make('td', {}, clause.text, make('div', { class: 'soft' }, sourceLink(clause))),
    make('td', { class: 'number' }, cases.length ? String(passed) : ''),
    make('td', { class: 'number' }, rest ? String(rest) : ''));
}
