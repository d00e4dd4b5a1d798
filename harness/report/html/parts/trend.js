// Earlier runs of the same consumer, oldest first.

function trendView() {
  const consumers = [...new Set(DATA.runs.map((run) => run.label))];
  return [
    make('h2', {}, 'Runs'),
    DATA.runs.length === LATEST.length ? make('p', { class: 'soft' },
      'There is one run of each consumer. Give the events of earlier ones too: ',
      make('code', {}, 'harness report .harness/runs/*/events.ndjson --to html -o report.html')) : null,
    consumers.map((consumer) => {
      const runs = DATA.runs.filter((run) => run.label === consumer);
      return [make('h3', {}, consumer), bars(runs), runTable(runs)];
    }),
  ];
}

function sums(run) {
  const main = run.cases.filter((one) => one.judgement !== 'beyond');
  const counts = counted(main);
  const applicable = main.length - (counts['not-applicable'] ?? 0);
  const wrong = run.cases.filter((one) => FINDINGS.has(one.judgement)).length;
  return { passed: counts.pass ?? 0, applicable, wrong, total: main.length };
}

function bars(runs) {
  if (runs.length < 2) return null;
  const height = 90;
  const wide = Math.max(14, Math.min(60, Math.floor(900 / runs.length)));
  const most = Math.max(1, ...runs.map((run) => sums(run).applicable));
  const said = runs.map((run) => `${sums(run).passed} of ${sums(run).applicable}`).join(', ');
  const columns = runs.map((run, number) => {
    const { passed, applicable, wrong } = sums(run);
    const tall = (height * passed) / most;
    const all = (height * applicable) / most;
    const column = (name, y, size) => {
      const bar = draw('rect', { x: number * wide + 2, y, width: wide - 4, height: Math.max(size, size ? 1 : 0) });
      bar.style.fill = `var(--${name})`;
      return bar;
    };
    return draw('g', {}, draw('title', {}, `${run.run} ${run.at}: ${run.headline}`),
      column(wrong ? 'fail' : 'rest', height - all, all - tall), column('pass', height - tall, tall));
  });
  return draw('svg', { class: 'bars', width: runs.length * wide, height, role: 'img', 'aria-label': `passed of applicable, oldest first: ${said}` }, columns);
}

function runTable(runs) {
  return table({}, ['run', 'started', { text: 'passed', number: true }, { text: 'applicable', number: true },
    { text: 'total', number: true }, { text: 'seconds', number: true }, 'changes since the run before'],
  runs.map((run, number) => {
    const { passed, applicable, total } = sums(run);
    return make('tr', {}, make('td', {}, make('code', {}, run.run)), make('td', {}, run.at),
      [passed, applicable, total].map((count) => make('td', { class: 'number' }, String(count))),
      make('td', { class: 'number' }, run.seconds === null ? 'not finished' : run.seconds.toFixed(1)),
      make('td', {}, number === 0 ? '' : changesText(runs[number - 1], run)));
  }));
}

function changesText(before, after) {
  const was = new Map(before.cases.map((one) => [one.id, one.judgement]));
  const now = new Map(after.cases.map((one) => [one.id, one.judgement]));
  const both = [...now].filter(([id]) => was.has(id));
  const broken = both.filter(([id, judgement]) => FINDINGS.has(judgement) && !FINDINGS.has(was.get(id)));
  const mended = both.filter(([id, judgement]) => judgement === 'pass' && was.get(id) !== 'pass');
  const parts = [
    broken.length ? `${broken.length} newly broken` : '', mended.length ? `${mended.length} newly passed` : '',
    now.size - both.length ? `${now.size - both.length} new` : '', was.size - both.length ? `${was.size - both.length} gone` : '',
  ].filter(Boolean);
  return parts.join(', ') || 'none';
}
