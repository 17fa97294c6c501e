import type { RunsOverlay, TelemetryOverlay } from '#shared/schemas/analysis-runs.ts';
import { describeCount } from '#shared/number-format.ts';
import type { ChartEntry } from '#renderer/charts/chart-entry.ts';
import {
  makeDifferenceFigure,
  makeOverlayFigure,
  makeStoredSeriesFigure,
  type RunLook,
} from '#renderer/charts/figures/run-overlay.ts';
import { getNotesAt } from '#renderer/features/analysis/note-places.ts';
import { getSeriesName } from './series-names.ts';

type LookOf = (runId: string) => RunLook;

const chartPixels = 340;

/** Returns the chart of the best so far, and, with a reference, the chart of the differences from it. */
export function makeOverlayCharts(
  overlay: () => RunsOverlay,
  getLook: LookOf,
  reference: string | null,
): ChartEntry[] {
  const best: ChartEntry = {
    id: 'best',
    title: 'Best so far',
    describe: () =>
      `Each curve ends with its run${overlay().by === 'evaluations' ? '; × marks the target hit' : ''}`,
    figure: () => makeOverlayFigure(overlay(), getLook),
    notes: () => getNotesAt(overlay().notes, 'general', 'sample', 'success'),
    heightPixels: () => chartPixels,
  };
  if (reference === null) return [best];
  const name = getLook(reference).name;
  const difference: ChartEntry = {
    id: 'difference',
    title: `Difference from ${name}`,
    describe: () => 'Best so far minus the reference run’s; finished runs keep their last value',
    figure: () => makeDifferenceFigure(overlay(), getLook),
    heightPixels: () => chartPixels,
  };
  return [best, difference];
}

/** Returns a chart for each of these stored series; empty until the telemetry is loaded. */
export function makeSeriesCharts(
  telemetry: TelemetryOverlay | undefined,
  keys: readonly string[],
  getLook: LookOf,
): ChartEntry[] {
  if (!telemetry) return [];
  return keys.map((key) => {
    const { title, sentence, y } = getSeriesName(key);
    return {
      id: getSeriesId(key),
      title,
      describe: () => sentence,
      figure: () => makeStoredSeriesFigure(telemetry, key, y, getLook),
      notes: () => makeThinningNotes(telemetry.runs),
      heightPixels: () => chartPixels,
    };
  });
}

/** Returns the chart id of a series: its key, with codes for characters that may not occur in file names. */
function getSeriesId(key: string): string {
  // Each code ends with `~`, so that keys which differ only in punctuation have different ids.
  const safeKey = key.replaceAll(
    /[^\w-]/gu,
    (character) => `~${character.codePointAt(0)?.toString(16)}~`,
  );
  return `series-${safeKey}`;
}

/** Returns a note on the runs whose iterations are thinned. */
function makeThinningNotes(runs: TelemetryOverlay['runs']): string[] {
  const thinned = runs.filter(({ thinnedIterations }) => thinnedIterations !== null).length;
  if (thinned === 0) return [];
  return [`${describeCount(thinned, 'run')} thinned to evenly spaced iterations.`];
}

/** Returns the telemetry of these runs: a response to earlier runs may have others. */
export function getTelemetry(
  telemetry: TelemetryOverlay,
  isWanted: (runId: string) => boolean,
): TelemetryOverlay {
  const isShown = telemetry.runs.map(({ runId }) => isWanted(runId));
  return {
    ...telemetry,
    runs: telemetry.runs.filter((_, place) => isShown[place]),
    series: telemetry.series.map(({ key, values }) => ({
      key,
      values: values.filter((_, place) => isShown[place]),
    })),
  };
}
