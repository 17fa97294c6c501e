import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { deleteArtifactDirectories } from '#server/services/artifact-directories.ts';
import { isLong } from '#tests/support/long.ts';

const rounds = isLong ? 40 : 10;
const folders = Array.from({ length: 30 }, (_, index) => `deep-${index}`);

/** A process that puts a link to `precious` in the place of folders and takes it away again, all the time. */
const swapper = `
  import { renameSync, symlinkSync, unlinkSync } from 'node:fs';
  const [, precious, ...folders] = process.argv;
  const quietly = (step) => { try { step(); } catch {} };
  console.log('swapping');
  for (;;) for (const folder of folders) {
    quietly(() => renameSync(folder, precious + '.aside'));
    quietly(() => symlinkSync(precious, folder));
    quietly(() => unlinkSync(folder));
    quietly(() => renameSync(precious + '.aside', folder));
  }`;

test.each([
  ['the folder of a run', ['run-1']],
  ['folders within it', folders.map((name) => `run-1/${name}`)],
])('no file elsewhere is deleted while a process replaces %s by links', async (_what, swapped) => {
  const base = await mkdtemp(join(tmpdir(), 'evoscope-swap-'));
  const precious = join(base, 'precious');
  const runs = join(base, 'results', 'runs');
  const kept = ['', 'run-1', ...folders].map((place) => join(precious, place, 'thesis.tex'));
  for (const file of kept) await write(file);
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', swapper, precious, ...swapped.map((name) => join(runs, name))],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  await once(child.stdout, 'data');
  for (let round = 0; round < rounds; round += 1) {
    for (const name of folders) await write(join(runs, 'run-1', name, 'a')).catch(() => {});
    await deleteArtifactDirectories(join(base, 'results'), ['run-1']);
  }
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(kept.filter((file) => !existsSync(file))).toEqual([]);
  await rm(base, { recursive: true, force: true });
});

test.runIf(process.platform === 'linux')(
  'no file elsewhere is deleted if a link replaces the folder of all runs during the deletion',
  async () => {
    const base = await mkdtemp(join(tmpdir(), 'evoscope-swap-'));
    onTestFinished(() => rm(base, { recursive: true, force: true }));
    const [precious, runs] = [join(base, 'precious'), join(base, 'results', 'runs')];
    for (const folder of [precious, runs])
      for (const id of ['run-1', 'run-2']) await write(join(folder, id, 'thesis.tex'));
    const remove = async (directory: string) => {
      if (!existsSync(`${runs}.aside`)) {
        await rename(runs, `${runs}.aside`);
        await symlink(precious, runs);
      }
      await rm(directory, { recursive: true });
    };
    await deleteArtifactDirectories(join(base, 'results'), ['run-1', 'run-2'], remove);
    expect(await readdir(precious)).toEqual(['run-1', 'run-2']);
    expect(await readdir(`${runs}.aside`)).toEqual([]);
  },
);

async function write(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, 'x');
}
