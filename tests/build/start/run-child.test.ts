import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { runChild } from '#build/start/run-child.ts';

const parent = fileURLToPath(new URL('../../fixtures/electron/run-child.mjs', import.meta.url));

/** Returns a script that prints its process id and runs until a signal, on which it executes the statement. */
const makePatientScript = (onSignal: string) =>
  `for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => { ${onSignal} });
   setInterval(() => {}, 1000); process.stdout.write(process.pid + '\\n');`;

/** Starts the parent of a child that runs this script, and waits until the child is ready. */
async function startParent(text: string) {
  const parentProcess = spawn(process.execPath, [parent, process.execPath, '-e', text], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [line] = (await once(parentProcess.stdout, 'data')) as [Buffer];
  return { process: parentProcess, childId: Number(line.toString()) };
}

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}

describe('a signal to the parent', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    '%s reaches the child, which handles it',
    async (signal) => {
      const { process: parentProcess, childId } = await startParent(
        makePatientScript('process.exit(4)'),
      );
      parentProcess.kill(signal);
      expect(await once(parentProcess, 'exit')).toEqual([4, null]);
      expect(isAlive(childId)).toBe(false);
    },
  );

  test('does not end the parent before the child', async () => {
    const slowScript = makePatientScript(
      "process.on('SIGUSR2', () => process.exit(0)); process.stdout.write('ending')",
    );
    const { process: started, childId } = await startParent(slowScript);
    const firstOutput = once(started.stdout, 'data');
    started.kill('SIGTERM');
    await firstOutput;
    expect([started.exitCode, isAlive(childId)]).toEqual([null, true]);
    process.kill(childId, 'SIGUSR2');
    expect(await once(started, 'exit')).toEqual([0, null]);
  });

  test('that kills the child also kills the parent', async () => {
    const { process: started, childId } = await startParent(
      "setInterval(() => {}, 1000); process.stdout.write(process.pid + '\\n');",
    );
    process.kill(childId, 'SIGTERM');
    expect(await once(started, 'exit')).toEqual([null, 'SIGTERM']);
  });
});

test('the exit code of the child is returned', async () => {
  const end = await runChild(process.execPath, ['-e', 'process.exit(2)']);
  expect(end).toEqual({ code: 2, signal: null });
});

test('no signal listener remains', async () => {
  const listenersBefore = process.listenerCount('SIGTERM');
  await runChild(process.execPath, ['-e', '']);
  expect(process.listenerCount('SIGTERM')).toBe(listenersBefore);
});

test('runChild rejects for a program that does not exist', async () => {
  await expect(runChild('/no/such/program', [])).rejects.toThrow('ENOENT');
});
