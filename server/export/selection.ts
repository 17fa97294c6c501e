import { loadExperiments, loadExperimentsById } from '#server/analysis/load.ts';
import type { AnalysedExperiment } from '#server/analysis/model.ts';
import { selectAlgorithms } from '#server/analysis/scope.ts';
import type { Database } from '#server/db/database.ts';
import { getValueAt, isConfigObject, parseConfig } from '#server/domain/config.ts';
import type { Direction } from '#server/domain/objective.ts';
import { findInstanceNumber, getFunctionKey } from '#server/domain/problem-instance.ts';
import { maskText } from '#server/domain/secrets/mask-text.ts';
import { makeNotFoundError, makeValidationError, ProblemError, truncate } from '#server/errors.ts';
import { createFunctionNumberGetter } from '#server/import/data-set.ts';
import { findFunctionName } from '#server/import/suites.ts';
import { findCommonDirection } from '#server/records/objectives.ts';
import { listRuns, listRunsOfCampaign, type RunRecord } from '#server/repositories/analysis.ts';
import { findCampaign } from '#server/repositories/coco.ts';
import { listRunsWithSeveralObjectives } from '#server/repositories/objectives.ts';
import {
  countTrialsPerFunction,
  listTrialsWithSuites,
  type TrialOfRun,
} from '#server/repositories/trials.ts';
import type { ExportQuery } from '#shared/schemas/export.ts';
import type { exportKinds } from '#shared/words.ts';

/** The subject of an export. `subjectId` is the id of a campaign or an experiment, or a problem type. */
export interface ExportSubject {
  kind: (typeof exportKinds)[number];
  subjectId: string;
}

/** The problem that a run optimised. */
export interface Problem {
  problemType: string;
  /** Suite of the function; null if it is unknown. */
  suite: string | null;
  /** Number of the function in the trial, else in the configuration; null if neither states one. */
  functionId: number | null;
  functionName: string;
  /** Key that distinguishes functions without a number; empty for a function with one. */
  functionKey: string;
  dimension: number | null;
  direction: Direction;
}

/** A run to export. */
export interface SelectedRun extends RunRecord, Problem {
  /** Name of the optimizer in the export of a campaign, else the type of the algorithm. Secrets in both are masked. */
  algorithm: string;
  /** Id that is equal for runs of one algorithm with equal parameters; empty in the export of a campaign. */
  configurationId: string;
  /** Parameters of the algorithm that are a text, a number or a boolean, with masked secrets. Bigints are texts. */
  attributes: Readonly<Record<string, string | number | boolean>>;
  /** Target precision of imported data; null if it is unknown. */
  precision: number | null;
  /** Number of the problem instance; 0 if it is unknown. */
  instance: number;
  /** Repetition on the instance; 0 if it is unknown. */
  repetition: number;
  hasSeveralObjectives: boolean;
  /** Whether the status of the run's trial is FAILED. Expected runtimes of campaigns exclude such trials. */
  hasFailedTrial: boolean;
}

/** The runs of a subject. */
export interface Selection {
  /** Name of the subject, such as "The experiment e1", with masked secrets. */
  title: string;
  /** Runs ordered by algorithm, suite, function, dimension, instance, repetition, stored start and id. */
  runs: SelectedRun[];
  experiments: readonly AnalysedExperiment[];
  /**
   * Numbers of trials of a campaign that `runs` omits, by reason. Contains only positive numbers; empty for other
   * subjects.
   */
  omittedTrials: { reason: string; count: number }[];
}

/**
 * Returns the runs of a campaign, a problem type or an experiment that match the query. If the query has a direction,
 * all runs have it. Throws CAMPAIGN_NOT_FOUND, EXPERIMENT_NOT_FOUND, NOT_FOUND for an unknown problem or instance, and
 * VALIDATION_FAILED for a parameter of another kind of subject.
 */
