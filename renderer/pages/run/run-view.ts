import type { Scale, Scales } from '#renderer/charts/figure.ts';
import type { ProgressAxis } from '#renderer/charts/figures/fitness.ts';

/** The tabs of a run's page, in order. */
export const runTabs = ['fitness', 'iterations', 'events', 'config'] as const;
export type RunTab = (typeof runTabs)[number];

/** Events on one page. */
export const eventPageSizes = [25, 50, 100] as const;

/** What the address of a run's page says; anything it says wrongly is as if it were not said. */
export interface RunView {
  tab: RunTab;
  progressAxis: ProgressAxis;
  scales: Scales;
  /** The iteration whose telemetry is open. */
  openIteration: number | undefined;
  isTelemetryShown: boolean;
  eventType: string | undefined;
  eventSearch: string;
  /** From 1. */
  eventPage: number;
  eventPageSize: number;
  configFormat: 'yaml' | 'json';
  paramSearch: string;
}

/** The names and texts of an address, as the router gives them; a repeated name has several. */
export type SearchParams = Readonly<Record<string, string | string[] | undefined>>;

/** The view that an address stands for. */
export function parseRunView(search: SearchParams): RunView {
  return {
    tab: oneOf(runTabs, search['tab']) ?? 'fitness',
    progressAxis: oneOf(['iteration', 'evaluations'], search['by']) ?? 'iteration',
    scales: { x: scaleOf(search['x']), y: scaleOf(search['y']) },
    openIteration: wholeNumber(search['iteration']),
    isTelemetryShown: search['telemetry'] === 'shown',
    eventType: textOf(search['type']) || undefined,
    eventSearch: textOf(search['q']),
    eventPage: Math.max(1, wholeNumber(search['page']) ?? 1),
    eventPageSize: oneOf(eventPageSizes, wholeNumber(search['size'])) ?? eventPageSizes[0],
    configFormat: oneOf(['json'], search['format']) ?? 'yaml',
    paramSearch: textOf(search['find']),
  };
}

function oneOf<const Value>(values: readonly Value[], given: unknown): Value | undefined {
  return values.find((value) => value === given);
}

function scaleOf(given: SearchParams[string]): Scale {
  return given === 'log' ? 'log' : 'linear';
}

function textOf(given: SearchParams[string]): string {
  return typeof given === 'string' ? given : '';
}

function wholeNumber(given: SearchParams[string]): number | undefined {
  const text = textOf(given);
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
