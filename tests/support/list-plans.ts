import type { z } from 'zod';
import { listProblems } from '#server/analysis/problems.ts';
import type { Database } from '#server/db/database.ts';
import type { List } from '#server/records/page.ts';
import { listLatestRunningRuns } from '#server/repositories/iterations.ts';
import { countRunningRuns } from '#server/repositories/summary.ts';
import { makeCampaignList, makeTrialList } from '#server/services/coco.ts';
import { makeEventList, listEventTypes } from '#server/services/events.ts';
import { makeExperimentList, makeExperimentRunList } from '#server/services/experiments.ts';
import { makeRunList } from '#server/services/runs.ts';
import { getFacets, getSummary } from '#server/services/summary.ts';
import { campaignsQuery, trialsQuery } from '#shared/schemas/coco.ts';
import { experimentRunsQuery, experimentsQuery } from '#shared/schemas/experiment.ts';
import { eventsQuery, runsQuery } from '#shared/schemas/run.ts';
import { explain, getQueries, listTableScans } from './explain.ts';

/** The queries of one response whose plans are inspected. */
export interface ListQuery {
  title: string;
  runQueries: (database: Database) => Promise<unknown>;
  /**
   * Reason why the response needs every run: such a query may read the whole table. Another query may only read an
   * index in the order of the list until the end of a page.
   */
  fullReadReason?: string;
}

const indexReason = 'no index has the order';
const countReason = 'counts runs';
const comparisonReason = 'compares each run';

/** Returns the queries of all list pages. The database must contain these rows. */
export function listQueries(ids: {
  runId: string;
  experimentId: string;
  campaignId: string;
}): ListQuery[] {
  return [
    ...listRunQueries(),
    ...listExperimentQueries(ids.experimentId),
    ...['include', 'exclude', 'only'].map((trials) => ({
      title: `facets, trials=${trials}`,
      runQueries: (database: Database) => getFacets(database, trials as 'include'),
      fullReadReason: countReason,
    })),
    { title: 'summary', runQueries: getSummary, fullReadReason: countReason },
    {
      title: 'number of RUNNING runs',
      runQueries: countRunningRuns,
      fullReadReason: comparisonReason,
    },
    {
      title: 'latest RUNNING runs',
      runQueries: (database) => listLatestRunningRuns(database, 1_000),
      fullReadReason: comparisonReason,
    },
    { title: 'problems', runQueries: listProblems, fullReadReason: countReason },
    ...listCampaignQueries(ids.campaignId),
    ...listEventQueries(ids.runId),
  ];
}

function listRunQueries(): ListQuery[] {
  const makePage = (words: string, fullReadReason?: string) =>
    makePageQuery(`runs?${words}`, fullReadReason, (database) =>
      makeRunList(database, parse(runsQuery, words)),
    );
  const makeCount = (words: string, fullReadReason?: string) =>
    makeCountQuery(`runs?${words}`, fullReadReason, (database) =>
      makeRunList(database, parse(runsQuery, words)),
    );
  return [
    ...getSorts(runsQuery).flatMap((sortBy) => {
      const isIndexed = sortBy === 'start_time' || sortBy === 'best_fitness';
      return ['asc', 'desc'].flatMap((sortDir) =>
        [0, 40].map((pageNumber) =>
          makePage(
            `sortBy=${sortBy}&sortDir=${sortDir}&page=${pageNumber}`,
            isIndexed ? undefined : indexReason,
          ),
        ),
      );
    }),
    makePage('sortBy=param:algorithm.param1', indexReason),
    makeCount('', countReason),
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
    ].flatMap((words) => [makePage(words, comparisonReason), makeCount(words, comparisonReason)]),
  ];
}

function listExperimentQueries(experimentId: string): ListQuery[] {
  const makePage = (words: string, fullReadReason?: string) =>
    makePageQuery(`experiments?${words}`, fullReadReason, (database) =>
      makeExperimentList(database, parse(experimentsQuery, words)),
    );
  const makeCount = (words: string, fullReadReason?: string) =>
    makeCountQuery(`experiments?${words}`, fullReadReason, (database) =>
      makeExperimentList(database, parse(experimentsQuery, words)),
    );
  const runColumns = new Set(['latest_run_time', 'total_runs', 'best_fitness']);
  const filters: [words: string, fullReadReason?: string][] = [
    ['q=zzz', comparisonReason],
    ['algorithm=umda'],
    ['model=umda'],
    ['problem=onemax'],
    ['status=FAILED', countReason],
    ['from=2026-03-01&to=2026-03-02'],
    ['trials=exclude', comparisonReason],
    ['trials=only', comparisonReason],
    ['param=algorithm.param1=3'],
    ['tag=good'],
  ];
  return [
    ...getSorts(experimentsQuery).flatMap((sortBy) =>
      ['asc', 'desc'].map((sortDir) =>
        makePage(
          `sortBy=${sortBy}&sortDir=${sortDir}`,
          runColumns.has(sortBy) ? countReason : undefined,
        ),
      ),
    ),
    makePage('sortBy=param:algorithm.param1'),
    makeCount(''),
    ...filters.flatMap(([words, reason]) => [
      makePage(`sortBy=created_at&${words}`, reason),
      makeCount(words, reason),
    ]),
    ...getSorts(experimentRunsQuery).map((sortBy) =>
      makePageQuery(`runs of an experiment?sortBy=${sortBy}`, undefined, (database) =>
        makeExperimentRunList(
          database,
          experimentId,
          parse(experimentRunsQuery, `sortBy=${sortBy}&page=0`),
        ),
      ),
    ),
  ];
}

