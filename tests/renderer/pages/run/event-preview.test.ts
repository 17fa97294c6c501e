import { expect, test } from 'vitest';
import { getEventPreview } from '#renderer/pages/run/event-preview.ts';

test('a preview omits the run id and the time with which every payload begins', () => {
  const payload = '{"runId":"a\\"b","timestamp":1795254850.518673913,"iteration":1,"ti';
  expect(getEventPreview(payload)).toBe('{"iteration":1,"ti');
});

test('a payload that begins otherwise is shown as it is', () => {
  for (const payload of ['{"timestamp":1,"runId":"a"}', '{"runId":"a"', 'not JSON', '']) {
    expect(getEventPreview(payload)).toBe(payload);
  }
});
