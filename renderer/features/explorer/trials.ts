import { describeCount } from '#shared/number-format.ts';

/** How a list treats COCO trials, which are runs and experiments; excluded by default. */
export type Trials = 'exclude' | 'include' | 'only';

/**
 * Returns the text of the COCO chip and the value after a click; null when the database has no trials and none are
 * requested.
 */
export function makeTrialsChip(
  trials: Trials,
  count: number | undefined,
): { text: string; title: string; next: Trials; isHint: boolean } | null {
  if (trials === 'exclude') {
    if (!count) return null;
    const title = 'Each trial of a COCO campaign is a run. Click to show them too.';
    return {
      text: `${describeCount(count, 'COCO trial')} hidden`,
      title,
      next: 'include',
      isHint: true,
    };
  }
  const text = trials === 'only' ? 'COCO trials only' : 'COCO trials included';
  return { text, title: 'Click to hide them', next: 'exclude', isHint: false };
}
