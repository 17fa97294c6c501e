import type { MenuItemConstructorOptions } from 'electron';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { makeMenuTemplate, type MenuActions, type MenuState } from '#electron/menu.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const state: MenuState = {
  platform: 'linux',
  isPackaged: true,
  settings: { theme: 'dark', notifies: false, fixedPort: null, isRecording: false },
  recentDatabases: [
    { id: 'a', name: 'runs.db', location: '/data/R&D/runs.db', isMissing: false },
    { id: 'b', name: 'old.db', location: '/data/old.db', isMissing: true },
  ],
  isServing: true,
};

type Item = MenuItemConstructorOptions;

/** Actions that record their calls. */
function recordActions() {
  const calls: unknown[][] = [];
  const actions = new Proxy({} as MenuActions, {
    get:
      (_target, name) =>
      (...values: unknown[]) =>
        calls.push([name, ...values]),
  });
  return { actions, calls };
}

const template = (part: Partial<MenuState> = {}, actions = recordActions().actions) =>
  makeMenuTemplate({ ...state, ...part }, actions);
const getSubmenu = (item: Item | undefined): Item[] => (item?.submenu ?? []) as Item[];
const getName = ({ label, role, type }: Item) => label ?? role ?? type;
const flatten = (items: Item[]): Item[] =>
  items.flatMap((item) => [item, ...flatten(getSubmenu(item))]);
const findItem = (items: Item[], label: string) =>
  flatten(items).find((item) => item.label === label);

function choose(label: string, part: Partial<MenuState> = {}): unknown[][] {
  const { actions, calls } = recordActions();
  const click = findItem(template(part, actions), label)?.click as (() => void) | undefined;
  click?.();
  return calls;
}

test.each(['win32', 'linux'] as const)('%s has File, Edit, View, Window and Help', (platform) => {
  const items = template({ platform });
  expect(items.map(getName)).toEqual(['&File', '&Edit', '&View', 'windowMenu', 'help']);
  expect(getSubmenu(items[0]).map(getName)).toEqual([
    'Open database…',
    'Open recent',
    'Connect to PostgreSQL…',
    'New database…',
    'Sample data…',
    'separator',
    'Import…',
    'Export page as PDF…',
    'separator',
    'Copy API address',
    'Copy API token',
    'separator',
    'Settings…',
    'Notify me about watched runs',
    'Theme',
    'separator',
    'quit',
  ]);
  expect(getSubmenu(items.at(-1)).at(-1)?.label).toBe('About Evoscope');
});

test('macOS has an application menu with Settings and Quit', () => {
  const items = template({ platform: 'darwin' });
  expect(items.map(getName)).toEqual(['Evoscope', '&File', '&Edit', '&View', 'windowMenu', 'help']);
  expect(getSubmenu(items[0]).map(getName)).toEqual([
    'About Evoscope',
    'separator',
    'Settings…',
    'Notify me about watched runs',
    'Theme',
    'separator',
    'services',
    'separator',
    'hide',
    'hideOthers',
    'unhide',
    'separator',
    'quit',
  ]);
  expect(getSubmenu(items[1]).map(getName)).not.toContain('Settings…');
  expect(getSubmenu(items[1]).at(-1)?.role).toBe('close');
  expect(getSubmenu(items.at(-1)).map(getName)).not.toContain('About Evoscope');
});

test('only a checkout offers the developer tools', () => {
  expect(flatten(template()).map(getName)).not.toContain('toggleDevTools');
  expect(flatten(template({ isPackaged: false })).map(getName)).toContain('toggleDevTools');
});

