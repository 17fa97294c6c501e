import { createRoot, createSignal } from 'solid-js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createOptionSearch } from '#renderer/ui/option-search.ts';

const makeOptions = (...values: string[]) => values.map((value) => ({ value, label: value }));

function startSearch(chosenValue: string) {
  const [options, setOptions] = createSignal(makeOptions('pbil', 'umda', 'umda plain'));
  const { search, dispose } = createRoot((end) => ({
    search: createOptionSearch(options, () => chosenValue),
    dispose: end,
  }));
  onTestFinished(dispose);
  const getHighlighted = () => search.matches()[search.highlightedIndex()]?.value;
  return { ...search, setOptions, getHighlighted };
}

describe('The highlighted option of a search', () => {
  test('is initially the chosen one, or the first one if that is missing', () => {
    expect(startSearch('umda').getHighlighted()).toBe('umda');
    expect(startSearch('cma-es').getHighlighted()).toBe('pbil');
  });

  test('is the first match of a text, and the chosen option without a text', () => {
    const { search, getHighlighted } = startSearch('umda plain');
    search('umda');
    expect(getHighlighted()).toBe('umda');
    search('');
    expect(getHighlighted()).toBe('umda plain');
  });

  test('moves around the ends of the list', () => {
    const { moveHighlight, getHighlighted } = startSearch('pbil');
    moveHighlight(-1);
    expect(getHighlighted()).toBe('umda plain');
    moveHighlight(1);
    expect(getHighlighted()).toBe('pbil');
  });

  test('remains highlighted if other options are added or removed before it', () => {
    const { moveHighlight, setOptions, getHighlighted } = startSearch('pbil');
    moveHighlight(1);
    setOptions(makeOptions('cma-es', 'pbil', 'random', 'umda'));
    expect(getHighlighted()).toBe('umda');
    setOptions(makeOptions('umda', 'umda plain'));
    expect(getHighlighted()).toBe('umda');
  });

  test('is replaced by the first match if it disappears', () => {
    const { moveHighlight, setOptions, getHighlighted, highlightedIndex } = startSearch('pbil');
    moveHighlight(-1);
    setOptions(makeOptions('cma-es', 'pbil'));
    expect(getHighlighted()).toBe('cma-es');
    setOptions([]);
    expect(highlightedIndex()).toBe(0);
  });

  test('moves from the option that replaced it', () => {
    const { moveHighlight, setOptions, getHighlighted } = startSearch('umda plain');
    setOptions(makeOptions('cma-es', 'pbil'));
    moveHighlight(1);
    expect(getHighlighted()).toBe('pbil');
  });
});
