// Elements are made here and nowhere else: strings become text, never markup.

const SVG = 'http://www.w3.org/2000/svg';

function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

function table(attributes, heads, rows) {
  const cells = heads.map((head) =>
    make('th', { scope: 'col', class: head.number && 'number' }, head.text ?? head));
  return make('div', { class: 'wide' },
    make('table', attributes, make('thead', {}, make('tr', {}, cells)), make('tbody', {}, rows)));
}

function plural(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}

// Announce what was done to screen readers.
function announce(text) {
  document.getElementById('status').textContent = text;
}

function copyButton(text) {
  return make('button', {
    type: 'button',
    onclick: async (event) => {
      const button = event.currentTarget;
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        const area = make('textarea', {}, text);
        document.body.append(area);
        area.select();
        document.execCommand('copy');
        area.remove();
      }
      button.textContent = 'Copied';
      announce('The command is in the clipboard.');
    },
  }, 'Copy');
}
