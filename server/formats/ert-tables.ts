import { formatFitness } from '#shared/number-format.ts';
import { isCellNote } from '#shared/words.ts';
import { describeFailedTrials, isClearlyBest } from '#shared/claim-marks.ts';
import type {
  CampaignErts,
  ErtRow,
  OptimizerPair,
  OptimizerTests,
} from '#shared/schemas/coco-analysis.ts';
import { makeUniqueSlug } from './descriptions.ts';
import type { Cell, Column, Row, Table } from './table.ts';

/**
 * Returns the tables of the expected runtimes of a campaign. The first tables, one per dimension and target, have a row
 * per function, and columns for the optimizers and the reference. The table of the ratios by optimizer and dimension,
 * and the table of the tests by dimension, follow if they have rows. A runtime is bold if its optimizer is
 * significantly faster than every optimizer in a test with it on the function. No runtime is bold if `tests` is null,
 * as for several targets, or on a function with several targets in the dimension.
 */
export function makeErtTables(erts: CampaignErts, tests: OptimizerTests | null): Table[] {
  const rowsByTable = Map.groupBy(erts.rows, ({ dimension, targetValue }) =>
    JSON.stringify([dimension, targetValue]),
  );
  const tables = [...rowsByTable.values()]
    .sort(([a], [b]) => compareTables(a, b))
    .map((rows) => makeErtTable(erts, rows, tests));
  const hasPairs = tests?.dimensions.some((dimension) => dimension.pairs.length > 0) === true;
  return [
    ...tables,
    ...(erts.summary.length === 0 ? [] : [makeSummaryTable(erts)]),
    ...(tests && hasPairs ? [makePairTable(erts, tests)] : []),
  ];
}

/**
 * Compares two tables by their first rows: first by ascending dimension, then by descending target, a missing one last.
 */
function compareTables(a?: ErtRow, b?: ErtRow): number {
  const dimensionDifference = (a?.dimension ?? 0) - (b?.dimension ?? 0);
  return dimensionDifference || (b?.targetValue ?? -Infinity) - (a?.targetValue ?? -Infinity) || 0;
}

function makeErtTable(
  erts: CampaignErts,
  rows: readonly ErtRow[],
  tests: OptimizerTests | null,
): Table {
  const hasOtherTargets = (functionId: number) =>
    erts.rows.some(
      (row) =>
        row.dimension === dimension &&
        row.functionId === functionId &&
        row.targetValue !== targetValue,
    );
  const getPairs = (functionId: number) => {
    const testedFunction = tests?.functions.find(
      (candidate) => candidate.dimension === dimension && candidate.functionId === functionId,
    );
    return testedFunction && !hasOtherTargets(functionId) ? testedFunction.pairs : [];
  };
  const [{ dimension, targetValue } = { dimension: 0, targetValue: null }] = rows;
  const labels = new Map(rows.map(({ optimizerId, label }) => [optimizerId, label ?? optimizerId]));
  const optimizers = [...labels.keys()];
  const target = formatFitness(targetValue);
  return {
    name: 'ert',
    owner: makeUniqueSlug(`${erts.campaignId} ${dimension} ${targetValue}`),
    caption:
      `${erts.name} (${erts.suite}), dimension ${dimension}, target ${target}: expected runtime (ERT) in ` +
      `evaluations, and solved of all trials that ran. ${describeBoldRuntimes(tests)}`,
    columns: [
      { key: 'f', header: 'f', format: 'count' },
      ...optimizers.flatMap((optimizer, index): Column[] => [
        { key: getErtKey(index), header: labels.get(optimizer) ?? optimizer, format: 'runtime' },
        { key: getSolvedKey(index), header: 'solved', format: 'text' },
      ]),
      { key: 'reference', header: 'Reference', format: 'runtime' },
    ],
    rows: Array.from(
      Map.groupBy(rows, ({ functionId }) => functionId),
      ([functionId, cells]) => makeFunctionRow(functionId, cells, optimizers, getPairs(functionId)),
    ).sort((a, b) => Number(a.cells['f']) - Number(b.cells['f'])),
    notes: erts.notes.filter((tableNote) => !isCellNote(tableNote)).map(({ message }) => message),
  };
}

const getErtKey = (index: number) => `ert${index}`;
const getSolvedKey = (index: number) => `solved${index}`;

