// Marks the words a search found on the page it leads to, and goes to the first. Text nodes are split and wrapped:
// nothing is read as markup.
(() => {
  'use strict';
  const MOST = 400;
  const LONGEST = 400;
  const PASSED_OVER = 'script, style, template, textarea, select, input, button, svg, iframe, nav, form, time, mark, .visually-hidden, .btn, .meta';
  const BLOCKS = 'p, li, td, th, h1, h2, h3, h4, h5, h6, pre, div, section, dd, dt, blockquote, summary, .lines > span';
  const CONTENT = '.prose, .code, .viewer-text, .item, .comment, .row';
  const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

  const given = new URLSearchParams(location.search);
  const words = [...new Set((given.get('mark') || '').slice(0, LONGEST).split(/\s+/u).filter(Boolean))].sort((a, b) => b.length - a.length);
  const main = document.getElementById('content');
  if (!words.length || !main) return;

  function bounded(word) {
    const escaped = word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    return UNSPACED.test(word) ? escaped : `(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`;
  }
  const pattern = new RegExp(words.map(bounded).join('|'), 'giu');

  // A word may lie in several text nodes, of coloured code for instance; it never reaches from one block into the next.
  function read(root) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) => {
      if (node.nodeType === Node.TEXT_NODE) return NodeFilter.FILTER_ACCEPT;
      return node.matches(PASSED_OVER) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP;
    });
    const parts = [];
    let text = '';
    let block = null;
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const own = node.parentElement.closest(BLOCKS);
      if (own !== block) text += '\n';
      block = own;
      parts.push({ node, start: text.length, end: text.length + node.data.length });
      text += node.data;
    }
    return { parts, text };
  }

  function wrap(node, from, to) {
    const middle = node.splitText(from);
    middle.splitText(to - from);
    const mark = document.createElement('mark');
    middle.replaceWith(mark);
    mark.append(middle);
  }

  // From the last to the first, so that what comes before keeps its place.
  function markIn(root) {
    const { parts, text } = read(root);
    const found = [];
    for (const match of text.matchAll(pattern)) {
      found.push([match.index, match.index + match[0].length]);
      if (found.length === MOST) break;
    }
    let at = parts.length - 1;
    for (const [start, end] of found.reverse()) {
      while (at >= 0 && parts[at].start >= end) at -= 1;
      for (let part = at; part >= 0 && parts[part].end > start; part -= 1) {
        const { node, start: begin } = parts[part];
        const to = Math.min(end - begin, node.data.length);
        if (to > Math.max(0, start - begin)) wrap(node, Math.max(0, start - begin), to);
      }
    }
  }

  const letters = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
  function heading() {
    const wanted = letters((given.get('under') || '').split(' / ').pop());
    return wanted ? [...main.querySelectorAll('.prose :is(h1, h2, h3, h4, h5, h6)')].find((one) => letters(one.textContent) === wanted) : null;
  }
  const pointed = () => (location.hash ? main.querySelector(`#${CSS.escape(decodeURIComponent(location.hash.slice(1)))}`) : null);

  function first() {
    const marks = [...main.querySelectorAll('mark')];
    const place = pointed();
    if (place) return marks.find((mark) => place.contains(mark)) || place;
    const above = heading();
    if (above) return marks.find((mark) => above.compareDocumentPosition(mark) & Node.DOCUMENT_POSITION_FOLLOWING || above.contains(mark)) || above;
    return marks.find((mark) => mark.closest(CONTENT)) || marks[0];
  }

  function go() {
    const target = first();
    if (!target) return;
    for (let fold = target.closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true;
    target.scrollIntoView({ block: 'center' });
    if (target.matches('mark')) target.classList.add('here');
  }

  markIn(pointed() || main);
  go();
  document.addEventListener('htmx:after:swap', ({ detail }) => {
    const root = pointed() || main;
    if (root.contains(detail.ctx.target) || detail.ctx.target?.contains?.(root)) markIn(root);
  });
})();
