import { expect, test } from 'vitest';
import { getSiblingSearch } from '#renderer/pages/run/sibling-search.ts';

test('the link to another run keeps the view, but no iteration, page or finding of this one', () => {
  expect(getSiblingSearch('?tab=insights&fit.zoomX=2..5&hide=mean')).toBe(
    '?tab=insights&fit.zoomX=2..5&hide=mean',
  );
  expect(getSiblingSearch('?tab=events&finding=ADAPTIVE_STORM&show=actions&at=3')).toBe(
    '?tab=events',
  );
  expect(getSiblingSearch('?iteration=3&page=2')).toBe('');
});
