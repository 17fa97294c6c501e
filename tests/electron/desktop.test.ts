import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { writeSampleFile } from '#tests/support/sample-file.ts';
import { useWindow } from './opened-window.ts';

const { open, userData } = useWindow();
const defaults = { theme: 'system', notifies: false, fixedPort: null, isRecording: false };

const writeSettings = (settings: object) =>
  writeFileSync(join(userData(), 'window.json'), JSON.stringify(settings));
const readSettings = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'window.json'), 'utf8')) as Record<string, unknown>;

/** Opens a window for all tests of a suite. Each test leaves the state that the next test expects. */
function useOneWindow() {
  const { open: openOne, userData: folder } = useWindow({ isShared: true });
  let window: ReturnType<typeof openOne>;
  beforeAll(() => {
    window = openOne('a.db', { button: 'Copy', aborts: '/api/docs' });
  });
  return { window: () => window, folder };
}

describe('a window', () => {
  const { window, folder } = useOneWindow();

  test('responds only to its page, and only to known requests', async () => {
    const { ask, next, reports } = window();
    const { url } = await next('load');
    const refusal = 'Only the page of the window may send requests.';
    for (const from of ['https://example.org/', 'data:text/html,hello', 'about:blank', '']) {
      expect((await ask({ type: 'token' }, { from })).error).toBe(refusal);
    }
    expect((await ask({ type: 'token' }, { from: url, parent: {} })).error).toBe(refusal);
    for (const request of [
      null,
      'token',
      { type: 'quit' },
      { type: 'token', more: 1 },
      { type: 'change', settings: { theme: 'pink' } },
      { type: 'change', settings: { fixedPort: 80 } },
    ]) {
      expect((await ask(request)).error).toBe(
        'The request is unknown. Send a valid `desktopRequest`.',
      );
    }
    expect(reports.filter(({ answer }) => answer !== undefined)).toEqual([]);
  });

  test('returns the token of the service to its page', async () => {
    const { ask, next } = window();
    const { headers } = (await next('load')) as unknown as { headers: { Authorization: string } };
    const { answer } = await ask({ type: 'token' });
    expect(headers.Authorization).toBe(`Bearer ${String(answer)}`);
  });

  test('returns its state, changes the settings, and sends the change to its page', async () => {
    const { ask, next, all } = window();
    const { url } = await next('load');
    const state = { settings: defaults, address: url, watchedRuns: [] };
    expect((await ask({ type: 'state' })).answer).toEqual(state);
    await ask({ type: 'change', settings: { theme: 'dark', fixedPort: 7171 } });
    const settings = { ...defaults, theme: 'dark', fixedPort: 7171 };
    expect((await next('message', all('message').length || 1)).state).toMatchObject({ settings });
    expect(all('theme').at(-1)?.theme).toBe('dark');
    expect(readSettings(folder())).toMatchObject({ theme: 'dark', fixedPort: 7171 });
  });

  test('opens pages and the log, copies address and token, and changes the settings by its menus', async () => {
    const { ask, next, send } = window();
    const { url } = await next('load');

    // The page stays when the window prevents a navigation, so it still gets messages.
    send('follow', { address: 'https://doi.org/10.1145/2908961' });
    await next('prevented');
    send('choose', { label: 'Import…' });
    expect((await next('go')).path).toBe('/import');
    send('choose', { label: 'Keyboard shortcuts' });
    expect((await next('show')).dialog).toBe('keys');

    send('choose', { label: 'Copy API address' });
    expect((await next('copy')).text).toBe(url);
    send('choose', { label: 'Copy API token' });
    expect((await next('copy', 2)).text).toHaveLength(43);
    expect((await next('notice', 2)).text).toBe('Copied the token of the API');

    send('choose', { label: 'About Evoscope' });
    const { message, detail } = await next('dialog');
    expect(message).toBe('Evoscope 1.2.3');
    expect(detail).toContain(`Node ${process.versions.node}`);
    expect((await next('copy', 3)).text).toBe(`${String(message)}\n${String(detail)}`);

    send('choose', { label: 'Show log' });
    const { path } = await next('folder');
    expect(path).toBe(join(folder(), 'service.log'));
    expect(readFileSync(path as string, 'utf8')).toContain('Opening the database');

    send('choose', { label: 'Notify me about watched runs' });
    send('choose', { label: 'Light' });
    const { answer } = await ask({ type: 'state' });
    expect(answer).toMatchObject({ settings: { theme: 'light', notifies: true } });

    send('choose', { label: 'API for scripts' });
    expect((await next('load', 2)).url).toBe(`${String(url)}api/docs`);
    // The documentation of the API receives no messages.
    send('choose', { label: 'Help: glossary, shortcuts, API' });
    expect((await next('load', 3)).url).toBe(`${String(url)}help`);
    send('choose', { label: 'API for scripts' });
    await next('load', 4);
    send('choose', { label: 'Settings…' });
    expect((await next('load', 5)).url).toBe(url);
    await ask({ type: 'state' });
    expect((await next('show', 2)).dialog).toBe('settings');
    send('choose', { label: 'Back' });
    await next('back');
  });

  test('writes nothing for a cancelled export', async () => {
    const { next, send, all } = window();
    send('choose', { label: 'Export page as PDF…' });
    await next('save');
    send('choose', { label: 'About Evoscope' });
    await next('dialog', all('dialog').length + 1);
    expect(readSettings(folder())).not.toHaveProperty('exportFolder');
  });
});

