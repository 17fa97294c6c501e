import { afterEach, expect, test, vi } from 'vitest';
import { runAll } from '#build/gate/run-all.ts';

afterEach(() => void vi.restoreAllMocks());

const script = (text: string) => ['-e', text];

test('returns the results in the order of the programs, and prints the whole output of each', async () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const reportedNames: string[] = [];
  const results = await runAll(
    [
      { name: 'slow', command: script('setTimeout(() => console.log("at last"), 300)') },
      { name: 'wrong', command: script('console.error("not so"); process.exitCode = 2') },
      { name: 'ended', command: script('process.kill(process.pid, "SIGKILL")') },
      {
        name: 'named',
        command: script('process.exitCode = Number(process.env.ENDS_WITH)'),
        environment: { ENDS_WITH: '7' },
      },
    ],
    ({ name }) => reportedNames.push(name),
  );
  expect(results).toEqual([
    { name: 'slow', exitCode: 0 },
    { name: 'wrong', exitCode: 2 },
    { name: 'ended', exitCode: 1 },
    { name: 'named', exitCode: 7 },
  ]);
  expect([...reportedNames].sort()).toEqual(['ended', 'named', 'slow', 'wrong']);
  const output = write.mock.calls.map(([text]) => String(text)).join('');
  expect(output).toMatch(/at last\n/);
  expect(output).toMatch(/not so\n/);
});
