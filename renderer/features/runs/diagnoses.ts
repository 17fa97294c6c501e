import type { Insights } from '#shared/schemas/insights.ts';
import type { Mark } from '#renderer/charts/figure.ts';
import { runPath } from '#renderer/paths.ts';
import { diversitySpecs, driftSpecs, insightSpecs } from './telemetry-specs.ts';

/** Diagnoses of a run. */
export type Diagnoses = Insights['diagnosis'];
type Diagnosis = Diagnoses[number];

/** Returns the displayed name of a code: "Still improving". */
export function getDiagnosisName(code: Diagnosis['code']): string {
  const words = code.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * Returns the marks of a chart with these keys: the iterations of each diagnosis that is based on one of them. `axis`
 * converts an index of `iterations` to x; default: the iterations. A diagnosis without iterations has no mark.
 */
export function getMarks(
  diagnoses: Diagnoses,
  keys: readonly string[],
  iterations: readonly number[],
  axis: readonly (number | null)[] = iterations,
): Mark[] {
  return diagnoses.flatMap(({ code, evidence, fromIteration, toIteration }) => {
    if (fromIteration === null || !evidence.series.some((key) => keys.includes(key))) return [];
    const from = axis[iterations.indexOf(fromIteration)] ?? null;
    const to = axis[iterations.indexOf(toIteration ?? fromIteration)] ?? from;
    return from === null ? [] : [{ label: getDiagnosisName(code), from, to: to ?? from }];
  });
}

const shownOn: Readonly<Record<string, string>> = {
  best: 'fitness',
  mean: 'fitness',
  adaptive_event_count: 'adaptive-actions',
};
const specs = [diversitySpecs, driftSpecs, insightSpecs].flatMap((byFamily) =>
  Object.values(byFamily).flat(),
);

/** Returns the id of the chart with the evidence of a diagnosis; undefined where only its tab shows it. */
export function getChart({ evidence }: Pick<Diagnosis, 'evidence'>): string | undefined {
  const isDrawn = ([key]: readonly [string, string]): boolean => evidence.series.includes(key);
  const [key] = evidence.series;
  if (evidence.tab === 'iterations' || key === undefined) return undefined;
  return specs.find(({ names }) => names.some(isDrawn))?.id ?? shownOn[key];
}

/** Returns the names in the URL of a run that open a diagnosis, on the tab and at the chart with its evidence. */
export function getEvidencePlace(diagnosis: Pick<Diagnosis, 'code' | 'evidence'>) {
  const { tab } = diagnosis.evidence;
  return {
    finding: diagnosis.code,
    tab: tab === 'fitness' ? undefined : tab,
    show: getChart(diagnosis),
  };
}

/** Returns the URL of a run's page with a diagnosis open. */
export function getDiagnosisPath(
  runId: string,
  diagnosis: Pick<Diagnosis, 'code' | 'evidence'>,
): string {
  const query = new URLSearchParams();
  for (const [name, text] of Object.entries(getEvidencePlace(diagnosis))) {
    if (text !== undefined) query.set(name, text);
  }
  return `${runPath(runId)}?${query.toString()}`;
}
