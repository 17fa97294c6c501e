import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { meansYes } from './start-decisions.ts';

/**
 * Asks a question with `[Y/n]` and settles with whether the answer means yes. The end of the input is a no;
 * Ctrl-C is left to `onInterrupt`, and then the promise stays open.
 */
export function ask(
  question: string,
  { input, output }: { readonly input: Readable; readonly output: Writable },
  onInterrupt: () => void,
): Promise<boolean> {
  const terminal = createInterface({ input, output });
  return new Promise((resolve) => {
    const end = () => {
      output.write('\n');
      resolve(false);
    };
    terminal.once('close', end);
    terminal.once('SIGINT', () => {
      terminal.off('close', end);
      terminal.close();
      onInterrupt();
    });
    terminal.question(question, (answer) => {
      resolve(meansYes(answer));
      terminal.close();
    });
  });
}
