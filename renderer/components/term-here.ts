import { createContext, type Accessor } from 'solid-js';
import type { TermId } from '#shared/glossary.ts';

/** What a term is on the page where it stands. */
export interface TermHere {
  /** Its formula with the numbers of this page, one line for each group. */
  numbers?: readonly string[];
  /** Which runs entered, and which were left out. */
  runs?: readonly string[];
}

/** What terms are on a page, by their ids; those of which it has nothing to say are absent. */
export type TermsHere = Readonly<Partial<Record<TermId, TermHere>>>;

/** What the terms below are on their page. */
export const TermsOfPage = createContext<Accessor<TermsHere>>();
