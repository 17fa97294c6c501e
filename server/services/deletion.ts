import type {
  BulkDeletionAnswer,
  BulkDeletionBody,
  DeletionAnswer,
  DeletionPreview,
} from '#shared/schemas/experiment.ts';
import { notFound, ProblemError, requireWritable, shortened } from '#server/errors.ts';
import { deleteSet, previewSet, type DeletionSet, type DeletionTools } from './set-deletion.ts';

/** Deletes an experiment with all that belongs to it, see {@link deleteSet}. EXPERIMENT_NOT_FOUND. */
export async function deleteExperiment(
  tools: DeletionTools,
  experimentId: string,
  force = false,
): Promise<DeletionAnswer> {
  return { experimentId, ...(await deleteSet(tools, onlyExperiment(experimentId), force)) };
}

/** What {@link deleteExperiment} would remove now, and whether it may. EXPERIMENT_NOT_FOUND. */
export async function previewDeletion(
  tools: DeletionTools,
  experimentId: string,
): Promise<DeletionPreview> {
  return { experimentId, ...(await previewSet(tools, onlyExperiment(experimentId))) };
}

function onlyExperiment(experimentId: string): DeletionSet {
  return {
    id: experimentId,
    subject: `Experiment "${shortened(experimentId)}"`,
    listCampaigns: async () => [],
    listExperiments: async () => [experimentId],
    notFound: () => notFound('experiment', experimentId),
  };
}

/**
 * Deletes several experiments, each in a separate transaction, and reports the outcome of each; one that
 * fails leaves the others to go. READ_ONLY; a database that is busy or away ends the call, with those before it
 * deleted.
 */
export async function deleteExperiments(
  tools: DeletionTools,
  { experimentIds, force }: BulkDeletionBody,
): Promise<BulkDeletionAnswer> {
  await requireWritable(tools.database);
  const items: BulkDeletionAnswer['items'] = [];
  for (const experimentId of experimentIds) {
    const reason = await outcomeOf(tools, experimentId, force);
    items.push({ experimentId, deleted: reason === 'DELETED', reason });
  }
  const count = (wanted: string) => items.filter(({ reason }) => reason === wanted).length;
  return {
    items,
    deletedCount: count('DELETED'),
    blockedCount: count('RUNNING') + count('RUNNER_WRITING'),
    missingCount: count('NOT_FOUND'),
    errorCount: count('ERROR'),
  };
}

async function outcomeOf(
  tools: DeletionTools,
  experimentId: string,
  force: boolean,
): Promise<BulkDeletionAnswer['items'][number]['reason']> {
  try {
    await deleteExperiment(tools, experimentId, force);
    return 'DELETED';
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'RUNS_ACTIVE') return 'RUNNING';
    if (error instanceof ProblemError && error.code === 'RUNNER_WRITING') return 'RUNNER_WRITING';
    if (error instanceof ProblemError && error.code === 'EXPERIMENT_NOT_FOUND') return 'NOT_FOUND';
    if (error instanceof ProblemError && error.code === 'DATABASE_CHANGED') throw error;
    // The others would wait as long in turn; the client may ask again for the rest.
    if (tools.database.dialect.failureKind(error) !== 'other') throw error;
    tools.logger.error({ err: error, experimentId }, 'an experiment could not be deleted');
    return 'ERROR';
  }
}
