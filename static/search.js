// Search by keyboard, from any page: / leads to the box. On the search page the arrows, j and k walk through what was
// found, Escape clears. Answers come in through htmx, and only the newest is shown.
(() => {
  'use strict';
  const FIELDS = 'input, textarea, select, [contenteditable]';
  const page = document.getElementById('search');
  const box = document.getElementById('q') || document.getElementById('side-q');
  const hits = () => [...document.querySelectorAll('#hits .hit-title')];

  function toBox() {
    if (!box?.checkVisibility()) { document.getElementById('to-search')?.click(); return; }
    box.focus();
    box.select();
  }

  function clear() {
    if (box.value) {
      box.value = '';
      box.dispatchEvent(new Event('input', { bubbles: true }));
    }
    box.focus();
  }

  function move(step) {
    const list = hits();
    const at = list.indexOf(document.activeElement);
    if (at === 0 && step < 0) { box.focus(); return; }
    const next = list[at < 0 ? 0 : Math.min(list.length - 1, at + step)];
    next?.focus({ preventScroll: true });
    next?.closest('li').scrollIntoView({ block: 'nearest' });
  }

  const isHit = (element) => Boolean(element.closest('#hits'));
  const keys = {
    '/': ({ target }) => !target.closest(FIELDS) && toBox,
    Escape: ({ target }) => (target === box ? Boolean(box.value) : page && !target.closest(FIELDS)) && clear,
    ArrowDown: ({ target }) => page && (target === box || isHit(target)) && (() => move(1)),
    ArrowUp: ({ target }) => page && isHit(target) && (() => move(-1)),
    j: ({ target }) => page && !target.closest(FIELDS) && (() => move(1)),
    k: ({ target }) => page && !target.closest(FIELDS) && (() => move(-1)),
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
    if (!box || document.querySelector('dialog[open]')) return;
    const act = keys[event.key]?.(event);
    if (act) { event.preventDefault(); act(); }
  });
  if (!page) return;

  let newest = null;
  let shown = 0;
  document.addEventListener('htmx:before:request', ({ detail }) => { if (detail.ctx.sourceElement.closest('#search, #results')) newest = detail.ctx; });
  document.addEventListener('htmx:before:swap', (event) => {
    const { ctx } = event.detail;
    if (!ctx.target?.matches?.('#results, #hits')) return;
    shown = hits().length;
    if (ctx !== newest) { event.preventDefault(); return; }
    if (ctx.text.includes('id="results"')) return;
    event.preventDefault(); // another page: signed out, or the hub failed
    if (ctx.response.status < 500) location.reload();
    else document.querySelector('#found [role="status"]').textContent = 'The hub could not do this. Try again.';
  });
  document.addEventListener('htmx:after:swap', ({ detail }) => {
    if (detail.ctx.target?.id === 'hits') hits()[shown]?.focus();
    if (detail.ctx.target?.id !== 'results') return;
    const words = document.getElementById('results').dataset.query.trim();
    document.title = words ? `${words.slice(0, 60)} · Search · Muster` : 'Search · Muster';
  });
})();
