import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';

/**
 * Asks a yes-or-no question. Resolves with true for a blank line, `y` or `yes`, ignoring case and surrounding
 * whitespace. Resolves with false for any other input and at the end of the input. After Ctrl-C, calls `onInterrupt`,
 * and the promise never settles.
 */
export async function askQuestion(
  question: string,
  { input, output }: { readonly input: Readable; readonly output: Writable },
  onInterrupt: () => void,
): Promise<boolean> {
  const terminal = createInterface({ input, output });
  let isInterrupted = false;
  terminal.once('SIGINT', () => {
    isInterrupted = true;
    terminal.close();
    onInterrupt();
  });
  const closePromise = once(terminal, 'close').then(() =>
    isInterrupted ? new Promise<never>(() => {}) : null,
  );
  const line = await Promise.race([
    terminal.question(question).catch(() => closePromise),
    closePromise,
  ]);
  output.write('\n');
  terminal.close();
  return line !== null && ['', 'y', 'yes'].includes(line.trim().toLowerCase());
}
