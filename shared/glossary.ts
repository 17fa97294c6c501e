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

/** A piece of a text: a term that stands in it, as it is written there, or what is between two. */
export type TextPiece = { text: string; id?: TermId };

/**
 * The text cut where terms stand in it, each marked at its first place only, the longest that fits; those in `marked`
 * nowhere, and those found are put into it. Words begin and end at no letter, digit or underscore; capitals count, but
 * for the first letter. The pieces joined are the text.
 */
export function markTerms(text: string, marked = new Set<TermId>()): TextPiece[] {
  const pieces: TextPiece[] = [];
  let end = 0;
  for (const found of text.matchAll(anyTerm)) {
    const id = idOf.get(withSmallInitial(found[0]));
    if (id === undefined || marked.has(id)) continue;
    marked.add(id);
    if (found.index > end) pieces.push({ text: text.slice(end, found.index) });
    pieces.push({ text: found[0], id });
    end = found.index + found[0].length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}

/** The first term that stands in a text; undefined when there is none. */
export function firstTerm(text: string): TermId | undefined {
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
    .map(pattern)
    .join('|')})(?![\\p{L}\\p{N}_])`,
  'gu',
);

function pattern(word: string): string {
  const escaped = word.slice(1).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const initial = word.charAt(0);
  return `[${initial}${initial.toUpperCase()}]${escaped}`;
}

/** Abbreviations, capitals throughout, stay as they are. */
function withSmallInitial(word: string): string {
  return /^[\p{Lu}\p{N}]{2}/u.test(word) ? word : word.charAt(0).toLowerCase() + word.slice(1);
}
