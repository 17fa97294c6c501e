import type SqliteDatabase from 'better-sqlite3';
import { analysisWorkloads, type AnalysisWorkload } from './analysis-workload.ts';
import { ordinaryRunIndex, getRunId, workload } from './workload.ts';

/** Function that returns the rows of a response. */
export type ReadRows = () => unknown;

type PrepareRead = (database: SqliteDatabase.Database) => ReadRows;

const runColumns = `r.run_id runId, r.experiment_id experimentId, e.run_name runName,
  e.algorithm_type algorithmType, e.model_type modelType, e.problem_type problemType,
  e.representation_type representationType, r.status, r.start_time startTime, r.end_time endTime,
  r.iterations, r.evaluations, r.best_fitness bestFitness, r.runtime_millis runtimeMillis,
  e.config_hash configHash, r.seed, null progress, substr(r.error_message, 1, 300) errorMessage,
  null stopRequest`;

const runTables = 'runs r left join experiments e on e.experiment_id = r.experiment_id';

const newestOrder = 'order by r.start_time desc, r.run_id desc limit 25';

const searchColumns = ['run_name', 'algorithm_type', 'model_type', 'problem_type', 'config_hash'];

const search = `where r.run_id like @part or r.experiment_id like @part or r.experiment_id in (
  select x.experiment_id from experiments x
    where ${searchColumns.map((column) => `x.${column} like @part`).join(' or ')}
  union all select p.experiment_id from experiment_params p
    where p.param_path like @part or p.value_text like @part or p.value_json like @part)`;

function makeRunsPage(condition: string, parameters: Record<string, string>): PrepareRead {
  return (database) => {
    const rows = database.prepare(
      `select ${runColumns} from ${runTables} ${condition} ${newestOrder}`,
    );
    const count = database.prepare(`select count(*) from ${runTables} ${condition}`).pluck();
    return () => ({ items: rows.all(parameters), total: count.get(parameters) });
  };
}

/**
 * Returns the scalars of the iterations of a run. Reads the three numbers in the JSON at the positions at which the
 * runner writes them: parsing would take most of the time, so the floor would not be a minimum.
 */
function makeScalars(runIndex: number): PrepareRead {
  return (database) => {
    const rows = database.prepare(
      `select iteration, evaluations, best_fitness bestFitness, mean_fitness meanFitness,
         std_fitness stdFitness, created_at createdAt,
         cast(substr(diagnostics_json, length('{"populationSize":') + 1, 20) as integer) populationSize,
         cast(substr(diagnostics_json, instr(substr(diagnostics_json, 1, 60), '"eliteSize":')
           + length('"eliteSize":'), 20) as integer) eliteSize,
         case when substr(diagnostics_json, length(diagnostics_json) - 20) = '"adaptiveActions":[]}'
           then 0 else json_array_length(diagnostics_json, '$.adaptiveActions') end adaptiveActions
       from iterations where run_id = ? order by iteration`,
    );
    return () => rows.all(getRunId(runIndex));
  };
}

/** Returns the stored iterations of the run with large JSON. */
const prepareLargeIterations: PrepareRead = (database) => {
  const rows = database.prepare(
    `select iteration, evaluations, best_fitness bestFitness, mean_fitness meanFitness,
       std_fitness stdFitness, created_at createdAt, metrics_json metricsJson,
       diagnostics_json diagnosticsJson
     from iterations where run_id = ? order by iteration`,
  );
  return () => rows.all(getRunId(workload.largeJson.index));
};

