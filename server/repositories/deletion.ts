import type { ExpressionBuilder, Kysely } from 'kysely';
import type { Tables } from '#server/db/schema.ts';

/** Rows of an experiment in each table that its deletion empties. */
export interface ExperimentRows {
  runObjectives: number;
  iterations: number;
  checkpoints: number;
  events: number;
  controlRequests: number;
  runs: number;
  params: number;
}

type RunTable = 'run_objectives' | 'iterations' | 'checkpoints' | 'events';

/** Deletes all that belongs to an experiment, children first, and says how many rows went from each table. */
export async function deleteExperimentRows(
  transaction: Kysely<Tables>,
  experimentId: string,
): Promise<ExperimentRows> {
  const ofRuns = async (table: RunTable) =>
    deleted(
      transaction
        .deleteFrom(table)
        .where('run_id', 'in', runIds(transaction, experimentId))
        .executeTakeFirst(),
    );
  const counts = {
    runObjectives: await ofRuns('run_objectives'),
    iterations: await ofRuns('iterations'),
    checkpoints: await ofRuns('checkpoints'),
    events: await ofRuns('events'),
    controlRequests: await deleted(
      transaction
        .deleteFrom('control_requests')
        .where((builder) => concernsExperiment(builder, transaction, experimentId))
        .executeTakeFirst(),
    ),
    runs: await deleted(
      transaction.deleteFrom('runs').where('experiment_id', '=', experimentId).executeTakeFirst(),
    ),
    params: await deleted(
      transaction
        .deleteFrom('experiment_params')
        .where('experiment_id', '=', experimentId)
        .executeTakeFirst(),
    ),
  };
  await transaction
    .deleteFrom('experiments')
    .where('experiment_id', '=', experimentId)
    .executeTakeFirst();
  return counts;
}

/** Counts what {@link deleteExperimentRows} would delete. */
export async function countExperimentRows(
  database: Kysely<Tables>,
  experimentId: string,
): Promise<ExperimentRows> {
  const ofRuns = async (table: RunTable) =>
    counted(
      database
        .selectFrom(table)
        .select((builder) => builder.fn.countAll<number>().as('rows'))
        .where('run_id', 'in', runIds(database, experimentId))
        .executeTakeFirst(),
    );
  const ofExperiment = async (table: 'runs' | 'experiment_params') =>
    counted(
      database
        .selectFrom(table)
        .select((builder) => builder.fn.countAll<number>().as('rows'))
        .where('experiment_id', '=', experimentId)
        .executeTakeFirst(),
    );
  return {
    runObjectives: await ofRuns('run_objectives'),
    iterations: await ofRuns('iterations'),
    checkpoints: await ofRuns('checkpoints'),
    events: await ofRuns('events'),
    controlRequests: await counted(
      database
        .selectFrom('control_requests')
        .select((builder) => builder.fn.countAll<number>().as('rows'))
        .where((builder) => concernsExperiment(builder, database, experimentId))
        .executeTakeFirst(),
    ),
    runs: await ofExperiment('runs'),
    params: await ofExperiment('experiment_params'),
  };
}

/** The ids of the experiment's runs, as a subquery. */
function runIds(database: Kysely<Tables>, experimentId: string) {
  return database.selectFrom('runs').select('run_id').where('experiment_id', '=', experimentId);
}

/** Requests that name the experiment, and those that name one of its runs. */
function concernsExperiment(
  builder: ExpressionBuilder<Tables, 'control_requests'>,
  database: Kysely<Tables>,
  experimentId: string,
) {
  return builder.or([
    builder.and([builder('scope', '=', 'experiment'), builder('target_id', '=', experimentId)]),
    builder.and([
      builder('scope', '=', 'run'),
      builder('target_id', 'in', runIds(database, experimentId)),
    ]),
  ]);
}

async function deleted(result: Promise<{ numDeletedRows: bigint }>): Promise<number> {
  return Number((await result).numDeletedRows);
}

async function counted(result: Promise<{ rows: number } | undefined>): Promise<number> {
  return (await result)?.rows ?? 0;
}
