import { expect, test } from 'vitest';
import type { Annotation } from '#shared/schemas/annotation.ts';
import { getContent, getDraft, isSameDraft } from '#renderer/features/notes/draft.ts';

const annotation: Annotation = {
  kind: 'run',
  id: 'r1',
  version: '1',
  displayName: null,
  tags: ['paper', 'tuned by hand'],
  note: ' kept \n',
  isBaseline: false,
};

test('a form and its content describe the same annotation', () => {
  expect(getDraft(annotation).tags).toBe('paper, tuned by hand');
  expect(getContent(getDraft(annotation))).toEqual({
    displayName: null,
    tags: ['paper', 'tuned by hand'],
    note: ' kept \n',
    isBaseline: false,
  });
});

test('blank and repeated tags, and spaces around a name, are dropped', () => {
  const draft = { ...getDraft(annotation), tags: ' a,, b ,a', displayName: '  Name ' };
  expect(getContent(draft)).toMatchObject({ tags: ['a', 'b'], displayName: 'Name' });
  expect(isSameDraft(draft, { ...draft, tags: 'a, b' })).toBe(true);
  expect(isSameDraft(draft, { ...draft, isBaseline: true })).toBe(false);
});
