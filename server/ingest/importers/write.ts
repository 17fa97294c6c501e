import { deleteRows, deleteRuns } from '#server/repositories/deletion.ts';
import {
  listImportedCampaigns,
  listImportedExperiments,
  listImportedRuns,
} from '#server/repositories/imported.ts';
import type { Database } from '#server/db/database.ts';
import { type Instant, instantText } from '../clock.ts';
import { configYaml } from '../config-yaml.ts';
import { record, type Recorder } from '../recorder.ts';
import type { Comparison } from './compare.ts';
import type { Campaign, DataSet, Experiment } from './data-set.ts';
import { isFault, sentences } from './notes.ts';
import { referenceRows } from './reference.ts';
import { iterationRows, objectiveRow, runRow, trialRow } from './rows.ts';

/** What is to be written of a data set, and how. */
export interface Writing {
  dataSet: DataSet;
  comparison: Comparison;
  /** Deletes all that is there under the name of the data set first. */
  replaces: boolean;
  /** Writes its expected runtimes as results that others are compared with. */
  asReference: boolean;
  now: Instant;
  /** Told after each experiment how much is written. */
  onWritten: (runs: number, rows: number) => void;
  signal: AbortSignal;
}

/** Writes a data set in one transaction: all of it, or nothing when it fails or is aborted. */
export async function writeDataSet(database: Database, writing: Writing): Promise<void> {
  const { dataSet, comparison } = writing;
  await record(database, async (recorder, transaction) => {
    if (writing.replaces) await deleteDataSet(transaction, dataSet.name);
    await deleteRuns(transaction, comparison.superseded);
    for (const campaign of dataSet.campaigns) await writeCampaign(recorder, campaign, writing);
    await deleteEmptyExperiments(transaction, dataSet);
    await recorder.events([importedEvent(writing)]);
  });
}

/** Deletes everything that imports under this name have written, but for the events that tell of them. */
async function deleteDataSet(transaction: Database, name: string): Promise<void> {
  await deleteRows(transaction, {
    campaignIds: await listImportedCampaigns(transaction, name),
    experimentIds: await listImportedExperiments(transaction, name),
  });
}

/** Deletes experiments of the data set whose runs have all gone over to others. */
async function deleteEmptyExperiments(
  transaction: Database,
  { name, campaigns }: DataSet,
): Promise<void> {
  const planned = new Set(
    campaigns.flatMap(({ experiments }) =>
      experiments.map(({ record: { experimentId } }) => experimentId),
    ),
  );
  const inUse = new Set((await listImportedRuns(transaction, name)).map((run) => run.experimentId));
  const present = await listImportedExperiments(transaction, name);
  const experimentIds = present.filter((id) => !planned.has(id) && !inUse.has(id));
  await deleteRows(transaction, { campaignIds: [], experimentIds });
}

async function writeCampaign(
  recorder: Recorder,
  campaign: Campaign,
  writing: Writing,
): Promise<void> {
  const { campaignId, suite, experiments } = campaign;
  const time = instantText(writing.now);
  if (campaignId !== null && suite !== null) {
    await recorder.campaign(campaignRow(campaignId, suite, experiments, writing));
    await recorder.optimizers(optimizerRows(campaignId, experiments, writing));
  }
  for (const experiment of experiments) {
    await writeExperiment(recorder, experiment, writing);
    if (campaignId !== null) {
      const runs = changedRuns(experiment, writing);
      await recorder.trials(runs.map((run) => trialRow(campaignId, experiment, run, time)));
    }
  }
  if (writing.asReference && suite !== null) {
    for (const { optimizer, rows } of referenceRows(suite, experiments, writing.dataSet, time))
      await recorder.references(suite, optimizer, rows);
  }
}

