import type { MenuItemConstructorOptions } from 'electron';
import type { DesktopChange, RecentEntry, DesktopSettings } from '#shared/desktop.ts';

/** The state that the menus show. */
export interface MenuState {
  readonly platform: NodeJS.Platform;
  /** Whether the program is a package. Only a checkout offers the developer tools. */
  readonly isPackaged: boolean;
  readonly settings: DesktopSettings;
  /** The recent databases, newest first. */
  readonly recentDatabases: readonly RecentEntry[];
  /** Whether there is a service with pages to show. */
  readonly isServing: boolean;
}

/** The menu actions that are not roles of Electron. */
export interface MenuActions {
  /** Shows a page of the service. */
  go(path: string): void;
  /** Opens a dialog of the app. */
  show(dialog: 'keys' | 'settings'): void;
  openDatabase(): void;
  createDatabase(): void;
  openRecentDatabase(database: RecentEntry): void;
  clearRecentDatabases(): void;
  goBack(): void;
  goForward(): void;
  exportPage(): void;
  copyAddress(): void;
  copyToken(): void;
  change(settings: DesktopChange): void;
  showLog(): void;
  showAbout(): void;
}

type Item = MenuItemConstructorOptions;

const separator: Item = { type: 'separator' };
const themeLabels = { system: 'System', light: 'Light', dark: 'Dark' } as const;

/**
 * Returns the menu bar by the conventions of the system. On macOS, the application menu contains settings and About. On
 * other systems, settings are in File, and About is in Help. Without a service, disables all {@link MenuActions} except
 * `change`, `showLog` and `showAbout`.
 */
export function makeMenuTemplate(state: MenuState, actions: MenuActions): Item[] {
  const isMac = state.platform === 'darwin';
  return [
    ...(isMac ? [makeAppMenu(state, actions)] : []),
    makeFileMenu(state, actions),
    editMenu,
    makeViewMenu(state, actions),
    { role: 'windowMenu' },
    makeHelpMenu(state, actions),
  ];
}

function makeAppMenu(state: MenuState, actions: MenuActions): Item {
  return {
    label: 'Evoscope',
    submenu: [
      makeAboutItem(actions),
      separator,
      ...makeSettingsItems(state, actions),
      separator,
      { role: 'services' },
      separator,
      { role: 'hide' },
      { role: 'hideOthers' },
      { role: 'unhide' },
      separator,
      { role: 'quit' },
    ],
  };
}

function makeFileMenu(state: MenuState, actions: MenuActions): Item {
  const isMac = state.platform === 'darwin';
  const pageItemOptions = { enabled: state.isServing };
  return {
    label: '&File',
    submenu: [
      {
        label: 'Open database…',
        accelerator: 'CmdOrCtrl+O',
        ...pageItemOptions,
        click: () => actions.openDatabase(),
      },
      makeRecentMenu(state, actions),
      {
        label: 'Connect to PostgreSQL…',
        ...pageItemOptions,
        click: () => actions.go('/welcome#connect'),
      },
      {
        label: 'New database…',
        accelerator: 'CmdOrCtrl+N',
        ...pageItemOptions,
        click: () => actions.createDatabase(),
      },
      { label: 'Sample data…', ...pageItemOptions, click: () => actions.go('/welcome#sample') },
      separator,
      {
        label: 'Import…',
        accelerator: 'CmdOrCtrl+I',
        ...pageItemOptions,
        click: () => actions.go('/import'),
      },
      {
        label: 'Export page as PDF…',
        accelerator: 'CmdOrCtrl+Shift+E',
        ...pageItemOptions,
        click: () => actions.exportPage(),
      },
      separator,
      { label: 'Copy API address', ...pageItemOptions, click: () => actions.copyAddress() },
      { label: 'Copy API token', ...pageItemOptions, click: () => actions.copyToken() },
      separator,
      ...(isMac ? [] : [...makeSettingsItems(state, actions), separator]),
      { role: isMac ? 'close' : 'quit' },
    ],
  };
}

