import { A } from '@solidjs/router';
import { Show, type JSX } from 'solid-js';
import { formatFitness, formatRuntime, formatShare } from '#shared/number-format.ts';
import type { Measure } from '#shared/schemas/analysis-measures.ts';
import type { GroupSummary, Grouping, ProblemComparison } from '#shared/schemas/analysis.ts';
import {
  makeCountColumn,
  makeFitnessColumn,
  makeNumberColumn,
} from '#renderer/ui/table/column-kinds.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { getPaletteColor } from '#renderer/charts/palette.ts';
import { NotesButton } from '#renderer/features/notes/NotesButton.tsx';
import { getExperimentPath, getExperimentsPath } from '#renderer/paths.ts';
import { groupings } from '#shared/words.ts';
import { getGroupMetrics, isBestOn, type GroupMetrics, getRuntime } from '#shared/group-metrics.ts';
import type { GroupLook } from './group-looks.ts';

type GroupColumn = TableColumn<GroupSummary>;

const headers = {
  algorithm: 'Algorithm',
  model: 'Model',
  experiment: 'Experiment',
  configuration: 'Configuration',
} as const;

function getHeader(groupBy: Grouping): string {
  return groupBy in headers ? headers[groupBy as keyof typeof headers] : 'Parameter';
}

interface ColumnContext {
  response: Pick<
    ProblemComparison,
    'conditions' | 'groupBy' | 'guard' | 'problemType' | 'targetFitness'
  >;
  look: (algorithm: string) => GroupLook;
}

/** Returns the columns of the table of groups: their results within the common budget, significant ones bold. */
export function makeGroupColumns({ response, look }: ColumnContext): readonly GroupColumn[] {
  const hasTarget = response.targetFitness !== null;
  const getMetrics = (group: GroupSummary) => getGroupMetrics(group, response.guard, hasTarget);
  const best = (measure: Measure) => ({
    isBold: (group: GroupSummary) => isBestOn(group, measure),
  });
  const fitness = (
    id: string,
    header: string,
    value: (group: GroupMetrics) => number | null,
    more: Boldness<GroupSummary> = {},
  ): GroupColumn =>
    makeNumberColumn(
      id,
      header,
      (group) => getValue(getMetrics(group), value),
      formatFitness,
      more,
    );
  return [
    makeNameColumn(response, look),
    makeCountColumn('runs', 'Runs', (group) => group.totalRuns),
    makeCountColumn('completed', 'Completed', (group) => group.completedRuns),
    makeCountColumn('n', 'n', (group) => getValue(getMetrics(group), ({ runs }) => runs), {
      explanation: 'Compared runs (all started ones)',
    }),
    ...(hasTarget ? makeSuccessColumns(getMetrics, best) : []),
    fitness('mean', 'Mean best', ({ meanBest }) => meanBest, best('fitness')),
    fitness('median', 'Median best', ({ medianBest }) => medianBest, best('fitness')),
    fitness('std', 'Std', ({ stdBest }) => stdBest),
    makeFitnessColumn('min', 'Final min', (group) => group.box.min, { isHiddenByDefault: true }),
    makeFitnessColumn('max', 'Final max', (group) => group.box.max, { isHiddenByDefault: true }),
    makeCountColumn('configurations', 'Configurations', (group) => group.configurations, {
      isHiddenByDefault: true,
    }),
  ];
}

function getValue(
  metrics: GroupMetrics | null,
  value: (group: GroupMetrics) => number | null,
): number | null {
  return metrics && value(metrics);
}

const ertExplanation =
  'Expected runtime in evaluations, with MOVER interval; the interval assumes that every run succeeds if all did and no common budget is known';