/** Returns the experiments of the page with their numbers of runs and the values whose median the page shows. */
const prepareExperimentsPage: PrepareRead = (database) => {
  const countStatus = (status: string) => `sum(status = '${status}')`;
  const rows = database.prepare<[], { experimentId: string }>(
    `select e.experiment_id experimentId, e.run_name runName, e.algorithm_type algorithmType,
       e.model_type modelType, e.problem_type problemType, e.representation_type representationType,
       e.config_hash configHash, e.created_at createdAt, c.latestRunTime, c.totalRuns, c.completedRuns,
       c.failedRuns, c.stoppedRuns, c.runningRuns
     from experiments e left join (select experiment_id id, count(*) totalRuns,
         ${countStatus('COMPLETED')} completedRuns, ${countStatus('FAILED')} failedRuns,
         ${countStatus('STOPPED')} stoppedRuns, ${countStatus('RUNNING')} runningRuns,
         max(start_time) latestRunTime, min(best_fitness) lowest, max(best_fitness) highest
       from runs group by experiment_id) c on c.id = e.experiment_id
     order by c.latestRunTime desc, e.experiment_id desc limit 25`,
  );
  const best = database
    .prepare<[string], number>(
      `select best_fitness from runs where experiment_id = ? and status = 'COMPLETED'`,
    )
    .pluck();
  const count = database.prepare('select count(*) from experiments').pluck();
  return () => ({
    items: rows.all().map((row) => ({ ...row, n: best.all(row.experimentId).length })),
    total: count.get(),
  });
};

/** Returns the experiment of the first run with its unmasked configuration and its number of runs. */
const prepareExperiment: PrepareRead = (database) => {
  const row = database.prepare(
    `select e.experiment_id experimentId, e.schema_version schemaVersion, e.config_hash configHash,
       e.created_at createdAt, e.config_json configJson, e.config_yaml configYaml,
       (select count(*) from runs r where r.experiment_id = e.experiment_id) totalRuns
     from experiments e where e.experiment_id = (select experiment_id from runs where run_id = ?)`,
  );
  return () => row.get(getRunId(0));
};

/** Returns the distinct values, and reads the numbers of runs by experiment and status, from which all counts follow. */
const prepareFacets: PrepareRead = (database) => {
  const prepareTexts = (column: string, table: string) =>
    database
      .prepare<[], string>(`select distinct ${column} from ${table} order by ${column}`)
      .pluck();
  const algorithms = prepareTexts('algorithm_type', 'experiments');
  const models = prepareTexts('model_type', 'experiments');
  const problems = prepareTexts('problem_type', 'experiments');
  const representations = prepareTexts('representation_type', 'experiments');
  const statuses = prepareTexts('status', 'runs');
  const counts = database.prepare(
    'select experiment_id, status, count(*) from runs group by experiment_id, status',
  );
  return () => {
    counts.all();
    return {
      algorithms: algorithms.all(),
      models: models.all(),
      problems: problems.all(),
      representations: representations.all(),
      statuses: statuses.all(),
    };
  };
};

/** Reads the columns that an analysis needs, as rows of the driver. */
function makeScan({ problemType }: AnalysisWorkload): PrepareRead {
  return (database) => {
    const rows = database.prepare(
      `select run_id, evaluations, best_fitness from iterations where run_id in (
         select r.run_id from runs r join experiments e on e.experiment_id = r.experiment_id
         where e.problem_type = ?)`,
    );
    return () => ({ rows: rows.all(problemType).length });
  };
}

/** Reads the same columns of all trials of a campaign. */
const prepareCampaignScan: PrepareRead = (database) => {
  const rows = database.prepare(
    `select run_id, evaluations, best_fitness from iterations where run_id in (
       select run_id from coco_trials where campaign_id = ?)`,
  );
  return () => ({ rows: rows.all('whole').length });
};

/** The queries of each measured response in plain SQL. */
export const statements = {
  'first-page': makeRunsPage('', {}),
  'experiments-page': prepareExperimentsPage,
  experiment: prepareExperiment,
  facets: prepareFacets,
  search: makeRunsPage(search, { part: `%${workload.searchText}%` }),
  'scalars-short': makeScalars(ordinaryRunIndex),
  'big-json': prepareLargeIterations,
  'scalars-long': makeScalars(workload.longRun.index),
  'scan-small': makeScan(analysisWorkloads.small),
  'scan-large': makeScan(analysisWorkloads.large),
  'scan-groups': makeScan(analysisWorkloads.groups),
  'scan-crowd': makeScan(analysisWorkloads.crowd),
  'scan-campaign': prepareCampaignScan,
} satisfies Record<string, PrepareRead>;

export type StatementName = keyof typeof statements;
