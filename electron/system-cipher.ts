import { safeStorage } from 'electron';
import { keepsSecrets, type Cipher } from './passwords.ts';

/** Encrypts with a key that the system keeps for this user: in the keychain, by DPAPI, in a keyring. */
export const systemCipher: Cipher = {
  isAvailable: async () =>
    (await safeStorage.isAsyncEncryptionAvailable()) && keepsSecrets(process.platform, backend()),
  encrypt: (text) => safeStorage.encryptStringAsync(text),
  decrypt: async (bytes) => (await safeStorage.decryptStringAsync(bytes)).result,
};

function backend(): string | undefined {
  return process.platform === 'linux' ? safeStorage.getSelectedStorageBackend() : undefined;
}
