import { createContext, type Accessor } from 'solid-js';
import type { TermId } from '#shared/glossary.ts';

/** Values of a term on a page. */
export interface TermHere {
  /** Its formula with the numbers of this page, one line for each group. */
  numbers?: readonly string[];
  /** Which runs are included and excluded. */
  runs?: readonly string[];
}

/** Values of the terms on a page by term id; terms without values are absent. */
export type TermsHere = Readonly<Partial<Record<TermId, TermHere>>>;

/** Values of the terms on the current page. */
export const TermsOfPage = createContext<Accessor<TermsHere>>();