/**
 * Returns the menu of recent databases. Disables the items of missing files. Disables the whole menu without a service,
 * and without recent databases.
 */
function makeRecentMenu({ recentDatabases, isServing }: MenuState, actions: MenuActions): Item {
  const makeRecentItem = (database: RecentEntry): Item => ({
    // A single & would underline the next letter.
    label: `${database.location.replaceAll('&', '&&')}${database.isMissing === true ? ' (missing)' : ''}`,
    enabled: database.isMissing !== true,
    click: () => actions.openRecentDatabase(database),
  });
  return {
    label: 'Open recent',
    enabled: isServing && recentDatabases.length > 0,
    submenu: [
      ...recentDatabases.map(makeRecentItem),
      separator,
      { label: 'Clear list', click: () => actions.clearRecentDatabases() },
    ],
  };
}

/** Returns the items for the dialog of settings, for notifications and for the theme. */
function makeSettingsItems({ settings, isServing }: MenuState, actions: MenuActions): Item[] {
  return [
    {
      label: 'Settings…',
      accelerator: 'CmdOrCtrl+,',
      enabled: isServing,
      click: () => actions.show('settings'),
    },
    {
      label: 'Notify me about watched runs',
      type: 'checkbox',
      checked: settings.notifies,
      click: () => actions.change({ notifies: !settings.notifies }),
    },
    {
      label: 'Theme',
      submenu: (['system', 'light', 'dark'] as const).map((theme) => ({
        label: themeLabels[theme],
        type: 'radio',
        checked: settings.theme === theme,
        click: () => actions.change({ theme }),
      })),
    },
  ];
}

const editMenu: Item = {
  label: '&Edit',
  submenu: [
    { role: 'undo' },
    { role: 'redo' },
    separator,
    { role: 'cut' },
    { role: 'copy' },
    { role: 'paste' },
    { role: 'selectAll' },
  ],
};

function makeViewMenu({ platform, isPackaged, isServing }: MenuState, actions: MenuActions): Item {
  const isMac = platform === 'darwin';
  return {
    label: '&View',
    submenu: [
      {
        label: 'Back',
        accelerator: isMac ? 'Cmd+[' : 'Alt+Left',
        enabled: isServing,
        click: () => actions.goBack(),
      },
      {
        label: 'Forward',
        accelerator: isMac ? 'Cmd+]' : 'Alt+Right',
        enabled: isServing,
        click: () => actions.goForward(),
      },
      { role: 'reload' },
      separator,
      { role: 'resetZoom' },
      { role: 'zoomIn' },
      // On keyboards where + is Shift and =, the key without Shift also zooms.
      {
        role: 'zoomIn',
        accelerator: 'CmdOrCtrl+=',
        visible: false,
        acceleratorWorksWhenHidden: true,
      },
      { role: 'zoomOut' },
      separator,
      { role: 'togglefullscreen' },
      ...(isPackaged ? [] : [{ role: 'toggleDevTools' } as const]),
    ],
  };
}

function makeHelpMenu({ platform, isServing }: MenuState, actions: MenuActions): Item {
  const pageItemOptions = { enabled: isServing };
  return {
    role: 'help',
    submenu: [
      { label: 'Keyboard shortcuts', ...pageItemOptions, click: () => actions.show('keys') },
      {
        label: 'Help: glossary, shortcuts, API',
        accelerator: 'F1',
        ...pageItemOptions,
        click: () => actions.go('/help'),
      },
      { label: 'API for scripts', ...pageItemOptions, click: () => actions.go('/api/docs') },
      separator,
      { label: 'Show log', click: () => actions.showLog() },
      ...(platform === 'darwin' ? [] : [separator, makeAboutItem(actions)]),
    ],
  };
}

function makeAboutItem(actions: MenuActions): Item {
  return { label: 'About Evoscope', click: () => actions.showAbout() };
}
