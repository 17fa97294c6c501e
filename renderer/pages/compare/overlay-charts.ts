import type { RunsOverlay, TelemetryOverlay } from '#shared/schemas/analysis-runs.ts';
import { countOf } from '#shared/number-format.ts';
import type { ChartEntry } from '#renderer/charts/chart-entry.ts';
import {
  differenceFigure,
  overlayFigure,
  storedSeriesFigure,
  type RunLook,
} from '#renderer/charts/figures/run-overlay.ts';
import { notesAt } from '#renderer/pages/analysis/note-places.ts';
import { seriesName } from './series-names.ts';

type LookOf = (runId: string) => RunLook;

const chartPixels = 340;

/** The chart of the best so far, and with a reference that of the differences to it. */
export function overlayCharts(
  overlay: () => RunsOverlay,
  lookOf: LookOf,
  reference: string | null,
): ChartEntry[] {
  const best: ChartEntry = {
    id: 'best',
    title: 'Best so far',
    describe: () =>
      `Each run to where it ended${overlay().by === 'evaluations' ? '; a cross marks where it reached its target' : ''}`,
    figure: () => overlayFigure(overlay(), lookOf),
    notes: () => notesAt(overlay().notes, 'general', 'sample', 'success'),
    heightPixels: () => chartPixels,
  };
  if (reference === null) return [best];
  const name = lookOf(reference).name;
  const difference: ChartEntry = {
    id: 'difference',
    title: `Difference to ${name}`,
    describe: () =>
      'Best so far less that of the reference run; finished runs hold their last value',
    figure: () => differenceFigure(overlay(), lookOf),
    heightPixels: () => chartPixels,
  };
  return [best, difference];
}

/** A chart for each of these stored series; empty while the telemetry is not there. */
export function seriesCharts(
  telemetry: TelemetryOverlay | undefined,
  keys: readonly string[],
  lookOf: LookOf,
): ChartEntry[] {
  if (!telemetry) return [];
  return keys.map((key) => {
    const { title, sentence, y } = seriesName(key);
    return {
      id: `series-${key.replaceAll(/[^\w-]+/g, '-')}`,
      title,
      describe: () => sentence,
      figure: () => storedSeriesFigure(telemetry, key, y, lookOf),
      notes: () => thinningNotes(telemetry.runs),
      heightPixels: () => chartPixels,
    };
  });
}

/** Says of how many runs some iterations only were read. */
function thinningNotes(runs: TelemetryOverlay['runs']): string[] {
  const thinned = runs.filter(({ thinnedIterations }) => thinnedIterations !== null).length;
  if (thinned === 0) return [];
  return [`Of ${countOf(thinned, 'run')} evenly spaced iterations are drawn, not all.`];
}

/** The telemetry of these runs alone: an answer to former runs may have others. */
export function telemetryOf(
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
