import * as z from 'zod';
import { readJson, writeJson } from './json-file.ts';

/** Encryption for this user of this system. */
export interface Cipher {
  /** Resolves with whether the system protects the key. If not, the window neither stores nor reads passwords. */
  isAvailable(): Promise<boolean>;
  encrypt(text: string): Promise<Buffer>;
  decrypt(bytes: Buffer): Promise<string>;
}

/** Encrypted passwords of databases by id, in a file. */
export interface Passwords {
  /**
   * Stores a password and resolves with true. Resolves with false if the cipher is not available, or if encrypting or
   * writing fails.
   */
  store(id: string, password: string): Promise<boolean>;
  /** Resolves with the password; undefined if there is no password that this system can decrypt. */
  find(id: string): Promise<string | undefined>;
  /** Deletes a stored password; does nothing without one. Throws the error of the system if writing the file fails. */
  delete(id: string): void;
}

const storedEntries = z.record(z.string(), z.unknown());
const base64 = z.base64();

/**
 * Returns whether Electron's encryption uses a key that the system protects. On Linux, this is false for `unknown`,
 * undefined and `basic_text`, whose key is in every copy of the program. On other systems, it is always true.
 */
export function hasKeyring(platform: NodeJS.Platform, backend: string | undefined): boolean {
  return platform !== 'linux' || !['basic_text', 'unknown', undefined].includes(backend);
}

/** Returns the encrypted passwords in base64 by id, without invalid entries; none if the content is not an object. */
function parsePasswords(content: unknown): Record<string, string> {
  const entries = Object.entries(storedEntries.safeParse(content).data ?? {});
  return Object.fromEntries(
    entries.flatMap(([id, entry]) => {
      const { data } = base64.safeParse(entry);
      return data === undefined ? [] : [[id, data]];
    }),
  );
}

/**
 * Returns the passwords in this file. Reads the file again for each call. A missing, unreadable or invalid file has no
 * passwords, and {@link Passwords.store} replaces it. The file never contains unencrypted passwords.
 */
export function openPasswords(file: string, cipher: Cipher): Passwords {
  const read = () => parsePasswords(readJson(file));
  const getPasswordsWithout = (id: string) =>
    Object.fromEntries(Object.entries(read()).filter(([storedId]) => storedId !== id));
  return {
    async store(id, password) {
      if (!(await cipher.isAvailable())) return false;
      try {
        const encryptedPassword = await cipher.encrypt(password);
        writeJson(file, { ...read(), [id]: encryptedPassword.toString('base64') });
        return true;
      } catch {
        return false;
      }
    },
    async find(id) {
      const encryptedPassword = new Map(Object.entries(read())).get(id);
      if (encryptedPassword === undefined || !(await cipher.isAvailable())) return undefined;
      return cipher.decrypt(Buffer.from(encryptedPassword, 'base64')).catch(() => undefined);
    },
    delete(id) {
      if (Object.hasOwn(read(), id)) writeJson(file, getPasswordsWithout(id));
    },
  };
}
