// The list of cases with its filters; a long list is drawn as far as it is looked at.

const PAGE = 200;
let shownRows = PAGE;

function casesView() {
  const now = state();
  if (now.case !== undefined) {
    const one = ALL.find((each) => each.id === now.case && String(each.run) === (now.of ?? String(each.run)));
    if (one) return caseView(one);
  }
  const found = chosen();
  return [filters(), make('p', { class: 'soft' }, plural(found.length, 'case')), list(found)];
}

function filters() {
  const now = state();
  const search = make('input', {
    type: 'search', id: 'search', placeholder: 'Search cases, titles, findings, clauses ( / )',
    'aria-label': 'Search cases', value: now.q ?? '',
    oninput: (event) => {
      history.replaceState(null, '', address({ q: event.target.value }));
      refreshList();
    },
  });
  return make('div', { class: 'bar', role: 'search' }, search,
    picker('folder', 'All folders', [...new Set(ALL.map((one) => one.folder))].sort()),
    picker('protocol', 'All protocols', [...new Set(ALL.map((one) => one.protocol))].sort()),
    picker('standing', 'All standings', Object.keys(DATA.standings)),
    LATEST.length > 1 && picker('run', 'All consumers', LATEST.map(String), (number) => DATA.runs[number].label),
    verdictButtons(),
    make('a', { href: address({ view: 'cases' }, {}) }, 'Clear'));
}

function picker(name, all, values, text = (value) => value) {
  const now = state();
  return make('select', {
    'aria-label': name,
    onchange: (event) => go({ [name]: event.target.value }),
  }, make('option', { value: '' }, all),
  values.map((value) => make('option', { value, selected: now[name] === value }, text(value))));
}

function verdictButtons() {
  const counts = counted(chosen({ ...state(), judgement: undefined }));
  const on = new Set((state().judgement ?? '').split(',').filter(Boolean));
  return DATA.judgements.filter((judgement) => counts[judgement] || on.has(judgement)).map((judgement) =>
    make('button', {
      type: 'button', class: tone(judgement), 'aria-pressed': String(on.has(judgement)),
      onclick: () => {
        if (!on.delete(judgement)) on.add(judgement);
        go({ judgement: [...on].join(',') });
      },
    }, `${MARKS[judgement] ?? ''} ${judgement} ${counts[judgement] ?? 0}`));
}

function list(found) {
  const many = LATEST.length > 1;
  const heads = ['verdict', 'standing', 'case', 'what must hold'];
  if (many) heads.splice(1, 0, 'consumer');
  const rows = found.slice(0, shownRows).map((one) => make('tr', { 'data-case': one.id, 'data-run': one.run },
    make('td', {}, badge(one.judgement, one.apart)),
    many && make('td', {}, DATA.runs[one.run].label),
    make('td', {}, standingBadge(one.standing)),
    make('td', {}, caseLink(one)),
    make('td', {}, one.title, firstFinding(one))));
  return make('div', { id: 'list' }, table({ class: 'cases' }, heads, rows),
    found.length > shownRows && make('p', {}, make('button', {
      type: 'button', onclick: () => { shownRows += 1000; refreshList(); },
    }, `Show ${found.length - shownRows} more`)));
}

function firstFinding(one) {
  const text = one.findings?.[0]?.message ?? ([one.judgement, one.apart].includes('pass') ? '' : one.detail);
  return text ? make('div', { class: 'soft' }, text.length > 240 ? `${text.slice(0, 239)}…` : text) : null;
}

function refreshList() {
  const found = chosen();
  const content = document.getElementById('content');
  content.querySelector('#list')?.replaceWith(list(found));
  const count = content.querySelector(':scope > p.soft');
  if (count) count.textContent = plural(found.length, 'case');
}

// j and k move through the rows, Enter opens the one that is marked.
function moveRow(by) {
  const rows = [...document.querySelectorAll('tr[data-case]')];
  if (rows.length === 0) return;
  const at = rows.findIndex((row) => row.getAttribute('aria-selected') === 'true');
  const next = Math.min(rows.length - 1, Math.max(0, at + by));
  rows[at]?.removeAttribute('aria-selected');
  rows[next].setAttribute('aria-selected', 'true');
  rows[next].querySelector('a').focus();
  rows[next].scrollIntoView({ block: 'nearest' });
}
