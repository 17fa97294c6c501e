import type { z } from 'zod';
import { endpoints } from '#shared/api.ts';
import type {
  ExperimentAnalysisQuery,
  ExperimentTracesQuery,
  ProblemComparisonQuery,
} from '#shared/schemas/analysis.ts';
import type { Database } from '#server/db/database.ts';
import { analyseExperiment, listTraces } from './experiment.ts';
import { compareRuns, listProblems } from './comparison.ts';

/** A heavy question about the database, as it is sent to a thread. */
export type AnalysisTask =
  | { kind: 'experiment'; experimentId: string; query: ExperimentAnalysisQuery }
  | { kind: 'traces'; experimentId: string; query: ExperimentTracesQuery }
  | { kind: 'problem'; problemType: string; query: ProblemComparisonQuery }
  | { kind: 'problems' };

/**
 * The answer to a task as JSON text, checked by the schema of its endpoint, so that whoever gets it can send
 * it on as it is. Throws what the service throws.
 */
export async function runTask(database: Database, task: AnalysisTask): Promise<string> {
  switch (task.kind) {
    case 'experiment':
      return write(
        endpoints.analyseExperiment.answer,
        await analyseExperiment(database, task.experimentId, task.query),
      );
    case 'traces':
      return write(
        endpoints.listExperimentTraces.answer,
        await listTraces(database, task.experimentId, task.query),
      );
    case 'problem':
      return write(
        endpoints.compareProblem.answer,
        await compareRuns(database, task.problemType, task.query),
      );
    default:
      return write(endpoints.listProblems.answer, await listProblems(database));
  }
}

function write<Schema extends z.ZodType>(schema: Schema, answer: z.input<Schema>): string {
  return JSON.stringify(schema.parse(answer));
}
