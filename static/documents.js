// The editor of a draft: it saves by itself what a person typed, by the revision they saw, and shows it rendered. When
// somebody else saved meanwhile it stops saving and shows both texts; what was typed is never touched. Nothing is ever
// sent that nobody typed. Without script the form has buttons for all of it.
(() => {
  'use strict';
  const form = document.getElementById('draft-form');
  if (!form) return;
  const QUIET = 1200; // after the last key, until it is saved
  const GLANCE = 400; // until it is rendered
  const AGAIN = 5000; // after the hub did not answer
  const MOST_KEPT = 60000; // what a browser sends on after its page has gone
  const state = document.getElementById('save-state');
  const address = form.getAttribute('action'); // form.action is the buttons of that name
  const field = (name) => form.elements.namedItem(name);
  const words = () => JSON.stringify([field('title').value, field('body').value]);
  const hadText = field('body').value.trim() !== '';
  let saved = form.dataset.unsaved ? null : words();
  let timer = 0;
  let flight = null;
  let stopped = document.querySelector('#conflict section') !== null;
  let leaving = false;
  const isDirty = () => words() !== saved;

  function say(text) { if (state.textContent !== text) state.textContent = text; }

  function later(pause) {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(save, pause);
  }

  function save(more) {
    clearTimeout(timer);
    if (stopped || leaving || flight || !isDirty()) return;
    if (hadText && !field('body').value.trim()) { say('An empty text is not saved by itself. Press Save.'); return; }
    const sent = words();
    flight = send(sent, more).finally(() => {
      flight = null;
      if (!timer && words() !== sent) later(QUIET); // typed on meanwhile; what was refused is not sent again as it is
    });
  }

  // Signing in again, in another window, changes the token that a form must bring.
  function renew() {
    const token = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/);
    if (token) field('csrfmiddlewaretoken').value = token[1];
  }

  async function send(sent, more) {
    timer = 0;
    renew();
    const data = new FormData(form);
    data.set('action', 'save');
    say('Saving…');
    let answer;
    try {
      answer = await fetch(address, {
        method: 'POST', body: data, headers: { 'X-Autosave': '1', 'HX-Target': 'div#conflict' }, ...more,
      });
      if (answer.redirected) { say('Not saved: you are signed out. Sign in in another window, then type on here.'); return; }
      if (answer.status === 409 && !isJson(answer)) { conflict(await answer.text()); return; }
      const told = isJson(answer) ? await answer.json() : {};
      if (!answer.ok) { say(`Not saved. ${told.message || 'The hub could not do this.'}`); return; }
      field('expected_revision').value = String(told.revision);
      saved = sent;
      say(isDirty() ? 'Saving…' : `Saved as revision ${told.revision}.`);
    } catch {
      say('Not saved yet: the hub does not answer. Your text stays here.');
      later(AGAIN);
    }
  }

  function isJson(answer) { return (answer.headers.get('content-type') || '').startsWith('application/json'); }

  function conflict(html) {
    stopped = true;
    const shown = new DOMParser().parseFromString(html, 'text/html').getElementById('conflict');
    if (!shown) { say('Not saved: somebody else changed this document. Press Save to see both texts.'); return; }
    document.getElementById('conflict').replaceWith(shown);
    say('Not saved: somebody else saved meanwhile. Choose above.');
    shown.scrollIntoView({ block: 'start' });
  }

  // ---- the preview ---------------------------------------------------------------------------------------------
  let glance = 0;
  let asked = null;
  async function preview() {
    asked?.abort();
    renew();
    asked = new AbortController();
    try {
      const answer = await fetch(form.dataset.preview, {
        method: 'POST', body: new FormData(form), headers: { 'HX-Target': 'div#preview' }, signal: asked.signal,
      });
      if (!answer.ok || answer.redirected) return;
      const shown = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('preview');
      if (shown) document.getElementById('preview').replaceWith(shown);
    } catch {
      // A newer one is on its way, or the hub is away: what is shown stays.
    }
  }

  // ---- what starts it ------------------------------------------------------------------------------------------
  form.addEventListener('input', (event) => {
    if (event.target !== field('title') && event.target !== field('body')) return;
    if (!stopped) say(isDirty() ? 'Not saved yet.' : 'Saved.');
    later(QUIET);
    if (event.target !== field('body')) return;
    clearTimeout(glance);
    glance = setTimeout(preview, GLANCE);
  });

  // A button waits for the save that is under way: it brings the revision the button's own save has to name.
  form.addEventListener('submit', (event) => {
    const by = event.submitter;
    if (by?.hasAttribute('data-glance')) {
      event.preventDefault();
      preview();
    } else if (flight) {
      event.preventDefault();
      flight.finally(() => form.requestSubmit(by));
    } else {
      clearTimeout(timer);
      renew();
      leaving = true;
    }
  });
  document.addEventListener('click', (event) => { if (event.target.closest('[data-leave]')) leaving = true; });
  window.addEventListener('pageshow', () => { leaving = false; });

  document.addEventListener('visibilitychange', () => {
    if (document.hidden && field('body').value.length < MOST_KEPT) save({ keepalive: true });
  });
  window.addEventListener('beforeunload', (event) => { if (isDirty() && !leaving) event.preventDefault(); });
})();
