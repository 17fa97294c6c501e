import { A } from '@solidjs/router';
import { Show, type JSX } from 'solid-js';
import { formatFitness, formatRuntime, formatShare } from '#shared/number-format.ts';
import type { Measure } from '#shared/schemas/analysis-measures.ts';
import type { GroupSummary, ProblemComparison } from '#shared/schemas/analysis.ts';
import {
  countColumn,
  fitnessColumn,
  numberColumn,
} from '#renderer/components/table/column-kinds.tsx';
import type { TableColumn } from '#renderer/components/table/types.ts';
import { paletteColor } from '#renderer/charts/palette.ts';
import { experimentPath, experimentsPath } from '#renderer/paths.ts';
import { runtimeOf, supportedBest, type GroupLook } from './group-looks.ts';

type GroupColumn = TableColumn<GroupSummary>;

const headers = { algorithm: 'Algorithm', model: 'Model', experiment: 'Experiment' } as const;

interface ColumnContext {
  answer: Pick<
    ProblemComparison,
    'algorithms' | 'conditions' | 'groupBy' | 'objectiveDirection' | 'pairwise' | 'problemType'
  >;
  look: (algorithm: string) => GroupLook;
}

/** The columns of the table of groups; a best value is bold where the tests support that it is. */
export function groupColumns({ answer, look }: ColumnContext): readonly GroupColumn[] {
  const { objectiveDirection: direction, pairwise } = answer;
  const best = (
    value: (group: GroupSummary) => number | null,
    wanted: 'min' | 'max',
    measure: Measure,
  ) => {
    const names = supportedBest(answer.algorithms, value, wanted, pairwise[measure]);
    return { isBold: ({ algorithm }: GroupSummary) => names.has(algorithm) };
  };
  const bestColumn = (
    id: string,
    header: string,
    value: (group: GroupSummary) => number | null,
  ): GroupColumn =>
    numberColumn(id, header, value, formatFitness, best(value, direction, 'fitness'));
  const ert = (group: GroupSummary) => runtimeOf(group, group.ert);
  const sp1 = (group: GroupSummary) => runtimeOf(group, group.sp1);
  return [
    nameColumn(answer, look),
    countColumn('runs', 'Runs', (group) => group.totalRuns),
    countColumn('completed', 'Completed', (group) => group.completedRuns),
    countColumn('solved', 'Solved', (group) => group.successfulRuns),
    successColumn(best((group) => group.successRate, 'max', 'success')),
    ertColumn(best(ert, 'min', 'runtime')),
    numberColumn('sp1', 'SP1', sp1, formatRuntime, best(sp1, 'min', 'runtime')),
    countColumn('n', 'n', (group) => group.sampleSize, { term: 'sampleSize' }),
    bestColumn('mean', 'Mean best', (group) => group.meanBest),
    bestColumn('median', 'Median best', (group) => group.medianBest),
    fitnessColumn('std', 'Std', (group) => group.stdBest),
    fitnessColumn('min', 'Min', (group) => group.box.min, { hiddenAtFirst: true }),
    fitnessColumn('max', 'Max', (group) => group.box.max, { hiddenAtFirst: true }),
    countColumn('configurations', 'Configurations', (group) => group.configurations, {
      hiddenAtFirst: true,
    }),
  ];
}

function nameColumn(
  answer: ColumnContext['answer'],
  look: (algorithm: string) => GroupLook,
): GroupColumn {
  return {
    id: 'group',
    header: headers[answer.groupBy],
    fixed: true,
    maxWidthChars: 44,
    value: (group) => group.label,
    cell: (group, context) => (
      <span class="group-name">
        <Swatch paletteIndex={look(group().algorithm).paletteIndex} />
        <Show
          when={experimentsOf(answer, group())}
          fallback={<span class="clip">{group().label}</span>}
        >
          {(href) => (
            <A class="clip" href={href()} tabIndex={context.tabIndex()}>
              {group().label}
            </A>
          )}
        </Show>
      </span>
    ),
  };
}

/** The one experiment of a group, or the list of them; undefined where no filter of the list tells the instance. */
function experimentsOf(
  { problemType, conditions, groupBy }: ColumnContext['answer'],
  { algorithm: name, experimentIds }: GroupSummary,
): string | undefined {
  const [only] = experimentIds;
  if (only !== undefined && experimentIds.length === 1) return experimentPath(only);
  if (conditions === null || groupBy === 'experiment') return undefined;
  return experimentsPath(problemType, { [groupBy]: [name] }, conditions);
}

/** The colour of a group, as in the charts. */
export function Swatch(props: { paletteIndex: number }): JSX.Element {
  return (
    <span
      class="swatch"
      aria-hidden="true"
      style={{ background: paletteColor(props.paletteIndex) }}
    />
  );
}

/** What success rate and ERT are shown of. */
type Solved = Pick<
  GroupSummary,
  'totalRuns' | 'successfulRuns' | 'successRate' | 'successRateCi' | 'ert' | 'ertInterval'
>;

/** Which rows are bold; none unless told. */
interface Boldness<Row> {
  isBold?: (row: Row) => boolean;
}

/** The column of the success rate with its interval. */
export function successColumn<Row extends Solved>(more: Boldness<Row> = {}): TableColumn<Row> {
  return numberColumn('success', 'Success rate, 95 % CI', (row) => row.successRate, formatShare, {
    explanation: 'Solved of all runs, with its Wilson interval',
    interval: (row) => row.successRateCi,
    ...more,
  });
}

/** The column of the ERT with its interval, an end of which is infinite where it has none; of no success both are. */
export function ertColumn<Row extends Solved>(more: Boldness<Row> = {}): TableColumn<Row> {
  return numberColumn('ert', 'ERT, 95 % CI', (row) => runtimeOf(row, row.ert), formatRuntime, {
    explanation: 'Expected runtime in evaluations, with its bootstrap interval',
    interval: ({ ertInterval }) =>
      ertInterval && { lower: ertInterval.lower ?? Infinity, upper: ertInterval.upper ?? Infinity },
    ...more,
  });
}
