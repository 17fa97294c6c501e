import { A } from '@solidjs/router';
import { Show, type JSX } from 'solid-js';
import { formatCount, formatFitness, formatRuntime, formatShare } from '#shared/number-format.ts';
import type { Measure } from '#shared/schemas/analysis-measures.ts';
import type { GroupSummary, ProblemComparison } from '#shared/schemas/analysis.ts';
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
  ) => supportedBest(answer.algorithms, value, wanted, pairwise[measure]);
  const fitnessColumn = (
    id: string,
    header: string,
    value: (group: GroupSummary) => number | null,
  ) => numberColumn(id, header, value, formatFitness, best(value, direction, 'fitness'));
  const ert = (group: GroupSummary) => runtimeOf(group, group.ert);
  const sp1 = (group: GroupSummary) => runtimeOf(group, group.sp1);
  return [
    nameColumn(answer, look),
    numberColumn('runs', 'Runs', (group) => group.totalRuns, formatCount),
    numberColumn('completed', 'Completed', (group) => group.completedRuns, formatCount),
    numberColumn('solved', 'Solved', (group) => group.successfulRuns, formatCount),
    successColumn(isIn(best((group) => group.successRate, 'max', 'success'))),
    ertColumn(isIn(best(ert, 'min', 'runtime'))),
    numberColumn('sp1', 'SP1', sp1, formatRuntime, best(sp1, 'min', 'runtime')),
    {
      ...numberColumn('n', 'n', (group) => group.sampleSize, formatCount),
      term: 'sampleSize' as const,
    },
    fitnessColumn('mean', 'Mean best', (group) => group.meanBest),
    fitnessColumn('median', 'Median best', (group) => group.medianBest),
    numberColumn('std', 'Std', (group) => group.stdBest, formatFitness),
    { ...numberColumn('min', 'Min', (group) => group.box.min, formatFitness), hiddenAtFirst: true },
    { ...numberColumn('max', 'Max', (group) => group.box.max, formatFitness), hiddenAtFirst: true },
    {
      ...numberColumn(
        'configurations',
        'Configurations',
        (group) => group.configurations,
        formatCount,
      ),
      hiddenAtFirst: true,
    },
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
        <Show when={experimentsOf(answer, group())} fallback={group().label}>
          {(href) => (
            <A href={href()} tabIndex={context.tabIndex()}>
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

function isIn(best: ReadonlySet<string>): (group: GroupSummary) => boolean {
  return ({ algorithm }) => best.has(algorithm);
}

/** What success rate and ERT are shown of. */
type Solved = Pick<
  GroupSummary,
  'totalRuns' | 'successfulRuns' | 'successRate' | 'successRateCi' | 'ert' | 'ertInterval'
>;

/** The column of the success rate with its interval; `isBest` rows are bold. */
export function successColumn<Row extends Solved>(
  isBest: (row: Row) => boolean = () => false,
): TableColumn<Row> {
  return {
    id: 'success',
    header: 'Success rate, 95 % CI',
    explanation: 'Solved of all runs, with its Wilson interval',
    align: 'end',
    value: (group) => group.successRate,
    fields: [
      { header: '95 % CI lower', value: (group) => group.successRateCi?.lower },
      { header: '95 % CI upper', value: (group) => group.successRateCi?.upper },
    ],
    cell: (group) => (
      <>
        <Figure text={formatShare(group().successRate)} isBest={isBest(group())} />{' '}
        <Show when={group().successRateCi}>
          {(interval) => (
            <small class="muted">
              {formatShare(interval().lower)} – {formatShare(interval().upper)}
            </small>
          )}
        </Show>
      </>
    ),
  };
}

/** The column of the ERT with its interval, infinite where no run succeeded; `isBest` rows are bold. */
export function ertColumn<Row extends Solved>(
  isBest: (row: Row) => boolean = () => false,
): TableColumn<Row> {
  const ert = (row: Row) => runtimeOf(row, row.ert);
  return {
    id: 'ert',
    header: 'ERT, 95 % CI',
    align: 'end',
    value: ert,
    explanation: 'Expected runtime in evaluations, with its bootstrap interval',
    fields: [
      { header: '95 % CI lower', value: (group) => endOf(group, group.ertInterval?.lower) },
      { header: '95 % CI upper', value: (group) => endOf(group, group.ertInterval?.upper) },
    ],
    cell: (group) => (
      <>
        <Figure text={formatRuntime(ert(group()))} isBest={isBest(group())} />{' '}
        <Show when={group().successfulRuns > 0 && group().ertInterval}>
          {(interval) => (
            <small class="muted">
              {formatRuntime(endOf(group(), interval().lower))} –{' '}
              {formatRuntime(endOf(group(), interval().upper))}
            </small>
          )}
        </Show>
      </>
    ),
  };
}

/** An end of the interval of an ERT: infinite where the service has none though there is an interval. */
function endOf({ ertInterval }: Solved, end: number | null | undefined): number | null {
  return ertInterval === null ? null : (end ?? Infinity);
}

function numberColumn(
  id: string,
  header: string,
  value: (group: GroupSummary) => number | null,
  format: (value: number | null) => string,
  best: ReadonlySet<string> = new Set(),
): GroupColumn {
  return {
    id,
    header,
    align: 'end',
    value,
    cell: (group) => <Figure text={format(value(group()))} isBest={best.has(group().algorithm)} />,
  };
}

function Figure(props: { text: string; isBest: boolean }): JSX.Element {
  return (
    <Show when={props.isBest} fallback={props.text}>
      <strong>{props.text}</strong>
    </Show>
  );
}
