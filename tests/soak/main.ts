import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleService, ensurePages, pagesFolder } from '#build/bundle.ts';
import { findFreePort } from '#build/start/free-port.ts';
import { startPostgresServer } from '#tests/support/embedded-postgres.ts';
import { soakService } from './faults.ts';
import { soakPages } from './pages.ts';
import { printLine } from './report.ts';
import { Service } from './service.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    postgres: { type: 'boolean', default: false },
    pages: { type: 'boolean', default: false },
  },
});
const minutes = Number(values.minutes ?? (values.pages ? 60 : 10));
if (!(minutes > 0)) throw new Error('--minutes must be a positive number');

const folder = mkdtempSync(join(tmpdir(), 'evoscope-soak-'));
const server = values.postgres ? await startPostgresServer() : undefined;
const location = server?.url ?? join(folder, 'soak.db');
const name = `${values.pages ? 'pages-' : ''}${values.postgres ? 'postgres' : 'sqlite'}`;
// Separate from the programs of the tests, which may be built again meanwhile.
const programs = join(import.meta.dirname, '../../.cache/soak-programs', name);
await bundleService(programs);
// A copy, for the same reason.
const pagesCopy = join(folder, 'pages');
if (values.pages) {
  await ensurePages(printLine);
  cpSync(pagesFolder, pagesCopy, { recursive: true });
} else mkdirSync(pagesCopy);
const service = new Service(join(programs, 'main.js'), location, await findFreePort(), pagesCopy);
await service.waitUntilReady();
printLine(`${minutes} minutes on ${server ? 'PostgreSQL' : 'SQLite'}`);

const runSoak = values.pages ? soakPages : soakService;
const faults = await runSoak(service, location, minutes * 60_000);
rmSync(folder, { recursive: true, force: true });
await server?.remove();
printLine(faults.length === 0 ? 'passed' : `failed: ${faults.join('; ')}`);
process.exitCode = faults.length === 0 ? 0 : 1;
