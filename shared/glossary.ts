import { cocoTerms } from './glossary/coco.ts';
import { diagnosisTerms } from './glossary/diagnoses.ts';
import { figureTerms } from './glossary/figures.ts';
import { runTerms } from './glossary/runs.ts';
import type { Term } from './glossary/term.ts';
import { testTerms } from './glossary/tests.ts';

export type { Term } from './glossary/term.ts';

/** All terms that the pages explain, by id. */
export const glossary = {
  ...figureTerms,
  ...testTerms,
  ...cocoTerms,
  ...runTerms,
  ...diagnosisTerms,
} as const satisfies Record<string, Term>;

/** The id of a term. */
export type TermId = keyof typeof glossary;

/** A part of a text: a term, or the text between two terms. */
export type TextPiece = { text: string; id?: TermId };

/**
 * Splits a text at the terms in it. Marks only the first occurrence of each term, prefers longer terms, skips the terms
 * in `markedTerms`, and adds the marked terms to `markedTerms`. A term does not match next to a letter, digit or
 * underscore. Matching is case-sensitive except for the first letter. The joined pieces are the text.
 */
export function markTerms(text: string, markedTerms = new Set<TermId>()): TextPiece[] {
  const pieces: TextPiece[] = [];
  let end = 0;
  for (const match of text.matchAll(anyTerm)) {
    const id = idByWord.get(lowerInitial(match[0]));
    if (id === undefined || markedTerms.has(id)) continue;
    markedTerms.add(id);
    if (match.index > end) pieces.push({ text: text.slice(end, match.index) });
    pieces.push({ text: match[0], id });
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}

/** A term with the punctuation next to it, or a text without this punctuation. */
type PunctuatedPiece = TextPiece & { head: string; tail: string };

/** Returns the pieces with the punctuation next to a term in its `head` and `tail`, so that both stay on one line. */
export function attachPunctuation(pieces: readonly TextPiece[]): PunctuatedPiece[] {
  const isTerm = (index: number): boolean => pieces[index]?.id !== undefined;
  const getTailAfter = (index: number): string =>
    isTerm(index) && !isTerm(index + 1)
      ? (/^[^\s\p{L}\p{N}]+/u.exec(pieces[index + 1]?.text ?? '')?.[0] ?? '')
      : '';
  const getHeadBefore = (index: number): string => {
    if (!isTerm(index) || isTerm(index - 1)) return '';
    const previousText = pieces[index - 1]?.text.slice(getTailAfter(index - 2).length) ?? '';
    return /[^\s\p{L}\p{N}]+$/u.exec(previousText)?.[0] ?? '';
  };
  return pieces.map((piece, index) => ({
    ...piece,
    text: piece.text.slice(
      getTailAfter(index - 1).length,
      piece.text.length - getHeadBefore(index + 1).length,
    ),
    head: getHeadBefore(index),
    tail: getTailAfter(index),
  }));
}

/** Returns the id of the first term in a text; undefined if there is none. */
export function getFirstTerm(text: string): TermId | undefined {
  return markTerms(text).find(({ id }) => id !== undefined)?.id;
}

const idByWord: ReadonlyMap<string, TermId> = new Map(
  (Object.entries(glossary) as [TermId, Term][]).flatMap(([id, { name, words = [name] }]) =>
    words.map((word) => [lowerInitial(word), id] as const),
  ),
);

const anyTerm = new RegExp(
  `(?<![\\p{L}\\p{N}_])(?:${[...idByWord.keys()]
    .sort((a, b) => b.length - a.length)
    .map(getPattern)
    .join('|')})(?![\\p{L}\\p{N}_])`,
  'gu',
);

function getPattern(word: string): string {
  const escapedText = word.slice(1).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const initial = word.charAt(0);
  return `[${initial}${initial.toUpperCase()}]${escapedText}`;
}

/** Returns a word with a lower-case initial. An abbreviation in capitals is unchanged. */
function lowerInitial(word: string): string {
  return /^[\p{Lu}\p{N}]{2}/u.test(word) ? word : word.charAt(0).toLowerCase() + word.slice(1);
}
