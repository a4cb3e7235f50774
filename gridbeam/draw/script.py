"""The script of the page: pointing at a hypothesis shows it and lights up the way it came.

It reads only what the figures carry: `data-at` and `data-from` say who came from whom, `data-adds`
what a token adds to the text, and `<title>` the rest, which browsers show by themselves where
scripts are off.
"""

from __future__ import annotations

SCRIPT = """
(() => {
  const panel = document.querySelector('.panel'), picture = document.querySelector('.grid .whole');
  const shapes = new Map(), children = new Map();
  for (const shape of document.querySelectorAll('[data-at]')) {
    const {at, from} = shape.dataset, title = shape.querySelector('title');
    shape.dataset.facts = title.textContent;
    shape.setAttribute('aria-label', title.textContent);
    shape.setAttribute('role', 'button');
    shape.setAttribute('tabindex', '-1');
    title.remove();
    shapes.set(at, [...(shapes.get(at) ?? []), shape]);
    if (shape.matches('.strip')) children.set(from, [...(children.get(from) ?? []), at]);
  }
  if (!shapes.size) return;
  const verbs = ['generate', 'start', 'continue'];
  const verb = shape => verbs.find(name => shape.classList.contains(name));
  const won = [...document.querySelectorAll('.strip.won')].at(-1);
  const trail = picture.appendChild(document.createElementNS(picture.namespaceURI, 'path'));
  trail.setAttribute('class', 'trail');
  let pinned = null, entry = null;

  const pathTo = at => {
    const path = [];
    for (; at; at = shapes.get(at)[0].dataset.from) path.unshift(at);
    return path;
  };
  const line = (kind, text) => {
    const made = panel.appendChild(document.createElement('p'));
    made.className = kind;
    made.textContent = text;
    return made;
  };
  const describe = path => {
    const [, state, numbers] = shapes.get(path.at(-1))[0].dataset.facts.split('\\n');
    panel.replaceChildren();
    const said = line('said', '');
    for (const at of path) {
      const token = said.appendChild(document.createElement('span')), [shape] = shapes.get(at);
      token.className = verb(shape);
      token.textContent = shape.dataset.adds;
    }
    line('state', `${state}; ${numbers}` + (pinned ? '; pinned, Escape lets go' : ''));
  };
  const between = path => path.slice(1).map((at, number) => {
    const from = shapes.get(path[number])[0].querySelector('.bar').getBBox();
    const to = shapes.get(at)[0].querySelector('.bar').getBBox();
    const x = from.x + from.width, y = from.y + from.height / 2;
    const below = to.y + to.height / 2, middle = (x + to.x) / 2;
    return `M${x} ${y}C${middle} ${y} ${middle} ${below} ${to.x} ${below}`;
  }).join('');
  const clear = () => {
    for (const shape of document.querySelectorAll('.lit, .here')) {
      shape.classList.remove('lit', 'here');
    }
    document.body.classList.remove('pointing');
    trail.removeAttribute('d');
  };
  const show = at => {
    clear();
    const path = pathTo(at);
    document.body.classList.add('pointing');
    for (const step of path) for (const shape of shapes.get(step)) shape.classList.add('lit');
    for (const shape of shapes.get(at)) shape.classList.add('here');
    trail.setAttribute('d', between(path));
    describe(path);
  };
  const rest = () => {
    if (pinned) return show(pinned);
    clear();
    if (won) return describe(pathTo(won.dataset.at));
    panel.replaceChildren();
    line('state', 'Point at a hypothesis to read it.');
  };
  const pin = at => {
    for (const shape of shapes.get(pinned) ?? []) shape.removeAttribute('aria-pressed');
    pinned = pinned === at ? null : at;
    for (const shape of shapes.get(pinned) ?? []) shape.setAttribute('aria-pressed', 'true');
    panel.classList.toggle('pinned', pinned !== null);
    rest();
  };
  const enter = shape => {
    entry?.setAttribute('tabindex', '-1');
    entry = shape;
    entry.setAttribute('tabindex', '0');
  };
  const neighbour = (shape, key) => {
    const [step, number] = shape.dataset.at.split('.').map(Number);
    const to = {
      ArrowUp: `${step}.${number - 1}`, ArrowDown: `${step}.${number + 1}`,
      ArrowLeft: shape.dataset.from, ArrowRight: children.get(shape.dataset.at)?.[0],
    }[key];
    return shapes.get(to)?.find(found => found.matches('.strip'));
  };

  const pointed = event => event.target.closest?.('[data-at]');
  document.addEventListener('pointerover', event => {
    if (!pinned) pointed(event) ? show(pointed(event).dataset.at) : rest();
  });
  document.addEventListener('focusin', event => {
    const shape = pointed(event);
    if (!shape) return;
    enter(shape);
    if (!pinned) show(shape.dataset.at);
  });
  document.addEventListener('click', event => {
    const shape = pointed(event);
    if (shape) pin(shape.dataset.at);
  });
  document.addEventListener('keydown', event => {
    const shape = pointed(event);
    if (event.key === 'Escape' && pinned) pin(pinned);
    if (!shape) return;
    const next = neighbour(shape, event.key);
    if (event.key === 'Enter' || event.key === ' ') pin(shape.dataset.at);
    else if (next) next.focus();
    else if (!event.key.startsWith('Arrow')) return;
    event.preventDefault();
  });
  enter(won ?? shapes.values().next().value[0]);
  rest();
})();
"""
