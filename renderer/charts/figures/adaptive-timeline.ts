import type { LineFigure } from '#renderer/charts/figure.ts';

/** One intervention of a run's adaptive rules. */
export interface AdaptiveAction {
  /** The iteration it acts on. */
  iteration: number;
  trigger: string;
  actionType: string;
  reason: string;
}

/**
 * Adaptive actions on the iteration axis: one row per trigger, one mark and colour per kind of action,
 * with its reason on hover. Rows and kinds are in order of their names, so that a new action never moves the
 * marks of another kind unless its kind is new.
 */
export function getAdaptiveTimeline(actions: readonly AdaptiveAction[]): LineFigure {
  const ordered = [...actions].sort((first, second) => first.iteration - second.iteration);
  const triggers = distinct(ordered.map(({ trigger }) => trigger));
  const kinds = distinct(ordered.map(({ actionType }) => actionType));
  return {
    kind: 'lines',
    x: { title: 'iteration', isWhole: true },
    y: { title: '', categories: triggers },
    series: kinds.map((kind, paletteIndex) => {
      const ofKind = ordered.filter(({ actionType }) => actionType === kind);
      return {
        name: kind,
        x: ofKind.map(({ iteration }) => iteration),
        y: ofKind.map(({ trigger }) => triggers.indexOf(trigger)),
        shape: 'points' as const,
        paletteIndex,
        hoverNotes: ofKind.map(({ reason }) => reason),
      };
    }),
    references: [],
    empty: 'This run has no adaptive actions.',
  };
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}
