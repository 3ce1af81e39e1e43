// The inbox by keyboard, drafts that survive leaving the page, and a check of edited JSON as it is typed.
(() => {
  'use strict';
  const entries = () => [...document.querySelectorAll('.inbox-list .entry')];
  const current = () => {
    const list = entries();
    const focused = list.indexOf(document.activeElement);
    return focused >= 0 ? focused : list.findIndex((entry) => entry.hasAttribute('aria-current'));
  };

  function move(step) {
    const list = entries();
    if (!list.length) return;
    const at = current();
    const next = at < 0 ? 0 : Math.min(list.length - 1, Math.max(0, at + step));
    list[next].focus();
    list[next].scrollIntoView({ block: 'nearest' });
  }

  function mark(as) {
    const entry = entries()[current()];
    if (!entry || entry.dataset.status !== (as === 'read' ? 'unread' : 'read')) return;
    const form = document.getElementById('mark-form').content.firstElementChild.cloneNode(true);
    form.elements.as.value = as;
    const opened = document.querySelector('.inbox-list .entry[aria-current]');
    const id = entry.id;
    window.htmx.ajax('POST', `${new URL(entry.href).pathname}mark/`, {
      source: document.getElementById('inbox'), target: '#inbox', swap: 'outerMorph', select: '#inbox', push: 'false',
      values: { csrfmiddlewaretoken: form.elements.csrfmiddlewaretoken.value, as, from: opened ? 'item' : 'list' },
    }).then(() => document.getElementById(id)?.focus());
  }

  const keys = {
    j: () => move(1),
    k: () => move(-1),
    e: () => mark('read'),
    u: () => mark('unread'),
    a: () => document.querySelector('form[data-key="a"]')?.requestSubmit(),
    '?': () => document.getElementById('keys').showModal(),
    Enter: () => entries()[current()]?.click(),
  };

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest('input, textarea, select, button, summary, dialog, [contenteditable]')) return;
    if (event.key === 'Enter' && event.target.closest('a')) return;
    const act = keys[event.key];
    if (act) { event.preventDefault(); act(); }
  });
  document.addEventListener('click', (event) => { if (event.target.closest('[data-keys]')) keys['?'](); });

  // ---- drafts --------------------------------------------------------------------------------------------------
  const place = (field) => `muster-draft:${field.id}`;
  const fields = () => document.querySelectorAll('textarea[data-draft]');

  function restore() {
    for (const field of fields()) {
      const draft = sessionStorage.getItem(place(field));
      if (draft !== null && field.value === field.defaultValue && field !== document.activeElement) field.value = draft;
      check(field);
    }
  }
  document.addEventListener('input', (event) => {
    const field = event.target;
    if (!field.matches('textarea[data-draft]')) return;
    sessionStorage.setItem(place(field), field.value);
    check(field);
  });
  function forget() {
    // A draft whose item no longer asks is done with.
    for (const article of document.querySelectorAll('[data-item][data-status="resolved"]')) {
      for (const name of ['answer', 'note', 'proposal']) sessionStorage.removeItem(`muster-draft:${name}-${article.dataset.item}`);
    }
  }
  document.addEventListener('htmx:after:swap', (event) => {
    restore();
    forget();
    const subject = document.querySelector('.item .subject');
    if (!subject || !event.detail.ctx?.sourceElement?.matches?.('.entry')) return;
    document.title = `${subject.textContent} · Muster`;
    if (document.querySelector('.inbox-list').offsetParent) return;
    window.scrollTo(0, 0); // one pane: the item has taken the list's place
    subject.focus({ preventScroll: true });
  });

  function check(field) {
    if (!('json' in field.dataset)) return;
    const error = field.parentElement.querySelector('[data-json-error]');
    let said = '';
    try { JSON.parse(field.value); } catch (problem) { said = `Not valid JSON yet: ${problem.message}`; }
    error.textContent = said;
    error.hidden = !said;
    field.setAttribute('aria-invalid', String(Boolean(said)));
  }
  restore();
  forget();
})();
