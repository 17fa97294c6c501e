import { access } from 'node:fs/promises';

const timeoutMillis = 2_000;

/**
 * Function that resolves with whether a file exists at the moment. A file that the system refuses to access counts as
 * missing. If the system does not respond within 2 s, the file counts as existing. Never rejects.
 */
type FileCheck = (file: string) => Promise<boolean>;

/**
 * Creates a {@link FileCheck} from a function that rejects for a missing file. Any rejection counts as missing. A file
 * on a drive that does not respond occupies one of the few threads of Node, so all checks of a file wait for its
 * pending check.
 */
export function createFileCheck(accessFile: (file: string) => Promise<void>): FileCheck {
  const pendingChecks = new Map<string, Promise<boolean>>();
  const startCheck = (file: string): Promise<boolean> => {
    const check = accessFile(file)
      .then(
        () => true,
        () => false,
      )
      .finally(() => pendingChecks.delete(file));
    pendingChecks.set(file, check);
    return check;
  };
  return async (file) => {
    const timeout = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => timeout.resolve(true), timeoutMillis);
    const result = await Promise.race([
      pendingChecks.get(file) ?? startCheck(file),
      timeout.promise,
    ]);
    clearTimeout(timer);
    return result;
  };
}

/** Resolves with whether a file exists; with false if the system denies access to its folder. See {@link FileCheck}. */
export const hasFile = createFileCheck((file) => access(file));
