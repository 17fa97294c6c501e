import { listPresentExperiments, listRunStates } from '#server/repositories/locks.ts';
import { listOtherReferences } from '#server/repositories/recording.ts';
import type { Database } from '#server/db/database.ts';
import {
  listImportedCampaigns,
  listPresentIds,
  type StoredRun,
} from '#server/repositories/imported.ts';
import { isRunning } from '#shared/words.ts';
import type { DataSet } from './data-set.ts';
import { ImportRefused } from './refusal.ts';

/**
 * Throws IMPORT_CONFLICT where a campaign, experiment or run that would be written is there and no import of this name
 * wrote it, or where it would replace references that no import wrote. `added` are the runs to write, `existing` the
 * runs of the data set that are there.
 */
export async function refuseForeignRows(
  database: Database,
  { name, campaigns, notes }: DataSet,
  added: ReadonlySet<string>,
  existing: readonly StoredRun[],
  asReference: boolean,
): Promise<void> {
  if (asReference) await refuseForeignReferences(database, campaigns, notes);
  const experiments = campaigns
    .flatMap((campaign) => campaign.experiments)
    .filter(({ runs }) => runs.some(({ runId }) => added.has(runId)));
  const own = new Set([
    ...existing.flatMap(({ runId, experimentId }) => [runId, experimentId]),
    ...(await listImportedCampaigns(database, name)),
  ]);
  const present = [
    ...(await listPresentIds(
      database,
      'coco_campaigns',
      campaigns.flatMap(({ campaignId }) => campaignId ?? []),
    )),
    ...(await listPresentIds(
      database,
      'experiments',
      experiments.map(({ record }) => record.experimentId),
    )),
    ...(await listPresentIds(database, 'runs', [...added])),
  ];
  const foreign = present.filter((id) => !own.has(id));
  if (foreign.length === 0) return;
  throw new ImportRefused(
    'IMPORT_CONFLICT',
    `The database holds rows with the ids of "${name}" that no import of this name wrote ` +
      `(${shownIds(foreign)}): import under another name`,
    notes,
  );
}

async function refuseForeignReferences(
  database: Database,
  campaigns: DataSet['campaigns'],
  notes: DataSet['notes'],
): Promise<void> {
  for (const { suite, experiments } of campaigns) {
    const others = new Set(suite === null ? [] : await listOtherReferences(database, suite));
    const optimizer = experiments.find(({ group }) => others.has(group.algorithm));
    if (!optimizer) continue;
    throw new ImportRefused(
      'IMPORT_CONFLICT',
      `The database holds references of "${optimizer.group.algorithm}" in ${suite} that no import wrote: ` +
        'import without writing references',
      notes,
    );
  }
}

/** Throws RUNS_ACTIVE while one of these runs is RUNNING; locks their experiments, so that none becomes it meanwhile. */
export async function refuseRunning(
  transaction: Database,
  { name, notes }: DataSet,
  runs: readonly StoredRun[],
): Promise<void> {
  const { kysely, dialect } = transaction;
  const experimentIds = [...new Set(runs.map(({ experimentId }) => experimentId))];
  const locked = { locked: true };
  await listPresentExperiments(kysely, dialect, experimentIds, locked);
  const states = await listRunStates(kysely, dialect, experimentIds, locked);
  const changing = new Set(runs.map(({ runId }) => runId));
  const running = states.filter((run) => changing.has(run.runId) && isRunning(run));
  if (running.length === 0) return;
  throw new ImportRefused(
    'RUNS_ACTIVE',
    `"${name}" has runs that are RUNNING (${shownIds(running.map(({ runId }) => runId))}): stop them first`,
    notes,
  );
}

/** The first ids of a list, and how many others there are. */
export function shownIds(ids: readonly string[]): string {
  const more = ids.length > 3 ? ` and ${ids.length - 3} more` : '';
  return `${ids.slice(0, 3).join(', ')}${more}`;
}
