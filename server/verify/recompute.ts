import { hash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadExperiments } from '#server/analysis/load.ts';
import { MemoStore } from '#server/analysis/memo.ts';
import { readPackedTraces, TraceStore } from '#server/analysis/shared-traces.ts';
import type { Database } from '#server/db/database.ts';
import { openDatabase } from '#server/db/open.ts';
import { parseDatabaseUrl } from '#server/db/url.ts';
import { parseInput, ProblemError } from '#server/errors.ts';
import {
  writeRows,
  type NewIteration,
  type NewReference,
  type NewRun,
  type NewTrial,
} from '#server/repositories/recording.ts';
import { runForCsv } from '#server/runtime/run-handler.ts';
import { saveAnnotation } from '#server/services/annotations.ts';
import type { CocoReference } from '#shared/schemas/coco.ts';
import { endpoints, type Endpoint } from '#shared/api.ts';
import {
  ArchiveRefusal,
  dataFiles,
  parseRecords,
  parseTable,
  type PageArchive,
} from './archive.ts';

/** A value of a table that differs from the recomputed value, or another difference of a file. */
export type Difference =
  | { file: string; row: number; column: string; storedValue: string; recomputedValue: string }
  | { file: string; message: string };

/** The endpoints whose tables depend only on data that archives contain. */
const verifiedEndpoints = [
  'analyseExperiment',
  'compareProblem',
  'describeParameters',
  'listErts',
  'getEcdf',
  'compareOptimizers',
] as const;

/** The result of a verification. */
export interface Verification {
  /** Number of compared values. */
  valueCount: number;
  /** Number of compared tables. */
  tableCount: number;
  differences: Difference[];
  /** Tables that the verification skips, with the reason. */
  skippedTables: { file: string; reason: string }[];
}

/**
 * Recomputes the tables of an archive from its data, and compares their values; see {@link compareCells}. Compares the
 * checksums of the other files. If the data have changed since the page saved them and no database can store them,
 * compares no table. Throws {@link ArchiveRefusal} for a file that is not CSV, and for a row of the traces whose `best`
 * is neither empty nor a number. If it cannot store unchanged data, throws the error of the database or of {@link
 * saveAnnotation}. Throws the error of the system if it cannot create a temporary folder.
 */
