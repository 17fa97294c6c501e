import type { z } from 'zod';
import { listProblems } from '#server/analysis/problems.ts';
import type { Database } from '#server/db/database.ts';
import type { List } from '#server/records/page.ts';
import { listLatestRunning } from '#server/repositories/progress.ts';
import { countRunning } from '#server/repositories/summary.ts';
import { makeCampaignList, makeTrialList } from '#server/services/coco.ts';
import { makeEventList, listEventTypes } from '#server/services/events.ts';
import { makeExperimentList, makeExperimentRunList } from '#server/services/experiments.ts';
import { createRunList } from '#server/services/runs.ts';
import { getFacets, getSummary } from '#server/services/summary.ts';
import { campaignsQuery, trialsQuery } from '#shared/schemas/coco.ts';
import { experimentRunsQuery, experimentsQuery } from '#shared/schemas/experiment.ts';
import { eventsQuery, runsQuery } from '#shared/schemas/run.ts';
import { explain, getQueries, wholeReads } from './explain.ts';

/** The queries of one response, of which the plans are checked. */
export interface ListQuery {
  title: string;
  ask: (database: Database) => Promise<unknown>;
  /**
   * Why the response needs every run; such a query may read the whole table. Other queries must not, but may read an
   * index in the order of the list up to the end of a page.
   */
  needsEveryRun?: string;
}

const unindexed = 'no index has the order';
const counted = 'counts runs';
const compared = 'compares each run';

/** Returns the queries of all list pages; the database contains these rows, and campaigns if one is named. */
export function listQueries(existing: {
  runId: string;
  experimentId: string;
  campaignId: string;
}): ListQuery[] {
  return [
    ...runQueries(),
    ...experimentQueries(existing.experimentId),
    ...['include', 'exclude', 'only'].map((trials) => ({
      title: `facets, trials=${trials}`,
      ask: (database: Database) => getFacets(database, trials as 'include'),
      needsEveryRun: counted,
    })),
    { title: 'summary', ask: getSummary, needsEveryRun: counted },
    { title: 'number of RUNNING runs', ask: countRunning, needsEveryRun: compared },
    {
      title: 'latest RUNNING runs',
      ask: (database) => listLatestRunning(database, 1_000),
      needsEveryRun: compared,
    },
    { title: 'problems', ask: listProblems, needsEveryRun: counted },
    ...campaignQueries(existing.campaignId),
    ...eventQueries(existing.runId),
  ];
}

function runQueries(): ListQuery[] {
  const page = (words: string, needsEveryRun?: string) =>
    pageQuery(`runs?${words}`, needsEveryRun, (database) =>
      createRunList(database, parse(runsQuery, words)),
    );
  const number = (words: string, needsEveryRun?: string) =>
    countQuery(`runs?${words}`, needsEveryRun, (database) =>
      createRunList(database, parse(runsQuery, words)),
    );
  return [
    ...getSorts(runsQuery).flatMap((sortBy) => {
      const isIndexed = sortBy === 'start_time' || sortBy === 'best_fitness';
      return ['asc', 'desc'].flatMap((sortDir) =>
        [0, 40].map((distant) =>
          page(
            `sortBy=${sortBy}&sortDir=${sortDir}&page=${distant}`,
            isIndexed ? undefined : unindexed,
          ),
        ),
      );
    }),
    page('sortBy=param:algorithm.param1', unindexed),
    number('', counted),
    ...[
      'q=zzz',
      'algorithm=umda',
      'model=umda',
      'problem=onemax',
      'status=FAILED',
      'from=2026-03-01&to=2026-03-02',
      'minBest=99&maxBest=99.5',
      'trials=exclude',
      'trials=only',
      'param=algorithm.param1=3',
      'tag=good',
      'diagnosis=STAGNATION',
    ].flatMap((words) => [page(words, compared), number(words, compared)]),
  ];
}

function experimentQueries(experimentId: string): ListQuery[] {
  const page = (words: string, needsEveryRun?: string) =>
    pageQuery(`experiments?${words}`, needsEveryRun, (database) =>
      makeExperimentList(database, parse(experimentsQuery, words)),
    );
  const number = (words: string, needsEveryRun?: string) =>
    countQuery(`experiments?${words}`, needsEveryRun, (database) =>
      makeExperimentList(database, parse(experimentsQuery, words)),
    );
  const ofRuns = new Set(['latest_run_time', 'total_runs', 'best_fitness']);
  const filters: [words: string, needsEveryRun?: string][] = [
    ['q=zzz', compared],
    ['algorithm=umda'],
    ['model=umda'],
    ['problem=onemax'],
    ['status=FAILED', counted],
    ['from=2026-03-01&to=2026-03-02'],
    ['trials=exclude', compared],
    ['trials=only', compared],
    ['param=algorithm.param1=3'],
    ['tag=good'],
  ];
  return [
    ...getSorts(experimentsQuery).flatMap((sortBy) =>
      ['asc', 'desc'].map((sortDir) =>
        page(`sortBy=${sortBy}&sortDir=${sortDir}`, ofRuns.has(sortBy) ? counted : undefined),
      ),
    ),
    page('sortBy=param:algorithm.param1'),
    number(''),
    ...filters.flatMap(([words, need]) => [
      page(`sortBy=created_at&${words}`, need),
      number(words, need),
    ]),
    ...getSorts(experimentRunsQuery).map((sortBy) =>
      pageQuery(`runs of an experiment?sortBy=${sortBy}`, undefined, (database) =>
        makeExperimentRunList(
          database,
          experimentId,
          parse(experimentRunsQuery, `sortBy=${sortBy}&page=0`),
        ),
      ),
    ),
  ];
}