export async function selectRuns(
  database: Database,
  subject: ExportSubject,
  query: ExportQuery,
): Promise<Selection> {
  refuseOtherParameters(subject, query);
  if (subject.kind === 'campaign') return selectTrials(database, subject.subjectId, query);
  const experiments = await findExperiments(database, subject, query);
  const ids = experiments.map(({ experimentId }) => experimentId);
  const records = await listRuns(database, ids);
  const trials = await listTrialsWithSuites(database, getIds(records));
  const trialsByRun = new Map(
    trials.map((trial) => [trial.runId, { ...trial, optimizerId: undefined }]),
  );
  const selectedRuns = await describeRuns(database, records, experiments, trialsByRun);
  const runs = selectedRuns.map((run) => ({ ...run, direction: query.direction ?? run.direction }));
  return {
    experiments,
    title: `The ${subject.kind} ${truncate(maskText(subject.subjectId))}`,
    runs,
    omittedTrials: [],
  };
}

const acceptedParameters: Readonly<Record<ExportSubject['kind'], readonly (keyof ExportQuery)[]>> =
  {
    campaign: ['optimizer', 'functionId', 'dimension', 'direction'],
    problem: ['algorithm', 'instance', 'direction'],
    experiment: ['direction'],
  };

function refuseOtherParameters({ kind }: ExportSubject, query: ExportQuery): void {
  const names = Object.keys(query) as (keyof ExportQuery)[];
  const refusedNames = names.filter(
    (name) => (query[name]?.length ?? 0) > 0 && !acceptedParameters[kind].includes(name),
  );
  if (refusedNames.length === 0) return;
  throw makeValidationError(
    refusedNames.map((path) => ({
      path,
      message: `does not apply to the kind ${kind}: use only ${acceptedParameters[kind].join(', ')}`,
    })),
  );
}

async function selectTrials(
  database: Database,
  campaignId: string,
  query: ExportQuery,
): Promise<Selection> {
  const campaign = await findCampaign(database, campaignId);
  if (!campaign) throw makeNotFoundError('campaign', campaignId);
  const records = await listRunsOfCampaign(database, campaignId, query);
  const trials = await listTrialsWithSuites(database, getIds(records), campaignId);
  const names = new Set(query.optimizer.map((name) => name.toLowerCase()));
  const isAmong = (values: readonly number[], value: number) =>
    values.length === 0 || values.includes(value);
  const isInScope = ({ optimizerId, functionId, dimension }: TrialCell) =>
    (names.size === 0 || names.has(optimizerId.toLowerCase())) &&
    isAmong(query.functionId, functionId) &&
    isAmong(query.dimension, dimension);
  const selectedTrials = trials.filter(isInScope);
  const trialCounts = await countTrialsPerFunction(database, [campaignId]);
  const trialCount = trialCounts.filter(isInScope).reduce((sum, { present }) => sum + present, 0);
  const trialsByRun = new Map(selectedTrials.map((trial) => [trial.runId, trial]));
  const recordsInScope = records.filter(({ runId }) => trialsByRun.has(runId));
  const ids = [...new Set(recordsInScope.map(({ experimentId }) => experimentId))];
  const experiments = await loadExperimentsById(database, ids);
  const describedRuns = await describeRuns(database, recordsInScope, experiments, trialsByRun);
  const runs = describedRuns.map((run) => ({
    ...run,
    direction: query.direction ?? run.direction,
  }));
  return {
    experiments,
    title: `The campaign ${truncate(maskText(campaign.name))} (${campaignId})`,
    runs,
    omittedTrials: countOmittedTrials(trialCount, selectedTrials, runs),
  };
}

type TrialCell = Pick<TrialOfRun, 'optimizerId' | 'functionId' | 'dimension'>;

/**
 * Returns the numbers of omitted trials by reason. The run of a trial may be missing from `runs`. If several trials
 * have the same run, all of them except one are omitted. Omits a reason whose number is 0.
 */
function countOmittedTrials(
  trialCount: number,
  trials: readonly TrialOfRun[],
  runs: readonly SelectedRun[],
): Selection['omittedTrials'] {
  const runIds = new Set(getIds(runs));
  const presentCount = trials.filter(({ runId }) => runIds.has(runId)).length;
  const omissions = [
    { reason: 'the run or its experiment is missing', count: trialCount - presentCount },
    { reason: 'another trial has the same run', count: presentCount - runIds.size },
  ];
  return omissions.filter(({ count }) => count > 0);
}

function getIds(runs: readonly RunRecord[]): string[] {
  return runs.map(({ runId }) => runId);
}

