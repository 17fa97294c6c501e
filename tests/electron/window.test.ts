import { describe, expect, test } from 'vitest';
import { chooseAddress, makeWindowOptions, type WindowSurroundings } from '#electron/window.ts';

const screenState: WindowSurroundings = {
  preloadPath: '/program/dist/electron/preload.cjs',
  version: '1.2.3',
  isDark: true,
  previousBounds: undefined,
  workAreas: [{ x: 0, y: 0, width: 1920, height: 1080 }],
};

test('the window is a sandboxed page without Node', () => {
  expect(makeWindowOptions(screenState)).toEqual({
    title: 'Evoscope',
    backgroundColor: '#0d1216',
    width: 1440,
    height: 900,
    minWidth: 800,
    minHeight: 560,
    webPreferences: {
      preload: '/program/dist/electron/preload.cjs',
      additionalArguments: ['--evoscope-version=1.2.3'],
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webviewTag: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      navigateOnDragDrop: false,
      safeDialogs: true,
      spellcheck: false,
    },
  });
});

test('the background is that of the pages, also in the light theme', () => {
  expect(makeWindowOptions({ ...screenState, isDark: false }).backgroundColor).toBe('#f7f9fa');
});

describe('the position of the window', () => {
  const getPlacedBounds = (x: number, y: number) => {
    const previousBounds = { x, y, width: 1000, height: 700 };
    return makeWindowOptions({ ...screenState, previousBounds });
  };

  test('is the previous position', () => {
    expect(getPlacedBounds(300, 200)).toMatchObject({ x: 300, y: 200, width: 1000, height: 700 });
  });

  test('is the previous position if the window is partly outside the screen', () => {
    expect(getPlacedBounds(1820, -20)).toMatchObject({ x: 1820, y: -20 });
  });

  test.each([
    ['right of', 1821, 0],
    ['left of', -901, 0],
    ['below', 0, 981],
    ['above', 0, -601],
  ])('is the default if the previous position was %s every screen', (_where, x, y) => {
    const options = getPlacedBounds(x, y);
    expect(options).toMatchObject({ width: 1440, height: 900 });
    expect(options).not.toHaveProperty('x');
  });
});

test.each([
  ['nothing yet', '', 'http://127.0.0.1:7070/'],
  ['an empty page', 'about:blank', 'http://127.0.0.1:7070/'],
  ['a page of the same address', 'http://127.0.0.1:7070/runs/abc', null],
  [
    'a page of the address before',
    'http://127.0.0.1:6060/runs/abc?tab=events#e7',
    'http://127.0.0.1:7070/runs/abc?tab=events#e7',
  ],
])('after a start the window that shows %s (%s) loads %s', (_what, current, expected) => {
  expect(chooseAddress(current, 'http://127.0.0.1:7070/', false)).toBe(expected);
});

test('after a start the window loads a page of the same address again if it shows an error page', () => {
  const address = 'http://127.0.0.1:7070/runs/abc';
  expect(chooseAddress(address, 'http://127.0.0.1:7070/', true)).toBe(address);
});
