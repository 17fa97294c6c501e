import { countRows } from '#shared/number-format.ts';
import type { CampaignItem } from '#shared/schemas/coco.ts';
import type { ExperimentItem } from '#shared/schemas/experiment.ts';
import type { RunItem } from '#shared/schemas/run.ts';
import { campaignPath, experimentPath, runPath } from '#renderer/paths.ts';
import type { Command } from '#renderer/state/commands.ts';
import { campaignName, experimentName, shortId } from '#renderer/names.ts';

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
export function paletteEntries(
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
    ...runs.map(runEntry),
    ...experiments.map(experimentEntry),
    ...campaigns.map(campaignEntry),
    ...matching.map(commandEntry),
  ];
}

function runEntry({ runId, runName, displayName, ...run }: RunItem): PaletteEntry {
  return {
    label: displayName ?? shortId(runId),
    detail: described([
      displayName && shortId(runId),
      runName,
      run.algorithmType,
      run.problemType,
      run.status,
    ]),
    path: runPath(runId),
  };
}

function experimentEntry(experiment: ExperimentItem): PaletteEntry {
  const { algorithmType, problemType, totalRuns, experimentId } = experiment;
  const runs = countRows(totalRuns, 'run');
  return {
    label: experimentName(experiment),
    detail: described(['experiment', shortId(experimentId), algorithmType, problemType, runs]),
    path: experimentPath(experimentId),
  };
}

function campaignEntry(campaign: CampaignItem): PaletteEntry {
  const { campaignId, suite, trials, status } = campaign;
  return {
    label: campaignName(campaign),
    detail: described(['campaign', suite, countRows(trials, 'trial'), status]),
    path: campaignPath(campaignId),
  };
}

function described(words: readonly (string | null)[]): string {
  return words.filter(Boolean).join(' · ');
}

function commandEntry({ description, keys = '', run }: Command): PaletteEntry {
  return { label: description, detail: keys, ...(run && { run }) };
}