function campaignQueries(campaignId: string): ListQuery[] {
  const campaigns = (words: string) => {
    const list = (database: Database) => makeCampaignList(database, parse(campaignsQuery, words));
    return [
      pageQuery(`campaigns?${words}`, undefined, list),
      countQuery(`campaigns?${words}`, undefined, list),
    ];
  };
  const trials = (words: string) => {
    const list = (database: Database) =>
      makeTrialList(database, campaignId, parse(trialsQuery, words));
    return [
      pageQuery(`trials?${words}`, undefined, list),
      countQuery(`trials?${words}`, undefined, list),
    ];
  };
  return [
    ...getSorts(campaignsQuery).flatMap((sortBy) => campaigns(`sortBy=${sortBy}`)),
    ...['q=zzz', 'status=COMPLETED', 'suite=bbob'].flatMap(campaigns),
    ...getSorts(trialsQuery).flatMap((sortBy) => trials(`sortBy=${sortBy}`)),
    ...['optimizer=umda', 'functionId=1', 'dimension=2', 'reachedTarget=true'].flatMap(trials),
  ];
}

function eventQueries(runId: string): ListQuery[] {
  const events = (words: string) => {
    const list = (database: Database) => makeEventList(database, runId, parse(eventsQuery, words));
    return [
      pageQuery(`events?${words}`, undefined, list),
      countQuery(`events?${words}`, undefined, list),
    ];
  };
  return [
    ...['', 'eventType=STARTED', 'q=zzz'].flatMap(events),
    { title: 'types of events', ask: (database) => listEventTypes(database, runId) },
  ];
}

type ListOf = (database: Database) => List<unknown>;

/** The ids and the rows of a page. */
function pageQuery(title: string, needsEveryRun: string | undefined, listOf: ListOf): ListQuery {
  const page = Number(/page=(\d+)/.exec(title)?.[1] ?? 0);
  const ask = async (database: Database) => {
    const list = listOf(database);
    return list.listItems(await list.listIds({ page, size: 25 }));
  };
  return { title, ask, ...(needsEveryRun !== undefined && { needsEveryRun }) };
}

function countQuery(title: string, needsEveryRun: string | undefined, list: ListOf): ListQuery {
  const ask = (database: Database) => list(database).count();
  return {
    title: `number of ${title}`,
    ask,
    ...(needsEveryRun !== undefined && { needsEveryRun }),
  };
}

interface QuerySchema<Query> {
  parse: (words: unknown) => Query;
}

function parse<Query>(schema: QuerySchema<Query>, words: string): Query {
  const pairs = Object.groupBy(new URLSearchParams(words), ([name]) => name);
  return schema.parse(
    Object.fromEntries(
      Object.entries(pairs).map(([name, values = []]) => [
        name,
        values.length === 1 ? values[0]?.[1] : values.map(([, value]) => value),
      ]),
    ),
  );
}

/** Returns the columns by which a list can be sorted, as the API describes them. */
function getSorts({ shape }: { shape: { sortBy: z.ZodType } }): string[] {
  const override = shape.sortBy.meta()?.['override'] as SortOverride | undefined;
  const keys = override?.enum ?? override?.anyOf?.[0]?.enum ?? [];
  if (keys.length === 0) throw new Error('The list names no columns to sort by');
  return [...keys];
}

interface SortOverride {
  enum?: readonly string[];
  anyOf?: readonly { enum?: readonly string[] }[];
}

/** The plans of the statements of a query, and what is wrong with them. */
interface JudgedQuery {
  plan: string;
  faults: string[];
}

/**
 * Judges the plans of a query: no statement reads all iterations, or all events, and only queries that need every run read
 * all runs. An index that is read in the order of a page ends with the page. `avoidScans` is for small tables, see
 * {@link explain}. Statements in `seen` are skipped, and the others are added.
 */
export async function inspectPlan(
  database: Database,
  query: ListQuery,
  { avoidScans = false, seen = new Set<string>() } = {},
): Promise<JudgedQuery> {
  const judged: JudgedQuery = { plan: '', faults: [] };
  for (const statement of await getQueries(database, query.ask)) {
    const text = statement.compile().sql;
    if (seen.has(text)) continue;
    seen.add(text);
    const plan = await explain(database, statement, { avoidScans });
    const isPage = /\blimit\b/.test(text) && !sortsRows.test(plan);
    judged.plan += `${plan}\n`;
    for (const { table, index } of wholeReads(text, plan)) {
      const isAllowed =
        table === 'runs' && (query.needsEveryRun !== undefined || (index !== undefined && isPage));
      if (restricted.has(table) && !isAllowed) judged.faults.push(`reads all rows of ${table}`);
    }
  }
  return judged;
}

const restricted = new Set(['runs', 'iterations', 'events']);
const sortsRows = /USE TEMP B-TREE FOR (LAST|ORDER)|Sort Key:/;
