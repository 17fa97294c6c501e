import { describe, expect, test } from 'vitest';
import { makeTrialsChip } from '#renderer/features/explorer/trials.ts';

describe('makeTrialsChip', () => {
  test('shows the number of hidden trials and offers to include them', () => {
    expect(makeTrialsChip('exclude', 48)).toMatchObject({
      text: '48 COCO trials hidden',
      next: 'include',
    });
    expect(makeTrialsChip('exclude', 1)?.text).toBe('1 COCO trial hidden');
  });

  test('is absent if the database has none', () => {
    expect(makeTrialsChip('exclude', 0)).toBeNull();
    expect(makeTrialsChip('exclude', undefined)).toBeNull();
  });

  test('is removable when trials are shown', () => {
    expect(makeTrialsChip('include', 48)).toMatchObject({
      text: 'COCO trials included',
      next: 'exclude',
      isHint: false,
    });
    expect(makeTrialsChip('only', 0)?.text).toBe('COCO trials only');
  });
});
