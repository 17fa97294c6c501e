import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { onServer } from './databases.ts';
import { getProgramsFolder, startPostgresServer } from './embedded-postgres.ts';

const isRoot = process.getuid?.() === 0;

test('startPostgresServer starts a server for root from a folder that no other user can enter', async (context) => {
  context.skip(!isRoot, 'only root starts PostgreSQL as another user');
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-private-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(getProgramsFolder(), folder, { recursive: true, verbatimSymlinks: true });

  const server = await startPostgresServer(folder);
  onTestFinished(() => server.remove());
  const { rows } = await onServer(server.url, (client) => client.query('select 1 as one'));
  expect(rows).toEqual([{ one: 1 }]);
}, 60_000);
