import { countOf } from '#shared/number-format.ts';
import type { CampaignItem } from '#shared/schemas/coco.ts';
import type { ExperimentItem } from '#shared/schemas/experiment.ts';
import type { RunItem } from '#shared/schemas/run.ts';
import type { Command } from '#renderer/state/commands.ts';
import { experimentName } from './experiment-name.ts';
import { shortId } from './short-id.ts';

/** A line of the command palette. */
export type PaletteEntry = { label: string; detail: string } & (
  | { kind: 'run'; run: RunItem }
  | { kind: 'experiment'; experiment: ExperimentItem }
  | { kind: 'campaign'; campaign: CampaignItem }
  | { kind: 'command'; command: Command }
);

/** What the database holds that matches a text. */
export interface PaletteMatches {
  runs: readonly RunItem[];
  experiments: readonly ExperimentItem[];
  campaigns: readonly CampaignItem[];
}

/**
 * The lines for a text: what it matches, runs first, then experiments, then campaigns; then the commands whose
 * description has every word of it, case ignored. Without text all commands. The command that opens the palette itself
 * is left out.
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

function runEntry(run: RunItem): PaletteEntry {
  return {
    kind: 'run',
    run,
    label: shortId(run.runId),
    detail: [run.runName, run.algorithmType, run.problemType, run.status]
      .filter(Boolean)
      .join(' · '),
  };
}

function experimentEntry(experiment: ExperimentItem): PaletteEntry {
  const { algorithmType, problemType, totalRuns, experimentId } = experiment;
  return {
    kind: 'experiment',
    experiment,
    label: experimentName(experiment),
    detail: [
      'experiment',
      shortId(experimentId),
      algorithmType,
      problemType,
      countOf(totalRuns, 'run'),
    ].join(' · '),
  };
}

function campaignEntry(campaign: CampaignItem): PaletteEntry {
  const { campaignId, name, suite, trials, status } = campaign;
  return {
    kind: 'campaign',
    campaign,
    label: name.trim() || shortId(campaignId),
    detail: ['campaign', suite, countOf(trials, 'trial'), status].join(' · '),
  };
}

function commandEntry(command: Command): PaletteEntry {
  return { kind: 'command', command, label: command.description, detail: command.keys ?? '' };
}