test('before the service is ready, entries that need its pages are disabled', () => {
  const disabledItems = flatten(template({ isServing: false })).filter(
    ({ enabled }) => enabled === false,
  );
  expect(disabledItems.map(getName)).toEqual([
    'Open database…',
    'Open recent',
    '/data/old.db (missing)',
    'Connect to PostgreSQL…',
    'New database…',
    'Sample data…',
    'Import…',
    'Export page as PDF…',
    'Copy API address',
    'Copy API token',
    'Settings…',
    'Back',
    'Forward',
    'Keyboard shortcuts',
    'Help: glossary, shortcuts, API',
    'API for scripts',
  ]);
  const usuallyDisabledItems = flatten(template()).filter(({ enabled }) => enabled === false);
  expect(usuallyDisabledItems.map(getName)).toEqual(['/data/old.db (missing)']);
});

test('entries show the settings, and a click toggles them', () => {
  const listCheckedItems = (items: Item[]) =>
    flatten(items).filter(({ checked }) => checked === true);
  expect(listCheckedItems(template()).map(getName)).toEqual(['Dark']);
  const settings = { ...state.settings, notifies: true, theme: 'system' } as const;
  expect(listCheckedItems(template({ settings })).map(getName)).toEqual([
    'Notify me about watched runs',
    'System',
  ]);
  expect(choose('Notify me about watched runs')).toEqual([['change', { notifies: true }]]);
  expect(choose('Notify me about watched runs', { settings })).toEqual([
    ['change', { notifies: false }],
  ]);
  expect(choose('Light')).toEqual([['change', { theme: 'light' }]]);
});

test('recent databases can be opened again, and the list can be cleared', () => {
  expect(getSubmenu(findItem(template(), 'Open recent')).map(getName)).toEqual([
    '/data/R&&D/runs.db',
    '/data/old.db (missing)',
    'separator',
    'Clear list',
  ]);
  expect(choose('/data/R&&D/runs.db')).toEqual([['openRecentDatabase', state.recentDatabases[0]]]);
  expect(choose('Clear list')).toEqual([['clearRecentDatabases']]);
  expect(findItem(template({ recentDatabases: [] }), 'Open recent')?.enabled).toBe(false);
});

test.each([
  ['Open database…', ['openDatabase']],
  ['New database…', ['createDatabase']],
  ['Connect to PostgreSQL…', ['go', '/welcome#connect']],
  ['Sample data…', ['go', '/welcome#sample']],
  ['Import…', ['go', '/import']],
  ['Help: glossary, shortcuts, API', ['go', '/help']],
  ['API for scripts', ['go', '/api/docs']],
  ['Keyboard shortcuts', ['show', 'keys']],
  ['Settings…', ['show', 'settings']],
  ['Back', ['goBack']],
  ['Forward', ['goForward']],
  ['Export page as PDF…', ['exportPage']],
  ['Copy API address', ['copyAddress']],
  ['Copy API token', ['copyToken']],
  ['Show log', ['showLog']],
  ['About Evoscope', ['showAbout']],
])('%s does: %j', (label, call) => {
  expect(choose(label)).toEqual([call]);
});

test.each(['darwin', 'win32', 'linux'] as const)(
  'on %s all entries have different shortcuts, and none has a shortcut of the pages',
  (platform) => {
    const keys = flatten(template({ platform, isPackaged: false }))
      .flatMap(({ accelerator }) => (typeof accelerator === 'string' ? [accelerator] : []))
      .map((key) => key.toLowerCase().replace(/^(cmdorctrl|cmd|ctrl)\+/, 'mod+'));
    expect(new Set(keys).size).toBe(keys.length);
    expect(listPageKeys()).toContain('mod+k');
    expect(keys.filter((key) => listPageKeys().includes(key))).toEqual([]);
    // Pages use single letters as shortcuts, so no menu may use them.
    expect(keys.filter((key) => !/^(mod\+|alt\+|f\d+$)/.test(key))).toEqual([]);
  },
);

/** Lists the keys with Ctrl or ⌘ in the sources of the pages. */
function listPageKeys(): string[] {
  const files = readdirSync(join(root, 'renderer'), { recursive: true, encoding: 'utf8' });
  const texts = files
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => readFileSync(join(root, 'renderer', file), 'utf8'));
  return [...texts.join('\n').matchAll(/'(mod\+[^']+)'/g)].map(([, key]) => key ?? '');
}
