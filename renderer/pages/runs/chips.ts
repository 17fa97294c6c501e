import { formatMinute } from '#renderer/components/time.ts';
import { filterNames, type FilterName, type RunsView } from './filters.ts';

/** A filter that is on, as a removable chip. */
export interface Chip {
  name: FilterName;
  text: string;
}

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
export function chipsOf(view: RunsView): Chip[] {
  return filterNames
    .filter((name) => view[name] !== '')
    .map((name) => ({ name, text: words[name](view[name]) }));
}

/**
 * What the chip of the COCO trials says, and which `trials` a click sets (undefined = leave them out);
 * null when the database holds none and none are asked for.
 */
export function trialsChip(
  trials: RunsView['trials'],
  count: number | undefined,
): { text: string; title: string; next: 'include' | undefined; isHint: boolean } | null {
  if (trials === 'exclude') {
    if (!count) return null;
    const noun = count === 1 ? 'COCO trial' : 'COCO trials';
    const title = 'Each trial of a COCO campaign is a run of its own. Click to show them too.';
    return { text: `${count} ${noun} left out`, title, next: 'include', isHint: true };
  }
  const text = trials === 'only' ? 'only COCO trials' : 'COCO trials included';
  return { text, title: 'Click to leave them out', next: undefined, isHint: false };
}
