// What lies beside the findings: the tables as they differ, and the records around what is named.

const SIDES = { '=': ['alike', ''], '-': ['expected', 'must be'], '+': ['actual', 'answered'] };

function tablesOf(evidence) {
  return evidence.tables.map((one) => [
    make('h3', {}, `Table ${one.table}`),
    table({ class: 'diff', 'aria-label': `${one.table}: rows that must be there, and those that were answered instead` },
      ['row', ...one.columns], one.rows.map((row) => {
        const [name, sign] = SIDES[row.mark];
        const changed = new Set(row.changed ?? []);
        return make('tr', { class: name },
          make('td', { class: 'side' }, sign),
          row.cells.map((cell, number) => make('td', { class: changed.has(number) && 'changed' }, cell)));
      })),
    one.hidden ? make('p', { class: 'soft' }, `${plural(one.hidden, 'more row')} not shown.`) : null,
  ]);
}

function recordsOf(evidence) {
  if (evidence.records.length === 0) return [];
  return [
    make('h3', {}, 'Records'),
    table({ class: 'records' }, ['partition', { text: 'offset', number: true }, 'decoded, and its bytes'],
      evidence.records.map((one) => make('tr', { class: one.blamed && 'blamed', id: recordId(one) },
        make('td', {}, make('code', {}, `${one.topic}/${one.partition}`)),
        make('td', { class: 'number' }, `${one.blamed ? '▶ ' : ''}@${one.offset}`),
        make('td', {}, one.events.map((text) => make('div', { class: 'mono' }, text)), bytesOf(one))))),
  ];
}

function recordId(place) {
  return `record-${place.topic}-${place.partition}-${place.offset}`;
}

function bytesOf(one) {
  const beyond = one.value_bytes - (one.value ?? '').length / 2;
  return make('details', {}, make('summary', {}, one.value === null ? 'key and null value' : `key and ${plural(one.value_bytes, 'byte')} of value`),
    make('pre', {}, one.key === null ? 'key   null' : `key\n${dump(one.key)}`),
    make('pre', {}, one.value === null ? 'value null' : `value\n${dump(one.value)}${beyond > 0 ? `\n… ${beyond} more bytes` : ''}`));
}

// Offset, sixteen bytes in hex, and the same as ASCII where it can be seen.
function dump(hex) {
  const lines = [];
  for (let at = 0; at < hex.length; at += 32) {
    const bytes = hex.slice(at, at + 32).match(/../g) ?? [];
    const text = bytes.map((byte) => {
      const code = parseInt(byte, 16);
      return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : '.';
    }).join('');
    lines.push(`${(at / 2).toString(16).padStart(6, '0')}  ${bytes.join(' ').padEnd(47)}  ${text}`);
  }
  return lines.join('\n');
}