/** Returns the columns that need a target: solved runs, success rate, ERT and SP1. */
function makeSuccessColumns(
  getMetrics: (group: GroupSummary) => GroupMetrics | null,
  best: (measure: Measure) => Boldness<GroupSummary>,
): readonly GroupColumn[] {
  return [
    makeCountColumn('solved', 'Solved', (group) =>
      getValue(getMetrics(group), ({ solved }) => solved),
    ),
    makeNumberColumn(
      'success',
      'Success rate, 95 % CI',
      (group) => getValue(getMetrics(group), ({ successRate }) => successRate),
      formatShare,
      {
        explanation: 'Runs that reached the target, with Wilson interval',
        interval: (group) => getMetrics(group)?.successRateCi ?? null,
        ...best('success'),
      },
    ),
    makeNumberColumn(
      'ert',
      'ERT, 95 % CI',
      (group) => getValue(getMetrics(group), ({ ert }) => ert),
      formatRuntime,
      {
        explanation: ertExplanation,
        interval: (group) => getMetrics(group)?.ertInterval ?? null,
        ...best('runtime'),
      },
    ),
    makeNumberColumn(
      'sp1',
      'SP1',
      (group) => getValue(getMetrics(group), ({ sp1 }) => sp1),
      formatRuntime,
      best('runtime'),
    ),
  ];
}

function makeNameColumn(
  response: ColumnContext['response'],
  look: (algorithm: string) => GroupLook,
): GroupColumn {
  return {
    id: 'group',
    header: getHeader(response.groupBy),
    fixed: true,
    maxWidthChars: 44,
    value: (group) => look(group.algorithm).name,
    cell: (group, context) => (
      <span class="swatch-name">
        <Swatch paletteIndex={look(group().algorithm).paletteIndex} />
        <Show
          when={getGroupPath(response, group())}
          fallback={
            <span class="clip" title={group().algorithm}>
              {look(group().algorithm).name}
            </span>
          }
        >
          {(href) => (
            <A class="clip" href={href()} title={group().algorithm} tabIndex={context.tabIndex()}>
              {look(group().algorithm).name}
            </A>
          )}
        </Show>
        {/* The values of a parameter have no display names. */}
        <Show when={groupings.some((name) => name === response.groupBy)}>
          <NotesButton
            tabIndex={context.tabIndex()}
            subject={{
              kind: response.groupBy === 'experiment' ? 'experiment' : 'algorithm',
              id: group().algorithm,
              name: group().label,
            }}
          />
        </Show>
      </span>
    ),
  };
}

/**
 * Returns the URL of the only experiment of a group, or of the list of its experiments; undefined where no filter of
 * the list selects them.
 */
function getGroupPath(
  { problemType, conditions, groupBy }: ColumnContext['response'],
  { algorithm: name, experimentIds }: GroupSummary,
): string | undefined {
  const [only] = experimentIds;
  if (only !== undefined && experimentIds.length === 1) return getExperimentPath(only);
  // No filter of the list selects the other groups.
  if (conditions === null || (groupBy !== 'algorithm' && groupBy !== 'model')) {
    return undefined;
  }
  return getExperimentsPath(problemType, { [groupBy]: [name] }, conditions);
}

/** The colour of a group, as in the charts. */
export function Swatch(props: { paletteIndex: number }): JSX.Element {
  return (
    <span
      class="swatch"
      aria-hidden="true"
      style={{ background: getPaletteColor(props.paletteIndex) }}
    />
  );
}

/** Fields of the success rate and the ERT. */
type SuccessFields = Pick<
  GroupSummary,
  'totalRuns' | 'successfulRuns' | 'successRate' | 'successRateCi' | 'ert' | 'ertMoverInterval'
>;

/** Which rows are bold; default none. */
interface Boldness<Row> {
  isBold?: (row: Row) => boolean;
}

/** Returns the column of the success rate with its interval. */
export function makeSuccessColumn<Row extends SuccessFields>(
  more: Boldness<Row> = {},
): TableColumn<Row> {
  return makeNumberColumn(
    'success',
    'Success rate, 95 % CI',
    (row) => row.successRate,
    formatShare,
    {
      explanation: 'Share of solved runs, with Wilson interval',
      interval: (row) => row.successRateCi,
      ...more,
    },
  );
}

/** Returns the column of the ERT with its MOVER interval, if there is one; an unbounded end is infinite. */
export function makeErtColumn<Row extends SuccessFields>(
  more: Boldness<Row> = {},
): TableColumn<Row> {
  return makeNumberColumn('ert', 'ERT, 95 % CI', (row) => getRuntime(row, row.ert), formatRuntime, {
    explanation: ertExplanation,
    interval: ({ ertMoverInterval: ends }) =>
      ends && { lower: ends.lower ?? Infinity, upper: ends.upper ?? Infinity },
    ...more,
  });
}
