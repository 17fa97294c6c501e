import type { Insights } from '#shared/schemas/insights.ts';
import type { Mark } from '#renderer/charts/figure.ts';
import { getRunPath } from '#renderer/paths.ts';
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
 * Returns the marks of a chart with these keys: the drawn points within the iterations of each diagnosis that is based
 * on one of them. `axis` converts an index of `iterations` to x; default: the iterations. A diagnosis without
 * iterations, or whose iterations are all before the first or after the last drawn point, has no mark.
 */
export function getMarks(
  diagnoses: Diagnoses,
  keys: readonly string[],
  iterations: readonly number[],
  axis: readonly (number | null)[] = iterations,
): Mark[] {
  const points = iterations.flatMap((iteration, index) => {
    const x = axis[index] ?? null;
    return x === null ? [] : [{ iteration, x }];
  });
  return diagnoses.flatMap(({ code, evidence, fromIteration, toIteration }) => {
    if (fromIteration === null || !evidence.series.some((key) => keys.includes(key))) return [];
    const markedPoints = getPointsWithin(points, fromIteration, toIteration ?? fromIteration);
    const [first, last] = [markedPoints[0], markedPoints.at(-1)];
    return first && last ? [{ label: getDiagnosisName(code), from: first.x, to: last.x }] : [];
  });
}

/**
 * Returns the points from one iteration to another; the nearest point if thinning has removed all of them. Points are
 * in the order of their iterations.
 */
function getPointsWithin<Point extends { iteration: number }>(
  points: readonly Point[],
  from: number,
  to: number,
): Point[] {
  const within = points.filter(({ iteration }) => iteration >= from && iteration <= to);
  if (within.length > 0) return within;
  const before = points.findLast(({ iteration }) => iteration < from);
  const after = points.find(({ iteration }) => iteration > to);
  // Thinning keeps both ends: an iteration beyond them is not loaded yet.
  if (!before || !after) return [];
  return [from - before.iteration <= after.iteration - to ? before : after];
}

const chartsOfKeys: Readonly<Record<string, string>> = {
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
  return specs.find(({ names }) => names.some(isDrawn))?.id ?? chartsOfKeys[key];
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
  return `${getRunPath(runId)}?${query.toString()}`;
}
