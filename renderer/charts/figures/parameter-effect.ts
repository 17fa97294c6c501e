import { getRuntime } from '#shared/group-metrics.ts';
import { describeCount, formatShare } from '#shared/number-format.ts';
import type { ParameterValue, VaryingParameter } from '#shared/schemas/analysis-parameters.ts';
import type { LineFigure } from '#renderer/charts/figure.ts';

/**
 * What runs with each number of a parameter achieved: their ERT with its interval, infinite where none reached the target
 * and missing where it is unknown, or without a target their median best fitness. Experiments without the parameter have no place.
 */
export function makeParameterEffectFigure(
  { path, values }: Pick<VaryingParameter, 'path' | 'values'>,
  hasTarget: boolean,
): LineFigure {
  const measured = values.filter(({ value, totalRuns }) => value !== null && totalRuns > 0);
  const x = measured.map(({ value }) => Number(value));
  const name = hasTarget ? 'ERT' : 'median best fitness';
  return {
    kind: 'lines',
    x: { title: path },
    y: hasTarget ? { title: 'ERT', unit: 'evaluations' } : { title: 'best fitness' },
    series: [
      {
        name,
        shape: 'line',
        paletteIndex: 0,
        x,
        y: measured.map((value) => (hasTarget ? getRuntime(value, value.ert) : value.medianBest)),
        hoverNotes: measured.map(getNote),
        ...(hasTarget && {
          infiniteAt: x.filter((_, index) => measured[index]?.successfulRuns === 0),
          band: {
            name: 'ERT, 95 % interval',
            lower: measured.map(({ ertMoverInterval }) => ertMoverInterval?.lower ?? null),
            upper: measured.map(({ ertMoverInterval }) => ertMoverInterval?.upper ?? null),
          },
        }),
      },
    ],
    references: [],
    empty: getEmptyWords(measured.length > 0, hasTarget),
  };
}

function getEmptyWords(hasRuns: boolean, hasTarget: boolean): string {
  if (!hasRuns) return 'No experiment with this parameter has runs.';
  return hasTarget
    ? 'No run with any of these values reached the target.'
    : 'No run with any of these values has been completed with a best fitness.';
}

function getNote({ totalRuns, successRate }: ParameterValue): string {
  return `${describeCount(totalRuns, 'run')}, ${formatShare(successRate)} successful`;
}
