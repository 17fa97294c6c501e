import { describeCount } from '#shared/number-format.ts';
import type { CampaignItem } from '#shared/schemas/coco.ts';
import type { ExperimentItem } from '#shared/schemas/experiment.ts';
import type { RunItem } from '#shared/schemas/run.ts';
import { getCampaignPath, getExperimentPath, getRunPath } from '#renderer/paths.ts';
import type { Command } from '#renderer/state/commands.ts';
import { getCampaignName, getExperimentName } from '#renderer/names.ts';
import { getShortId } from '#shared/words.ts';

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
 * Returns the lines for a text: the matches, those with this name or id first, and in each part runs before experiments
 * and campaigns; then the commands whose description contains every word. Ignores case. All commands for an empty text.
 * The command that opens the palette is omitted.
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
  const matches = [
    ...runs.map((run) => ({ entry: makeRunEntry(run), id: run.runId })),
    ...experiments.map((item) => ({ entry: makeExperimentEntry(item), id: item.experimentId })),
    ...campaigns.map((item) => ({ entry: makeCampaignEntry(item), id: item.campaignId })),
  ];
  const name = text.trim().toLowerCase();
  const isExact = ({ entry, id }: (typeof matches)[number]) =>
    [entry.label, id].some((candidate) => candidate.toLowerCase() === name);
  const orderedMatches = matches.toSorted((a, b) => Number(isExact(b)) - Number(isExact(a)));
  return [...orderedMatches.map(({ entry }) => entry), ...matching.map(makeCommandEntry)];
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
