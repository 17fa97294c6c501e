import { setImmediate as waitForNextTurn } from 'node:timers/promises';
import { endpoints, type Endpoint } from '#shared/api.ts';
import { MemoStore } from '#server/analysis/memo.ts';
import { readPackedTraces, TraceStore } from '#server/analysis/shared-traces.ts';
import type { Database } from '#server/db/database.ts';
import { openDatabase } from '#server/db/open.ts';
import type { Context, HandledName } from '#server/handlers.ts';
import { runHandler } from './run-handler.ts';

const algorithms = ['umda', 'pbil'];
const runsPerAlgorithm = 3;
const iterationsPerRun = 4;
const createdAt = '2026-01-01T00:00:00Z';

/** Requests that run the code of most analyses, the most frequent ones first, with their path parameters. */
const requests: readonly [HandledName, Readonly<Record<string, string>>][] = [
  ['compareProblem', { problemType: 'onemax' }],
  ['analyseExperiment', { experimentId: 'umda' }],
  ['listProblems', {}],
  ['compareAcross', {}],
];

/**
 * Runs a few analyses on tiny records in memory. V8 then compiles their code before the first request. Changes nothing
 * permanently. Ends early, before an analysis, if `isCancelled` returns true. Ignores the errors of the analyses, and
 * rejects with the errors of the database in memory.
 */
export async function runSmallAnalyses(
  service: Pick<Context, 'version'>,
  isCancelled: () => boolean,
): Promise<void> {
  const database = await openDatabase({
    dialect: 'sqlite',
    file: ':memory:',
    mode: 'rwc',
    isImmutable: false,
  });
  try {
    await insertRecords(database);
    const context: Context = {
      ...service,
      database,
      logger: { warn() {}, error() {} },
      traces: new TraceStore(1, (runs) => readPackedTraces(database, runs)),
      memo: new MemoStore(1).createRequestMemo(),
    };
    for (const [name, params] of requests) {
      // Lets the thread receive messages, such as the cancellation.
      await waitForNextTurn();
      if (isCancelled()) return;
      const { query }: Endpoint = endpoints[name];
      const input = { params, query: query?.parse({}) };
      // The request of a user fails in the same way, and its response reports the failure.
      await runHandler(context, name, input).catch(() => {});
    }
  } finally {
    await database.close();
  }
}

async function insertRecords({ kysely }: Database): Promise<void> {
  const runs = algorithms.flatMap((algorithm) =>
    Array.from({ length: runsPerAlgorithm }, (_, seed) => ({ algorithm, seed })),
  );
  await kysely
    .insertInto('experiments')
    .values(
      algorithms.map((algorithm) => ({
        experiment_id: algorithm,
        config_hash: algorithm,
        schema_version: '3.0',
        algorithm_type: algorithm,
        model_type: 'bernoulli',
        problem_type: 'onemax',
        representation_type: 'bitstring',
        selection_type: 'truncation',
        replacement_type: 'elitist',
        stopping_type: 'max-iterations',
        max_iterations: iterationsPerRun,
        config_yaml: '',
        config_json: '{"problem":{"type":"onemax"}}',
        created_at: createdAt,
      })),
    )
    .execute();
  await kysely
    .insertInto('runs')
    .values(
      runs.map(({ algorithm, seed }) => ({
        run_id: `${algorithm}-${seed}`,
        experiment_id: algorithm,
        seed,
        status: 'COMPLETED',
        start_time: createdAt,
        end_time: createdAt,
        iterations: iterationsPerRun,
        evaluations: 10 * iterationsPerRun,
        best_fitness: iterationsPerRun - 1 + seed,
        runtime_millis: 1,
      })),
    )
    .execute();
  await kysely
    .insertInto('iterations')
    .values(
      runs.flatMap(({ algorithm, seed }) =>
        Array.from({ length: iterationsPerRun }, (_, iteration) => ({
          run_id: `${algorithm}-${seed}`,
          iteration,
          evaluations: 10 * (iteration + 1),
          best_fitness: iteration + seed,
          mean_fitness: iteration,
          std_fitness: 1,
          metrics_json: '{}',
          diagnostics_json: '{}',
          created_at: createdAt,
        })),
      ),
    )
    .execute();
}
