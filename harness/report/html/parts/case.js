// One case: what must hold, what was found, and how to see it again.

function caseView(one) {
  const evidence = one.evidence ?? { tables: [], records: [], timeline: [], hidden: 0 };
  const run = DATA.runs[one.run];
  return [
    make('p', { class: 'path' }, make('a', { href: address({ case: undefined, of: undefined }) }, '← all cases')),
    make('h2', {}, badge(one.judgement, one.apart), ' ', standingBadge(one.standing), ' ', make('code', {}, one.id)),
    make('p', {}, one.title),
    make('p', { class: 'soft' }, `${run.label}, run ${run.run} · `, make('code', {}, one.file)),
    one.settings ? make('p', { class: 'settings' }, 'Settings: ', make('code', {}, one.settings)) : null,
    make('div', { class: 'repeat' }, make('pre', {}, one.repeat), copyButton(one.repeat)),
    one.detail && !(one.findings ?? []).length ? make('p', {}, one.detail) : null,
    (one.findings ?? []).map((finding) => findingView(finding, one)),
    one.unlisted ? make('p', { class: 'soft' }, `${plural(one.unlisted, 'more finding')}, all in the run's events.ndjson.`) : null,
    tablesOf(evidence), timeline(evidence), recordsOf(evidence),
    one.log ? [make('h3', {}, "The consumer's last output"), make('pre', { tabindex: '0' }, one.log)] : null,
    make('h3', {}, 'Clauses that the scenario cites'),
    make('ul', {}, one.clauses.filter((id) => DATA.clauses[id]?.protocols.includes(one.protocol))
      .map((id) => make('li', {}, clauseLink(id), ` ${DATA.clauses[id].text}`))),
  ];
}

function findingView(finding, one) {
  const facts = [];
  const fact = (name, ...value) => facts.push(make('dt', {}, name), make('dd', {}, value));
  if (finding.expected !== null || finding.actual !== null) {
    fact('expected', make('code', { class: 'minus' }, finding.expected ?? '(nothing)'));
    fact('actual', make('code', { class: 'plus' }, finding.actual ?? '(nothing)'));
  }
  const clause = DATA.clauses[finding.clause];
  if (clause) {
    fact('clause', make('div', { class: 'clause' }, clauseLink(finding.clause), ` (${clause.level}) ${clause.text} `,
      sourceLink(clause)));
  } else if (finding.clause) fact('clause', make('code', {}, finding.clause));
  if (finding.cause) fact('cause', `${finding.cause}: the answer is exactly what follows`);
  if (finding.line) fact('scenario', make('code', {}, `${one.file}:${finding.line}`));
  if (finding.places.length) fact('records', finding.places.slice(0, 12).map(placeView));
  return make('div', { class: `finding ${tone(one.judgement)}` },
    make('p', {}, make('b', {}, finding.kind), ` ${finding.message} `, standingBadge(finding.standing)), make('dl', {}, facts));
}

function placeView(place) {
  const origin = place.origin;
  const what = [origin.kind, origin.table, origin.key].filter(Boolean).join(' ');
  const within = origin.transaction ? ` of transaction ${origin.transaction}` : '';
  return make('div', {}, make('a', {
    href: `#${recordId(place)}`,
    onclick: (event) => {
      event.preventDefault();
      const row = document.getElementById(recordId(place));
      row?.scrollIntoView({ block: 'center' });
      row?.querySelector('summary')?.focus();
    },
  }, make('code', {}, `${place.topic}/${place.partition}@${place.offset}`)),
  ` ${what}${within}, commit ts ${origin.commit_ts}`);
}

function sourceLink(clause) {
  const { document: title, section, url, program } = clause.source;
  const stated = linked(url, `${title}, ${section}`);
  return program && program !== url ? [stated, ', ', linked(program, "the vendor's program")] : stated;
}

function linked(url, text) {
  return /^https:\/\//.test(url)
    ? make('a', { href: url, rel: 'noreferrer' }, text)
    : make('span', { class: 'soft' }, text);
}
