import type { AdaptiveAction } from '#renderer/charts/figures/adaptive-timeline.ts';
import type { MetricsOfIteration } from '#renderer/charts/figures/metric-heat-map.ts';

/**
 * The finite numbers of an iteration's `metricsJson` by name; none of null, of malformed JSON and of JSON
 * that is not an object.
 */
export function parseMetrics(
  iteration: number | string,
  metricsJson: string | null,
): MetricsOfIteration {
  const entries = Object.entries(objectOf(metricsJson)).filter((entry): entry is [string, number] =>
    Number.isFinite(entry[1]),
  );
  return { iteration: Number(iteration), metrics: Object.fromEntries(entries) };
}

/**
 * The action in the payload of an `adaptive_action` event; null when the payload names no iteration. A
 * missing trigger, action or reason is the empty text.
 */
export function parseAdaptiveAction(payloadJson: string): AdaptiveAction | null {
  const payload = objectOf(payloadJson);
  const iteration = payload['iteration'];
  if (typeof iteration !== 'number' || !Number.isFinite(iteration)) return null;
  const action = recordOf(payload['action']);
  return {
    iteration,
    trigger: textOf(action['trigger']),
    actionType: textOf(action['actionType']),
    reason: textOf(action['reason']),
  };
}

function objectOf(json: string | null): Record<string, unknown> {
  try {
    return recordOf(JSON.parse(json ?? 'null'));
  } catch {
    return {};
  }
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
