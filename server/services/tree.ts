import type { Database } from '#server/db/database.ts';
import { ProblemError, runNotFound, shortened } from '#server/errors.ts';
import { findRun } from '#server/repositories/runs.ts';
import { grammarTreeIn } from '#server/telemetry/grammar-tree.ts';
import type { GrammarTree } from '#shared/schemas/tree.ts';
import { maskText } from '#server/rules/secrets/mask-text.ts';

/** The best program of a grammar run, secrets hidden; throws RUN_NOT_FOUND, NOT_FOUND where the run stored none. */
export async function getTree(database: Database, runId: string): Promise<GrammarTree> {
  const run = await findRun(database, runId);
  if (!run) throw runNotFound(runId);
  const tree = grammarTreeIn(maskText(run.artifactsJson), maskText(run.bestSummary));
  if (tree) return { runId, representationType: run.representationType, ...tree };
  throw new ProblemError('NOT_FOUND', `Run "${shortened(runId)}" has no program that is a tree`);
}
