// Scenario folders down; across, the consumers, or the protocols where there is one consumer.

function matrixView() {
  const columns = LATEST.length > 1
    ? LATEST.map((number) => ({ text: DATA.runs[number].label, pick: { run: number } }))
    : [...new Set(ALL.map((one) => one.protocol))].sort()
      .map((protocol) => ({ text: protocol, pick: { protocol } }));
  if (columns.length > 1 && LATEST.length === 1) columns.push({ text: 'all', pick: {} });
  const folders = [...new Set(ALL.map((one) => one.folder))].sort();
  const row = (name, pick) => make('tr', {},
    make('th', { scope: 'row' }, name),
    columns.map((column) => make('td', {}, matrixCell({ ...pick, ...column.pick }, `${name}, ${column.text}`))));
  const rows = folders.map((folder) => row(folder, { folder }));
  if (folders.length > 1) rows.push(row('all', {}));
  return [
    make('h2', {}, 'Scenarios by folder'),
    table({ class: 'matrix' }, ['folder', ...columns.map((column) => column.text)], rows),
    worst(),
    beyondView(),
  ];
}

// What nobody promises is shown apart, and is in none of the numbers above.
function beyondView() {
  const cases = ALL.filter((one) => one.judgement === 'beyond');
  if (cases.length === 0) return [];
  return [
    make('h2', {}, 'Beyond what anybody promises'),
    LATEST.map((number) => DATA.runs[number]).filter((run) => run.beyond).map((run) =>
      make('p', { class: 'soft' }, LATEST.length > 1 ? `${run.label}: ${run.beyond}` : run.beyond)),
    table({ class: 'beyond' }, ['verdict', 'case', 'what must hold'], cases.map((one) => make('tr', {},
      make('td', {}, badge(one.judgement, one.apart)),
      make('td', {}, caseLink(one)),
      make('td', {}, one.title, firstFinding(one))))),
  ];
}

function matrixCell(pick, name) {
  const cases = chosen(pick).filter((one) => one.judgement !== 'beyond');
  if (cases.length === 0) return make('span', { class: 'soft' }, '');
  const counts = counted(cases);
  const wrong = cases.filter((one) => FINDINGS.has(one.judgement)).length;
  const applicable = cases.length - (counts['not-applicable'] ?? 0);
  const passed = counts.pass ?? 0;
  const kind = wrong ? 'is-finding' : !applicable ? 'is-rest' : passed === applicable ? 'is-pass' : 'is-undecided';
  const share = make('i');
  share.style.width = `${applicable ? (100 * passed) / applicable : 0}%`;
  const said = applicable ? `${passed} of ${applicable} passed` : 'not applicable';
  return make('a', {
    class: `cell ${kind}`,
    href: address({ view: 'cases', ...Object.fromEntries(Object.entries(pick).map(([k, v]) => [k, String(v)])), judgement: wrong ? DATA.findings.join(',') : undefined }, {}),
    'aria-label': `${name}: ${said}`,
  }, make('b', {}, wrong ? `✗ ${passed}` : applicable ? `✓ ${passed}` : '–'),
  applicable ? ` / ${applicable}` : '', make('span', { class: 'share', 'aria-hidden': 'true' }, share));
}

// Whoever opens a red report wants the first thing that is wrong, not a table to search.
function worst() {
  const wrong = ALL.filter((one) => FINDINGS.has(one.judgement) || one.judgement === 'harness-error');
  if (wrong.length === 0) return [];
  const causes = new Map();
  for (const one of wrong) {
    const finding = (one.findings ?? [])[0];
    const cause = finding ? `${finding.kind} ${finding.clause}` : one.judgement;
    causes.set(cause, [...(causes.get(cause) ?? []), one]);
  }
  const most = [...causes.values()].sort((a, b) => b.length - a.length).slice(0, 12);
  return [
    make('h2', {}, 'What did not pass, by first finding'),
    table({}, [{ text: 'cases', number: true }, 'finding', 'clause', 'an example'], most.map((cases) => {
      const finding = (cases[0].findings ?? [])[0];
      return make('tr', {},
        make('td', { class: 'number' }, String(cases.length)),
        make('td', {}, finding ? finding.kind : badge(cases[0].judgement)),
        make('td', {}, finding ? clauseLink(finding.clause) : ''),
        make('td', {}, caseLink(cases[0])));
    })),
  ];
}

function caseLink(one) {
  return make('a', { href: address({ view: 'cases', case: one.id, of: String(one.run) }) }, make('code', {}, one.id));
}

function clauseLink(id) {
  if (!(id in DATA.clauses)) return make('code', {}, id);
  return make('a', { href: address({ view: 'clauses', clause: id }, {}), title: DATA.clauses[id].text }, make('code', {}, id));
}
