import type { ProgressAxis, RunsOverlay, TelemetryOverlay } from '#shared/schemas/analysis-runs.ts';
import {
  getTargetReference,
  type Axis,
  type Cell,
  type LineFigure,
  type Reference,
  type Series,
} from '#renderer/charts/figure.ts';

/** Name of a run and its place in the palette. */
export interface RunLook {
  name: string;
  paletteIndex: number;
}

/** Axes of overlaid runs by quantity. */
export const progressAxisOf: Readonly<Record<ProgressAxis, Axis>> = {
  evaluations: { title: 'evaluations', isWhole: true },
  iteration: { title: 'iteration', isWhole: true },
  time: { title: 'time since the start', unit: 's' },
};

/** Most targets that are lines; more would hide the curves. */
const mostTargets = 3;

type Overlay = Pick<RunsOverlay, 'by' | 'x' | 'traces' | 'runs'>;

/**
 * Best so far of each run, a step curve that ends where the run does, over one axis; a cross where it reached its
 * target, which is known in evaluations only. The targets are lines, unless they are many.
 */
export function makeOverlayFigure(
  overlay: Overlay,
  getLook: (runId: string) => RunLook,
): LineFigure {
  const { by, x, traces, runs } = overlay;
  return {
    kind: 'lines',
    x: progressAxisOf[by],
    y: { title: 'best so far', reachesZero: true },
    series: traces.map(({ runId, best, end }, index): Series => {
      const hit = by === 'evaluations' ? (runs[index]?.evaluationsToTarget ?? null) : null;
      return {
        ...getLook(runId),
        ...truncateAt(x, best, end),
        shape: 'step',
        ...(hit !== null && hit <= (end ?? -Infinity) && { crossAt: hit }),
      };
    }),
    references: makeTargetLines(runs),
    empty:
      by === 'time'
        ? 'These runs have no times of their iterations.'
        : 'None of these runs has an iteration with a fitness.',
  };
}

function makeTargetLines(runs: Overlay['runs']): Reference[] {
  const targets = new Set(runs.flatMap(({ targetFitness }) => targetFitness ?? []));
  return targets.size > mostTargets ? [] : [...targets].flatMap(getTargetReference);
}

/**
 * Returns the best so far of each run minus that of the reference; finished runs hold their last value. Runs that
 * cannot be compared with it are omitted. Zero is a line.
 */
export function makeDifferenceFigure(
  { by, x, traces, reference }: Overlay & Pick<RunsOverlay, 'reference'>,
  getLook: (runId: string) => RunLook,
): LineFigure {
  const hasCurve = traces.some(({ runId, end }) => runId === reference && end !== null);
  return {
    kind: 'lines',
    x: progressAxisOf[by],
    y: { title: 'difference of best so far' },
    series: traces.flatMap(({ runId, difference }): Series[] =>
      difference === null ? [] : [{ ...getLook(runId), x, y: difference, shape: 'step' }],
    ),
    references: [{ label: 'reference', value: 0 }],
    empty: hasCurve
      ? 'No other run here has a curve on the problem instance of the reference.'
      : 'The reference itself has no curve over this axis.',
  };
}

/** A stored series of each run that has it, over one axis; iterations whose place is unknown are omitted. */
export function makeStoredSeriesFigure(
  { by, runs, series }: Pick<TelemetryOverlay, 'by' | 'runs' | 'series'>,
  key: string,
  y: Axis,
  getLook: (runId: string) => RunLook,
): LineFigure {
  // A response to a previous choice lacks the key.
  const values = series.find((one) => one.key === key)?.values;
  return {
    kind: 'lines',
    x: progressAxisOf[by],
    y,
    series: runs.flatMap(({ runId, x }, index): Series[] => {
      const points = getPlacedPoints(x, values?.[index] ?? []);
      if (points.length === 0) return [];
      return [
        {
          ...getLook(runId),
          x: points.map(([place]) => place),
          y: points.map(([, value]) => value),
          shape: 'line',
        },
      ];
    }),
    references: [],
    empty: values
      ? 'None of these runs has such numbers over this axis.'
      : 'This series is not loaded yet.',
  };
}

function getPlacedPoints(x: readonly Cell[], values: readonly Cell[]): [number, Cell][] {
  const points = values.flatMap((value, index): [number, Cell][] => {
    const place = x[index] ?? null;
    return place === null ? [] : [[place, value]];
  });
  return points.sort(([one], [other]) => one - other);
}

/** Returns the places up to the end of a run, with its values there; no places for null. */
function truncateAt(
  x: readonly number[],
  values: readonly Cell[],
  end: number | null,
): { x: readonly number[]; y: readonly Cell[] } {
  const beyond = end === null ? 0 : x.findIndex((place) => place > end);
  if (beyond < 0) return { x, y: values };
  return { x: x.slice(0, beyond), y: values.slice(0, beyond) };
}
