import { createMemo, Show, type Accessor, type JSX } from 'solid-js';
import { formatFitness, formatRuntime, formatStatistic, noValue } from '#shared/number-format.ts';
import type { ErtRow } from '#shared/schemas/coco-analysis.ts';
import { makeCountColumn, makeFitnessColumn } from '#renderer/ui/table/column-kinds.tsx';
import { makeDataColumnId } from '#renderer/ui/table/columns.ts';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { getRuntime, type FunctionErts } from './function-erts.ts';

type Column = TableColumn<FunctionErts>;

interface Optimizer {
  id: string;
  name: string;
}

/**
 * Returns the columns of expected runtimes: the function, one per optimizer, the reference. The column of targets is
 * hidden by default unless there are several.
 */
export function makeErtColumns(
  optimizers: readonly Optimizer[],
  hasSeveralTargets: boolean,
): Column[] {
  return [
    makeCountColumn('function', 'Function', (row) => row.functionId, {
      fixed: true,
      align: 'start',
      cell: (row) => <>f{row().functionId}</>,
    }),
    makeCountColumn('dimension', 'Dimension', (row) => row.dimension, {
      fixed: true,
      descendingFirst: false,
    }),
    makeFitnessColumn('target', 'Target', (row) => row.targetValue, {
      isHiddenByDefault: !hasSeveralTargets,
    }),
    ...optimizers.map(makeOptimizerColumn),
    referenceColumn,
  ];
}

function makeOptimizerColumn({ id: optimizer, name }: Optimizer, index: number): Column {
  const own = (row: FunctionErts): ErtRow | undefined => {
    const cell = row.byOptimizer.get(optimizer);
    return cell && cell.trials > 0 ? cell : undefined;
  };
  const field = (header: string, value: (row: ErtRow) => number | null) => ({
    header: `${name}, ${header}`,
    value: (row: FunctionErts) => {
      const cell = own(row);
      return cell && value(cell);
    },
  });
  return {
    id: makeDataColumnId('ert', optimizer),
    isOfData: true,
    header: name,
    // The line above the table explains the cells once for all optimizers.
    term: index === 0 ? 'ert' : null,
    align: 'end',
    descendingFirst: false,
    value: (row) => {
      const cell = own(row);
      return cell && getRuntime(cell);
    },
    measure: (row) => {
      const cell = own(row);
      return cell ? getErtTexts(cell).join(' ') : noValue;
    },
    fields: [
      field('ratio', ({ ratio }) => ratio),
      field('SP1', ({ sp1 }) => sp1 ?? Infinity),
      field('lower', ({ ertMoverInterval: ends }) => ends && (ends.lower ?? Infinity)),
      field('upper', ({ ertMoverInterval: ends }) => ends && (ends.upper ?? Infinity)),
      field('solved', ({ solvedTrials }) => solvedTrials),
      field('trials', ({ trials }) => trials),
    ],
    cell: (row) => (
      <Show when={own(row())} fallback={<span class="muted">{noValue}</span>}>
        {(cell) => <ErtCell row={cell} isBest={row().best.includes(optimizer)} />}
      </Show>
    ),
  };
}

function ErtCell(props: { row: Accessor<ErtRow>; isBest: boolean }): JSX.Element {
  const texts = createMemo(() => getErtTexts(props.row()));
  return (
    <span
      class="ert-cell"
      classList={{ 'ert-best': props.isBest }}
      title={describeInterval(props.row())}
    >
      <small class="muted">{texts()[0]}</small>
      {texts()[1]}
      <small class="muted">{texts()[2]}</small>
    </span>
  );
}

/** Returns the ratio to the reference ('' without one), the ERT, and the solved of all trials. */
function getErtTexts(row: ErtRow): [ratio: string, ert: string, solved: string] {
  return [
    row.ratio === null ? '' : `×${formatStatistic(row.ratio)}`,
    formatRuntime(getRuntime(row)),
    `${row.solvedTrials}/${row.trials}`,
  ];
}

function describeInterval({ ertMoverInterval, sp1 }: ErtRow): string {
  const end = (value: number | null): string => formatRuntime(value ?? Infinity);
  const interval = ertMoverInterval
    ? `95 % MOVER interval ${end(ertMoverInterval.lower)} to ${end(ertMoverInterval.upper)}; `
    : '';
  return `${interval}SP1 ${end(sp1)}`;
}

const referenceColumn: Column = {
  id: 'reference',
  header: 'Reference',
  explanation:
    'Smallest ERT of the stored reference results (doubtful ones excluded), or of the compared optimizers if none are stored',
  align: 'end',
  descendingFirst: false,
  value: (row) => row.referenceErt,
  fields: [
    { header: 'Kind of reference', value: (row) => row.referenceKind },
    { header: 'Doubtful reference', value: (row) => row.hasDoubtfulReference },
  ],
  cell: (row) => (
    <span class="ert-cell">
      <Show when={row().hasDoubtfulReference}>
        <small
          class="ert-doubtful"
          title={`A reference to ${formatFitness(row().targetValue)} reports an ERT without any success; excluded`}
        >
          doubtful
        </small>
      </Show>
      <span classList={{ muted: row().referenceErt === null }}>
        {formatRuntime(row().referenceErt)}
      </span>
    </span>
  ),
};
