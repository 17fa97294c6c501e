import type { Diagnosis } from '#shared/schemas/insights.ts';
import type { DiagnosedRun, DiagnosedTelemetry, RunCourse } from './model.ts';

/** One series, the iterations that hold it, and what in it is a finding. */
export interface Search {
  key: string;
  values: readonly (number | null)[];
  isFound: (value: number) => boolean;
}

/** Part of the iterations, by index. */
export interface Span {
  from: number;
  to: number;
}

/** The iteration that reached the target; infinite when none did. */
export function hitIteration({ points }: DiagnosedRun, { hit }: RunCourse): number {
  return (hit === null ? undefined : points[hit]?.iteration) ?? Infinity;
}

/** From the first value that is found to the last one before a value that is not. */
function firstSpan({ values, isFound }: Search): Span | null {
  const from = values.findIndex((value) => value !== null && isFound(value));
  if (from < 0) return null;
  const end = values.findIndex((value, at) => at > from && value !== null && !isFound(value));
  return { from, to: (end < 0 ? values.length : end) - 1 };
}

/** From where on every value is found that there is; null when the last one is not. */
export function lastingSpan({ values, isFound }: Search): Span | null {
  const other = values.findLastIndex((value) => value !== null && !isFound(value));
  const from = values.findIndex((value, at) => at > other && value !== null);
  return from < 0 ? null : { from, to: values.length - 1 };
}

/** What a finding says. */
export type Words = Pick<Diagnosis, 'code' | 'severity' | 'message'> & {
  tab: 'diversity' | 'insights';
};

/** The finding of a search in a span of its iterations; its value is the first one found. */
export function found(
  { iterations }: DiagnosedTelemetry,
  { key, values }: Search,
  { from, to }: Span,
  { tab, ...words }: Words,
  threshold: number,
): Diagnosis {
  return {
    ...words,
    fromIteration: iterations[from] ?? null,
    toIteration: iterations[to] ?? null,
    evidence: { tab, series: [key], value: values[from] ?? null, threshold },
  };
}

/** The first number; null when there is none. */
export function firstValue(values: readonly (number | null)[]): number | null {
  return values.find((value) => value !== null) ?? null;
}

/** The finding of the first span, if it begins before that iteration. */
export function firstFound(
  telemetry: DiagnosedTelemetry,
  search: Search,
  words: Words,
  threshold: number,
  end = Infinity,
): Diagnosis | null {
  const span = firstSpan(search);
  if (!span || (telemetry.iterations[span.from] ?? 0) >= end) return null;
  return found(telemetry, search, span, words, threshold);
}
