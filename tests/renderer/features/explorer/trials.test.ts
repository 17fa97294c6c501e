import { describe, expect, test } from 'vitest';
import { trialsChip } from '#renderer/features/explorer/trials.ts';

describe('trialsChip', () => {
  test('says how many trials are left out and offers them', () => {
    expect(trialsChip('exclude', 48)).toMatchObject({
      text: '48 COCO trials hidden',
      next: 'include',
    });
    expect(trialsChip('exclude', 1)?.text).toBe('1 COCO trial hidden');
  });

  test('is absent where the database holds none', () => {
    expect(trialsChip('exclude', 0)).toBeNull();
    expect(trialsChip('exclude', undefined)).toBeNull();
  });

  test('is removable when trials are shown', () => {
    expect(trialsChip('include', 48)).toMatchObject({
      text: 'COCO trials included',
      next: 'exclude',
      isHint: false,
    });
    expect(trialsChip('only', 0)?.text).toBe('COCO trials only');
  });
});
