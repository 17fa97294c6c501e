import { formatFitness, formatCount } from '#shared/number-format.ts';
import type { ConvergencePoint, ExperimentTraces } from '#shared/schemas/analysis.ts';
import { isValue, type Cell, type LineFigure, type RunTrace } from '#renderer/charts/figure.ts';

/** Which middle of the runs is drawn; the interval is that of the mean. */
export type Average = 'mean' | 'median';

/** A group of runs with its convergence over a grid of budgets. */
export interface ConvergenceGroup {
  name: string;
  paletteIndex: number;
  points: readonly ConvergencePoint[];
  /** Its single runs, drawn thin behind it; absent unless asked for. */
  runTraces?: readonly RunTrace[];
}

/**
 * Best so far against evaluations, one step curve per group: the mean with its 95 % t-interval, or the
 * median. The target is a line when there is one. A group whose runs have no iterations has no curve.
 */
export function convergenceFigure(
  groups: readonly ConvergenceGroup[],
  options: { average: Average; targetFitness: Cell },
): LineFigure {
  const { average, targetFitness } = options;
  return {
    kind: 'lines',
    x: { title: 'evaluations' },
    y: { title: 'best so far' },
    series: groups.map(({ name, paletteIndex, points, runTraces }) => ({
      name,
      x: points.map(({ x }) => x),
      y: points.map((point) => point[average]),
      shape: 'step' as const,
      paletteIndex,
      ...(points.length > 0 && { legendNote: `n = ${formatCount(points.at(-1)?.samples)}` }),
      ...(average === 'mean' && { band: intervalOf(name, points) }),
      ...(runTraces && { runTraces }),
    })),
    references: isValue(targetFitness)
      ? [{ label: `target ${formatFitness(targetFitness)}`, value: targetFitness }]
      : [],
    empty: 'No run has written an iteration with a fitness yet.',
  };
}

function intervalOf(name: string, points: readonly ConvergencePoint[]) {
  return {
    name: `${name}, 95 % interval`,
    lower: points.map(({ ciLower }) => ciLower),
    upper: points.map(({ ciUpper }) => ciUpper),
  };
}

/** The traces of runs as thin curves, named by run; none without traces. */
export function runTracesOf(traces: ExperimentTraces | undefined): RunTrace[] {
  return (traces?.runs ?? []).map(({ runId, points }) => ({
    name: runId,
    x: points.map(({ x }) => x),
    y: points.map(({ y }) => y),
  }));
}
