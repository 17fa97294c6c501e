import { countOf } from '#shared/number-format.ts';

/** How COCO trials, which are runs and experiments of their own, take part; left out until asked for. */
export type Trials = 'exclude' | 'include' | 'only';

/**
 * What the chip of the COCO trials says, and what a click makes of them; null when the database holds none and
 * none are asked for.
 */
export function trialsChip(
  trials: Trials,
  count: number | undefined,
): { text: string; title: string; next: Trials; isHint: boolean } | null {
  if (trials === 'exclude') {
    if (!count) return null;
    const title = 'Each trial of a COCO campaign is a run of its own. Click to show them too.';
    return {
      text: `${countOf(count, 'COCO trial')} left out`,
      title,
      next: 'include',
      isHint: true,
    };
  }
  const text = trials === 'only' ? 'only COCO trials' : 'COCO trials included';
  return { text, title: 'Click to leave them out', next: 'exclude', isHint: false };
}
