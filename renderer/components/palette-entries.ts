import type { RunItem } from '#shared/schemas/run.ts';
import type { Command } from '#renderer/state/commands.ts';
import { shortId } from './short-id.ts';

/** A line of the command palette. */
export type PaletteEntry = { label: string; detail: string } & (
  { kind: 'run'; run: RunItem } | { kind: 'command'; command: Command }
);

/**
 * The lines for a text: runs first, then the commands whose description has every word of it, case
 * ignored. Without text all commands. The command that opens the palette itself is left out.
 */
export function paletteEntries(
  text: string,
  commands: readonly Command[],
  runs: readonly RunItem[],
): PaletteEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = commands.filter(
    (command) =>
      command.run &&
      command.keys !== 'mod+k' &&
      words.every((word) => command.description.toLowerCase().includes(word)),
  );
  return [...runs.map(runEntry), ...matching.map(commandEntry)];
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

function commandEntry(command: Command): PaletteEntry {
  return { kind: 'command', command, label: command.description, detail: command.keys ?? '' };
}
