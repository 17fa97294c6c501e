import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makePostgresLocation } from '#tests/support/databases.ts';
import { writeSampleFile } from '#tests/support/sample-file.ts';
import { useWindow } from './opened-window.ts';

const { open, userData } = useWindow();

/** Creates a file with runs in the user's folder. */
function createSampleFile(name = 'sample.db'): string {
  const file = join(userData(), name);
  writeSampleFile(file);
  return file;
}

const readStoredFile = (name: string) => readFileSync(join(userData(), name), 'utf8');
const isOpen = (window: ReturnType<typeof open>, location: string | null) =>
  expect.poll(() => window.database()).toBe(location);

describe('a file', () => {
  test('that is chosen in the menu replaces the open database, also after a restart of the service', async () => {
    const file = createSampleFile();
    const window = open('a.db');
    const { processId } = await window.next('fork');
    await window.next('load');
    window.send('pick', { file });
    window.send('choose', { label: 'Open database…' });
    await isOpen(window, file);
    process.kill(processId as number, 'SIGKILL');
    expect((await window.next('fork', 2)).args).toEqual([]);
    await expect.poll(() => window.database().catch(() => null)).toBe(file);
    // The service may respond before the window has received that it is ready.
    await expect
      .poll(async () => (await window.ask({ type: 'recent' })).answer)
      .toEqual([
        { id: file, name: 'sample.db', location: file, isMissing: false, isOpen: true },
        expect.objectContaining({ name: 'a.db', isOpen: false }),
      ]);
  });

  test('that is missing is created only if the user agrees', async () => {
    const file = join(userData(), 'new.db');
    const window = open('a.db', { button: 'Cancel' });
    await window.next('load');
    window.send('startAgain', { data: { flags: [], file } });
    expect((await window.next('dialog')).message).toMatch(/Create a new database\?$/);
    expect(existsSync(file)).toBe(false);
    window.send('press', { button: 'Create database' });
    window.send('openFile', { file });
    await isOpen(window, file);
    expect(window.all('focus')).toHaveLength(1);
  });

  test('with the name of a new file is created without a question; a file that is not a database is refused, and the open database stays', async () => {
    const newFile = join(userData(), 'new.db');
    const window = open('a.db');
    await window.next('load');
    window.send('pick', { file: newFile });
    window.send('choose', { label: 'New database…' });
    await isOpen(window, newFile);
    expect(window.all('dialog')).toEqual([]);
    const file = join(userData(), 'notes.txt');
    writeFileSync(file, 'notes\n'.repeat(400));
    window.send('openFile', { file });
    expect(await window.next('dialog')).toMatchObject({
      message: `Evoscope cannot open ${file}.`,
      detail: expect.stringContaining('is not a SQLite database'),
    });
    await isOpen(window, newFile);
    window.send('pick', { file });
    expect((await window.ask({ type: 'choose-file', purpose: 'open' })).answer).toBe(file);
  });

  test('that the system passes is opened first and is the newest recent one, unless flags name a database', async () => {
    const file = createSampleFile();
    const firstWindow = open(null, { isPackaged: true, args: [file] });
    await isOpen(firstWindow, file);
    expect((await firstWindow.ask({ type: 'recent' })).answer).toMatchObject([
      { id: file, isOpen: true },
    ]);
    const window = open('a.db', { args: [file] });
    await isOpen(window, join(userData(), 'a.db'));
  });
});

test('a file that the system passes during the start is not lost', async () => {
  const file = createSampleFile();
  // A start that first checks whether recent files exist would lose it.
  const settings = JSON.stringify({ recent: [{ file }] });
  writeFileSync(join(userData(), 'window.json'), settings);
  const window = open('a.db', { button: null, passes: file });
  expect(await window.next('dialog')).toMatchObject({
    message: `Evoscope cannot open ${file}.`,
    detail: 'The service is not ready yet. Wait for it, then try again.',
  });
});

describe('an installed program', () => {
  test('starts without a database, and later with the previous database while it exists', async () => {
    const file = createSampleFile();
    const firstWindow = open(null, { isPackaged: true });
    await isOpen(firstWindow, null);
    firstWindow.send('openFile', { file });
    await isOpen(firstWindow, file);
    firstWindow.send('close');
    await once(firstWindow.child, 'exit');
    const secondWindow = open(null, { isPackaged: true });
    await isOpen(secondWindow, file);
    secondWindow.send('close');
    await once(secondWindow.child, 'exit');
    rmSync(file);
    const thirdWindow = open(null, { isPackaged: true });
    await isOpen(thirdWindow, null);
    expect((await thirdWindow.ask({ type: 'recent' })).answer).toMatchObject([{ isMissing: true }]);
    expect(await thirdWindow.ask({ type: 'open-recent', id: 'unknown' })).toMatchObject({
      answer: {
        failure: 'This database is no longer in the list of recent databases. Open it again.',
      },
    });
    thirdWindow.send('choose', { label: 'Clear list' });
    expect((await thirdWindow.ask({ type: 'recent' })).answer).toEqual([]);
  });

  test('starts with the previous database while the drive of other recent files does not respond', async () => {
    const file = createSampleFile();
    const hangs = join(userData(), 'dead.db');
    const settings = JSON.stringify({ recent: [{ file }, { file: hangs }] });
    writeFileSync(join(userData(), 'window.json'), settings);
    const window = open(null, { isPackaged: true, hangs });
    await isOpen(window, file);
  });

  test('continues without a database that cannot be opened, if the user chooses another database', async () => {
    const file = join(userData(), 'notes.txt');
    writeFileSync(file, 'notes\n'.repeat(400));
    const window = open(file, { button: 'Choose another database…' });
    expect((await window.next('dialog')).detail).toContain(
      `The whole log is in ${join(userData(), 'service.log')}`,
    );
    await isOpen(window, null);
    expect(window.all('fork').map(({ args }) => args)).toEqual([['--db', file], []]);
  });

  test('shows the log on each request, before the user decides', async () => {
    const button = ['Show log', 'Show log', 'Quit'];
    const window = open(join(userData(), 'none.db'), { button });
    expect(await once(window.child, 'exit')).toEqual([1, null]);
    expect((await window.next('folder', 2)).path).toBe(join(userData(), 'service.log'));
  });
});

