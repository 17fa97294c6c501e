import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hasKeyring, openPasswords, type Cipher } from '#electron/passwords.ts';

let directory = '';
let file = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'evoscope-passwords-'));
  file = join(directory, 'passwords.json');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Inverts every byte, and decrypts only its own output. */
const cipher: Cipher = {
  isAvailable: async () => true,
  encrypt: async (text) => Buffer.from(`key:${text}`).map((byte) => byte ^ 0xff) as Buffer,
  decrypt: async (bytes) => {
    const text = Buffer.from(bytes.map((byte) => byte ^ 0xff)).toString();
    if (!text.startsWith('key:')) throw new Error('of another user');
    return text.slice('key:'.length);
  },
};
const cipherWithoutKeyring: Cipher = { ...cipher, isAvailable: async () => false };

test('a stored password is found again, and no file contains it unencrypted', async () => {
  const id = 'me@db:5432/runs';
  expect(await openPasswords(file, cipher).store(id, 'hunter2-and-more')).toBe(true);
  const passwords = openPasswords(file, cipher);
  await passwords.store('other', '');
  expect(await passwords.find(id)).toBe('hunter2-and-more');
  expect(await passwords.find('other')).toBe('');
  expect(await passwords.find('__proto__')).toBeUndefined();
  expect(readFileSync(file, 'utf8')).not.toContain('hunter2');
  expect(statSync(file).mode & 0o077).toBe(0);
  passwords.delete(id);
  passwords.delete('never stored');
  expect(await passwords.find(id)).toBeUndefined();
  expect(await passwords.find('other')).toBe('');
});

test('without a keyring nothing is stored or read', async () => {
  await openPasswords(file, cipher).store('a', 'hunter2');
  const passwords = openPasswords(file, cipherWithoutKeyring);
  expect(await passwords.store('b', 'hunter3')).toBe(false);
  expect(await passwords.find('a')).toBeUndefined();
  expect(readFileSync(file, 'utf8')).not.toContain('"b"');
});

test('a password that cannot be decrypted is undefined', async () => {
  writeFileSync(file, JSON.stringify({ a: Buffer.from('foreign').toString('base64') }));
  expect(await openPasswords(file, cipher).find('a')).toBeUndefined();
  writeFileSync(file, '{"a": 1');
  expect(await openPasswords(file, cipher).find('a')).toBeUndefined();
  expect(await openPasswords(file, cipher).store('a', 'new')).toBe(true);
});

test('storing a password keeps the others, also next to an invalid entry', async () => {
  await openPasswords(file, cipher).store('a', 'hunter2');
  const stored = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...stored, b: 5, c: 'no base64!' }));
  const passwords = openPasswords(file, cipher);
  expect(await passwords.store('d', 'hunter3')).toBe(true);
  expect(await passwords.find('a')).toBe('hunter2');
  expect(await passwords.find('b')).toBeUndefined();
});

test('store resolves with false if the password cannot be written', async () => {
  mkdirSync(`${file}.new`);
  expect(await openPasswords(file, cipher).store('a', 'hunter2')).toBe(false);
});

test.each([
  ['darwin', undefined, true],
  ['win32', undefined, true],
  ['linux', 'gnome_libsecret', true],
  ['linux', 'kwallet6', true],
  ['linux', 'basic_text', false],
  ['linux', 'unknown', false],
  ['linux', undefined, false],
] as const)('%s with the backend %s has a keyring: %s', (platform, backend, expected) => {
  expect(hasKeyring(platform, backend)).toBe(expected);
});
