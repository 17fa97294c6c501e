import { createMemo, createSignal, type Accessor } from 'solid-js';
import { getNamesMatching, stepIndex } from './matching.ts';

/** An option of a list that is searched by labels. */
export interface SearchedOption {
  value: string;
  label: string;
}

/** The search in a list of options, of which one is highlighted. */
export interface OptionSearch<Option> {
  text: Accessor<string>;
  /**
   * Sets the text of the search. Highlights the first match, or the chosen option if the text is empty.
   */
  search: (text: string) => void;
  /** The options whose labels contain every word of the text, in order. */
  matches: Accessor<readonly Option[]>;
  /** Index of the highlighted match; 0 without matches. */
  highlightedIndex: Accessor<number>;
  /** Moves the highlight by a number of matches, around the ends. */
  moveHighlight: (step: number) => void;
}

/**
 * Creates a search without a text. It highlights the chosen option, or the first one if that is missing. If the options
 * change, the highlight follows its option, and is on the first match if that option disappeared.
 */
export function createOptionSearch<Option extends SearchedOption>(
  options: Accessor<readonly Option[]>,
  chosenValue: Accessor<string>,
): OptionSearch<Option> {
  const [text, setText] = createSignal('');
  const matches = createMemo(() => {
    const labels = options().map(({ label }) => label);
    const matchingLabels = new Set(getNamesMatching(labels, text()));
    return options().filter(({ label }) => matchingLabels.has(label));
  });
  const [highlightedValue, setHighlightedValue] = createSignal<string | undefined>(chosenValue());
  const highlightedIndex = (): number =>
    Math.max(
      0,
      matches().findIndex(({ value }) => value === highlightedValue()),
    );
  return {
    text,
    matches,
    highlightedIndex,
    search: (newText) => {
      setText(newText);
      setHighlightedValue(newText === '' ? chosenValue() : matches()[0]?.value);
    },
    moveHighlight: (step) => {
      const index = stepIndex(highlightedIndex(), step, matches().length);
      setHighlightedValue(matches()[index]?.value);
    },
  };
}
