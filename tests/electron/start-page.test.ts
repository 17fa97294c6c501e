import { expect, test } from 'vitest';
import { makeStartPage } from '#electron/start-page.ts';

const getContent = (address: string) => decodeURIComponent(address.slice(address.indexOf(',') + 1));

test('the start page shows the current step, and runs and loads nothing', () => {
  const address = makeStartPage({ step: 'Opening runs.db' });
  expect(address).toMatch(/^data:text\/html;charset=utf-8,/);
  const page = getContent(address);
  expect(page).toContain('<p role="status">Opening runs.db…</p><div class="bar">');
  expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  expect(page).not.toMatch(/<script|https?:|url\(/);
});

test('a failed start shows the reason and no progress bar', () => {
  const page = getContent(
    makeStartPage({ step: 'Opening runs.db', failure: 'It is no database.' }),
  );
  expect(page).toContain('<p role="alert">It is no database.</p>');
  expect(page).not.toContain('<div class="bar">');
});

test('file names and messages are escaped', () => {
  const page = getContent(makeStartPage({ step: '<b onclick="x">\'&#38;%20' }));
  expect(page).toContain('&#60;b onclick=&#34;x&#34;&#62;&#39;&#38;#38;%20…');
});