describe('the page in the window', () => {
  test('gets a notice that its service ended, also if it listens only afterwards', async () => {
    const { ask, next } = open('a.db');
    const { processId } = await next('fork');
    await next('load');
    process.kill(processId as number, 'SIGKILL');
    await next('fork', 2);
    await expect
      .poll(async () => ((await ask({ type: 'state' })).answer as { address: string }).address)
      .not.toBe('');
    expect((await next('notice')).text).toMatch(
      /^The service ended unexpectedly \(.*\)\. Evoscope started it again\.$/,
    );
  });
});

test('the page of an ended service still goes to other pages', async () => {
  const { ask, next, send } = open('a.db', { button: null });
  const { processId } = await next('fork');
  await next('load');
  await ask({ type: 'state' });
  process.kill(processId as number, 'SIGKILL');
  await next('end');
  send('choose', { label: 'Import…' });
  expect((await next('go')).path).toBe('/import');
});

describe('a message during a navigation', () => {
  async function copyDuringNavigation() {
    const window = open('a.db');
    await window.next('load');
    await window.ask({ type: 'state' });
    window.send('leave');
    window.send('choose', { label: 'Copy API address' });
    await window.ask({ type: 'change', settings: { theme: 'dark' } });
    expect(window.all('notice')).toEqual([]);
    return window;
  }

  test('goes to the page that is loaded', async () => {
    const { ask, next, send } = await copyDuringNavigation();
    send('arrive');
    await ask({ type: 'state' });
    await next('notice');
  });

  test('goes to the page that stays if the navigation is prevented', async () => {
    const { all, next, send } = await copyDuringNavigation();
    send('follow', { address: 'https://doi.org/10.1145/2908961' });
    await next('notice');
    const state = expect.objectContaining({ settings: { ...defaults, theme: 'dark' } });
    await expect.poll(() => all('state')).toContainEqual(expect.objectContaining({ state }));
  });
});

describe('a watched run', () => {
  test('causes a notification when it has ended, and a click opens the run', async () => {
    writeSampleFile(join(userData(), 'sample.db'));
    const { ask, next } = open('sample.db', { clicks: true });
    await next('load');
    await ask({ type: 'change', settings: { notifies: true } });
    await ask({ type: 'watch', runId: 'ckpt-umda', isWatched: true });
    expect(await next('notification')).toEqual({
      what: 'notification',
      title: 'Run ckpt-umd completed',
      body: 'OneMax 24 with checkpoints: umda · onemax',
    });
    await next('focus');
    await expect
      .poll(async () => (await ask({ type: 'state' })).answer)
      .toMatchObject({ watchedRuns: [] });
  });
});

describe('an export', () => {
  test('of the page is written to the file that the user chooses, and the next export starts in its folder', async () => {
    const saveAs = join(userData(), 'my runs.pdf');
    const { next, send } = open('a.db', { saveAs });
    await next('load');
    send('choose', { label: 'Export page as PDF…' });
    expect((await next('save')).defaultPath).toBe('Runs · Evoscope.pdf');
    await expect.poll(() => readSettings(userData()).exportFolder).toBe(userData());
    expect(readFileSync(saveAs, 'utf8')).toBe('the page');
    send('download', { path: '/api/openapi.json', name: '../runs.csv' });
    expect((await next('download')).path).toBe(join(userData(), 'runs.csv'));
  });

  test('that cannot be written reports the reason', async () => {
    const { next, send } = open('a.db', { saveAs: join(userData(), 'no folder', 'runs.pdf') });
    await next('load');
    send('choose', { label: 'Export page as PDF…' });
    expect(await next('dialog')).toMatchObject({
      message: 'Evoscope cannot export the page.',
      detail: expect.stringContaining('no such file or directory'),
    });
  });

  // Electron reports `updated` if it could continue the download, for example after a full disk, and otherwise `done`.
  test.each(['updated', 'done'])(
    'of a file that ends with %s before it is complete reports that',
    async (event) => {
      const { next, send } = open('a.db', { saveAs: join(userData(), 'runs.csv') });
      await next('load');
      send('download', { path: '/api/runs', name: 'runs.csv', event });
      expect(await next('dialog')).toMatchObject({
        message: 'Evoscope cannot save runs.csv.',
        detail:
          'The disk may be full, the folder may be read-only, or the service may have ended. Try again, or choose another folder.',
      });
    },
  );
});

describe('the fixed port', () => {
  test('is that of the service, which records with the setting', async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    probe.close();
    await once(probe, 'close');
    writeSettings({ port: 40_000, fixedPort: port, isRecording: true });
    const { url, headers } = (await open('a.db').next('load')) as unknown as {
      url: string;
      headers: Record<string, string>;
    };
    expect(url).toBe(`http://127.0.0.1:${port}/`);
    const response = await fetch(`${url}api/record`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/x-ndjson' },
      body: '{"type":"run","runId":"first","seed":1,"config":{"algorithm":"a","problem":"p"}}\n',
    });
    expect(await response.json()).toMatchObject({ rejected: [] });
  });

  test('is replaced by another port if another program uses it, with a notice', async () => {
    const otherServer = createServer().listen(0, '127.0.0.1');
    await once(otherServer, 'listening');
    onTestFinished(() => void otherServer.close());
    const { port } = otherServer.address() as AddressInfo;
    writeSettings({ fixedPort: port });
    const { next, ask } = open('a.db');
    expect((await next('load')).url).not.toBe(`http://127.0.0.1:${port}/`);
    await ask({ type: 'state' });
    expect((await next('notice')).text).toBe(
      `Another program uses the fixed port ${port}, so the API has another port until the next start. Quit that program or change the port, then restart Evoscope.`,
    );
  });
});
