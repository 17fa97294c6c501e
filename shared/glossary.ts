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
 * Splits a text at the terms in it. Marks each term only at its first occurrence, the longest term first, and no terms
 * of `marked`, to which it adds the found ones. Words start and end at a character that is no letter, digit or
 * underscore. Matching is case-sensitive except for the first letter. The joined parts are the text.
 */
export function markTerms(text: string, marked = new Set<TermId>()): TextPiece[] {
  const pieces: TextPiece[] = [];
  let end = 0;
  for (const match of text.matchAll(anyTerm)) {
    const id = idOf.get(withSmallInitial(match[0]));
    if (id === undefined || marked.has(id)) continue;
    marked.add(id);
    if (match.index > end) pieces.push({ text: text.slice(end, match.index) });
    pieces.push({ text: match[0], id });
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}

/** A term with the punctuation next to it, or a text without that of the terms around. */
type PunctuatedPiece = TextPiece & { head: string; tail: string };

/** Returns the pieces with the punctuation next to each term at the term: next to a button it could wrap to another line. */
export function withPunctuation(pieces: readonly TextPiece[]): PunctuatedPiece[] {
  const isTerm = (index: number): boolean => pieces[index]?.id !== undefined;
  const tailAfter = (index: number): string =>
    isTerm(index) && !isTerm(index + 1)
      ? (/^[^\s\p{L}\p{N}]+/u.exec(pieces[index + 1]?.text ?? '')?.[0] ?? '')
      : '';
  const headBefore = (index: number): string => {
    if (!isTerm(index) || isTerm(index - 1)) return '';
    const before = pieces[index - 1]?.text.slice(tailAfter(index - 2).length) ?? '';
    return /[^\s\p{L}\p{N}]+$/u.exec(before)?.[0] ?? '';
  };
  return pieces.map((piece, index) => ({
    ...piece,
    text: piece.text.slice(
      tailAfter(index - 1).length,
      piece.text.length - headBefore(index + 1).length,
    ),
    head: headBefore(index),
    tail: tailAfter(index),
  }));
}

/** Returns the first term in a text; undefined if there is none. */
export function getFirstTerm(text: string): TermId | undefined {
  return markTerms(text).find(({ id }) => id !== undefined)?.id;
}

const idOf: ReadonlyMap<string, TermId> = new Map(
  (Object.entries(glossary) as [TermId, Term][]).flatMap(([id, { name, words = [name] }]) =>
    words.map((word) => [withSmallInitial(word), id] as const),
  ),
);

const anyTerm = new RegExp(
  `(?<![\\p{L}\\p{N}_])(?:${[...idOf.keys()]
    .sort((one, other) => other.length - one.length)
    .map(getPattern)
    .join('|')})(?![\\p{L}\\p{N}_])`,
  'gu',
);

function getPattern(word: string): string {
  const escaped = word.slice(1).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const initial = word.charAt(0);
  return `[${initial}${initial.toUpperCase()}]${escaped}`;
}

/** Abbreviations in capitals stay unchanged. */
function withSmallInitial(word: string): string {
  return /^[\p{Lu}\p{N}]{2}/u.test(word) ? word : word.charAt(0).toLowerCase() + word.slice(1);
}
