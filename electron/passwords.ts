import * as z from 'zod';
import { readJson, writeJson } from './json-file.ts';

/** Encrypts for this user of this system. */
export interface Cipher {
  /** Whether the system keeps the key: without it nothing may be stored. */
  isAvailable(): Promise<boolean>;
  encrypt(text: string): Promise<Buffer>;
  decrypt(bytes: Buffer): Promise<string>;
}

/** Passwords of databases by their ids, in a file, encrypted. */
export interface Passwords {
  /** Keeps a password; resolves whether that is done, which it is not where the system has no place for secrets. */
  keep(id: string, password: string): Promise<boolean>;
  /** undefined when there is none, or none that this system can read. */
  find(id: string): Promise<string | undefined>;
  forget(id: string): void;
}

/** Id → password, encrypted, in base64. */
const kept = z.record(z.string(), z.base64());

/**
 * Whether what Electron encrypts is safe: on Linux it is not where no keyring was found (`basic_text`, whose key is in
 * every copy of the program, and `unknown`).
 */
export function keepsSecrets(platform: NodeJS.Platform, backend: string | undefined): boolean {
  return platform !== 'linux' || !['basic_text', 'unknown', undefined].includes(backend);
}

/** The passwords in this file; nothing is ever written to it unencrypted. */
export function openPasswords(file: string, cipher: Cipher): Passwords {
  const read = () => kept.safeParse(readJson(file)).data ?? {};
  const without = (id: string) =>
    Object.fromEntries(Object.entries(read()).filter(([other]) => other !== id));
  return {
    async keep(id, password) {
      if (!(await cipher.isAvailable())) return false;
      try {
        const encrypted = await cipher.encrypt(password);
        writeJson(file, { ...read(), [id]: encrypted.toString('base64') });
        return true;
      } catch {
        return false;
      }
    },
    async find(id) {
      const encrypted = new Map(Object.entries(read())).get(id);
      if (encrypted === undefined || !(await cipher.isAvailable())) return undefined;
      return cipher.decrypt(Buffer.from(encrypted, 'base64')).catch(() => undefined);
    },
    forget(id) {
      if (Object.hasOwn(read(), id)) writeJson(file, without(id));
    },
  };
}
