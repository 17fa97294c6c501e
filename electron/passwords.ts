import * as z from 'zod';
import { readJson, writeJson } from './json-file.ts';

/** Encryption for this user of this system. */
export interface Cipher {
  /** Resolves with whether the system stores the key securely. If not, the window stores no password. */
  isAvailable(): Promise<boolean>;
  encrypt(text: string): Promise<Buffer>;
  decrypt(bytes: Buffer): Promise<string>;
}

/** Encrypted passwords of databases by id, in a file. */
export interface Passwords {
  /** Stores a password. Resolves with whether it is stored: false without a keyring, or if storing fails. */
  store(id: string, password: string): Promise<boolean>;
  /** Resolves with the password; undefined if there is no password that this system can decrypt. */
  find(id: string): Promise<string | undefined>;
  /** Deletes a password, if it is stored. Throws the error of the system if the file cannot be written. */
  delete(id: string): void;
}

const storedEntries = z.record(z.string(), z.unknown());
const base64 = z.base64();

/**
 * Returns whether Electron's encryption uses a keyring of the system. On Linux there may be none: the backend
 * `basic_text` uses a key that is in every copy of the program.
 */
export function hasKeyring(platform: NodeJS.Platform, backend: string | undefined): boolean {
  return platform !== 'linux' || !['basic_text', 'unknown', undefined].includes(backend);
}

/** Returns the encrypted passwords in base64 by id, without invalid entries. */
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
 * Returns the passwords in this file, and reads the file again for each call; no passwords if it is missing or invalid.
 * The file never contains unencrypted passwords.
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
