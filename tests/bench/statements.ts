import type SqliteDatabase from 'better-sqlite3';
import { analysisWorkloads, type AnalysisWorkload } from './analysis-workload.ts';
import { ordinaryRunIndex, runIdOf, workload } from './workload.ts';

/** Gives the rows of an answer. */
export type Answer = () => unknown;

type Prepare = (database: SqliteDatabase.Database) => Answer;

const runColumns = `r.run_id runId, r.experiment_id experimentId, e.run_name runName,
  e.algorithm_type algorithmType, e.model_type modelType, e.problem_type problemType,
  e.representation_type representationType, r.status, r.start_time startTime, r.end_time endTime,
  r.iterations, r.evaluations, r.best_fitness bestFitness, r.runtime_millis runtimeMillis,
  e.config_hash configHash, r.seed, null progress, substr(r.error_message, 1, 300) errorMessage,
  null stopRequest`;

const runTables = 'runs r left join experiments e on e.experiment_id = r.experiment_id';

const newestFirst = 'order by r.start_time desc, r.run_id desc limit 25';

const searchColumns = ['run_name', 'algorithm_type', 'model_type', 'problem_type', 'config_hash'];

const search = `where r.run_id like @part or r.experiment_id like @part or r.experiment_id in (
  select x.experiment_id from experiments x
    where ${searchColumns.map((column) => `x.${column} like @part`).join(' or ')}
  union all select p.experiment_id from experiment_params p
    where p.param_path like @part or p.value_text like @part or p.value_json like @part)`;

function runsPage(condition: string, parameters: Record<string, string>): Prepare {
  return (database) => {
    const rows = database.prepare(
      `select ${runColumns} from ${runTables} ${condition} ${newestFirst}`,
    );
    const count = database.prepare(`select count(*) from ${runTables} ${condition}`).pluck();
    return () => ({ items: rows.all(parameters), total: count.get(parameters) });
  };
}

/**
 * The three figures that stand inside of the JSON are picked out where the runner puts them: parsing the
 * JSON would cost more than everything else, and be a floor that is easily reached.
 */
function scalars(runIndex: number): Prepare {
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
    return () => rows.all(runIdOf(runIndex));
  };
}

/** The columns that an analysis cannot do without, as the driver hands rows out. */
function scan({ problemType }: AnalysisWorkload): Prepare {
  return (database) => {
    const rows = database.prepare(
      `select run_id, evaluations, best_fitness from iterations where run_id in (
         select r.run_id from runs r join experiments e on e.experiment_id = r.experiment_id
         where e.problem_type = ?)`,
    );
    return () => ({ rows: rows.all(problemType).length });
  };
}

/** What each measured answer needs of the database, said in plain SQL. */
export const statements = {
  'first-page': runsPage('', {}),
  search: runsPage(search, { part: `%${workload.searchText}%` }),
  'scalars-short': scalars(ordinaryRunIndex),
  'scalars-long': scalars(workload.longRun.index),
  'scan-small': scan(analysisWorkloads.small),
  'scan-large': scan(analysisWorkloads.large),
  'scan-groups': scan(analysisWorkloads.groups),
  'scan-crowd': scan(analysisWorkloads.crowd),
} satisfies Record<string, Prepare>;

export type StatementName = keyof typeof statements;
