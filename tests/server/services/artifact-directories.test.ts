import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  findArtifactDirectories,
  listArtifactFiles,
  deleteArtifactDirectories,
} from '#server/services/artifact-directories.ts';

let base: string;
let root: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'artifacts-'));
  root = join(base, 'results');
  await mkdir(join(root, 'runs', 'run-1', 'deep'), { recursive: true });
  await writeFile(join(root, 'runs', 'run-1', 'deep', 'metrics.csv'), 'x');
  await mkdir(join(root, 'runs', 'run-2'));
  await mkdir(join(base, 'precious'));
  await writeFile(join(base, 'precious', 'thesis.tex'), 'x');
});

afterEach(() => rm(base, { recursive: true, force: true }));

test('the directory of a run is removed with its content, and no other directory', async () => {
  expect(await deleteArtifactDirectories(root, ['run-1', 'unknown'])).toEqual({
    deletedDirectories: 1,
    failures: [],
  });
  expect(await readdir(join(root, 'runs'))).toEqual(['run-2']);
});

test('the list of files omits a file that another program removes meanwhile, and no other', async () => {
  const folder = join(root, 'runs', 'run-1');
  for (const name of ['a.txt', 'b.txt', 'c.txt']) await writeFile(join(folder, name), name);
  const { lstat } = fs;
  const removeFirst = vi.spyOn(fs, 'lstat').mockImplementation(async (path) => {
    if (String(path).endsWith('.txt')) {
      removeFirst.mockImplementation(lstat);
      await rm(path);
    }
    return lstat(path);
  });
  // The service imports the function by its name.
  syncBuiltinESMExports();
  const { files, entryCount } = await listArtifactFiles(root, 'run-1', 10).finally(() => {
    removeFirst.mockRestore();
    syncBuiltinESMExports();
  });
  expect(entryCount).toBe(5);
  expect(files.map(({ path }) => path)).toContain('deep/metrics.csv');
  expect(files).toHaveLength(3);
});

test('a run named twice is counted once', async () => {
  expect((await deleteArtifactDirectories(root, ['run-1', 'run-1'])).deletedDirectories).toBe(1);
});

test.each([
  '',
  '.',
  '..',
  '../x',
  '../../precious',
  'run-1/deep',
  'run-1\\deep',
  '/etc',
  'C:\\x',
  'a\0b',
])('the run id %j names no directory and removes nothing', async (runId) => {
  await mkdir(join(root, 'x'));
  expect(await findArtifactDirectories(root, [runId, join(base, 'precious')])).toEqual({
    directories: [],
    failures: [],
  });
  expect((await deleteArtifactDirectories(root, [runId])).deletedDirectories).toBe(0);
  expect(await readdir(root)).toEqual(['runs', 'x']);
  expect(await readdir(join(root, 'runs', 'run-1'))).toEqual(['deep']);
});

test('a link instead of the directory of a run is neither followed nor removed', async () => {
  await symlink(join(base, 'precious'), join(root, 'runs', 'run-3'));
  expect((await deleteArtifactDirectories(root, ['run-3'])).deletedDirectories).toBe(0);
  expect(await readdir(join(base, 'precious'))).toEqual(['thesis.tex']);
});

test('a link in the directory of a run is removed, and its target is not', async () => {
  await symlink(join(base, 'precious'), join(root, 'runs', 'run-1', 'link'));
  expect((await deleteArtifactDirectories(root, ['run-1'])).deletedDirectories).toBe(1);
  expect(await readdir(join(base, 'precious'))).toEqual(['thesis.tex']);
});

test('nothing is removed if the folder of runs is a link out of the root', async () => {
  const otherRoot = join(base, 'other');
  await mkdir(otherRoot);
  await mkdir(join(base, 'precious', 'run-1'));
  await symlink(join(base, 'precious'), join(otherRoot, 'runs'));
  expect((await deleteArtifactDirectories(otherRoot, ['run-1'])).deletedDirectories).toBe(0);
  expect(await readdir(join(base, 'precious'))).toEqual(['run-1', 'thesis.tex']);
});

test('a root that is a link is resolved', async () => {
  await symlink(root, join(base, 'link'));
  expect((await deleteArtifactDirectories(join(base, 'link'), ['run-2'])).deletedDirectories).toBe(
    1,
  );
});

test('a missing root has no directories', async () => {
  expect(await findArtifactDirectories(join(base, 'nowhere'), ['run-1'])).toEqual({
    directories: [],
    failures: [],
  });
});

test('an unreadable root is a failure, and not a root without directories', async () => {
  const loop = join(base, 'loop');
  await symlink(loop, loop);
  expect(await deleteArtifactDirectories(loop, ['run-1'])).toEqual({
    deletedDirectories: 0,
    failures: [
      { directory: join(loop, 'runs'), reason: expect.stringContaining('ELOOP') as string },
    ],
  });
});

test('a file instead of a directory is not removed', async () => {
  await writeFile(join(root, 'runs', 'run-4'), 'x');
  expect((await deleteArtifactDirectories(root, ['run-4'])).deletedDirectories).toBe(0);
});

test('a directory that cannot be removed is reported, and the others are removed', async () => {
  let calls = 0;
  const removal = await deleteArtifactDirectories(root, ['run-1', 'run-2'], async (directory) => {
    calls += 1;
    if (calls === 1) throw new Error('EACCES: permission denied');
    await rm(directory, { recursive: true });
  });
  expect(removal.deletedDirectories).toBe(1);
  expect(removal.failures).toEqual([
    { directory: join(root, 'runs', 'run-1'), reason: 'EACCES: permission denied' },
  ]);
  expect(await readdir(join(root, 'runs'))).toEqual(['run-1']);
});

test('the next removal completes the removal of a killed process, and removes nothing else', async () => {
  const module = fileURLToPath(import.meta.resolve('#server/services/artifact-directories.ts'));
  const program = `const { deleteArtifactDirectories } = await import(${JSON.stringify(module)});
    await deleteArtifactDirectories(${JSON.stringify(root)}, ['run-1'], () => (console.log('taken'), new Promise(() => {})));`;
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', `${program}; setInterval(() => {}, 1e6)`],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  const runs = join(root, 'runs');
  const abandonedFolder = (await readdir(runs)).find((name) =>
    name.startsWith('.evoscope-removing-'),
  );
  await deleteArtifactDirectories(root, ['run-2']);
  expect(await readdir(runs)).toEqual([abandonedFolder]);
  await utimes(join(runs, abandonedFolder!), 0, 0);
  // Another program has moved these directories there, because their names are not their identities.
  const otherFolders = ['.evoscope-removing-1', '.evoscope-removing-2', '.evoscope-removing-3'];
  for (const name of otherFolders) {
    await mkdir(join(runs, name, 'mine'), { recursive: true, mode: 0o700 });
    await utimes(join(runs, name), 0, 0);
  }
  await mkdir(join(runs, 'run-2'));
  const { deletedDirectories, failures } = await deleteArtifactDirectories(root, ['run-2']);
  expect(deletedDirectories).toBe(1);
  expect(failures.map(({ reason }) => reason)).toEqual(
    otherFolders.map(() => expect.stringContaining('ENOTEMPTY') as string),
  );
  expect((await readdir(runs)).sort()).toEqual(otherFolders);
  for (const name of otherFolders) expect(await readdir(join(runs, name))).toEqual(['mine']);
});