async function findExperiments(
  database: Database,
  { kind, subjectId }: ExportSubject,
  { algorithm, instance }: ExportQuery,
): Promise<readonly AnalysedExperiment[]> {
  if (kind === 'experiment') {
    const experiments = await loadExperimentsById(database, [subjectId]);
    if (experiments.length === 0) throw makeNotFoundError('experiment', subjectId);
    return experiments;
  }
  const experiments = await loadExperiments(database, subjectId);
  const problemText = `the problem "${truncate(subjectId)}"`;
  if (experiments.length === 0)
    throw new ProblemError(
      'NOT_FOUND',
      `There is no experiment on ${problemText}. Select another problem`,
    );
  const experimentsOnInstance = experiments.filter(
    (experiment) => instance === undefined || experiment.instance.id === instance,
  );
  if (experimentsOnInstance.length === 0)
    throw new ProblemError(
      'NOT_FOUND',
      `There is no instance "${truncate(instance ?? '')}" of ${problemText} to export. Select another instance`,
    );
  return selectAlgorithms(experimentsOnInstance, algorithm);
}

/** The trial of a run. If it has no `optimizerId`, the algorithm of the run is that of the experiment. */
type RunTrial = Omit<TrialOfRun, 'optimizerId'> & { optimizerId?: string | undefined };

async function describeRuns(
  database: Database,
  records: readonly RunRecord[],
  experiments: readonly AnalysedExperiment[],
  trials: ReadonlyMap<string, RunTrial>,
): Promise<SelectedRun[]> {
  const experimentsById = new Map<string, DescribedExperiment>();
  for (const experimentsOnInstance of Map.groupBy(
    experiments,
    ({ instance }) => instance.id,
  ).values()) {
    const { direction } = await findCommonDirection(database, experimentsOnInstance);
    for (const experiment of experimentsOnInstance)
      experimentsById.set(experiment.experimentId, describeExperiment(experiment, direction));
  }
  const idsWithSeveralObjectives = new Set(
    await listRunsWithSeveralObjectives(database, getIds(records)),
  );
  const runs = records.flatMap((record): SelectedRun[] => {
    const experiment = experimentsById.get(record.experimentId);
    if (!experiment) return [];
    const hasSeveralObjectives = idsWithSeveralObjectives.has(record.runId);
    const trial = trials.get(record.runId);
    if (trial) return [{ ...record, ...applyTrial(experiment, trial), hasSeveralObjectives }];
    const { instance, repetition } = getNumbersInId(record.runId);
    const description = { ...experiment, instance: experiment.instance ?? instance, repetition };
    return [{ ...record, ...description, hasSeveralObjectives, hasFailedTrial: false }];
  });
  return runs.sort(compareRuns);
}

type DescribedExperiment = Problem &
  Pick<SelectedRun, 'algorithm' | 'configurationId' | 'attributes' | 'precision'> & {
    instance: number | null;
  };

function describeExperiment(
  experiment: AnalysedExperiment,
  direction: Direction,
): DescribedExperiment {
  const { configJson, problemType, algorithmType, configurationId, instance } = experiment;
  const config = parseConfig(configJson);
  const params = getValueAt(config, ['problem', 'params']);
  const suite = getText(getValueAt(params, ['suite'])) ?? /^coco-(bbob.*)$/.exec(problemType)?.[1];
  const functionId = getNatural(getValueAt(params, ['functionId']));
  const statedName = getText(getValueAt(params, ['functionName']));
  const precision = getValueAt(config, ['import', 'precision']);
  return {
    problemType: maskText(problemType),
    suite: suite ?? null,
    functionId,
    functionName: maskText(nameFunction(suite, functionId) ?? statedName ?? problemType),
    functionKey: functionId === null ? getFunctionKey(instance) : '',
    dimension: instance.dimension,
    direction,
    algorithm: maskText(algorithmType),
    configurationId,
    attributes: getAttributes(config),
    precision: typeof precision === 'number' ? precision : null,
    instance: findInstanceNumber(instance)?.number ?? null,
  };
}

function nameFunction(suite: string | undefined, functionId: number | null): string | null {
  return suite === undefined || functionId === null
    ? null
    : findFunctionName(suite, String(functionId));
}

