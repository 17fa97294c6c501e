import type { Database } from '#server/db/database.ts';
import { ProblemError } from '#server/errors.ts';
import { findSilentRunIds } from '#server/records/liveness.ts';
import { listLatestRunningRuns } from '#server/repositories/iterations.ts';
import { readAnnotationsOrNone } from '#server/records/annotations.ts';
import * as facets from '#server/repositories/facets.ts';
import * as summary from '#server/repositories/summary.ts';
import { getCounters, getExperimentStatus } from '#server/domain/status.ts';
import type { Annotation } from '#shared/schemas/annotation.ts';
import type { TrialsFilter } from '#shared/schemas/common.ts';
import type { DashboardSummary, Facets, Health } from '#shared/schemas/service.ts';
import { compareNaturally } from '#shared/natural-order.ts';
import { listPresentAnnotations } from './annotations.ts';

/**
 * Returns the counts of the database, its size in bytes, and its file (null if there is none). Counts silent runs only
 * among the 1,000 RUNNING runs with the latest starts.
 */
export async function getSummary(database: Database): Promise<DashboardSummary> {
  const counts = await summary.countAll(database);
  const databaseSizeBytes = await database.dialect.readDatabaseSizeBytes();
  const silentCount = counts.runningCount === 0 ? 0 : await countLatestSilentRuns(database);
  return { ...counts, silentCount, databaseSizeBytes, databaseFile: database.file };
}

/** Maximum number of RUNNING runs whose last activity the summary inspects: those with the latest starts. */
const maximumInspectedRuns = 1_000;

async function countLatestSilentRuns(database: Database): Promise<number> {
  return (
    await findSilentRunIds(database, await listLatestRunningRuns(database, maximumInspectedRuns))
  ).size;
}

/**
 * Returns the distinct values of the filters, without blank ones, and the numbers of runs of each algorithm, model,
 * problem and status. Tags are in alphabetical order, other values in natural order. `trials` decides which runs these
 * numbers include.
 */
export async function getFacets(database: Database, trials: TrialsFilter): Promise<Facets> {
  const types = await facets.listTypes(database);
  const groups = await facets.groupRuns(database, trials);
  const campaigns = await facets.listCampaignKinds(database);
  const groupsByExperiment = Map.groupBy(groups, ({ experimentId }) => experimentId);
  const experiments = types.map((type) => {
    const experimentGroups =
      type.experimentId === null ? [] : (groupsByExperiment.get(type.experimentId) ?? []);
    const countedRuns = experimentGroups.reduce((sum, group) => sum + group.countedRuns, 0);
    return { ...type, countedRuns, status: getExperimentStatus(getCounters(experimentGroups)) };
  });
  const annotations = await readAnnotationsOrNone(database);
  const getTags = async (kind: 'run' | 'experiment') =>
    listUniqueTags(await listPresentAnnotations(database, annotations, kind));
  const algorithms = sortUnique(types.map(({ algorithm }) => algorithm));
  const models = sortUnique(types.map(({ model }) => model));
  const problems = sortUnique(types.map(({ problem }) => problem));
  const statuses = sortUnique(groups.map(({ status }) => status));
  return {
    algorithms,
    models,
    problems,
    statuses,
    experimentStatuses: sortUnique(experiments.map(({ status }) => status)),
    suites: sortUnique(campaigns.map(({ suite }) => suite)),
    campaignStatuses: sortUnique(campaigns.map(({ status }) => status)),
    representations: sortUnique(types.map(({ representation }) => representation)),
    tags: await getTags('run'),
    experimentTags: await getTags('experiment'),
    runCounts: {
      algorithms: countRunsByValue(algorithms, experiments, ({ algorithm }) => algorithm),
      models: countRunsByValue(models, experiments, ({ model }) => model),
      problems: countRunsByValue(problems, experiments, ({ problem }) => problem),
      statuses: countRunsByValue(statuses, groups, ({ status }) => status),
    },
  };
}

/** Returns the distinct tags of annotations in alphabetical order. If tags differ only in case, returns one of them. */
function listUniqueTags(annotations: readonly Annotation[]): string[] {
  const tags = annotations.flatMap((annotation) => annotation.tags);
  const tagsByWord = new Map(tags.map((tag) => [tag.toLowerCase(), tag]));
  return [...tagsByWord.values()].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

/** Returns the distinct texts without blank ones, in natural order. */
function sortUnique(values: readonly (string | null)[]): string[] {
  const texts = values.filter((value) => value !== null && value.trim() !== '');
  return [...new Set(texts as string[])].sort(compareNaturally);
}

function countRunsByValue<Group extends { countedRuns: number }>(
  values: readonly string[],
  groups: readonly Group[],
  getValue: (group: Group) => string | null,
): Record<string, number> {
  const counts = new Map(values.map((value) => [value, 0]));
  for (const group of groups) {
    const value = getValue(group) ?? '';
    if (counts.has(value)) counts.set(value, (counts.get(value) ?? 0) + group.countedRuns);
  }
  return Object.fromEntries(counts);
}

/** The fields of health about the service itself. */
interface ServiceState {
  version: string;
  canChoose?: boolean | undefined;
  replica?: Health['replica'] | undefined;
}

/**
 * Returns the health of the service and its database; throws DATABASE_UNAVAILABLE if the database does not respond
 * within `timeoutMillis`, and the error of the database if it fails.
 */
export async function getHealth(
  database: Database,
  service: ServiceState,
  timeoutMillis = 2_000,
): Promise<Health> {
  const description = summary.ping(database).then(() => describeDatabase(database));
  return makeHealth(service, await limitTime(description, timeoutMillis));
}

/** Returns the health of the service with the description of its database. By default, the service has no database. */
export function makeHealth(
  { version, canChoose = false, replica = null }: ServiceState,
  description: DatabaseDescription = noDatabase,
): Health {
  const uptimeMillis = Math.round(process.uptime() * 1_000);
  return { status: 'ok', version, ...description, uptimeMillis, choosing: canChoose, replica };
}

type DatabaseDescription = Pick<
  Health,
  'dialect' | 'schema' | 'readOnly' | 'readOnlyReason' | 'databaseName' | 'databaseIdentity'
>;

const noDatabase: DatabaseDescription = {
  dialect: null,
  schema: null,
  readOnly: false,
  readOnlyReason: null,
  databaseName: null,
  databaseIdentity: null,
};

async function describeDatabase(database: Database): Promise<DatabaseDescription> {
  const { isReadOnly, reason } = await database.readAccess();
  return {
    dialect: database.dialect.name,
    schema: database.schema,
    readOnly: isReadOnly,
    readOnlyReason: reason,
    databaseName: database.name,
    databaseIdentity: await database.dialect.readIdentity(),
  };
}

async function limitTime<Result>(work: Promise<Result>, timeoutMillis: number): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const seconds = timeoutMillis / 1_000;
    const detail = `The database has not responded for ${seconds} s; try again in a moment`;
    reject(new ProblemError('DATABASE_UNAVAILABLE', detail, { headers: { 'Retry-After': '5' } }));
  }, timeoutMillis);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
