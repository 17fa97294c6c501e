import type { Chip } from '#renderer/components/explorer/ChipBar.tsx';
import { formatMinute } from '#renderer/components/time.ts';
import { filterNames, type FilterName, type RunsView } from './filters.ts';

const words: Record<FilterName, (value: string) => string> = {
  q: (value) => `search: ${value}`,
  algorithm: (value) => `algorithm: ${value}`,
  model: (value) => `model: ${value}`,
  problem: (value) => `problem: ${value}`,
  status: (value) => `status: ${value}`,
  from: (value) => `started from ${formatMinute(value)}`,
  to: (value) => `started to ${formatMinute(value)}`,
  minBest: (value) => `best ≥ ${value}`,
  maxBest: (value) => `best ≤ ${value}`,
};

/** One chip per filter that is on, in the order of the filter bar. */
export function chipsOf(view: RunsView): Chip<FilterName>[] {
  return filterNames
    .filter((name) => view[name] !== '')
    .map((name) => ({ name, text: words[name](view[name]) }));
}