function applyTrial(experiment: DescribedExperiment, trial: RunTrial) {
  const { suite, functionId, instanceId, repetition, optimizerId, hasFailed } = trial;
  return {
    ...experiment,
    suite,
    functionId,
    functionName: nameFunction(suite, functionId) ?? experiment.functionName,
    functionKey: '',
    // Imports store 0 for an unknown dimension.
    dimension: trial.dimension > 0 ? trial.dimension : null,
    direction: /^pbo$/i.test(suite) ? ('max' as const) : experiment.direction,
    algorithm: optimizerId === undefined ? experiment.algorithm : maskText(optimizerId),
    // An optimizer is one group, even if it has several configurations.
    configurationId: optimizerId === undefined ? experiment.configurationId : '',
    instance: Math.max(0, instanceId),
    repetition,
    hasFailedTrial: hasFailed,
  };
}

/** Returns the instance and the repetition in the id of an imported run; both are 0 for any other id. */
function getNumbersInId(runId: string): { instance: number; repetition: number } {
  const [, instance = '0', repetition = '0'] =
    /^imp-.*-i(\d+)(?:-s-?\d+)?-r(\d+)$/.exec(runId) ?? [];
  return { instance: Number(instance), repetition: Number(repetition) };
}

function getText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Maximum number of a function in a configuration. Larger integers count as unknown. */
const maximumNumber = 2 ** 31 - 1;

function getNatural(value: unknown): number | null {
  const number = typeof value === 'number' ? value : Number.NaN;
  return Number.isInteger(number) && number >= 0 && number <= maximumNumber ? number : null;
}

function getAttributes(config: unknown): SelectedRun['attributes'] {
  const params = getValueAt(config, ['algorithm', 'params']);
  if (!isConfigObject(params)) return {};
  const maskedParams: unknown = JSON.parse(maskText(toJson(params)));
  return Object.fromEntries(
    Object.entries(maskedParams as Record<string, unknown>).filter(
      (entry): entry is [string, string | number | boolean] =>
        ['string', 'number', 'boolean'].includes(typeof entry[1]),
    ),
  );
}

function toJson(params: object): string {
  return JSON.stringify(params, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}

/** Maximum numbers of rows and of runs in a batch. */
const rowsPerBatch = 20_000;
const runsPerBatch = 200;

/**
 * Divides runs, in their order, into batches of at most {@link rowsPerBatch} rows and at most {@link runsPerBatch} runs.
 * {@link estimateRowCount} estimates the rows of a run. A run with more rows is a separate batch. Returns an empty list
 * if there are no runs.
 */
export function splitRuns(runs: readonly SelectedRun[]): SelectedRun[][] {
  const batches: SelectedRun[][] = [];
  let rowCount = Infinity;
  for (const run of runs) {
    rowCount += estimateRowCount(run.newestIteration);
    const lastBatch = batches.at(-1);
    if (lastBatch && rowCount <= rowsPerBatch && lastBatch.length < runsPerBatch)
      lastBatch.push(run);
    else {
      batches.push([run]);
      rowCount = estimateRowCount(run.newestIteration);
    }
  }
  return batches;
}

/** Returns the approximate number of rows of a run, by the number of its newest iteration; 1 without iterations. */
export function estimateRowCount(newestIteration: number | null): number {
  return Math.max(0, newestIteration ?? 0) + 1;
}

function compareRuns(a: SelectedRun, b: SelectedRun): number {
  return (
    compareTexts(a.algorithm, b.algorithm) ||
    compareTexts(a.suite ?? '', b.suite ?? '') ||
    (a.functionId ?? Infinity) - (b.functionId ?? Infinity) ||
    compareTexts(a.functionName, b.functionName) ||
    compareTexts(a.functionKey, b.functionKey) ||
    (a.dimension ?? Infinity) - (b.dimension ?? Infinity) ||
    a.instance - b.instance ||
    a.repetition - b.repetition ||
    compareTexts(a.startTime ?? '', b.startTime ?? '') ||
    compareTexts(a.runId, b.runId)
  );
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/**
 * Returns a function that returns the number of a problem's function in the index; see {@link
 * createFunctionNumberGetter}. A function has a separate number for each direction, because an index states one
 * direction.
 */
export function createProblemNumberGetter(
  problems: readonly Problem[],
): (problem: Problem) => number {
  const identify = ({ functionId, functionName, functionKey, direction }: Problem) => ({
    functionId: functionId === null ? '' : String(functionId),
    functionName,
    problemAttributes: { key: functionKey, direction },
  });
  const getNumber = createFunctionNumberGetter(problems.map(identify));
  return (problem) => getNumber(identify(problem));
}
