import { describeCount } from '#shared/number-format.ts';
import type { CampaignItem } from '#shared/schemas/coco.ts';
import type { ExperimentItem } from '#shared/schemas/experiment.ts';
import type { RunItem } from '#shared/schemas/run.ts';
import { getCampaignPath, getExperimentPath, getRunPath } from '#renderer/paths.ts';
import type { Command } from '#renderer/state/commands.ts';
import { getCampaignName, getExperimentName, getShortId } from '#renderer/names.ts';

/** A line of the command palette: a page to open or a command. */
export interface PaletteEntry {
  label: string;
  detail: string;
  path?: string;
  run?: Command['run'];
}

/** Rows of the database that match a text. */
export interface PaletteMatches {
  runs: readonly RunItem[];
  experiments: readonly ExperimentItem[];
  campaigns: readonly CampaignItem[];
}

/**
 * Returns the lines for a text: the matches, runs first, then experiments, then campaigns; then the commands whose
 * description contains every word, ignoring case. All commands for an empty text. The command that opens the palette is
 * omitted.
 */
export function makePaletteEntries(
  text: string,
  commands: readonly Command[],
  { runs, experiments, campaigns }: PaletteMatches,
): PaletteEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = commands.filter(
    (command) =>
      command.run &&
      command.keys !== 'mod+k' &&
      words.every((word) => command.description.toLowerCase().includes(word)),
  );
  return [
    ...runs.map(makeRunEntry),
    ...experiments.map(makeExperimentEntry),
    ...campaigns.map(makeCampaignEntry),
    ...matching.map(makeCommandEntry),
  ];
}

function makeRunEntry({ runId, runName, displayName, ...run }: RunItem): PaletteEntry {
  return {
    label: displayName ?? getShortId(runId),
    detail: joinWords([
      displayName && getShortId(runId),
      runName,
      run.algorithmType,
      run.problemType,
      run.status,
    ]),
    path: getRunPath(runId),
  };
}

function makeExperimentEntry(experiment: ExperimentItem): PaletteEntry {
  const { algorithmType, problemType, totalRuns, experimentId } = experiment;
  const runs = describeCount(totalRuns, 'run');
  return {
    label: getExperimentName(experiment),
    detail: joinWords(['experiment', getShortId(experimentId), algorithmType, problemType, runs]),
    path: getExperimentPath(experimentId),
  };
}

function makeCampaignEntry(campaign: CampaignItem): PaletteEntry {
  const { campaignId, suite, trials, status } = campaign;
  return {
    label: getCampaignName(campaign),
    detail: joinWords(['campaign', suite, describeCount(trials, 'trial'), status]),
    path: getCampaignPath(campaignId),
  };
}

function joinWords(words: readonly (string | null)[]): string {
  return words.filter(Boolean).join(' · ');
}

function makeCommandEntry({ description, keys = '', run }: Command): PaletteEntry {
  return { label: description, detail: keys, ...(run && { run }) };
}

/**
 * Returns the index of the entry that opens the same page or runs the same command as `chosen`; 0 without one, -1 if it
 * is missing.
 */
export function findEntry(
  entries: readonly PaletteEntry[],
  chosen: PaletteEntry | undefined,
): number {
  if (chosen === undefined) return 0;
  return entries.findIndex(
    ({ path, label, run }) =>
      path === chosen.path && run === chosen.run && (path !== undefined || label === chosen.label),
  );
}
