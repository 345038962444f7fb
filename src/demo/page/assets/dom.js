/** Builds elements. Text is always text: nothing that came from elsewhere is ever read as markup. */

/** An element with attributes (`text` sets its text, `on…` a listener, false or null leaves out) and children. */
export function h(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same for a drawing. */
export function s(name, attributes = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    if (name === 'text') element.textContent = value;
    else if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null));
  return element;
}

/** A bar filled to `percent`. The policy forbids style attributes, not styles set by script. */
export function bar(percent, tone) {
  const filled = h('span');
  filled.style.width = `${percent}%`;
  return h('div', { class: `bar tone-${tone}`, 'aria-hidden': 'true' }, filled);
}

/** A definition list from pairs of term and description. */
export function facts(pairs, className = '') {
  return h(
    'dl',
    { class: `facts ${className}` },
    pairs.map(([term, value]) => [h('dt', { text: term }), h('dd', {}, value)]),
  );
}
