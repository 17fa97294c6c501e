import { A } from '@solidjs/router';
import { Show } from 'solid-js';
import { formatPValue, formatStatistic } from '#shared/number-format.ts';
import type { VaryingParameter } from '#shared/schemas/analysis-parameters.ts';
import {
  makeCountColumn,
  makeFitnessColumn,
  makeNumberColumn,
  makeTextColumn,
} from '#renderer/ui/table/column-kinds.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { getValueName } from '#renderer/charts/figures/parameter-points.ts';
import { makeErtColumn, makeSuccessColumn } from '#renderer/features/analysis/group-columns.tsx';
import {
  getMedianRange,
  getMissingCorrelation,
  getSuccessRange,
  type ParameterRow,
} from './parameter-rows.ts';

/** Returns the columns of the parameters: ranges, that of success only with a target, and correlation with fitness. */
export function makeParameterColumns(hasTarget: boolean): readonly TableColumn<VaryingParameter>[] {
  return [
    makeTextColumn('parameter', 'Parameter', ({ path }) => path, {
      fixed: true,
      maxWidthChars: 48,
    }),
    makeCountColumn('values', 'Values', ({ values }) => values.length),
    makeTextColumn('medians', 'Median best', getMedianRange, { align: 'end' }),
    ...(hasTarget
      ? [makeTextColumn('rates', 'Success rate', getSuccessRange, { align: 'end' })]
      : []),
    makeNumberColumn('rho', "Spearman's ρ", ({ spearman }) => spearman?.rho, formatStatistic, {
      explanation:
        'Rank correlation of the value with the median best fitness (> 0: larger values, larger fitness)',
      cell: (row) => (
        <Show when={getMissingCorrelation(row())} fallback={formatStatistic(row().spearman?.rho)}>
          {(reason) => <span class="muted">{reason()}</span>}
        </Show>
      ),
    }),
    makeNumberColumn(
      'adjusted',
      'p (adj.)',
      ({ spearman }) => spearman?.adjustedPValue,
      formatPValue,
      {
        explanation:
          'Two-sided p-value of the correlation, adjusted over the parameters that have one (Holm)',
      },
    ),
    makeNumberColumn('p', 'p', ({ spearman }) => spearman?.pValue, formatPValue, {
      explanation:
        'Two-sided p-value of the correlation; not adjusted for the number of parameters',
      isHiddenByDefault: true,
    }),
    makeNumberColumn(
      'attainable',
      'Smallest p',
      ({ spearman }) => spearman?.attainablePValue,
      formatPValue,
      {
        explanation:
          'Smallest p possible with this number of values and their ties; not adjusted for the number of parameters',
        isHiddenByDefault: true,
      },
    ),
    makeCountColumn('n', 'n', ({ spearman }) => spearman?.n, {
      explanation: 'Number of values in the correlation',
    }),
  ];
}

/** Returns the columns of the values, each with a link to its experiments; success and ERT only with a target. */
export function makeValueColumns(hasTarget: boolean): readonly TableColumn<ParameterRow>[] {
  return [
    makeTextColumn('parameter', 'Parameter', ({ path }) => path, {
      fixed: true,
      maxWidthChars: 48,
    }),
    {
      id: 'value',
      header: 'Value',
      fixed: true,
      maxWidthChars: 32,
      value: ({ value }) => value,
      cell: (row, context) => (
        <Show when={row().href} fallback={<span class="muted">{getValueName(row().value)}</span>}>
          {(href) => (
            <A href={href()} tabIndex={context.tabIndex()}>
              {getValueName(row().value)}
            </A>
          )}
        </Show>
      ),
    },
    makeCountColumn('experiments', 'Experiments', ({ experiments }) => experiments),
    makeCountColumn('runs', 'Runs', ({ totalRuns }) => totalRuns),
    ...(hasTarget ? [makeSuccessColumn<ParameterRow>(), makeErtColumn<ParameterRow>()] : []),
    makeCountColumn('n', 'n', ({ n }) => n, { explanation: 'Completed runs with a best fitness' }),
    makeFitnessColumn('median', 'Median best', ({ medianBest }) => medianBest),
  ];
}