function listCampaignQueries(campaignId: string): ListQuery[] {
  const makeCampaignQueries = (words: string) => {
    const list = (database: Database) => makeCampaignList(database, parse(campaignsQuery, words));
    return [
      makePageQuery(`campaigns?${words}`, undefined, list),
      makeCountQuery(`campaigns?${words}`, undefined, list),
    ];
  };
  const makeTrialQueries = (words: string) => {
    const list = (database: Database) =>
      makeTrialList(database, campaignId, parse(trialsQuery, words));
    return [
      makePageQuery(`trials?${words}`, undefined, list),
      makeCountQuery(`trials?${words}`, undefined, list),
    ];
  };
  return [
    ...getSorts(campaignsQuery).flatMap((sortBy) => makeCampaignQueries(`sortBy=${sortBy}`)),
    ...['q=zzz', 'status=COMPLETED', 'suite=bbob'].flatMap(makeCampaignQueries),
    ...getSorts(trialsQuery).flatMap((sortBy) => makeTrialQueries(`sortBy=${sortBy}`)),
    ...['optimizer=umda', 'functionId=1', 'dimension=2', 'reachedTarget=true'].flatMap(
      makeTrialQueries,
    ),
  ];
}

function listEventQueries(runId: string): ListQuery[] {
  const makeEventQueries = (words: string) => {
    const list = (database: Database) => makeEventList(database, runId, parse(eventsQuery, words));
    return [
      makePageQuery(`events?${words}`, undefined, list),
      makeCountQuery(`events?${words}`, undefined, list),
    ];
  };
  return [
    ...['', 'eventType=STARTED', 'q=zzz'].flatMap(makeEventQueries),
    { title: 'types of events', runQueries: (database) => listEventTypes(database, runId) },
  ];
}

type MakeList = (database: Database) => List<unknown>;

/** Returns the queries for the ids and the rows of a page. */
function makePageQuery(
  title: string,
  fullReadReason: string | undefined,
  makeList: MakeList,
): ListQuery {
  const page = Number(/page=(\d+)/.exec(title)?.[1] ?? 0);
  const runQueries = async (database: Database) => {
    const list = makeList(database);
    return list.listItems(await list.listIds({ page, size: 25 }));
  };
  return { title, runQueries, ...(fullReadReason !== undefined && { fullReadReason }) };
}

function makeCountQuery(
  title: string,
  fullReadReason: string | undefined,
  makeList: MakeList,
): ListQuery {
  const runQueries = (database: Database) => makeList(database).count();
  return {
    title: `number of ${title}`,
    runQueries,
    ...(fullReadReason !== undefined && { fullReadReason }),
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

/** The plans of the statements of a query, and their faults. */
interface PlanVerdict {
  plan: string;
  faults: string[];
}

/**
 * Inspects the plans of a query. No statement may read all iterations or all events, and only queries that need every
 * run may read all runs. A read of an index in the order of a page ends with the page. `avoidScans` is for small
 * tables, see {@link explain}. Skips statements in `knownStatements`, and adds the others.
 */
export async function inspectPlan(
  database: Database,
  query: ListQuery,
  { avoidScans = false, knownStatements = new Set<string>() } = {},
): Promise<PlanVerdict> {
  const verdict: PlanVerdict = { plan: '', faults: [] };
  for (const statement of await getQueries(database, query.runQueries)) {
    const text = statement.compile().sql;
    // A statement that reads all runs may be allowed in one query and not in another.
    const key = `${query.fullReadReason !== undefined} ${text}`;
    if (knownStatements.has(key)) continue;
    knownStatements.add(key);
    const plan = await explain(database, statement, { avoidScans });
    const isPage = /\blimit\b/.test(text) && !sortPattern.test(plan);
    verdict.plan += `${plan}\n`;
    for (const { table, index } of listTableScans(text, plan)) {
      const isAllowed =
        table === 'runs' && (query.fullReadReason !== undefined || (index !== undefined && isPage));
      if (restrictedTables.has(table) && !isAllowed)
        verdict.faults.push(`reads all rows of ${table}`);
    }
  }
  return verdict;
}

const restrictedTables = new Set(['runs', 'iterations', 'events']);
const sortPattern = /USE TEMP B-TREE FOR (LAST|ORDER)|Sort Key:/;
