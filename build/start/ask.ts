import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';

/**
 * Asks a question with `[Y/n]` and resolves with whether the answer means yes: an empty line, `y` or `yes`. The end of
 * the input means no. Ctrl-C calls `onInterrupt`, and the promise never settles.
 */
export async function ask(
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
  const ended = once(terminal, 'close').then(() =>
    isInterrupted ? new Promise<never>(() => {}) : null,
  );
  const answer = await Promise.race([terminal.question(question).catch(() => ended), ended]);
  output.write('\n');
  terminal.close();
  return answer !== null && ['', 'y', 'yes'].includes(answer.trim().toLowerCase());
}