function makeFunctionRow(
  functionId: number,
  runtimes: readonly ErtRow[],
  optimizers: readonly string[],
  pairs: readonly OptimizerPair[],
): Row {
  const cells: Record<string, Cell> = {
    f: functionId,
    reference: runtimes.find(({ referenceErt }) => referenceErt !== null)?.referenceErt ?? null,
  };
  for (const [index, optimizer] of optimizers.entries()) {
    const row = runtimes.find(({ optimizerId }) => optimizerId === optimizer);
    if (!row || row.trials === 0) continue;
    cells[getErtKey(index)] = row.ert ?? Infinity;
    cells[getSolvedKey(index)] = `${row.solvedTrials}/${row.trials}`;
  }
  const bestKeys = optimizers.flatMap((optimizer, index) =>
    isClearlyBest(optimizer, pairs) ? [getErtKey(index)] : [],
  );
  return { cells, boldColumns: bestKeys };
}

function describeBoldRuntimes(tests: OptimizerTests | null): string {
  if (tests === null) return 'Nothing is bold, because there are several targets.';
  if (tests.interim) return 'Nothing is bold, because a campaign is still running.';
  return (
    'Bold: significantly faster than every other optimizer in a test with it (rank-sum test over instances within ' +
    `the common budget${describeFailedTrials(tests.notes)}, Holm over the tested pairs of all functions and dimensions, × 2 for the tests by dimension, 0.05).`
  );
}

const pairColumns: Column[] = [
  { key: 'dimension', header: 'Dimension', format: 'count' },
  { key: 'a', header: 'A', format: 'text' },
  { key: 'b', header: 'B', format: 'text' },
  { key: 'functions', header: 'Functions', format: 'count' },
  { key: 'instances', header: 'n', format: 'count' },
  { key: 'pValue', header: 'p', format: 'pValue' },
  { key: 'adjustedPValue', header: 'p Holm', format: 'pValue' },
  { key: 'faster', header: 'Faster', format: 'text' },
];

function makePairTable({ campaignId, name, suite }: CampaignErts, tests: OptimizerTests): Table {
  return {
    name: 'optimizer-tests',
    owner: makeUniqueSlug(campaignId),
    caption:
      `${name} (${suite}): ${tests.interim ? 'interim ' : ''}rank-sum tests of the evaluations to the target, stratified by ` +
      'function, on the instances that both optimizers have, with equally many trials, and within their common budget; ' +
      'Holm over all tested rows, × 2 for the tests by function.',
    columns: pairColumns,
    rows: tests.dimensions.flatMap(({ dimension, pairs }) =>
      pairs.map(({ a, b, labelA = a, labelB = b, better, significant, ...statistics }) => {
        const { functions, instances, pValue, adjustedPValue } = statistics;
        const fasterLabel = significant ? (better === a ? labelA : labelB) : '–';
        return {
          cells: {
            dimension,
            a: labelA,
            b: labelB,
            functions,
            instances,
            pValue,
            adjustedPValue,
            faster: fasterLabel,
          },
        };
      }),
    ),
    notes: tests.notes.map(({ message }) => message),
  };
}

const summaryColumns: Column[] = [
  { key: 'optimizerId', header: 'Optimizer', format: 'text' },
  { key: 'dimension', header: 'Dimension', format: 'count' },
  { key: 'solvedFunctions', header: 'Solved', format: 'count' },
  { key: 'unsolvedFunctions', header: 'Not solved', format: 'count' },
  { key: 'comparedFunctions', header: 'Compared', format: 'count' },
  { key: 'geometricMeanRatio', header: 'ERT ratio', format: 'statistic' },
];

function makeSummaryTable({ campaignId, name, suite, summary, ...erts }: CampaignErts): Table {
  const { references, referenceKind } = erts;
  const reference =
    referenceKind === 'best'
      ? 'the best of the compared optimizers'
      : `the best reference${references.length > 0 ? ` (${references.join(', ')})` : ''}`;
  return {
    name: 'ert-ratios',
    owner: makeUniqueSlug(campaignId),
    caption:
      `${name} (${suite}): functions that a trial solved and that no trial solved, and the geometric mean of the ratios of ERT to ` +
      `${reference}, for optimizers that solved all functions${referenceKind === 'best' ? '' : ' with a reference'}.`,
    columns: summaryColumns,
    rows: summary.map(({ label, referenceKind: _kind, ...row }) => ({
      cells: { ...row, optimizerId: label ?? row.optimizerId },
    })),
    notes: erts.notes.map(({ message }) => message),
  };
}
