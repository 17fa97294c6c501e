import { formatFitness } from '#shared/number-format.ts';
import type { CampaignErts, ErtRow } from '#shared/schemas/coco-analysis.ts';
import { uniqueSlug } from './subject.ts';
import { smallestOf, type Cell, type Column, type Row, type Table } from './table.ts';

/**
 * The expected runtimes of a campaign: one table per dimension and target, functions × optimizers with the reference beside
 * them, the smallest of a row marked; then the ratios per optimizer and dimension.
 */
export function ertTables(erts: CampaignErts): Table[] {
  const groups = Map.groupBy(erts.rows, ({ dimension, targetValue }) =>
    JSON.stringify([dimension, targetValue]),
  );
  const tables = [...groups.values()].map((rows) => ertTable(erts, rows));
  return [...tables, ...(erts.summary.length === 0 ? [] : [summaryTable(erts)])];
}

function ertTable(erts: CampaignErts, rows: readonly ErtRow[]): Table {
  const [{ dimension, targetValue } = { dimension: 0, targetValue: null }] = rows;
  const optimizers = [...new Set(rows.map(({ optimizerId }) => optimizerId))];
  const target = formatFitness(targetValue);
  return {
    id: `ert-${uniqueSlug(`${erts.campaignId} ${dimension} ${targetValue}`)}`,
    caption:
      `${erts.name} (${erts.suite}), dimension ${dimension}, target ${target}: expected runtime (ERT) in ` +
      'evaluations, and solved of all trials that ran. The smallest ERT of a function is bold.',
    columns: [
      { key: 'f', header: 'f', format: 'count' },
      ...optimizers.flatMap((optimizer, index): Column[] => [
        { key: ertKey(index), header: optimizer, format: 'runtime' },
        { key: solvedKey(index), header: 'solved', format: 'text' },
      ]),
      { key: 'reference', header: 'Reference', format: 'runtime' },
    ],
    rows: Array.from(
      Map.groupBy(rows, ({ functionId }) => functionId),
      ([functionId, cells]) => functionRow(functionId, cells, optimizers),
    ).sort((a, b) => Number(a.cells['f']) - Number(b.cells['f'])),
    notes: erts.notes.map(({ message }) => message),
  };
}

const ertKey = (index: number) => `ert${index}`;
const solvedKey = (index: number) => `solved${index}`;

function functionRow(
  functionId: number,
  found: readonly ErtRow[],
  optimizers: readonly string[],
): Row {
  const cells: Record<string, Cell> = {
    f: functionId,
    reference: found.find(({ referenceErt }) => referenceErt !== null)?.referenceErt ?? null,
  };
  const values: [key: string, ert: number][] = [];
  for (const [index, optimizer] of optimizers.entries()) {
    const row = found.find(({ optimizerId }) => optimizerId === optimizer);
    if (!row || row.trials === 0) continue;
    cells[ertKey(index)] = row.ert ?? Infinity;
    cells[solvedKey(index)] = `${row.solvedTrials}/${row.trials}`;
    values.push([ertKey(index), row.ert ?? Infinity]);
  }
  return { cells, best: smallestOf(values) };
}

const summaryColumns: Column[] = [
  { key: 'optimizerId', header: 'Optimizer', format: 'text' },
  { key: 'dimension', header: 'Dimension', format: 'count' },
  { key: 'solvedFunctions', header: 'Solved', format: 'count' },
  { key: 'unsolvedFunctions', header: 'Not solved', format: 'count' },
  { key: 'comparedFunctions', header: 'Compared', format: 'count' },
  { key: 'geometricMeanRatio', header: 'ERT ratio', format: 'statistic' },
];

function summaryTable({ campaignId, name, suite, references, summary }: CampaignErts): Table {
  return {
    id: `ert-ratios-${uniqueSlug(campaignId)}`,
    caption:
      `${name} (${suite}): functions solved by any trial and not, and the geometric mean of the finite ratios ` +
      `of ERT to the best reference${references.length > 0 ? ` (${references.join(', ')})` : ''}.`,
    columns: summaryColumns,
    rows: summary.map((row) => ({ cells: { ...row } })),
  };
}
