// Opens a protected artifact in this page. The password, the key and what was opened stay in memory, and are given up
// with the page or by Lock: nothing of them is sent, stored or logged.
import { open, possible } from './artifact-envelope.js';

const MOST_SHOWN = 512 * 1024;
const MOST_LINES = 10000;
const box = document.querySelector('[data-unlock]');
const form = document.getElementById('unlock');
const password = document.getElementById('password');
const said = document.getElementById('unlock-said');
const opened = document.getElementById('opened');
const view = document.getElementById('opened-view');
const file = document.getElementById('opened-file');
const addresses = [];

function say(words, kind = '') {
  said.textContent = words;
  said.className = kind;
}

// An address for bytes of this page. Never a type a browser would open as a document: it would be one of the hub's.
function addressOf(bytes, type) {
  const address = URL.createObjectURL(new Blob([bytes], { type }));
  addresses.push(address);
  return address;
}

function element(name, attributes = {}, text = '') {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

function starts(bytes, at, text) {
  return [...text].every((letter, index) => bytes[at + index] === letter.charCodeAt(0));
}

function imageType(bytes) {
  if (starts(bytes, 0, '\x89PNG')) return 'image/png';
  if (starts(bytes, 0, '\xff\xd8\xff')) return 'image/jpeg';
  if (starts(bytes, 0, 'GIF8')) return 'image/gif';
  if (starts(bytes, 0, 'RIFF') && starts(bytes, 8, 'WEBP')) return 'image/webp';
  if (starts(bytes, 4, 'ftypavif')) return 'image/avif';
  return null;
}

function note(words) {
  return element('p', { class: 'muted small' }, words);
}

const show = {
  html(bytes) {
    // A text or blob frame would be bound to this page's policy; the empty frame has that of every HTML artifact.
    const attributes = { class: 'viewer', title: box.dataset.title, sandbox: 'allow-scripts', referrerpolicy: 'no-referrer' };
    const frame = element('iframe', attributes);
    const text = new TextDecoder().decode(bytes);
    frame.addEventListener('load', () => frame.contentWindow.postMessage(text, '*'), { once: true });
    frame.src = box.dataset.shell;
    return [frame];
  },
  image(bytes) {
    const type = imageType(bytes);
    if (!type) return [note('This is no image a browser shows safely. Download it to open it.')];
    const frame = element('div', { class: 'card picture' });
    frame.append(element('img', { alt: box.dataset.title, src: addressOf(bytes, type) }));
    return [frame];
  },
  text(bytes) {
    const text = new TextDecoder().decode(bytes.subarray(0, MOST_SHOWN));
    const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
    const code = element('code', { class: 'lines' });
    code.append(...lines.slice(0, MOST_LINES).map((line) => element('span', {}, line)));
    const pre = element('pre', { class: 'code viewer-text wrap', tabindex: '0' });
    pre.append(code);
    const isCut = bytes.length > MOST_SHOWN || lines.length > MOST_LINES;
    return isCut ? [pre, element('p', { class: 'note warning' }, 'This is the beginning. Download it to read the rest.')] : [pre];
  },
  markdown(bytes) {
    return [...show.text(bytes), note('Shown as it was written: it is the hub that renders Markdown, and it cannot read this.')];
  },
  other() {
    return [element('div', { class: 'card empty' }, 'Decrypted. Download it to open it.')];
  },
};
show.code = show.text;
show.json = show.text;
show.pdf = show.other;

let stored = null;
async function ciphertext() {
  if (stored) return stored;
  const answer = await fetch(box.dataset.raw, { credentials: 'same-origin' });
  if (!answer.ok || answer.redirected) throw new TypeError('not answered');
  stored = await answer.arrayBuffer();
  return stored;
}

function lock() {
  addresses.splice(0).forEach((address) => URL.revokeObjectURL(address));
  view.replaceChildren();
  file.removeAttribute('href');
  opened.hidden = true;
  box.hidden = false;
  say('');
}

function reveal(bytes) {
  view.replaceChildren(...(show[box.dataset.kindOf] ?? show.other)(bytes));
  file.href = addressOf(bytes, 'application/octet-stream');
  file.download = box.dataset.name;
  box.hidden = true;
  opened.hidden = false;
  document.getElementById('lock').focus();
}

const envelope = { ...box.dataset, iterations: Number(box.dataset.iterations) };

async function unlock(event) {
  event.preventDefault();
  const button = form.querySelector('button');
  const given = password.value;
  password.value = '';
  button.disabled = true;
  say('Opening…', 'muted');
  try {
    reveal(await open(given, envelope, await ciphertext()));
    say('');
  } catch (problem) {
    const isWrong = problem.name === 'OperationError';
    say(isWrong ? 'That password does not open it.' : 'The hub did not send it. Try again.', 'error');
    password.focus();
  } finally {
    button.disabled = false;
  }
}

if (possible()) {
  form.hidden = false;
  form.addEventListener('submit', unlock);
  document.getElementById('lock').addEventListener('click', () => { lock(); password.focus(); });
  window.addEventListener('pagehide', lock);
} else {
  box.append(element('p', { class: 'note warning' }, 'A browser opens this over HTTPS, or on the machine of the hub itself. This address is neither.'));
}
