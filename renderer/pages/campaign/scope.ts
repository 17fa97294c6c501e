import { createMemo, type Accessor } from 'solid-js';
import type { CellChoice } from '#shared/schemas/coco-analysis.ts';
import { cellChoices } from '#shared/words.ts';
import { asChoice, asList } from '#renderer/state/url-kinds.ts';
import { createUrlSignal, useUrl } from '#renderer/state/url.ts';

/** What a part of the trials can be chosen by, under the names of the service. */
export const scopeNames = ['optimizer', 'functionId', 'dimension'] as const;
export type ScopeName = (typeof scopeNames)[number];

/** Any of these; every one where there is none. */
export type ScopeValues = Readonly<Record<ScopeName, readonly string[]>>;

/** The part of the trials that the address names, for all views of a campaign. */
export interface Scope {
  values: Accessor<ScopeValues>;
  /** Which cells the optimizers are compared on. */
  cells: Accessor<CellChoice>;
  chooseCells: (cells: CellChoice) => void;
  /** Changes what it names; steps of a walk add nothing to the history. */
  choose: (values: Partial<ScopeValues>, history?: 'push' | 'replace') => void;
}

/** Makes the scope of a page. A function or dimension that is no whole number is as if absent. */
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
    choose: (chosen, history = 'push') => url.write(chosen, history),
  };
}

function isWhole(text: string): boolean {
  return /^-?\d{1,9}$/.test(text);
}

/** The choice of cells as a query has it; nothing for the default. */
export function cellsOf({ cells }: Scope): { cells?: CellChoice } {
  return cells() === 'shared' ? {} : { cells: cells() };
}
