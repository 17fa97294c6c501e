import { createMemo, type Accessor } from 'solid-js';
import type { CellChoice } from '#shared/schemas/coco-analysis.ts';
import { cellChoices } from '#shared/words.ts';
import { asChoice, asList } from '#renderer/state/url-kinds.ts';
import { createUrlSignal, useUrl } from '#renderer/state/url.ts';

/** Choices of a part of the trials, with the names of the service. */
export const scopeNames = ['optimizer', 'functionId', 'dimension'] as const;
export type ScopeName = (typeof scopeNames)[number];

/** Chosen values of each name; an empty list is all. */
export type ScopeValues = Readonly<Record<ScopeName, readonly string[]>>;

/** The part of the trials in the URL, for all views of a campaign. */
export interface Scope {
  values: Accessor<ScopeValues>;
  /** The cells on which optimizers are compared. */
  cells: Accessor<CellChoice>;
  chooseCells: (cells: CellChoice) => void;
  /** Changes the given names; steps through values add nothing to the history. */
  choose: (values: Partial<ScopeValues>, history?: 'push' | 'replace') => void;
}

/** Creates the scope of a page. An invalid function or dimension is ignored. */
export function createScope(): Scope {
  const url = useUrl();
  const [optimizer] = createUrlSignal('optimizer', asList());
  const [functionId] = createUrlSignal('functionId', asList());
  const [dimension] = createUrlSignal('dimension', asList());
  const [cells, chooseCells] = createUrlSignal('cells', asChoice(cellChoices, 'shared'));
  const values = createMemo(() => ({
    optimizer: optimizer(),
    functionId: functionId().filter(isWhole),
    dimension: dimension().filter(isWhole),
  }));
  return {
    values,
    cells,
    chooseCells,
    choose: (choice, history = 'push') => url.write(choice, history),
  };
}

function isWhole(text: string): boolean {
  return /^-?\d{1,9}$/.test(text);
}

/** Returns the choice of cells for a query; nothing for the default. */
export function getCells({ cells }: Scope): { cells?: CellChoice } {
  return cells() === 'shared' ? {} : { cells: cells() };
}
