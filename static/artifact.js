// Beside an artifact: lines that are linked and commented on, a selection that becomes a quote, the whole screen, and a
// comment form that is empty again once its comment was posted. Without script the form takes all of it by typing.
(() => {
  'use strict';
  const form = document.getElementById('comment-form');
  const field = (name) => form?.elements.namedItem(name);
  const numberOf = (line) => Number(line.id.slice(1));

  function mark(first, last) {
    document.querySelectorAll('.lines > .marked').forEach((line) => line.classList.remove('marked'));
    for (let number = first; number <= last; number += 1) document.getElementById(`L${number}`)?.classList.add('marked');
  }

  function point(first, last) {
    if (!field('line')) return;
    field('line').value = String(first);
    field('end_line').value = last > first ? String(last) : '';
    field('quote').value = '';
    document.getElementById('place').open = true;
  }

  // What is left of a line's text is its number.
  function numbered(event) {
    const line = event.target.closest?.('.lines > [id]');
    if (!line) return null;
    return event.clientX < line.getBoundingClientRect().left + parseFloat(getComputedStyle(line).paddingInlineStart) ? line : null;
  }

  // A click on a number takes the line, with shift all up to there; it selects no text.
  document.addEventListener('mousedown', (event) => { if (numbered(event)) event.preventDefault(); });
  document.addEventListener('click', (event) => {
    const line = numbered(event);
    if (!line) return;
    const from = event.shiftKey ? Number(field('line')?.value || numberOf(line)) : numberOf(line);
    const [first, last] = [Math.min(from, numberOf(line)), Math.max(from, numberOf(line))];
    history.replaceState(null, '', `#L${first}`);
    mark(first, last);
    point(first, last);
  });

  document.addEventListener('selectionchange', () => {
    const selection = document.getSelection();
    const within = selection.anchorNode?.parentElement?.closest('[data-quotable]');
    const text = String(selection).trim();
    if (!within || !text || !field('quote') || text.length > field('quote').maxLength) return;
    if (!within.contains(selection.focusNode)) return;
    field('quote').value = text;
    field('line').value = '';
    field('end_line').value = '';
    document.getElementById('place').open = true;
  });

  document.addEventListener('htmx:after:swap', (event) => {
    const { ctx } = event.detail;
    if (ctx?.sourceElement !== form || !ctx.response || ctx.response.status >= 400) return;
    form.reset();
    for (const name of ['body', 'quote', 'line', 'end_line']) if (field(name)) field(name).value = '';
    mark(1, 0);
  });

  for (const button of document.querySelectorAll('[data-fill]')) {
    const viewer = document.getElementById(button.dataset.fill);
    if (!viewer?.requestFullscreen) continue;
    button.hidden = false;
    button.addEventListener('click', () => viewer.requestFullscreen());
  }
})();
