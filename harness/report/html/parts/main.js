// The frame: header, views, keys.

const DRAWN = { matrix: matrixView, cases: casesView, clauses: clausesView, trend: trendView };
const KEYS = {
  '/': 'search', j: 'next case', k: 'previous case', Enter: 'open the marked case', Escape: 'back to the list',
  f: 'only what did not pass', 1: 'matrix', 2: 'cases', 3: 'clauses', 4: 'trend', t: 'light or dark', '?': 'these keys',
};

const RUNS_OPEN = 3;

function show() {
  const now = state();
  for (const link of document.querySelectorAll('#views a')) {
    if (link.dataset.view === now.view) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  document.getElementById('content').replaceChildren(...[DRAWN[now.view]()].flat(Infinity).filter(Boolean));
}

function heading() {
  const runs = LATEST.map((number) => DATA.runs[number]);
  const one = runs.length === 1 ? runs[0] : null;
  fill(document.getElementById('head'), {}, [
    make('h1', {}, one ? `Certification of ${one.label}` : `Certification of ${runs.length} consumers`),
    one && make('p', { class: `count ${headTone(one)}` }, countOf(one.headline)),
    one && one.beyond && make('p', { class: 'soft' }, one.beyond),
    make('div', { class: 'tools' },
      make('button', { type: 'button', onclick: turnTheme }, 'Light / dark'),
      make('button', { type: 'button', onclick: showKeys }, 'Keys ( ? )')),
    one ? make('p', { class: 'facts' }, [one.level, `run ${one.run}`, one.at, took(one), versions(one)].filter(Boolean).join(' · '))
      : runsTable(runs),
  ]);
  fill(document.getElementById('views'), {}, Object.entries(VIEWS).map(([view, text]) =>
    make('a', { href: address({ view }, {}), 'data-view': view }, text)));
}

// The three numbers are what one looks for; what they leave out stands beside them.
function countOf(headline) {
  const [, numbers, rest] = /^(.*?)( \(.*\))?$/.exec(headline);
  return [make('b', {}, numbers), rest && make('span', { class: 'soft' }, rest)];
}

// What is known of several runs, a row each; many are folded away, so that the matrix is on top.
function runsTable(runs) {
  const heads = ['consumer', 'result', 'level', 'run', 'at', 'took', 'versions'];
  const rows = runs.map((run) => make('tr', {}, make('th', { scope: 'row' }, run.label),
    [run.headline, run.level, run.run, run.at, took(run), versions(run)].map((text) => make('td', {}, text))));
  const wide = fill(table({}, heads, rows), { tabindex: '0', role: 'group', 'aria-label': 'Runs, scrolls sideways' }, []);
  return make('details', { class: 'facts', open: runs.length <= RUNS_OPEN },
    make('summary', {}, plural(runs.length, 'run')), wide);
}

function took(run) {
  return run.seconds === null ? '' : `${run.seconds.toFixed(1)} s`;
}

function versions(run) {
  return Object.entries(run.versions).map(([name, version]) => `${name} ${version}`).join(' · ');
}

function headTone(run) {
  if (!run.finished) return 'is-undecided';
  return run.cases.some((one) => FINDINGS.has(one.judgement)) ? 'is-finding' : 'is-pass';
}

function turnTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme
    ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
}

function showKeys() {
  const dialog = document.getElementById('keys');
  dialog.replaceChildren(make('h2', { id: 'keys-title' }, 'Keys'),
    table({}, ['key', 'what it does'], Object.entries(KEYS).map(([key, text]) =>
      make('tr', {}, make('td', {}, make('kbd', {}, key)), make('td', {}, text)))),
    make('form', { method: 'dialog' }, make('button', {}, 'Close')));
  dialog.showModal();
}

const ACTIONS = {
  '/': () => {
    if (state().view === 'matrix' || state().view === 'trend') go({ view: 'cases' }, {});
    requestAnimationFrame(() => document.getElementById('search')?.focus());
  },
  j: () => moveRow(1), k: () => moveRow(-1),
  Escape: () => { if (state().case !== undefined) go({ case: undefined, of: undefined }); },
  f: () => go({ view: 'cases', judgement: state().judgement ? undefined : DATA.findings.join(',') }, {}),
  1: () => go({ view: 'matrix' }, {}), 2: () => go({ view: 'cases' }, {}),
  3: () => go({ view: 'clauses' }, {}), 4: () => go({ view: 'trend' }, {}),
  t: turnTheme, '?': showKeys,
};

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (typing && event.key === 'Escape') event.target.blur();
  if (typing || !(event.key in ACTIONS)) return;
  event.preventDefault();
  ACTIONS[event.key]();
});
addEventListener('hashchange', () => {
  shownRows = PAGE;
  show();
  scrollTo(0, 0);
  announce(`${VIEWS[state().view]}${state().case ? `, case ${state().case}` : ''}`);
});
heading();
show();
