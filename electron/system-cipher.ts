import { safeStorage } from 'electron';
import { keepsSecrets, type Cipher } from './passwords.ts';

/** Encryption with a key that the system keeps for this user: keychain, DPAPI or keyring. */
export const systemCipher: Cipher = {
  isAvailable: async () =>
    (await safeStorage.isAsyncEncryptionAvailable()) && keepsSecrets(process.platform, backend()),
  encrypt: (text) => safeStorage.encryptStringAsync(text),
  decrypt: async (bytes) => (await safeStorage.decryptStringAsync(bytes)).result,
};

function backend(): string | undefined {
  return process.platform === 'linux' ? safeStorage.getSelectedStorageBackend() : undefined;
}
