// One websocket a page. It carries ids only; every element with data-live is fetched anew when one of its groups
// speaks, and morphed in place, so that what a person is typing stays. Without script the pages work as they are.
(() => {
  'use strict';

  // ---- regions -------------------------------------------------------------------------------------------------
  const regions = () => [...document.querySelectorAll('[data-live]')];
  const groupsOf = (region) => region.dataset.live.split(' ').filter(Boolean);
  const covers = (group, note) => group === note || (group === 'feeds' && note.startsWith('project:'));
  const SLOW = 1500; // the navigation may lag behind a busy feed
  const waiting = new Map();

  // What a person sent or opened comes first: until the page has gone nothing on it is fetched anew, and it is never
  // reloaded, which would call off where they are going. A download leaves the page where it is, so this ends by itself.
  const LEAVING = 5000;
  let leftAt = -LEAVING;
  const isLeaving = () => performance.now() - leftAt < LEAVING;
  window.addEventListener('beforeunload', () => { leftAt = performance.now(); });

  function refresh(region) {
    const id = region.id;
    if (!id || waiting.has(id)) return;
    const last = Number(region.dataset.fetched || 0);
    const pause = id === 'nav' ? Math.max(60, SLOW - (Date.now() - last)) : 60;
    waiting.set(id, setTimeout(() => fetchRegion(id), pause));
  }

  async function fetchRegion(id) {
    if (isLeaving()) { waiting.set(id, setTimeout(() => fetchRegion(id), LEAVING)); return; }
    waiting.delete(id);
    const region = document.getElementById(id);
    if (!region) return;
    if (document.hidden && id !== 'nav') { region.dataset.stale = 'true'; return; }
    region.dataset.fetched = String(Date.now());
    await window.htmx.ajax('GET', region.dataset.url || location.href, {
      source: region, target: region, swap: 'outerMorph', select: `#${CSS.escape(id)}`, push: 'false',
    });
  }

  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) regions().filter((region) => region.dataset.stale).forEach(refresh);
  });

  // A region is only ever replaced by itself: a page of another kind (signed out, gone) is opened instead.
  document.addEventListener('htmx:before:swap', (event) => {
    const { ctx } = event.detail;
    const target = ctx.target;
    if (!(target instanceof Element) || !target.id || !target.matches('[data-live]')) return;
    if (ctx.text.includes(`id="${target.id}"`)) return;
    event.preventDefault();
    if (isLeaving()) return;
    if (ctx.response.status < 500) location.reload();
    else show('The hub could not do this. Try again.');
  });
  document.addEventListener('htmx:after:swap', () => { if (socket?.readyState === WebSocket.OPEN) show(''); });
  document.addEventListener('htmx:error', () => show('The hub did not answer. Nothing you typed is lost.'));

  // What a person opened stays open, and what they typed stays typed.
  const keep = {
    htmx_before_morph_attr: (element, { attrName }) => !(attrName === 'open' && element.tagName === 'DETAILS'),
    htmx_before_morph_node: (element, { newNode }) => {
      if (element.matches?.('time.when, time.due') && element.getAttribute('datetime') === newNode.getAttribute('datetime')) return false;
      return true;
    },
  };
  window.htmx.registerExtension('keep', keep);

  // ---- the socket ----------------------------------------------------------------------------------------------
  const path = document.body.dataset.liveSocket;
  const state = document.getElementById('connection');
  let socket = null;
  let attempts = 0;
  let quiet = 0;

  function show(text) {
    if (!state) return;
    state.textContent = text;
    state.hidden = !text;
  }

  function hello() {
    const since = {};
    for (const region of regions()) {
      for (const group of groupsOf(region)) {
        const known = region.dataset.since || '';
        if (!(group in since) || known < since[group]) since[group] = known;
      }
    }
    socket.send(JSON.stringify({ listen: Object.keys(since), since }));
  }

  function hear(message) {
    const note = JSON.parse(message.data);
    document.dispatchEvent(new CustomEvent('muster:note', { detail: note }));
    if (note.group === 'welcome') { document.body.dataset.connected = 'true'; return; }
    for (const region of regions()) if (groupsOf(region).some((group) => covers(group, note.group))) refresh(region);
  }

  function connect() {
    if (!path || !regions().length) return;
    socket = new WebSocket(new URL(path, location.href.replace(/^http/, 'ws')));
    socket.onopen = () => {
      const again = attempts > 0;
      attempts = 0;
      clearTimeout(quiet);
      show('');
      hello();
      if (again) regions().forEach(refresh);
    };
    socket.onmessage = hear;
    socket.onclose = (event) => {
      delete document.body.dataset.connected;
      if (event.code === 4401 || event.code === 4403) { show('Signed out. Reload to sign in.'); return; }
      attempts += 1;
      clearTimeout(quiet);
      quiet = setTimeout(() => show('Reconnecting. What you see may be old.'), 2500);
      setTimeout(connect, Math.min(15000, 300 * 2 ** Math.min(attempts, 6)) * (0.7 + Math.random() * 0.6));
    };
  }
  window.addEventListener('pagehide', () => { if (!socket) return; socket.onclose = null; if (socket.readyState === WebSocket.OPEN) socket.close(); });
  window.addEventListener('pageshow', (event) => { if (event.persisted) { attempts = 1; connect(); } });

  // ---- time in words; hubsite/templatetags/hub.py says the same ---------------------------------------------------
  const SPANS = [['year', 31536000], ['month', 2592000], ['day', 86400], ['hour', 3600], ['minute', 60]];

  function ago(seconds) {
    for (const [unit, size] of SPANS) {
      const number = Math.floor(seconds / size);
      if (number) return `${number} ${unit}${number === 1 ? '' : 's'} ago`;
    }
    return 'just now';
  }

  function left(seconds) {
    const whole = Math.floor(seconds);
    if (whole <= 0) return 'time is up';
    const [days, hours, minutes] = [Math.floor(whole / 86400), Math.floor(whole / 3600) % 24, Math.floor(whole / 60) % 60];
    if (days) return `${days} d ${hours} h left`;
    if (hours) return `${hours} h ${minutes} min left`;
    return minutes ? `${minutes} min ${whole % 60} s left` : `${whole} s left`;
  }

  function say(element, words) { if (element.textContent !== words) element.textContent = words; }

  function tick() {
    const now = Date.now();
    for (const time of document.querySelectorAll('time.when')) say(time, ago((now - Date.parse(time.dateTime)) / 1000));
    for (const time of document.querySelectorAll('time.due')) {
      const seconds = (Date.parse(time.dateTime) - now) / 1000;
      say(time, left(seconds));
      time.classList.toggle('soon', seconds < 3600);
    }
  }
  setInterval(() => { if (!document.hidden) tick(); }, 1000);

  // ---- small comforts ------------------------------------------------------------------------------------------
  document.addEventListener('click', async (event) => {
    const button = event.target.closest('[data-copy]');
    if (!button) return;
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(source);
      button.textContent = 'Selected';
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  });

  connect();
})();
