// How protected artifacts are encrypted: AES-256-GCM with a key from the password by PBKDF2-SHA-256. The key cannot be
// taken out of the browser's keeping and lives as long as one call. Ciphertext ends with the tag of 16 bytes.
// docs/protected_artifacts.md has the format; static/clients/protect.py does the same for agents.
const SALT_BYTES = 16;
const IV_BYTES = 12;
export const ITERATIONS = 600000;

const fromBase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const toBase64 = (bytes) => btoa(String.fromCharCode(...bytes));

async function keyOf(password, salt, iterations, use) {
  const typed = new TextEncoder().encode(password.normalize('NFC')); // keyboards compose letters in different ways
  const material = await crypto.subtle.importKey('raw', typed, 'PBKDF2', false, ['deriveKey']);
  const how = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations };
  return crypto.subtle.deriveKey(how, material, { name: 'AES-GCM', length: 256 }, false, [use]);
}

export function possible() {
  return Boolean(globalThis.crypto?.subtle);
}

// Answers the plaintext; throws an OperationError for another password, or bytes that were changed.
export async function open(password, envelope, bytes) {
  if (envelope.algorithm !== 'AES-256-GCM' || envelope.kdf !== 'PBKDF2-SHA-256') throw new Error('unknown envelope');
  const key = await keyOf(password, fromBase64(envelope.salt), envelope.iterations, 'decrypt');
  return new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-GCM', iv: fromBase64(envelope.iv) }, key, bytes));
}

// Answers { envelope, bytes } for a plaintext, with a salt and an iv of its own.
export async function seal(password, bytes, iterations = ITERATIONS) {
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const key = await keyOf(password, salt, iterations, 'encrypt');
  const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, bytes));
  const envelope = { algorithm: 'AES-256-GCM', kdf: 'PBKDF2-SHA-256', iterations, salt: toBase64(salt), iv: toBase64(iv) };
  return { envelope, bytes: sealed };
}