function campaignRow(
  campaignId: string,
  suite: string,
  experiments: readonly Experiment[],
  { dataSet, now }: Writing,
) {
  const time = instantText(now);
  const hasFaults = dataSet.notes.some(isFault);
  return {
    campaign_id: campaignId,
    name: dataSet.name,
    suite,
    dimensions_json: sortedJson(experiments.map(({ group }) => group.dimension ?? 0)),
    instances_json: sortedJson(experiments.flatMap(({ runs }) => runs.map((run) => run.instance))),
    functions_json: sortedJson(experiments.map(({ functionNumber }) => functionNumber)),
    status: hasFaults ? 'COMPLETED_WITH_ERRORS' : 'COMPLETED',
    created_at: time,
    started_at: time,
    finished_at: time,
    notes: dataSet.notes.length === 0 ? null : summaryOf(dataSet),
  };
}

function sortedJson(numbers: readonly number[]): string {
  return JSON.stringify([...new Set(numbers)].sort((a, b) => a - b));
}

/** `The file is empty. A data file holds fewer runs than its index lists (4 times).`. */
function summaryOf({ notes }: DataSet): string {
  const byCode = Map.groupBy(notes, ({ code }) => code);
  const parts = [...byCode].map(([code, own]) => {
    const count = own.reduce((sum, note) => sum + note.count, 0);
    return count > 1 ? `${sentences[code]} (${count} times).` : `${sentences[code]}.`;
  });
  return parts.join(' ');
}

function optimizerRows(campaignId: string, experiments: readonly Experiment[], writing: Writing) {
  const byName = new Map(experiments.map((experiment) => [experiment.group.algorithm, experiment]));
  return [...byName].map(
    ([
      optimizer,
      {
        group,
        record: { columns },
      },
    ]) => ({
      campaign_id: campaignId,
      optimizer_id: optimizer,
      config_path: `import:${writing.dataSet.name}`,
      algorithm_type: columns.algorithm_type,
      model_type: columns.model_type,
      representation_type: columns.representation_type,
      config_yaml: configYaml({ algorithm: { type: group.algorithm } }),
      created_at: instantText(writing.now),
    }),
  );
}

function changedRuns({ runs }: Experiment, { comparison }: Writing): Experiment['runs'] {
  const { added, extended } = comparison;
  return runs.filter(({ runId }) => added.has(runId) || extended.has(runId));
}

/** Iterations are handed over in lists of about this length, so that few of them are rows at a time. */
const rowsAtOnce = 3_000;

async function writeExperiment(
  recorder: Recorder,
  experiment: Experiment,
  writing: Writing,
): Promise<void> {
  const runs = changedRuns(experiment, writing);
  if (runs.length === 0) return;
  // Lets signals and whoever shows the progress have their turn: a SQLite transaction waits for nothing.
  await new Promise(setImmediate);
  writing.signal.throwIfAborted();
  await recorder.experiment(experiment.record, writing.now);
  await recorder.runs(runs.map((run) => runRow(experiment, run)));
  for (const run of runs.filter(({ runId }) => writing.comparison.extended.has(runId))) {
    const { run_id: runId, start_time: _first, ...change } = runRow(experiment, run);
    await recorder.changeRun(runId, change);
  }
  let rows: ReturnType<typeof iterationRows> = [];
  let written = 0;
  for (const run of runs) {
    rows.push(...iterationRows(run));
    if (rows.length < rowsAtOnce && run !== runs.at(-1)) continue;
    await recorder.iterations(rows);
    written += rows.length;
    rows = [];
  }
  await recorder.objectives(runs.map(objectiveRow));
  writing.onWritten(runs.length, written);
}

/** Most notes that the event keeps. */
const eventNotes = 200;

function importedEvent({ dataSet, comparison, now }: Writing) {
  const { name, path, bytes, sha256, campaigns, notes } = dataSet;
  return {
    runId: null,
    type: 'imported',
    instant: now,
    members: {
      dataset: name,
      path,
      bytes,
      sha256,
      campaigns: campaigns.flatMap(({ campaignId }) => campaignId ?? []),
      added: comparison.added.size,
      extended: comparison.extended.size,
      skipped: comparison.unchanged.size,
      notes: notes.slice(0, eventNotes).map((note) => ({ ...note })),
    },
  };
}
