import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';

/**
 * Asks a question with `[Y/n]` and resolves with whether the answer means yes: an empty line, `y` or `yes`. The end of
 * the input means no. Ctrl-C calls `onInterrupt`, and the promise never settles.
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
  const reply = await Promise.race([
    terminal.question(question).catch(() => closePromise),
    closePromise,
  ]);
  output.write('\n');
  terminal.close();
  return reply !== null && ['', 'y', 'yes'].includes(reply.trim().toLowerCase());
}
