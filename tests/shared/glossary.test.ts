import { describe, expect, test } from 'vitest';
import {
  getFirstTerm,
  glossary,
  markTerms,
  attachPunctuation,
  type Term,
  type TermId,
} from '#shared/glossary.ts';

const formatMarks = (text: string): string =>
  markTerms(text)
    .map(({ text: piece, id }) => (id ? `[${piece}|${id}]` : piece))
    .join('');

describe('terms in a text', () => {
  test('are marked at their first occurrence, the longest match first', () => {
    expect(formatMarks('Evaluations to the target; ERT of the target, ERT ratio.')).toBe(
      '[Evaluations to the target|evaluationsToTarget]; [ERT|ert] of the [target|target], [ERT ratio|ertRatio].',
    );
  });

  test('are whole words; capitals count, but for the first letter', () => {
    const textWithoutTerms = 'Averted cd-rom, targetless, ehm_entropy';
    expect(formatMarks(textWithoutTerms)).toBe(textWithoutTerms);
    expect(formatMarks('Holm over 3 pairs; n.s. (CD = 1)')).toBe(
      '[Holm|holm] over 3 pairs; [n.s.|notSignificant] ([CD|criticalDifference] = 1)',
    );
  });

  test('are marked once in several texts with shared state', () => {
    const sharedTerms = new Set<TermId>();
    expect(markTerms('ERT', sharedTerms)).toEqual([{ text: 'ERT', id: 'ert' }]);
    expect(markTerms('ERT', sharedTerms)).toEqual([{ text: 'ERT' }]);
  });

  test('do not change the text', () => {
    const text = 'Success rate, 95 % CI of all trials; no term here:';
    expect(
      markTerms(text)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text);
    expect(markTerms('')).toEqual([]);
  });

  test('take the punctuation next to them, so that no line ends with “(”', () => {
    const parts = (text: string) =>
      attachPunctuation(markTerms(text)).map(({ head, text: piece, tail, id }) =>
        id ? `${head}[${piece}]${tail}` : piece,
      );
    expect(parts('less (ERT, n.s.) than')).toEqual(['less ', '([ERT],', ' ', '[n.s.])', ' than']);
    expect(parts('“ERT”')).toEqual(['', '“[ERT]”', '']);
    expect(parts('ERT/SP1')).toEqual(['[ERT]/', '', '[SP1]']);
    expect(parts('no words (here)')).toEqual(['no words (here)']);
  });

  test('the first term in a heading explains it', () => {
    expect(getFirstTerm('ERT, 95 % CI')).toBe('ert');
    expect(getFirstTerm('p Holm')).toBe('holm');
    expect(getFirstTerm('Runtime')).toBeUndefined();
  });
});

test('no two terms have the same word', () => {
  const words = Object.values<Term>(glossary).flatMap(({ name, words: ownWords = [name] }) =>
    ownWords.map((word) => word.toLowerCase()),
  );
  expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([]);
});
