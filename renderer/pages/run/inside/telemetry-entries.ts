import type { Insights } from '#shared/schemas/insights.ts';
import { isValue, type Cell } from '#renderer/charts/figure.ts';
import type { ChartEntry } from '#renderer/charts/chart-entry.ts';
import { getNumbers, makeTelemetryLines } from '#renderer/charts/figures/telemetry-lines.ts';
import { getMarks, type Diagnoses } from '#renderer/features/runs/diagnoses.ts';
import type { TelemetrySpec } from '#renderer/features/runs/telemetry-specs.ts';

/** Returns the charts of these specs; those without data in the run are omitted. */
export function makeTelemetryEntries(
  insights: Insights,
  diagnoses: Diagnoses,
  specs: readonly TelemetrySpec[],
): ChartEntry[] {
  const hasValues = ([key]: readonly [string, string]): boolean =>
    getNumbers(insights, key)?.some(isValue) === true;
  return specs
    .filter(({ names }) => names.some(hasValues))
    .map((spec) => ({
      id: spec.id,
      title: spec.title,
      describe: () => spec.sentence,
      figure: () =>
        makeTelemetryLines(insights, spec, getMarks(diagnoses, getKeys(spec), insights.iterations)),
    }));
}

function getKeys({ names }: TelemetrySpec): string[] {
  return names.map(([key]) => key);
}

/** Numbers that every family has and that other tabs show. */
const elsewhere = new Set([
  'best',
  'mean',
  'std',
  'evaluations',
  'iteration',
  'diversity',
  'entropy',
]);

/**
 * Returns a small chart for each changing number of the model, and with `hasMetrics` of the metrics; and the names of
 * the constant ones. Omits the keys in `drawnKeys`, which have a chart already.
 */
export function makeSmallMultiples(
  insights: Insights,
  diagnoses: Diagnoses,
  { hasMetrics, drawnKeys }: { hasMetrics: boolean; drawnKeys: ReadonlySet<string> },
): { entries: ChartEntry[]; constants: string[] } {
  const metrics = hasMetrics
    ? Object.keys(insights.series).filter((key) => !elsewhere.has(key))
    : [];
  const keys = [...Object.keys(insights.model), ...metrics].filter((key) => !drawnKeys.has(key));
  const isConstant = (key: string): boolean =>
    new Set((getNumbers(insights, key) ?? []).filter((value: Cell) => isValue(value))).size < 2;
  const specs = keys
    .filter((key) => !isConstant(key))
    .map((key) => ({
      id: key,
      title: key,
      sentence: `${key in insights.model ? 'Model diagnostic' : 'Metric'} (runner’s name)`,
      names: [[key, key]] as const,
      y: { title: 'value' },
    }));
  const entries = makeTelemetryEntries(insights, diagnoses, specs);
  return {
    entries: entries.map((entry) => ({ ...entry, heightPixels: () => 160 })),
    constants: keys.filter(isConstant),
  };
}
