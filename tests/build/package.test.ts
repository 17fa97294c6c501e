import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { programFolder } from '#tests/support/programs.ts';
import { parseAddress, spawnService } from '#tests/support/service-process.ts';

/**
 * The tests run the packaging with a stand-in for Electron's program: the packed files and the fuses do not depend on
 * it. Only a machine with Electron can show that the packed program runs.
 */
const root = fileURLToPath(new URL('../..', import.meta.url));
const fuseSentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
/** All fuses as Electron ships them, in the order of its wire. */
const shippedFuses = '101100011';

let directory = '';
let packageFolder = '';

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'evoscope-package-'));
  const project = join(directory, 'project');
  for (const name of [
    'package.json',
    'package-lock.json',
    'build/electron-builder.yml',
    'build/icons',
  ]) {
    cpSync(join(root, name), join(project, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
  cpSync(join(programFolder, 'dist'), join(project, 'dist'), { recursive: true });
  for (const name of ['index.html', 'NOTICES.txt']) {
    writeFileSync(join(project, 'dist', 'renderer', name), name);
  }
  for (const folder of ['server', 'shared', 'tests']) {
    cpSync(join(root, folder, 'tsconfig.json'), join(project, folder, 'tsconfig.json'));
  }
  writeFileSync(join(project, 'notes.txt'), 'not for the package');
  const electronBuilder = join(root, 'node_modules', 'electron-builder', 'cli.js');
  const args = ['--dir', '--linux', '--x64', '--config', 'build/electron-builder.yml'];
  execFileSync(
    process.execPath,
    [electronBuilder, ...args, `-c.electronDist=${standInForElectron(directory)}`],
    { cwd: project, stdio: 'pipe' },
  );
  packageFolder = join(project, 'dist', 'packages', 'linux-unpacked');
}, 120_000);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function standInForElectron(parent: string): string {
  const folder = join(parent, 'electron');
  mkdirSync(join(folder, 'resources'), { recursive: true });
  const wire = Buffer.from([1, shippedFuses.length]);
  const program = Buffer.concat([Buffer.from(fuseSentinel), wire, Buffer.from(shippedFuses)]);
  writeFileSync(join(folder, 'electron'), program, { mode: 0o755 });
  writeFileSync(join(folder, 'version'), '45.4.1');
  for (const name of [
    'LICENSE',
    'LICENSES.chromium.html',
    'chrome-sandbox',
    'chrome_crashpad_handler',
  ]) {
    writeFileSync(join(folder, name), '');
  }
  return folder;
}

interface ArchiveFolder {
  readonly files?: Readonly<Record<string, ArchiveFolder>>;
}

/** The folders and files of an archive: its header is JSON, from byte 16 on, of the length in byte 12. */
function readArchive(file: string): ArchiveFolder {
  const archive = readFileSync(file);
  return JSON.parse(archive.toString('utf8', 16, 16 + archive.readUInt32LE(12))) as ArchiveFolder;
}

test('the archive contains only the bundles and better-sqlite3', () => {
  const { files } = readArchive(join(packageFolder, 'resources', 'app.asar'));
  const namesIn = (name: string) => Object.keys(files?.[name]?.files ?? {}).sort();
  expect(Object.keys(files ?? {}).sort()).toEqual(['dist', 'node_modules', 'package.json']);
  expect(namesIn('dist')).toEqual(['electron', 'renderer', 'server']);
  const { electron, renderer, server } = files?.['dist']?.files ?? {};
  expect(Object.keys(electron?.files ?? {})).toEqual(
    expect.arrayContaining(['main.cjs', 'unpacked.json']),
  );
  expect(Object.keys(renderer?.files ?? {})).toContain('index.html');
  for (const part of [electron, renderer, server]) {
    expect(Object.keys(part?.files ?? {})).toContain('NOTICES.txt');
  }
  expect(namesIn('node_modules')).toEqual(['better-sqlite3']);
});

test('the service and its native code are plain files next to the archive', () => {
  const unpackedFolder = join(packageFolder, 'resources', 'app.asar.unpacked');
  expect(readdirSync(join(unpackedFolder, 'dist'))).toEqual(['server']);
  const binaries = readdirSync(join(unpackedFolder, 'node_modules/better-sqlite3/prebuilds'));
  expect(binaries).toContain('linux-x64.node');
  expect(readdirSync(join(unpackedFolder, 'node_modules/better-sqlite3')).sort()).toEqual([
    'LICENSE',
    'lib',
    'package.json',
    'prebuilds',
  ]);
});

test('the service starts from the files next to the archive', async () => {
  const entry = join(packageFolder, 'resources', 'app.asar.unpacked', 'dist', 'server', 'main.js');
  const file = join(directory, 'packed.db');
  const service = spawnService(['--db', file, '--create', '--port', '0'], {
    entry,
    cwd: directory,
  });
  onTestFinished(() => void service.child.kill('SIGKILL'));
  const address = parseAddress(await service.readyLine);
  expect(await (await fetch(`${address}/api/runs`)).json()).toMatchObject({ total: 0 });
  service.child.kill('SIGTERM');
  expect(await service.exitCode).toBe(0);
});

test('every system has packages, and offers the program for databases', () => {
  const text = readFileSync(join(root, 'build/electron-builder.yml'), 'utf8');
  expect(parse(text)).toMatchObject({
    fileAssociations: [{ ext: 'db', rank: 'Alternate' }],
    linux: { target: ['AppImage', 'deb'] },
    mac: { target: [{ target: 'dmg', arch: ['arm64', 'x64'] }] },
    win: { target: 'nsis' },
  });
});

test('the program cannot run as Node, ignores options of Node, and loads only the verified archive', async () => {
  const wire = await getCurrentFuseWire(join(packageFolder, 'evoscope'));
  const disabledFuses = [
    FuseV1Options.RunAsNode,
    FuseV1Options.EnableNodeOptionsEnvironmentVariable,
    FuseV1Options.EnableNodeCliInspectArguments,
    FuseV1Options.GrantFileProtocolExtraPrivileges,
  ];
  const enabledFuses = [
    FuseV1Options.EnableEmbeddedAsarIntegrityValidation,
    FuseV1Options.OnlyLoadAppFromAsar,
  ];
  expect(disabledFuses.map((fuse) => wire[fuse])).toEqual(
    disabledFuses.map(() => FuseState.DISABLE),
  );
  expect(enabledFuses.map((fuse) => wire[fuse])).toEqual(enabledFuses.map(() => FuseState.ENABLE));
});
