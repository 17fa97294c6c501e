import { createRoot } from 'solid-js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createNow } from '#renderer/state/now.ts';
import { noteServiceTime } from '#renderer/state/service-clock.ts';

const nowMillis = Date.parse('2026-11-21T10:00:00Z');
const noteClock = (millis: number) =>
  noteServiceTime(new Response(null, { headers: { date: new Date(millis).toUTCString() } }));

beforeEach(() => void vi.useFakeTimers({ now: nowMillis }));
afterEach(() => {
  noteClock(Date.now());
  vi.useRealTimers();
});

test.each([-3_600_000, 3_600_000])(
  'the current time is that of the service, whose clock is %i ms ahead',
  (aheadMillis) => {
    noteClock(nowMillis + aheadMillis);
    createRoot((dispose) => {
      expect(createNow(() => true)()).toBe(nowMillis + aheadMillis);
      dispose();
    });
  },
);