describe('a stored password', () => {
  const postgres = { host: 'db.lab', port: 5432, database: 'runs', user: 'me', sslmode: 'prefer' };
  const id = 'me@db.lab:5432/runs';

  async function openWithPassword() {
    const window = open(null, { isPackaged: true, keyring: 'gnome_libsecret' });
    await window.next('load');
    const location = { postgres: { ...postgres, password: 's3cret' } };
    await window.ask({ type: 'add-recent', location, canStorePassword: true });
    expect(JSON.parse(readStoredFile('passwords.json'))).toHaveProperty([id]);
    return window;
  }

  test('that cannot be deleted is reported, and its database stays in the list', async () => {
    const window = await openWithPassword();
    mkdirSync(join(userData(), 'passwords.json.new'));
    window.send('choose', { label: 'Clear list' });
    expect((await window.ask({ type: 'recent' })).answer).toMatchObject([{ id }]);
    await window.ask({ type: 'state' });
    expect((await window.next('notice')).text).toMatch(
      /^Evoscope cannot delete the stored password of me@db\.lab:5432\/runs: EISDIR.* Correct this and try again\.$/,
    );
  });

  test('is deleted when newer databases remove its database from the list', async () => {
    const window = await openWithPassword();
    for (let number = 1; number <= 10; number += 1) {
      const location = { file: join(userData(), `${number}.db`) };
      await window.ask({ type: 'add-recent', location, canStorePassword: false });
    }
    expect(JSON.parse(readStoredFile('passwords.json'))).toEqual({});
  });
});

describe('a PostgreSQL server', () => {
  /** Creates a database with a password, as a page would open it. */
  async function makeServer() {
    const databaseLocation = await makePostgresLocation();
    onTestFinished(() => databaseLocation.remove());
    const { hostname, port, pathname, username, password } = new URL(databaseLocation.url);
    const database = pathname.slice(1);
    const postgres = {
      host: hostname,
      port: Number(port),
      database,
      user: username,
      password,
      sslmode: 'prefer',
    };
    const location = `${hostname}:${port}/${database}`;
    return { postgres, location, id: `${username}@${location}` };
  }

  /** Opens it with its password, as a page does, and notifies the window. */
  async function connect(
    window: ReturnType<typeof open>,
    { postgres }: Awaited<ReturnType<typeof makeServer>>,
    canStorePassword: boolean,
  ) {
    const { url, headers } = (await window.next('load')) as unknown as {
      url: string;
      headers: Record<string, string>;
    };
    const response = await fetch(new URL('api/databases/open', url), {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ postgres, create: true }),
    });
    expect(response.status).toBe(200);
    await window.ask({ type: 'add-recent', location: { postgres }, canStorePassword });
  }

  test('is opened again after a restart of the service and of the program, with its encrypted password', async () => {
    const server = await makeServer();
    const { password } = server.postgres;
    const firstWindow = open(null, { isPackaged: true, keyring: 'gnome_libsecret' });
    const { processId } = await firstWindow.next('fork');
    await connect(firstWindow, server, true);
    process.kill(processId as number, 'SIGKILL');
    await firstWindow.next('fork', 2);
    await expect.poll(() => firstWindow.database().catch(() => null)).toBe(server.location);
    // The window responds to no page until it shows the page of the new service.
    const listRecentDatabases = () =>
      firstWindow.ask({ type: 'recent' }).then(({ answer }) => answer);
    await expect.poll(listRecentDatabases).toMatchObject([{ id: server.id, isOpen: true }]);
    firstWindow.send('close');
    await once(firstWindow.child, 'exit');
    const secondWindow = open(null, { isPackaged: true, keyring: 'gnome_libsecret' });
    await isOpen(secondWindow, server.location);
    for (const name of ['window.json', 'passwords.json', 'service.log']) {
      expect(readStoredFile(name)).not.toContain(password);
    }
    expect(JSON.stringify([firstWindow.all('fork'), secondWindow.all('fork')])).not.toContain(
      password,
    );
    await secondWindow.ask({ type: 'remove-recent', id: server.id });
    expect(readStoredFile('passwords.json').trim()).toBe('{}');
  });

  test('requires its password again if the system has no keyring', async () => {
    const server = await makeServer();
    const firstWindow = open(null, { isPackaged: true });
    await firstWindow.next('load');
    await firstWindow.ask({ type: 'state' });
    await connect(firstWindow, server, true);
    expect((await firstWindow.next('notice')).text).toBe(
      'Evoscope did not store the password: this system cannot encrypt it (for example, it has no keyring), or its file is not writable. Enter the password again next time.',
    );
    expect(existsSync(join(userData(), 'passwords.json'))).toBe(false);
    firstWindow.send('close');
    await once(firstWindow.child, 'exit');
    const secondWindow = open(null, { isPackaged: true });
    await isOpen(secondWindow, null);
    expect((await secondWindow.ask({ type: 'open-recent', id: server.id })).answer).toEqual({
      failure:
        'Evoscope has no stored password of this database. Connect to the database again and enter the password.',
    });
    expect(readStoredFile('window.json')).not.toContain(server.postgres.password);
  });
});
