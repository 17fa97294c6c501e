import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bundleService } from '#build/bundle-service.ts';

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
let directory = '';
let output = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'evoscope-bundle-'));
  output = join(directory, 'dist', 'server');
  mkdirSync(join(directory, 'workers'));
  symlinkSync(modules, join(directory, 'node_modules'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function write(name: string, ...lines: string[]): string {
  writeFileSync(join(directory, name), lines.join('\n'));
  return join(directory, name);
}

/** Runs a bundle away from the sources and returns what it prints. */
function run(file: string): string {
  rmSync(join(directory, 'workers'), { recursive: true });
  return execFileSync(process.execPath, [file], { cwd: tmpdir(), encoding: 'utf8' }).trim();
}

describe('a bundle', () => {
  test('holds packages in CommonJS and finds better-sqlite3 beside it', async () => {
    const entry = write(
      'main.ts',
      "import Database from 'better-sqlite3';",
      "import express from 'express';",
      "import pg from 'pg';",
      "const row = new Database(':memory:').prepare('select 6 * 7 as answer').get() as { answer: number };",
      'const parts = [typeof express(), typeof pg.Pool, row.answer];',
      "process.stdout.write(parts.join(' '));",
    );
    const files = await bundleService(entry, output);
    expect(files).toEqual([join(output, 'main.js')]);
    expect(run(files[0]!)).toBe('function function 42');
  });

  test('has the worker files that its code names, those of workers included', async () => {
    write('workers/sum-worker.ts', ...helloFrom('sum', './deep-worker.ts'));
    write('workers/deep-worker.ts', ...helloFrom('deep', null));
    write(
      'workers/pool.ts',
      "import { Worker } from 'node:worker_threads';",
      'export const startPool = () =>',
      "  new Worker(new URL('./sum-worker.ts', import.meta.url));",
    );
    const entry = write(
      'main.ts',
      "import { startPool } from './workers/pool.ts';",
      'startPool();',
    );
    await bundleService(entry, output);
    expect(readdirSync(output).sort()).toEqual(['deep-worker.js', 'main.js', 'sum-worker.js']);
    expect(run(join(output, 'main.js')).split('\n')).toEqual(['sum', 'deep']);
  });

  test('replaces the one before as a whole', async () => {
    const entry = write('main.ts', 'process.stdout.write("new");');
    mkdirSync(output, { recursive: true });
    writeFileSync(join(output, 'old-worker.js'), '');
    await bundleService(entry, output);
    expect(readdirSync(output)).toEqual(['main.js']);
  });
});

describe('bundling fails', () => {
  test('when a worker file is missing', async () => {
    const entry = write('main.ts', "export const url = new URL('./gone.ts', import.meta.url);");
    await expect(bundleService(entry, output)).rejects.toThrow(
      `${entry} names ./gone.ts, which is missing`,
    );
  });

  test('when two worker files would have the same name', async () => {
    write('workers/task.ts', 'export {};');
    write('task.ts', 'export {};');
    const entry = write(
      'main.ts',
      "new URL('./workers/task.ts', import.meta.url);",
      "new URL('./task.ts', import.meta.url);",
    );
    await expect(bundleService(entry, output)).rejects.toThrow(/would both become .*task\.js/);
  });

  test('when an import is missing', async () => {
    const entry = write('main.ts', "import './gone.ts';");
    await expect(bundleService(entry, output)).rejects.toThrow('Could not resolve "./gone.ts"');
  });
});

/** A worker that prints its name and starts the next one. */
function helloFrom(name: string, next: string | null): string[] {
  return [
    "import { writeSync } from 'node:fs';",
    "import { Worker } from 'node:worker_threads';",
    `writeSync(1, '${name}\\n');`,
    next === null
      ? 'export const noNext: typeof Worker | null = null;'
      : `new Worker(new URL('${next}', import.meta.url));`,
  ];
}
