import { describe, expect, test } from 'vitest';
import { getChoices, toggleChoice } from '#renderer/features/analysis/choices.ts';

const options = ['cga', 'pbil', 'umda'];

test('getChoices lists a chosen name that is not among the options', () => {
  expect(getChoices(options, [])).toEqual(options);
  expect(getChoices(options, ['deleted', 'umda'])).toEqual(['deleted', ...options]);
});

describe('toggleChoice', () => {
  test('removes a name from all of them, and adds it back', () => {
    expect(toggleChoice(options, [], 'cga')).toEqual(['pbil', 'umda']);
    expect(toggleChoice(options, ['umda'], 'cga')).toEqual(['cga', 'umda']);
  });

  test('returns an empty selection when all are chosen', () => {
    expect(toggleChoice(options, ['pbil', 'umda'], 'cga')).toEqual([]);
  });

  test('keeps a chosen name that is not among the options until it is removed itself', () => {
    const selection = ['deleted', 'umda'];
    const choices = getChoices(options, selection);
    expect(toggleChoice(choices, selection, 'umda')).toEqual(['deleted']);
    expect(toggleChoice(choices, selection, 'deleted')).toEqual(['umda']);
  });
});