export async function verifyArchive(archive: PageArchive): Promise<Verification> {
  const folder = await mkdtemp(join(tmpdir(), 'evoscope-verify-'));
  const url = parseDatabaseUrl(join(folder, 'archive.db'), { workingDirectory: folder });
  const database = await openDatabase(url, { canCreate: true });
  const differences = listChangedFiles(archive);
  const hasChangedData = differences.some(({ file }) => isDataFile(file));
  try {
    try {
      await writeData(database, archive);
    } catch (error) {
      if (error instanceof ArchiveRefusal || !hasChangedData) throw error;
      // Changed data may be inconsistent. Then no database can store them.
      return { valueCount: 0, tableCount: 0, differences, skippedTables: [] };
    }
    return await compareTables(database, archive, differences);
  } finally {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeData(database: Database, archive: PageArchive): Promise<void> {
  const { experiments, campaigns, annotations } = archive.data;
  await writeRows(
    database,
    'experiments',
    experiments.map((experiment) => ({
      experiment_id: experiment.experimentId,
      config_hash: experiment.experimentId,
      schema_version: '3.0',
      run_name: experiment.runName,
      algorithm_type: experiment.algorithmType,
      model_type: experiment.modelType,
      problem_type: experiment.problemType,
      representation_type: '',
      selection_type: '',
      replacement_type: '',
      stopping_type: '',
      config_yaml: '',
      config_json: experiment.configJson,
      created_at: '',
    })),
  );
  const pointsByRun = Map.groupBy(readRecords(archive, dataFiles.traces), (row) => row['runId']);
  const runs = readRecords(archive, dataFiles.runs);
  await writeRows(database, 'runs', runs.map(toRun));
  const iterations = runs.flatMap((run) => toIterations(run, pointsByRun.get(run['runId']) ?? []));
  await writeRows(database, 'iterations', iterations);
  for (const { campaignId, name, suite, status, references } of campaigns) {
    const campaign = { campaign_id: campaignId, name, suite, status, ...emptyPlan };
    await writeRows(database, 'coco_campaigns', [campaign]);
    const rows = references.map((reference) => toReference(reference, suite));
    // All campaigns belong to one suite, so their references are the same.
    if (campaignId === campaigns[0]?.campaignId)
      await writeRows(database, 'coco_reference_results', rows);
  }
  if (campaigns.length > 0) {
    const trials = readRecords(archive, dataFiles.trials).map(toTrial);
    await writeRows(database, 'coco_trials', trials);
  } else await writeTrialBudgets(database, runs);
  for (const { kind, id, ...content } of annotations)
    await saveAnnotation(database, { kind, id }, { ...content, version: null });
}

const emptyPlan = {
  dimensions_json: '[]',
  instances_json: '[]',
  functions_json: '[]',
  created_at: '',
};

function readRecords({ files }: PageArchive, file: string): Record<string, string>[] {
  return parseRecords(file, files.get(file) ?? '');
}

function toRun(row: Record<string, string>): NewRun {
  return {
    run_id: row['runId'] ?? '',
    experiment_id: row['experimentId'] ?? '',
    seed: toInteger(row['seed']) ?? (row['seed'] || 0),
    status: row['status'] ?? '',
    start_time: row['startTime'] ?? '',
    evaluations: toInteger(row['evaluations']),
    best_fitness: toNumber(row['bestFitness']),
    runtime_millis: toInteger(row['runtimeMillis']),
    resumed_from: row['isResumed'] === 'true' ? 'archive' : null,
  };
}

/**
 * Writes the budgets of trials, which limit the runs of a comparison. An archive without campaigns has no other data of
 * trials.
 */
async function writeTrialBudgets(
  database: Database,
  runs: readonly Record<string, string>[],
): Promise<void> {
  const campaignId = 'archive';
  const trials = runs
    .filter((run) => toNumber(run['trialBudget']) !== null)
    .map(({ runId = '', status, trialBudget = '' }) =>
      toTrial({ campaignId, optimizerId: runId, runId, status, budgetEvaluations: trialBudget }),
    );
  if (trials.length === 0) return;
  await writeRows(database, 'coco_campaigns', [
    { campaign_id: campaignId, name: '', suite: '', status: '', ...emptyPlan },
  ]);
  await writeRows(database, 'coco_trials', trials);
}

/**
 * Returns the iterations of a run from the points of its trace, numbered from 0. The last iteration has the number of
 * the newest iteration of the run, if this number is larger, because the budget of iterations refers to the number.
 */
function toIterations(
  { newestIteration = '' }: Record<string, string>,
  points: readonly Record<string, string>[],
): NewIteration[] {
  return points.map((point, index) =>
    toIteration(
      point,
      index === points.length - 1 ? Math.max(index, Number(newestIteration)) : index,
    ),
  );
}

function toIteration(row: Record<string, string>, iteration: number): NewIteration {
  const best = row['best'] === '' ? Infinity : toNumber(row['best']);
  if (best === null)
    throw new ArchiveRefusal(
      `${dataFiles.traces}: a row has no number in best. Save the archive again`,
    );
  return {
    run_id: row['runId'] ?? '',
    iteration,
    evaluations: toInteger(row['evaluations']) ?? 0,
    best_fitness: best,
    mean_fitness: best,
    std_fitness: 0,
    metrics_json: null,
    diagnostics_json: null,
    created_at: '',
  };
}

function toTrial(row: Record<string, string | undefined>): NewTrial {
  return {
    campaign_id: row['campaignId'] ?? '',
    optimizer_id: row['optimizerId'] ?? '',
    run_id: row['runId'] ?? '',
    function_id: Number(row['functionId'] ?? 0),
    instance_id: Number(row['instanceId'] ?? 0),
    dimension: Number(row['dimension'] ?? 0),
    repetition: Number(row['repetition'] ?? 0),
    budget_evals: toInteger(row['budgetEvaluations']) ?? 0,
    evaluations: toInteger(row['evaluations']),
    best_fitness: toNumber(row['bestFitness']),
    runtime_millis: toInteger(row['runtimeMillis']),
    status: row['status'] ?? '',
    reached_target: row['reachedTarget'] === 'true' ? 1 : 0,
    evals_to_target: toInteger(row['evaluationsToTarget']),
    target_value: toNumber(row['targetValue']) ?? 0,
    created_at: '',
  };
}

function toReference(
  { optimizerName, functionId, dimension, targetValue, ert, successRate }: CocoReference,
  suite: string,
): NewReference {
  return {
    suite,
    optimizer_name: optimizerName,
    function_id: functionId,
    dimension,
    target_value: targetValue ?? 0,
    // The column cannot be NULL. Readers of the column return null for an infinite value.
    ert: ert ?? Infinity,
    success_rate: successRate,
    imported_at: '',
  };
}

function toInteger(text = ''): number | string | null {
  if (!/^-?\d+$/.test(text)) return null;
  return Number.isSafeInteger(Number(text)) ? Number(text) : text;
}

function toNumber(text = ''): number | null {
  if (text === '') return null;
  const value = Number(text.replace('Inf', 'Infinity'));
  return Number.isNaN(value) ? null : value;
}

/**
 * Recomputes the tables of an archive from the database, and compares them with the stored ones. Adds the differences
 * to `differences`.
 */
async function compareTables(
  database: Database,
  archive: PageArchive,
  differences: Difference[],
): Promise<Verification> {
  const traces = new TraceStore(2 ** 28, (runs) => readPackedTraces(database, runs));
  const memos = new MemoStore(2 ** 27);
  const logger = { warn: () => {}, error: () => {} };
  const result: Verification = { valueCount: 0, tableCount: 0, differences, skippedTables: [] };
  const instanceIds = await findInstanceIds(database, archive);
  for (const { file, endpoint: requestedName, table, params, query } of archive.tables) {
    const name = findVerifiedEndpoint(requestedName);
    if (name === undefined) {
      result.skippedTables.push({
        file,
        reason: 'it depends on data that archives do not contain',
      });
      continue;
    }
    const storedText = archive.files.get(file);
    if (storedText === undefined) {
      result.differences.push({ file, message: 'the file is missing' });
      continue;
    }
    const input = readInput(endpoints[name], {
      params,
      query: replaceInstance(query, instanceIds),
      table,
    });
    if (input instanceof ProblemError) {
      const message = `the request is invalid: ${input.message}`;
      result.differences.push({ file, message });
      continue;
    }
    const context = { database, logger, traces, memo: memos.createRequestMemo(), version: '' };
    const slice = await runForCsv(context, name, input as never).catch((error: unknown) => {
      if (error instanceof ProblemError) return error;
      throw error;
    });
    if (slice instanceof ProblemError) {
      result.differences.push({
        file,
        message: `the program cannot recompute it: ${slice.message}`,
      });
      continue;
    }
    const { body } = slice;
    const text = [...instanceIds].reduce(
      (csv, [storedId, id]) => csv.replaceAll(id, storedId),
      typeof body === 'string' ? body : new TextDecoder().decode(body),
    );
    const comparison = compareCells(file, parseTable(file, storedText), parseTable(file, text));
    result.tableCount += 1;
    result.valueCount += comparison.valueCount;
    result.differences.push(...comparison.differences);
  }
  return result;
}

/**
 * Returns the id of each problem instance in the database by its id in the archive. Omits instances with equal ids, or
 * without an id in the archive. The ids differ if the parameters of an instance contain secrets, which archives mask.
 */
async function findInstanceIds(
  database: Database,
  { data }: PageArchive,
): Promise<Map<string, string>> {
  const storedIds = new Map(
    data.experiments.map((experiment) => [experiment.experimentId, experiment.instanceId]),
  );
  const experiments = await loadExperiments(database);
  return new Map(
    experiments.flatMap(({ experimentId, instance }) => {
      const storedId = storedIds.get(experimentId);
      return storedId === undefined || storedId === instance.id ? [] : [[storedId, instance.id]];
    }),
  );
}

type StoredQuery = PageArchive['tables'][number]['query'];

function replaceInstance(
  query: StoredQuery,
  instanceIds: ReadonlyMap<string, string>,
): StoredQuery {
  const { instance } = query;
  const id = typeof instance === 'string' ? instanceIds.get(instance) : undefined;
  return id === undefined ? query : { ...query, instance: id };
}

/**
 * Returns the input of an endpoint for a stored request, which a user may have changed; the {@link ProblemError} for an
 * invalid request.
 */
function readInput(
  endpoint: Endpoint,
  { params, query, table }: Pick<PageArchive['tables'][number], 'params' | 'query' | 'table'>,
) {
  try {
    return {
      params: endpoint.params ? parseInput(endpoint.params, params) : {},
      query: endpoint.query ? parseInput(endpoint.query, query) : {},
      body: undefined,
      csv: { table },
    };
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
}

/**
 * Returns a difference for each file of `checksums` that is missing, or whose checksum differs from the saved one. A
 * saved checksum of null equals every checksum. Ignores recomputed tables.
 */
function listChangedFiles({ files, checksums, tables }: PageArchive): Difference[] {
  const recomputedFiles = new Set(
    tables.flatMap(({ file, endpoint }) => (findVerifiedEndpoint(endpoint) ? file : [])),
  );
  return Object.entries(checksums).flatMap(([file, checksum]) => {
    if (recomputedFiles.has(file)) return [];
    const text = files.get(file);
    if (text === undefined) return [{ file, message: 'the file is missing' }];
    if (checksum === null || hash('sha256', text) === checksum) return [];
    const subject = isDataFile(file) ? 'the data have' : 'the file has';
    return [{ file, message: `${subject} changed since the page saved the archive` }];
  });
}

function isDataFile(file: string): boolean {
  return Object.values(dataFiles).includes(file);
}

function findVerifiedEndpoint(name: string): (typeof verifiedEndpoints)[number] | undefined {
  return verifiedEndpoints.find((endpoint) => endpoint === name);
}

/**
 * Compares two tables value by value, in the rows that both tables have. If their headings differ, returns only this
 * difference. A different number of rows is a further difference. Row 1 is the first row after the headings.
 * `valueCount` is the number of compared values.
 */
export function compareCells(
  file: string,
  storedTable: readonly string[][],
  recomputedTable: readonly string[][],
): { valueCount: number; differences: Difference[] } {
  const differences: Difference[] = [];
  const [headings = [], ...rows] = recomputedTable;
  const [storedHeadings = [], ...storedRows] = storedTable;
  if (headings.join('\n') !== storedHeadings.join('\n'))
    return { valueCount: 0, differences: [{ file, message: 'the columns differ' }] };
  if (rows.length !== storedRows.length) {
    const message = `the table has ${storedRows.length} rows, recomputed: ${rows.length}`;
    differences.push({ file, message });
  }
  let valueCount = 0;
  for (const [index, row] of rows.slice(0, storedRows.length).entries()) {
    for (const [position, column] of headings.entries()) {
      valueCount += 1;
      const [storedCell, recomputedCell] = [
        storedRows[index]?.[position] ?? '',
        row[position] ?? '',
      ];
      if (storedCell !== recomputedCell)
        differences.push({
          file,
          row: index + 1,
          column,
          storedValue: storedCell,
          recomputedValue: recomputedCell,
        });
    }
  }
  return { valueCount, differences };
}
