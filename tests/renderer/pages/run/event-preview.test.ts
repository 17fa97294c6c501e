import { expect, test } from 'vitest';
import { getEventPreview } from '#renderer/pages/run/event-preview.ts';

test('a preview leaves out the run id and the time that every payload begins with', () => {
  const payload = '{"runId":"a\\"b","timestamp":1795254850.518673913,"iteration":1,"ti';
  expect(getEventPreview(payload)).toBe('{"iteration":1,"ti');
});

test('a payload that begins otherwise is shown as it is', () => {
  for (const payload of ['{"timestamp":1,"runId":"a"}', '{"runId":"a"', 'not JSON', '']) {
    expect(getEventPreview(payload)).toBe(payload);
  }
});
